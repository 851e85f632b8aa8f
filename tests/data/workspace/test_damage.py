"""Damage is reported with advice: on opening if the check is cheap, otherwise when it is met or checked for."""

import shutil
import sqlite3
import sys
from contextlib import closing

import numpy as np
import pytest
from sqlalchemy import LargeBinary

from presort.data import catalogue
from presort.data.editing import decisions, drafts, publications, read_papers, rerankings
from presort.data.errors import WorkspaceError
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.learning.tokens import keep_tokens
from presort.data.learning.vectors import keep_vectors, use_model
from presort.data.records import Cutoff, Draft, Draw, PaperTokens, Report, SentenceModel
from presort.data.running.health import examine, examine_file
from presort.data.running.trials import temporary_copy
from presort.data.search import find_papers
from presort.data.store import FILE_NAME, find_store, open_store
from presort.data.tables import Base
from presort.data.tables.guards import PACKED_LISTS
from presort.data.workspace import sqlite
from tests.data.forks import run
from tests.data.workspaces import (
    FIRST,
    SECOND,
    contents,
    make_issue,
    make_ranking,
    rewriting,
    say,
    send_out,
    take_in,
)

pytestmark = [pytest.mark.of_file, pytest.mark.whole]

DAMAGED = r"presort\.db is damaged\. 'presort db check' shows where"

DECIDE_AND_DIE = """
import os, sys
from pathlib import Path
from presort.data import catalogue
from presort.data.store import find_store, open_store
store = open_store(Path(sys.argv[1]))
with store.connection() as connection:
    connection.exec_driver_sql("PRAGMA wal_autocheckpoint=50")  # pages; they go into the file that often
for number in range(int(sys.argv[2])):
    catalogue.set_setting(store, "number", str(number))
os._exit(9)
"""


def change_and_die(workspace, n_changes=5):
    assert run(DECIDE_AND_DIE, workspace, n_changes).code == 9
    assert (workspace / f"{FILE_NAME}-wal").stat().st_size


def try_out(workspace):
    with closing(find_store(workspace)) as store, temporary_copy(store):
        pass


def test_an_older_copy_over_a_file_with_a_log_is_refused_and_nothing_changes(workspace):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(50))
    shutil.copy(workspace / FILE_NAME, workspace / "monday.db")
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(50, selected={"lab": range(1, 40)}))
    change_and_die(workspace)
    shutil.copy(workspace / "monday.db", workspace / FILE_NAME)
    before = {path: path.read_bytes() for path in workspace.glob("*[bl]")}
    for look in (open_store, try_out, lambda folder: examine_file(folder / FILE_NAME)):
        with pytest.raises(WorkspaceError, match=r"its log presort\.db-wal don't belong together"):
            look(workspace)
    assert {path: path.read_bytes() for path in before} == before


def test_a_copy_of_another_workspace_over_a_file_with_a_log_is_refused(store, tmp_path):
    open_store(tmp_path / "own").close()
    for number in range(20):
        catalogue.set_setting(store, "number", str(number))
    store.close()
    change_and_die(tmp_path / "own")
    shutil.copy(store.database.path, tmp_path / "own" / FILE_NAME)
    with pytest.raises(WorkspaceError, match="don't belong together"):
        open_store(tmp_path / "own")


