from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from sqlalchemy import event, insert

import data.publish
import data.store
from data import catalogue, rankings, reviews
from data.errors import RefusedError, UnreadableFileError, WorkspaceError
from data.importers import read_listings
from data.publish import CHUNK, publish
from data.records import ImportSummary, ListedPaper, Paper, Ranking, Report, ReportIssue
from data.reopening import reopen
from data.store import Store, open_store
from data.tables import PaperRow
from tests.data.workspaces import (
    FIRST,
    SECOND,
    contents,
    damage,
    kill_after,
    make_issue,
    make_listed,
    say,
    send_out,
    take_in,
)

PATIENCE = 60  # seconds until a thread that hangs fails its test
NOTHING = ImportSummary(0, 0, 0, 0, 0, 0, 0, 0)


def ids(store: Store, issue: date) -> list[str]:
    return [paper.paper_id for paper in catalogue.papers(store, issue)]


def n_unlisted(store: Store) -> int:
    rows = contents(store)
    return len({row[0] for row in rows["paper"]} - {row[2] for row in rows["listing"]})


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data.publish, "CHUNK", 3)


def test_everything_is_there_afterwards(store):
    full = make_listed(
        "a1",
        selected_by=("lab", "his"),
        title="Wages",
        abstract="We show.",
        authors=("Ann Lee", "Bo Chen"),
        codes=("J31",),
        series="Papers",
        date="2026-10-30",
    )
    summary = take_in(store, [full, make_listed("a2"), make_listed("a1", SECOND, title="Wages", selected_by=("lab",))])
    assert summary == ImportSummary(
        listings=3,
        new_issues=2,
        new_papers=2,
        updated_papers=0,
        new_listings=3,
        new_reports=2,
        new_selections=3,
        selections_left=0,
    )
    assert catalogue.papers(store, FIRST) == [full.paper, Paper("a2", "About a2")]
    assert catalogue.papers(store, SECOND) == [full.paper]
    assert catalogue.reports(store) == [Report("his", "his"), Report("lab", "lab")]
    assert reviews.words(store, "lab", FIRST) == {"a1": "yes"}
    assert reviews.issued(store, "lab") == {day: ReportIssue("lab", day, (), "files") for day in (FIRST, SECOND)}
    assert list(reviews.issued(store, "his")) == [FIRST]


def test_nothing_at_all(store):
    assert take_in(store) == NOTHING
    assert catalogue.issues(store) == []


def test_papers_without_selections(store):
    take_in(store, make_issue(2))
    assert (ids(store, FIRST), catalogue.reports(store)) == (["a1", "a2"], [])


def test_issues_in_any_order_of_rows(store):
    mixed = [listed for pair in zip(make_issue(3, SECOND), make_issue(3), strict=True) for listed in pair]
    take_in(store, mixed)
    assert (ids(store, FIRST), ids(store, SECOND)) == (["a1", "a2", "a3"], ["b1", "b2", "b3"])


@pytest.mark.usefixtures("small_chunks")
def test_many_chunks_keep_their_order_and_selections(store):
    take_in(store, make_issue(20, selected={"lab": [1, 4, 20]}))
    assert ids(store, FIRST) == [f"a{position}" for position in range(1, 21)]
    assert set(reviews.words(store, "lab", FIRST)) == {"a1", "a4", "a20"}


@pytest.mark.usefixtures("small_chunks")
def test_the_same_twice_changes_nothing(store):
    issues = make_issue(5, selected={"lab": [1, 4], "his": [4]}), make_issue(4, SECOND, selected={"his": [2]})
    take_in(store, *issues)
    before = contents(store)
    assert asdict(take_in(store, *issues)) == asdict(NOTHING) | {"listings": 9}
    assert contents(store) == before


def test_new_papers_of_a_known_issue_come_last(store):
    take_in(store, make_issue(3))
    longer = [make_listed("new1"), *make_issue(3), make_listed("new2")]
    assert take_in(store, longer).new_listings == 2
    assert ids(store, FIRST) == ["a1", "a2", "a3", "new1", "new2"]


def test_later_selections_of_a_known_issue_are_added(store):
    take_in(store, make_issue(3, selected={"lab": [1]}))
    assert take_in(store, make_issue(3, selected={"lab": [1, 2]})).new_selections == 1
    assert reviews.words(store, "lab", FIRST) == {"a1": "yes", "a2": "yes"}


