"""Failed or killed imports leave nothing, and the next import succeeds."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, insert

import presort.data.workspace.folder
from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import UnreadableFileError, WorkspaceError
from presort.data.importers.listings import read_listings
from presort.data.intake.commit_import import commit_import
from presort.data.records import ImportSummary, ListedPaper, Paper
from presort.data.running import service
from presort.data.store import find_store, open_store
from presort.data.tables import PaperRow
from tests.data.workspaces import (
    FIRST,
    SECOND,
    contents,
    damage,
    index_of,
    kill_after,
    make_issue,
    make_listed,
    n_unlisted,
    take_in,
)


@pytest.mark.usefixtures("small_chunks")
def test_an_error_in_the_last_row_leaves_nothing(store, tmp_path):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    before = contents(store)
    path = tmp_path / "papers.csv"
    rows = "".join(f"p{number},Wages,2026-11-09,new\n" for number in range(6))
    path.write_text(f"paper_id,title,issue,reports\n{rows}last,,2026-11-09,new\n")
    with pytest.raises(UnreadableFileError, match=r"papers\.csv, row 8, column title: no title"):
        commit_import(store, read_listings(path), person="files")
    assert contents(store) == before
    assert commit_import(store, make_issue(1, SECOND), person="files").summary.new_issues == 1  # the lock was released


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.usefixtures("small_chunks")
def test_any_exception_of_an_importer_propagates_and_leaves_nothing(store, error):
    def broken() -> Iterator[ListedPaper]:
        yield from make_issue(7, selected={"lab": [2]})
        raise error("broken")

    before = contents(store)
    with pytest.raises(error, match="broken"):
        commit_import(store, broken(), person="files")
    assert contents(store) == before


@pytest.mark.each_on_both
@pytest.mark.parametrize(
    "statement",
    [
        *("INSERT INTO paper", "INSERT INTO issue", "INSERT INTO decision", "INSERT INTO report_issue"),
        "INSERT INTO imported_file",
    ],
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
        commit_import(store, make_issue(8, SECOND, selected={"his": [1]}), person="files", file="week.csv")
    assert contents(store) == before
    event.remove(store.engine, "after_cursor_execute", fail)
    assert take_in(store, make_issue(8, SECOND, selected={"his": [1]})).new_papers == 8


def test_an_error_of_an_importer_is_reported_even_if_another_process_writes(store, monkeypatch):
    """The leftovers can't be removed at that time."""
    monkeypatch.setattr(presort.data.workspace.folder, "BUSY_TIMEOUT_MS", 1)
    with closing(find_store(store.folder)) as hasty, ExitStack() as held:

        def broken() -> Iterator[ListedPaper]:
            yield from make_issue(1)
            held.enter_context(store.writing())
            raise UnreadableFileError(Path("week.csv"), "3 cells, but the header has 4", row=7)

        with pytest.raises(UnreadableFileError, match=r"week\.csv, row 7: 3 cells"):
            commit_import(hasty, broken(), person="import")
    assert take_in(store, make_issue(1)).new_papers == 1


@pytest.mark.of_file
def test_a_full_disk_leaves_nothing(store):
    take_in(store, make_issue(2, selected={"lab": [1]}))
    before = contents(store)
    store.engine.dispose()

    @event.listens_for(store.engine, "connect")
    def shrink(connection, _):
        connection.execute("PRAGMA max_page_count=1")  # no more pages than now

    long = [make_listed(f"b{number}", SECOND, abstract="We show. " * 5_000) for number in range(20)]
    with pytest.raises(WorkspaceError, match="the disk is full"):
        take_in(store, long)
    event.remove(store.engine, "connect", shrink)
    store.engine.dispose()
    assert contents(store) == before
    assert take_in(store, long).new_papers == 20