@pytest.mark.parametrize(("n_changes", "is_in_file"), [(1, False), (5, False), (100, True)])
def test_the_log_left_by_a_crash_is_applied(workspace, tmp_path, n_changes, is_in_file):
    """Also if the database file contains some of it already."""
    change_and_die(workspace, n_changes)
    with closing(sqlite3.connect(shutil.copy(workspace / FILE_NAME, tmp_path / "alone.db"))) as alone:
        assert bool(alone.execute("SELECT * FROM setting").fetchall()) == is_in_file
    with closing(open_store(workspace)) as store:
        assert catalogue.setting(store, "number") == str(n_changes - 1)
    assert [path.name for path in workspace.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("n_bytes", [1, 23, 31])
def test_an_empty_truncated_log_is_ignored(workspace, n_bytes):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(2))
    (workspace / f"{FILE_NAME}-wal").write_bytes(b"x" * n_bytes)
    with closing(open_store(workspace)) as store:
        assert len(catalogue.papers(store, FIRST)) == 2


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        pytest.param(
            "UPDATE paper SET title = CAST(x'57ff61' AS TEXT) WHERE id = 2",
            lambda store: catalogue.papers(store, FIRST),
            id="not-utf8",
        ),
        pytest.param("UPDATE issue SET date = '2026-1?-02' WHERE id = 1", catalogue.issues, id="a-date"),
        pytest.param(
            "UPDATE decision SET made_at = 'garbage'",
            lambda store: [decisions.labels(store, "lab", FIRST), contents(store)],
            id="a-moment",
        ),
    ],
)
def test_a_damaged_cell_is_one_line(workspace, statement, read):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(3), make_issue(2, SECOND, selected={"lab": [1]}))
        decisions.decide(store, [say("lab", "a2", "yes")])
        with rewriting(store, "decision") as connection:
            connection.exec_driver_sql(statement)
        with pytest.raises(WorkspaceError, match=DAMAGED):
            read(store)


def damage_page_of_papers(path):
    with closing(sqlite3.connect(path)) as connection:
        (page_size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'paper'").fetchone()
    whole = bytearray(path.read_bytes())
    start = (root - 1) * page_size
    whole[start + 8 : start + page_size] = b"\xee" * (page_size - 8)
    path.write_bytes(whole)


def test_damage_inside_a_page_is_refused_on_opening_and_found_by_check(workspace):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(200))
    damage_page_of_papers(workspace / FILE_NAME)
    with pytest.raises(WorkspaceError, match=DAMAGED):
        open_store(workspace)
    assert examine_file(workspace / FILE_NAME).problems


def test_damage_in_a_large_file_is_an_error_on_reading_and_found_by_check(workspace, monkeypatch):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(200))
    damage_page_of_papers(workspace / FILE_NAME)
    monkeypatch.setattr(sqlite, "QUICKLY", (workspace / FILE_NAME).stat().st_size - 1)
    with closing(open_store(workspace)) as store, pytest.raises(WorkspaceError, match=DAMAGED):
        catalogue.papers(store, FIRST)
    assert examine_file(workspace / FILE_NAME).problems


def test_damage_under_an_open_store_is_one_line(workspace):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(200))
    with closing(open_store(workspace)) as store:
        store.engine.dispose()  # otherwise the earlier pages would be cached
        damage_page_of_papers(workspace / FILE_NAME)
        with pytest.raises(WorkspaceError, match=DAMAGED):
            catalogue.papers(store, FIRST)


def test_an_intact_database_has_no_problem_even_during_writes(workspace):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(20, selected={"lab": [1]}))
        with store.writing():
            health = examine_file(store.database.path)
    assert health.problems == ()
    assert health.schema