def test_changed_texts_are_taken(store):
    take_in(store, [make_listed("a1", abstract="Old.", authors=("Ann",)), make_listed("a2")])
    summary = take_in(store, [make_listed("a1", SECOND, title="New", abstract="New.", codes=("J31",))])
    assert (summary.updated_papers, summary.new_papers, summary.new_listings) == (1, 0, 1)
    assert catalogue.papers(store, FIRST)[0] == Paper("a1", "New", "New.", ("Ann",), ("J31",))


FULL_TEXTS = {"abstract": "We show.", "authors": ("Ann",), "codes": ("J31",), "series": "Papers", "date": "2026-10-30"}


@pytest.mark.parametrize("column", FULL_TEXTS)
def test_an_empty_cell_never_erases(store, column):
    take_in(store, [make_listed("a1", **FULL_TEXTS)])
    fewer = {name: text for name, text in FULL_TEXTS.items() if name != column}
    assert take_in(store, [make_listed("a1", **fewer)]).updated_papers == 0
    assert catalogue.papers(store, FIRST) == [Paper("a1", "About a1", **FULL_TEXTS)]


def test_an_empty_cell_erases_nothing_of_an_earlier_row_either(store):
    take_in(store, [make_listed("a1", **FULL_TEXTS), make_listed("a1", SECOND, title="Newer")])
    assert catalogue.papers(store, FIRST) == [Paper("a1", "Newer", **FULL_TEXTS)]


@pytest.mark.parametrize("word", ["yes", "no", "maybe", "undecided"])
def test_a_file_never_overrules_an_editor(store, word):
    """Once somebody decided at the desk, the whole report issue is theirs; others take the file's selections."""
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("mac", "Macro")])
    reviews.decide(store, [say("lab", "a1", word)])
    assert take_in(store, make_issue(2, selected={"lab": [1, 2], "mac": [2]})).new_selections == 1
    assert reviews.words(store, "lab", FIRST) == ({} if word == "undecided" else {"a1": word})
    assert reviews.issued(store, "lab") == {}
    assert reviews.words(store, "mac", FIRST) == {"a2": "yes"}
    assert list(reviews.issued(store, "mac")) == [FIRST]


def test_selections_that_come_later_are_scored_anew(store):
    take_in(store, make_issue(3, selected={"lab": [3]}))
    order = np.array([1, 2, 3], dtype=np.int32)
    rankings.add_rankings(store, [Ranking("lab", FIRST, "r", FIRST, 0, 0, order, np.empty(0))])

    def places():
        rankings.score_issued(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)
        return [x.places.tolist() for x in rankings.scored_rankings(store)]

    assert places() == [[3]]
    take_in(store, make_issue(3, selected={"lab": [1, 3]}))
    assert places() == [[1, 3]]


def test_what_an_editor_sent_out_stays(store):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    send_out(store, "lab")
    assert take_in(store, make_issue(2, selected={"lab": [2]})).selections_left == 1
    assert reviews.words(store, "lab", FIRST) == {}
    assert reviews.issued(store, "lab") == {FIRST: ReportIssue("lab", FIRST, (), "Ann")}


def test_what_was_reopened_is_left_to_its_editor(store):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    reopen(store, "lab", FIRST, "one is missing", person="Ann")
    assert take_in(store, make_issue(2, selected={"lab": [1, 2]})).selections_left == 1
    assert reviews.words(store, "lab", FIRST) == {"a1": "yes"}
    assert reviews.issued(store, "lab") == {}


def test_only_where_the_file_says_selections_a_report_issue_is_issued(store):
    take_in(store, make_issue(2, selected={"lab": [1]}), make_issue(2, SECOND, selected={"his": [1]}))
    assert (list(reviews.issued(store, "lab")), list(reviews.issued(store, "his"))) == ([FIRST], [SECOND])
    with pytest.raises(RefusedError, match="was issued on"):
        reviews.decide(store, [say("lab", "a2", "yes")])


def test_an_error_in_the_last_row_leaves_nothing(store, tmp_path):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    before = contents(store)
    path = tmp_path / "papers.csv"
    rows = "".join(f"p{number},Wages,2026-11-09,new\n" for number in range(2 * CHUNK))
    path.write_text(f"paper_id,title,issue,reports\n{rows}last,,2026-11-09,new\n")
    with pytest.raises(UnreadableFileError, match=r"papers\.csv, row 4001, column title: is empty"):
        publish(store, read_listings(path), person="files")
    assert contents(store) == before
    assert publish(store, make_issue(1, SECOND), person="files").new_issues == 1  # the lock was given back


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.usefixtures("small_chunks")
def test_whatever_a_reader_raises_is_passed_on_and_leaves_nothing(store, error):
    def broken() -> Iterator[ListedPaper]:
        yield from make_issue(7, selected={"lab": [2]})
        raise error("broken")

    before = contents(store)
    with pytest.raises(error, match="broken"):
        publish(store, broken(), person="files")
    assert contents(store) == before


