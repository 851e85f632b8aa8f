"""Downloads of tables."""

import pandas as pd

from presort.desk.ui import download

HOSTILE = "=HYPERLINK(1)"


def page():
    import pandas as pd

    from presort.desk.ui.download import offer

    offer("Take it", pd.DataFrame({"title": ["=HYPERLINK(1)"], "n": [-1]}), "table.csv")


def test_a_table_is_offered_once_as_a_file(open_page, store):
    drawn = open_page(page, store)
    (button,) = drawn.get("download_button")
    assert button.proto.label == "Take it"


def test_downloads_are_safe_in_a_spreadsheet(monkeypatch):
    given = []
    monkeypatch.setattr(download.st, "download_button", lambda *args, **named: given.append(args))
    download.offer("Take it", pd.DataFrame({"title": [HOSTILE], "n": [-1]}), "table.csv")
    ((_, write),) = given
    assert write().startswith("\ufeff".encode())
    assert write().decode("utf-8-sig").splitlines() == ["title,n", "'=HYPERLINK(1),-1"]