def test_a_text_that_is_not_utf8_is_found(workspace):
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(2))
    with closing(sqlite3.connect(workspace / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE paper SET abstract = CAST(x'ff' AS TEXT)")
    assert examine_file(workspace / FILE_NAME).problems == ("a text in paper is not UTF-8",)


def test_check_creates_no_file(tmp_path):
    for look in (examine, lambda folder: examine_file(folder / FILE_NAME)):
        with pytest.raises(WorkspaceError, match=f"There is no workspace in|{FILE_NAME} does not exist"):
            look(tmp_path)
    assert list(tmp_path.iterdir()) == []


OF_NUMBERS = [
    (table.name, column.name)
    for table in Base.metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, LargeBinary)
]
READS = {
    "current_decisions": lambda store: read_history(store, SECOND),
    "ranking": lambda store: rankings.ranking(store, 1),
    "outcome": lambda store: [outcomes.outcome_columns(store), outcomes.scored_rankings(store)],
    "paper_index": lambda store: find_papers(store, "about", 1),
    "paper_tokens": lambda store: read_history(store, SECOND, tokens="1"),
    "paper_vector": lambda store: read_history(store, SECOND, has_vectors=True),
    "report_issue": lambda store: [publications.published(store, "lab"), read_history(store, SECOND)],
    "first_publication": lambda store: read_history(
        store, SECOND, cutoff=Cutoff(sys.maxsize, sys.maxsize, counts_imports=True)
    ),
    "reopened_issue": lambda store: [
        publications.publication_log(store, "mac", FIRST),
        read_papers.read_positions(store, "mac", FIRST),
    ],
    "draft": lambda store: drafts.draft(store, "mac", FIRST),
    "draw": lambda store: read_papers.draws(store, "lab", FIRST),
    "reranking": lambda store: rerankings.newest_reranking(store, "lab", FIRST, 1),
}


def fill(store):
    """Write a value into every column of numbers."""
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("mac", "Macroeconomics")])
    take_in(store, make_issue(4))
    keep_tokens(store, lambda paper: PaperTokens([paper.title], ["b"], ["c"], ["d"]), "1")
    model = SentenceModel("mini", "d1", 128, 2, "/models/mini")
    use_model(store, model)
    assert list(keep_vectors(store, model, lambda papers: np.ones((len(papers), 2), dtype=np.float16)))
    rankings.add_rankings(store, [make_ranking(scores=[0.9, 0.8, 0.7, 0.6])])
    read_papers.add_draw(store, "lab", FIRST, Draw(1, 1, 3, (2, 3)), person="Ann")
    rerankings.add_reranking(store, "lab", FIRST, 1, np.array([1, 2, 4, 3]), n_decisions=1, person="Ann")
    decisions.decide(store, [say(report, "a2", "yes") for report in ("lab", "mac")])
    for report in ("lab", "mac"):
        send_out(store, report, shown=1 if report == "lab" else None)
    publications.reopen(store, "mac", FIRST, "too early", person="Ann")
    drafts.save_draft(store, Draft("mac", FIRST, (2,)), person="Ann")
    outcomes.score_published_issues(store, lambda order, relevant: relevant)


@pytest.mark.parametrize(("table", "column"), OF_NUMBERS)
def test_a_cell_of_a_wrong_length_is_one_line(workspace, table, column):
    with closing(open_store(workspace)) as store:
        fill(store)
        READS[table](store)
        with store.writing() as connection:
            guards = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
            for (guard,) in connection.exec_driver_sql(guards, (table,)).all():
                connection.exec_driver_sql(f"DROP TRIGGER {guard}")
            longer = f"UPDATE {table} SET {column} = CAST({column} || x'616263' AS BLOB)"
            assert connection.exec_driver_sql(longer).rowcount
        with pytest.raises(WorkspaceError, match=DAMAGED):
            READS[table](store)


@pytest.mark.parametrize("packed", PACKED_LISTS, ids=lambda one: f"{one.table}-{one.column}")
@pytest.mark.parametrize("cell", ["x'0100000001000000'", "x'05000000'", "x'010000'"], ids=["twice", "beyond", "half"])
def test_invalid_rows_of_an_older_version_are_named(workspace, packed, cell):
    with closing(open_store(workspace)) as store:
        fill(store)
    assert examine_file(workspace / FILE_NAME).problems == ()
    with closing(sqlite3.connect(workspace / FILE_NAME)) as connection, connection:
        for (guard,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {guard}")
        (row,) = connection.execute(f"SELECT max(rowid) FROM {packed.table}").fetchone()
        connection.execute(f"UPDATE {packed.table} SET {packed.column} = {cell} WHERE rowid = {row}")
    text = f"{packed.column} in row {row} of {packed.table}: positions outside the issue or repeated"
    assert examine_file(workspace / FILE_NAME).problems[0] == text


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE current_decisions SET irrelevant = relevant", "report 1 on issue 1 differ from the log"),
        ("UPDATE current_decisions SET newest = newest - 1", "report 1 on issue 1 differ from the log"),
        ("DELETE FROM current_decisions", "report 1 on issue 1 differ from the log"),
        ("INSERT INTO current_decisions VALUES (2, 3, x'', x'', x'', 9)", "report 2 on issue 3 are not in the log"),
    ],
)
def test_current_decisions_are_checked_against_the_log(workspace, statement, message):
    with closing(open_store(workspace)) as store:
        fill(store)
        with store.writing() as connection:
            connection.exec_driver_sql("PRAGMA defer_foreign_keys = on")
            connection.exec_driver_sql("INSERT INTO issue VALUES (3, '2026-12-01')")
            connection.exec_driver_sql(statement)
    assert message in examine_file(workspace / FILE_NAME).problems[0]
