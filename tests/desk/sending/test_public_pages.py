"""Public pages after publication: written once, changed, removed, and rebuilt after damage."""

import os
from dataclasses import replace
from datetime import timedelta

import pytest

from presort.data import catalogue
from presort.data.editing.publications import reopen
from presort.data.errors import DataError
from presort.data.mail.last_runs import last_run
from presort.desk import settings
from presort.desk.sending import delivery, site
from presort.desk.service.delivery import is_due
from presort.desk.settings import Delivery
from tests.desk.sending.deliveries import ANN, CODES, DAY, at_once, now, presort, publish, published_at, store

__all__ = ["at_once", "presort", "store"]  # fixtures


def test_without_a_mail_server_pages_are_written_and_nothing_fails(store, presort, at_once, monkeypatch, tmp_path):
    monkeypatch.delenv("PRESORT_SMTP_HOST", raising=False)
    publish(store)
    assert presort("send", "--due").exit_code == 0
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    assert presort("send", "--due").exit_code == 0
    assert (tmp_path / "site" / "index.html").is_file()
    assert not is_due(store, Delivery(delay=timedelta(), folder=tmp_path / "site"), now(), has_mail=False)


def test_mail_is_sent_even_if_pages_cant_be_written(store, inbox, presort, at_once, monkeypatch, tmp_path):
    (tmp_path / "site").write_text("a file")
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    publish(store)
    ended = presort("send", "--due")
    assert (ended.exit_code, set(inbox.got)) == (1, {ANN})
    assert "Can't write" in last_run(store, "pages").error
    (tmp_path / "site").unlink()
    assert presort("send", "--due").exit_code == 0
    assert last_run(store, "pages").error == ""


def test_pages_are_written_once_for_all_publications_and_only_if_changed(store, tmp_path, monkeypatch):
    wanted = Delivery(delay=timedelta(), folder=tmp_path / "site")
    publish(store, "lab")
    assert delivery.write_pages(store, wanted) == 1
    page = tmp_path / "site" / "lab" / f"{DAY}.html"
    before = page.stat().st_ino
    assert delivery.write_pages(store, wanted) is None
    publish(store, "his")
    rendered = []
    render = site.Templates.page
    monkeypatch.setattr(
        site.Templates, "page", lambda self, letter: rendered.append(letter.code) or render(self, letter)
    )
    assert delivery.write_pages(store, wanted) == 2
    assert rendered == ["his"]
    assert page.stat().st_ino == before
    assert (tmp_path / "site" / "his" / "atom.xml").is_file()
    reopen(store, "lab", DAY, "Wait.", person="Ann")
    assert delivery.write_pages(store, wanted) == 1
    assert not page.exists()
    assert str(DAY) not in (tmp_path / "site" / "lab" / "atom.xml").read_text()


def test_pages_appear_after_the_delay_and_disappear_at_once(store, tmp_path):
    wanted = Delivery(folder=tmp_path / "site")
    publish(store)
    assert delivery.write_pages(store, wanted) == 0
    assert not is_due(store, wanted, now(), has_mail=False)
    assert is_due(store, wanted, published_at(store) + wanted.delay, has_mail=False)


def test_a_changed_folder_or_address_makes_pages_due(store, tmp_path):
    first, second = (Delivery(delay=timedelta(), folder=tmp_path / name) for name in ("site", "new"))
    moved = replace(second, url="https://desk.example.org/pages")
    publish(store)
    delivery.write_pages(store, first)
    for wanted in (second, moved, first):
        assert is_due(store, wanted, now(), has_mail=False)
        assert delivery.write_pages(store, wanted) == 1
        assert not is_due(store, wanted, now(), has_mail=False)
    assert (tmp_path / "new" / "lab" / f"{DAY}.html").is_file()
    assert moved.url in (tmp_path / "new" / "lab" / "atom.xml").read_text()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"basis": 1, "pages": [["lab", "no date", "", 1]]}', b"\xff"])
def test_a_damaged_list_of_pages_is_rebuilt(store, tmp_path, content):
    wanted = Delivery(delay=timedelta(), folder=tmp_path / "site")
    publish(store)
    delivery.write_pages(store, wanted)
    (tmp_path / "site" / site.LIST).write_bytes(content)
    publish(store, "his")
    assert delivery.write_pages(store, wanted) == 2
    assert {path.name for path in (tmp_path / "site").iterdir()} == {site.LIST, "index.html", *CODES}


def test_renaming_a_report_changes_all_its_pages(store, tmp_path):
    wanted = Delivery(delay=timedelta(), folder=tmp_path / "site")
    publish(store)
    delivery.write_pages(store, wanted)
    catalogue.rename_report(store, "lab", "Labour & Wages")
    publish(store, "his")
    delivery.write_pages(store, wanted)
    assert "Labour &amp; Wages" in (tmp_path / "site" / "lab" / f"{DAY}.html").read_text()


def test_the_web_server_can_read_the_pages_whatever_the_umask(store, tmp_path):
    before = os.umask(0o077)
    try:
        publish(store)
        delivery.write_pages(store, Delivery(delay=timedelta(), folder=tmp_path / "site"))
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in [tmp_path / "site", *(tmp_path / "site").rglob("*")]}
    assert modes == {0o755, 0o644}


def test_an_error_writing_pages_is_raised_and_recorded(store, tmp_path):
    (tmp_path / "site").write_text("")
    publish(store)
    with pytest.raises(DataError):
        delivery.write_pages(store, Delivery(delay=timedelta(), folder=tmp_path / "site"))
    assert last_run(store, "pages").n_failures == 1