@pytest.mark.parametrize(
    "statement", ["INSERT INTO paper", "INSERT INTO issue", "INSERT INTO decision", "INSERT INTO report_issue"]
)
@pytest.mark.usefixtures("small_chunks")
def test_a_failing_statement_leaves_nothing(store, statement):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    before = contents(store)

    @event.listens_for(store.engine, "after_cursor_execute")
    def fail(_connection, _cursor, sql, *_):
        if sql.lstrip().startswith(statement):
            raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        take_in(store, make_issue(8, SECOND, selected={"his": [1]}))
    assert contents(store) == before
    event.remove(store.engine, "after_cursor_execute", fail)
    assert take_in(store, make_issue(8, SECOND, selected={"his": [1]})).new_papers == 8


def test_a_full_disk_leaves_nothing(store):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    before = contents(store)
    store.engine.dispose()

    @event.listens_for(store.engine, "connect")
    def shrink(connection, _):
        connection.execute("PRAGMA max_page_count=1")  # no page more than there are now

    long = [make_listed(f"b{number}", SECOND, abstract="We show. " * 5_000) for number in range(20)]
    with pytest.raises(WorkspaceError, match="the disk is full"):
        take_in(store, long)
    event.remove(store.engine, "connect", shrink)
    store.engine.dispose()
    assert contents(store) == before
    assert take_in(store, long).new_papers == 20


def test_a_second_import_is_refused_while_one_runs(store):
    other = Store(store.path)

    def listings_with_an_import_between() -> Iterator[ListedPaper]:
        yield make_listed("a1")
        with pytest.raises(RefusedError, match="Another import into this workspace is running; try again"):
            take_in(other, make_issue(1, SECOND))
        yield make_listed("a2")

    publish(store, listings_with_an_import_between(), person="files")
    assert [issue.n_papers for issue in catalogue.issues(store)] == [2]
    assert take_in(other, make_issue(1, SECOND)).new_issues == 1
    other.close()


def test_a_lock_file_that_cannot_be_opened_is_told(store):
    store.path.with_suffix(".import-lock").mkdir()
    with pytest.raises(WorkspaceError, match=r"presort\.import-lock can't be written to: Is a directory"):
        take_in(store, make_issue(1))


def test_leftovers_of_a_killed_import_are_removed_by_the_next(store):
    take_in(store, make_issue(1))
    with store.writing() as connection:
        empty = dict.fromkeys(("title", "abstract", "series", "date"), "") | {"authors": (), "codes": ()}
        connection.execute(insert(PaperRow), [{"paper_id": "left"} | empty, {"paper_id": "b1"} | empty])
    assert n_unlisted(store) == 2
    assert take_in(store, make_issue(1, SECOND)).new_papers == 1
    assert n_unlisted(store) == 0
    assert catalogue.papers(store, SECOND) == [Paper("b1", "About b1")]


@pytest.mark.usefixtures("small_chunks")
def test_a_decision_is_saved_while_a_file_is_read(store, monkeypatch):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    monkeypatch.setattr(data.store, "BUSY_TIMEOUT_MS", 1)  # a decision that had to wait would be refused
    editors = Store(store.path)
    half_way, go_on = Event(), Event()

    def held() -> Iterator[ListedPaper]:
        yield from make_issue(7, SECOND)
        half_way.set()
        assert go_on.wait(PATIENCE)
        yield make_listed("late", SECOND)

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(publish, store, held(), person="files")
        try:
            assert half_way.wait(PATIENCE)
            assert reviews.decide(editors, [say("lab", "a2", "yes")]) == 1
            assert reviews.words(editors, "lab", FIRST) == {"a2": "yes"}
            assert not running.done()
        finally:
            go_on.set()
        assert running.result(PATIENCE).new_papers == 8
    assert reviews.words(store, "lab", FIRST) == {"a2": "yes"}
    assert ids(store, SECOND)[-1] == "late"
    editors.close()


