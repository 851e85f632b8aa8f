"""The app as `AppTest` sees it: where it starts, and with something wrong outside the program."""

from streamlit.testing.v1 import AppTest

from data import catalogue
from desk import settings
from tests.desk.conftest import APP


def test_the_app_starts_on_review(ranked, open_page):
    page = open_page(APP, ranked)
    assert not page.exception
    assert [title.value for title in page.title] == ["Review"]


def test_the_app_says_demo_only_on_the_demo(ranked, open_page):
    assert not any("made up" in mark.value for mark in open_page(APP, ranked).markdown)
    catalogue.set_setting(ranked, "demo", "3")
    assert any("made up" in mark.value for mark in open_page(APP, ranked).markdown)


def test_a_workspace_that_cannot_be_opened_is_one_line(monkeypatch, tmp_path):
    (tmp_path / "presort.db").write_bytes(b"not a database, not a database, not a database" * 99)
    monkeypatch.setenv(settings.WORKSPACE, str(tmp_path))
    page = AppTest.from_file(APP).run(timeout=30)
    assert not page.exception
    assert "is not a Presort database" in page.error[0].value