@pytest.mark.of_file
def test_a_lock_file_that_cannot_be_opened_is_reported(store):
    (store.folder / "import.lock").mkdir()
    with pytest.raises(WorkspaceError, match=r"import\.lock can't be opened: Is a directory"):
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


IMPORT = """
import presort.data.intake.commit_import
from presort.data.importers.listings import read_listings
from presort.data.intake.commit_import import commit_import

presort.data.intake.commit_import.CHUNK = int(sys.argv[5])
commit_import(store, read_listings(Path(sys.argv[4])), person="files", file="long.csv")
"""
CHUNK = 40
N_PAPERS = 100  # in three chunks, the last one incomplete


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten issues of ten papers, and one known paper with a new title."""
    path = tmp_path_factory.mktemp("long") / "papers.csv"
    with path.open("w") as file:
        file.write("paper_id,title,issue,abstract,reports\n")
        file.write(f"a1,About a1: what is newer,{FIRST},,\n")
        for number in range(N_PAPERS):
            issue = SECOND + timedelta(weeks=number // 10)
            file.write(f"p{number},Title {number},{issue},{'We show. ' * 20},{'lab;new' if number % 20 == 0 else ''}\n")
    return path


@pytest.mark.each_on_both
@pytest.mark.whole
@pytest.mark.parametrize(
    ("statement", "count"),
    [
        pytest.param("DELETE FROM paper", 1, id="at-the-start"),
        pytest.param("INSERT INTO staged_listing", 2, id="while-staging"),
        pytest.param("INSERT INTO paper", 1, id="in-the-first-texts"),
        pytest.param("INSERT INTO paper", 3, id="in-the-last-texts"),
        pytest.param("INSERT INTO issue", 1, id="at-the-start-of-the-last-step"),
        pytest.param("INSERT INTO paper_duplicate", 1, id="after-writing-the-copies"),
        pytest.param("INSERT INTO listing", 1, id="halfway-through-the-lists"),
        pytest.param("INSERT INTO decision", 1, id="halfway-through-the-selections"),
        pytest.param("INSERT INTO imported_file", 1, id="after-writing-the-log"),
        pytest.param("UPDATE revision", 4, id="right-before-the-commit"),
    ],
)
def test_a_killed_import_leaves_nothing_and_succeeds_the_next_time(store, long_file, statement, count):
    take_in(store, make_issue(3, selected={"lab": [2]}))
    before = contents(store)
    store.close()

    kill_after(store.folder, statement, count, IMPORT, long_file, CHUNK)

    store = open_store(store.folder)
    assert damage(store) == []
    after = contents(store)
    listed = {row[2] for row in after["listing"]}
    assert after["paper_index"] == index_of(after["paper"]), "of what the next import removes, too"
    left_out = {"paper": [row for row in after["paper"] if row[0] in listed], "paper_index": before["paper_index"]}
    assert after | left_out == before
    summary = commit_import(store, read_listings(long_file), person="files").summary
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
    assert [issue.n_papers for issue in catalogue.issues(store)] == [3] + [10] * 10
    assert decisions.n_relevant(store) == {"lab": 1 + N_PAPERS // 20, "new": N_PAPERS // 20}
    assert catalogue.papers(store, FIRST)[0].title == "About a1: what is newer"
    store.close()


def test_an_import_killed_after_its_commit_is_complete(tmp_path, long_file):
    code = IMPORT + "\nfrom presort.data import catalogue\ncatalogue.set_setting(store, 'demo', '1')"
    kill_after(tmp_path, "INSERT INTO setting", 1, code, long_file, CHUNK)
    store = open_store(tmp_path)
    assert damage(store) == []
    assert catalogue.setting(store, "demo") is None
    assert [(entry.file, entry.summary.new_papers) for entry in service.imports(store)] == [("long.csv", N_PAPERS + 1)]
    assert commit_import(store, read_listings(long_file), person="files").summary == ImportSummary(
        N_PAPERS + 1, *[0] * 7
    )
    store.close()
