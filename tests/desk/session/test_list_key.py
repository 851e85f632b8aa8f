"""Unsaved entries in the browser are never sent to another list, user or workspace."""

import shutil
from datetime import date

from presort.data.store import open_store
from presort.desk.session.progress import list_key


def key(store, *, report="lab", person="editor"):
    return list_key(store, report, date(2026, 11, 16), person)


def test_the_key_of_a_list_depends_on_workspace_report_and_user(empty_store):
    own = key(empty_store)
    assert key(empty_store) == own
    assert own not in {key(empty_store, report="mac"), key(empty_store, person="editor two")}
    assert key(empty_store, report="lab a", person="b") != key(empty_store, report="lab", person="a b")


def test_a_copy_and_a_replacement_of_the_workspace_have_other_keys(tmp_path):
    def opened(folder):
        store = open_store(folder)
        named = key(store)
        store.close()
        return named

    here = tmp_path / "here"
    own = opened(here)
    shutil.copytree(here, tmp_path / "copy")
    assert opened(tmp_path / "copy") != own
    here.rename(tmp_path / "away")
    assert opened(here) != own
    shutil.rmtree(here)
    (tmp_path / "away").rename(here)
    assert opened(here) == own