@pytest.mark.usefixtures("small_chunks")
def test_a_decision_is_saved_between_the_texts_and_the_last_step(store, monkeypatch):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    monkeypatch.setattr(data.store, "BUSY_TIMEOUT_MS", 1)
    editors = Store(store.path)
    write = data.publish._write_new_papers

    def write_then_decide(*arguments):
        n_written = write(*arguments)
        assert n_unlisted(editors) == 8
        assert len(catalogue.issues(editors)) == 1
        assert reviews.decide(editors, [say("lab", "a2", "yes")]) == 1
        return n_written

    monkeypatch.setattr(data.publish, "_write_new_papers", write_then_decide)
    assert take_in(store, make_issue(8, SECOND)).new_papers == 8
    assert reviews.words(store, "lab", FIRST) == {"a2": "yes"}
    editors.close()


def test_a_decision_made_after_the_file_was_read_still_counts(store, monkeypatch):
    take_in(store, make_issue(2))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    editors = Store(store.path)
    stage = data.publish._stage

    def stage_then_decide(*arguments):
        n_listings = stage(*arguments)
        reviews.decide(editors, [say("lab", "a1", "no")])
        return n_listings

    monkeypatch.setattr(data.publish, "_stage", stage_then_decide)
    assert take_in(store, make_issue(2, selected={"lab": [1]})).new_selections == 0
    assert reviews.words(store, "lab", FIRST) == {"a1": "no"}
    editors.close()


IMPORT = """
from data.importers import read_listings
from data.publish import publish

publish(store, read_listings(Path(sys.argv[4])), person="files")
"""
N_PAPERS = 5_000


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten issues of 500 papers, and one known paper with a new title."""
    path = tmp_path_factory.mktemp("large") / "papers.csv"
    with path.open("w") as file:
        file.write("paper_id,title,issue,abstract,reports\n")
        file.write(f"a1,A newer title,{FIRST},,\n")
        for number in range(N_PAPERS):
            issue = SECOND + timedelta(weeks=number // 500)
            file.write(f"p{number},Title {number},{issue},{'We show. ' * 20},{'lab;new' if number % 20 == 0 else ''}\n")
    return path


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        pytest.param("DELETE FROM paper", 1, id="at-the-start"),
        pytest.param("INSERT INTO staged_listing", 2, id="while-staging"),
        pytest.param("INSERT INTO paper", 1, id="in-the-first-texts"),
        pytest.param("INSERT INTO paper", 3, id="in-the-last-texts"),
        pytest.param("INSERT INTO issue", 1, id="at-the-start-of-the-last-step"),
        pytest.param("INSERT INTO listing", 1, id="with-the-lists-half-written"),
        pytest.param("INSERT INTO decision", 1, id="with-the-selections-half-written"),
        pytest.param("UPDATE revision", 5, id="right-before-the-commit"),
    ],
)
def test_a_killed_import_leaves_nothing_and_succeeds_the_next_time(tmp_path, large_file, statement, count):
    workspace = tmp_path / "workspace"
    store = open_store(workspace)
    take_in(store, make_issue(3, selected={"lab": [2]}))
    before = contents(store)
    store.close()

    kill_after(workspace, statement, count, IMPORT, large_file)

    store = open_store(workspace)
    assert damage(store) == []
    after = contents(store)
    listed = {row[2] for row in after["listing"]}
    assert after | {"paper": [row for row in after["paper"] if row[0] in listed]} == before
    summary = publish(store, read_listings(large_file), person="files")
    assert summary == ImportSummary(
        listings=N_PAPERS + 1,
        new_issues=10,
        new_papers=N_PAPERS,
        updated_papers=1,
        new_listings=N_PAPERS,
        new_reports=1,
        new_selections=N_PAPERS // 10,
        selections_left=0,
    )
    assert n_unlisted(store) == 0
    assert damage(store) == []
    assert [issue.n_papers for issue in catalogue.issues(store)] == [3] + [500] * 10
    assert reviews.n_relevant(store) == {"lab": 1 + N_PAPERS // 20, "new": N_PAPERS // 20}
    assert catalogue.papers(store, FIRST)[0].title == "A newer title"
    store.close()


def test_an_import_killed_after_its_end_is_there(tmp_path, large_file):
    code = IMPORT + "\nfrom data import catalogue\ncatalogue.set_setting(store, 'demo', '1')"
    kill_after(tmp_path, "INSERT INTO setting", 1, code, large_file)
    store = open_store(tmp_path)
    assert damage(store) == []
    assert catalogue.setting(store, "demo") is None
    assert publish(store, read_listings(large_file), person="files") == ImportSummary(N_PAPERS + 1, 0, 0, 0, 0, 0, 0, 0)
    store.close()
