"""Imports during other writes: a second import, and editors who save decisions."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

import presort.data.intake.commit_import
import presort.data.intake.identities
import presort.data.workspace.folder
from presort.data import catalogue
from presort.data.duplicates.matching import find_duplicates
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.records import ListedPaper, Report
from presort.data.store import find_store
from tests.data.workspaces import (
    FIRST,
    SECOND,
    ids,
    make_issue,
    make_listed,
    n_unlisted,
    say,
    take_in,
)

PATIENCE = 60  # seconds until a test with a blocked thread fails


def test_a_second_import_is_refused_while_one_runs(store):
    other = find_store(store.folder)

    def listings_with_an_import_between() -> Iterator[ListedPaper]:
        yield make_listed("a1")
        with pytest.raises(RefusedError, match="Another import into this workspace is running"):
            take_in(other, make_issue(1, SECOND))
        yield make_listed("a2")

    commit_import(store, listings_with_an_import_between(), person="files")
    assert [issue.n_papers for issue in catalogue.issues(store)] == [2]
    assert take_in(other, make_issue(1, SECOND)).new_issues == 1
    other.close()


@pytest.mark.usefixtures("small_chunks")
def test_a_decision_is_saved_while_a_file_is_read(store, monkeypatch):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    monkeypatch.setattr(
        presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1
    )  # a decision that had to wait would be refused
    editors = find_store(store.folder)
    half_way, go_on = Event(), Event()

    def held() -> Iterator[ListedPaper]:
        yield from make_issue(7, SECOND)
        half_way.set()
        assert go_on.wait(PATIENCE)
        yield make_listed("late", SECOND)

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(commit_import, store, held(), person="files")
        try:
            assert half_way.wait(PATIENCE)
            assert decisions.decide(editors, [say("lab", "a2", "yes")]) == 1
            assert decisions.labels(editors, "lab", FIRST) == {"a2": "yes"}
            assert not running.done()
        finally:
            go_on.set()
        assert running.result(PATIENCE).summary.new_papers == 8
    assert decisions.labels(store, "lab", FIRST) == {"a2": "yes"}
    assert ids(store, SECOND)[-1] == "late"
    editors.close()


@pytest.mark.usefixtures("small_chunks")
def test_a_decision_is_saved_between_two_steps_of_an_import(store, monkeypatch):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    monkeypatch.setattr(presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1)
    editors = find_store(store.folder)
    write = presort.data.intake.commit_import._write_new_papers

    def write_then_decide(*arguments):
        n_written = write(*arguments)
        assert n_unlisted(editors) == 8
        assert len(catalogue.issues(editors)) == 1
        assert decisions.decide(editors, [say("lab", "a2", "yes")]) == 1
        return n_written

    monkeypatch.setattr(presort.data.intake.commit_import, "_write_new_papers", write_then_decide)
    assert take_in(store, make_issue(8, SECOND)).new_papers == 8
    assert decisions.labels(store, "lab", FIRST) == {"a2": "yes"}
    editors.close()


def test_a_decision_is_saved_during_the_search_for_duplicates(store, monkeypatch):
    take_in(store, [*make_issue(2), make_listed("arXiv:1701.1v1")])
    catalogue.add_reports(store, [Report("lab", "Labour")])
    monkeypatch.setattr(presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1)
    editors = find_store(store.folder)

    def find_while_deciding(*arguments, **options):
        assert decisions.decide(editors, [say("lab", "a2", "yes")]) == 1
        return find_duplicates(*arguments, **options)

    monkeypatch.setattr(presort.data.intake.identities, "find_duplicates", find_while_deciding)
    assert take_in(store, [make_listed("arXiv:1701.1v2", SECOND)]).matched == 1
    assert decisions.labels(store, "lab", FIRST) == {"a2": "yes"}
    editors.close()


def test_a_decision_made_during_an_import_still_counts(store, monkeypatch):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    editors = find_store(store.folder)
    stage = presort.data.intake.commit_import._stage

    def stage_then_decide(*arguments):
        n_listings = stage(*arguments)
        decisions.decide(editors, [say("lab", "a1", "no")])
        return n_listings

    monkeypatch.setattr(presort.data.intake.commit_import, "_stage", stage_then_decide)
    assert take_in(store, make_issue(2, selected={"lab": [1]})).new_selections == 0
    assert decisions.labels(store, "lab", FIRST) == {"a1": "no"}
    editors.close()
