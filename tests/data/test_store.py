import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import alembic.command
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text
from sqlalchemy.exc import IntegrityError, OperationalError

import data.store
from data import catalogue, desk_notes, drafts, rankings, reopening, review_log, reviews
from data.backlog import pending
from data.criteria import criteria, set_criteria
from data.errors import WorkspaceError
from data.hints import add_hint, hints
from data.preferences import preference, set_preference
from data.publish import publish
from data.rankings import Done
from data.records import Draft, Hints, Issuing, Note, Paper, PaperTokens, Report, ReportIssue
from data.store import FILE_NAME, Store, migration_config, open_store
from data.tables import Base
from data.tokens import keep_tokens
from tests.data.workspaces import FIRST, ROOT, SECOND, contents, damage, make_issue, say, send_out, take_in

REVISIONS = [script.revision for script in ScriptDirectory.from_config(migration_config()).walk_revisions()][::-1]

# One row or more of everything that each version added, as a file of that version holds it.
FILLED = {
    "0001": """
INSERT INTO setting VALUES ('demo', '1');
UPDATE revision SET number = 41;
INSERT INTO issue VALUES (1, '2026-11-02'), (2, '2026-11-09');
INSERT INTO paper VALUES (1, 'p1', 'Wages', 'We show.', 'Ann Lee' || char(10) || 'Bo Chen', 'J31', 'Papers', ''),
    (2, 'p2', 'Jobs', '', '', '', '', '2026-11-01');
INSERT INTO listing (issue_id, position, paper_id) VALUES (1, 1, 1), (1, 2, 2), (2, 1, 2);
INSERT INTO report VALUES (1, 'lab', 'Labour', NULL), (2, 'his', 'History', '2026-11-03T08:00:00.000+00:00');
INSERT INTO person VALUES (1, 'Ann');
INSERT INTO decision VALUES (1, 'c1', 1, 1, 1, 1, '2026-11-02T08:00:00.000+00:00', 'relevant', 'yes'),
    (2, 'c2', 1, 1, 2, 1, '2026-11-02T08:00:01.000+00:00', 'relevant', 'maybe'),
    (3, NULL, 1, 1, 2, 1, '2026-11-02T08:00:02.000+00:00', 'relevant', 'no');
INSERT INTO replay VALUES (1, '2026-11-02', '2026-11-09', 4, '2026-11-10T08:00:00.000+00:00');
INSERT INTO ranking VALUES
    (1, 1, 1, NULL, 'krichel-2007', '2026-11-02', 0, 0, '2026-11-02T07:00:00.000+00:00',
        x'0200000001000000', x'000000000000f03f000000000000e0bf'),
    (2, 1, 2, 1, 'krichel-2007', '2026-11-09', 3, 1, '2026-11-10T08:00:00.000+00:00', x'01000000', x'');
INSERT INTO outcome VALUES (1, 2, x'02000000', '2026-11-02T09:00:00.000+00:00');
INSERT INTO report_issue VALUES (1, 1, 1, 1, '2026-11-02T09:00:00.000+00:00', x'01000000')
""",
    "0002": """
INSERT INTO token VALUES (0, 'war'), (1, 'wages');
INSERT INTO paper_tokens VALUES (1, x'01000000', x'', x'', x'');
INSERT INTO hint VALUES (1, 2, 1, '2026-11-02T08:00:03.000+00:00', 'mute', 'war');
UPDATE ranking SET hints_up_to = 1 WHERE id = 2
""",
    "0003": """
UPDATE decision SET ranking_id = 1 WHERE id = 1;
UPDATE report_issue SET note = 'A short one.';
INSERT INTO paper_note VALUES (1, 'n1', 1, 1, 1, 1, '2026-11-02T08:00:04.000+00:00', 'tag', 'survey');
INSERT INTO criteria VALUES (1, 1, 1, '2026-11-02T08:00:05.000+00:00', 'What people earn.');
INSERT INTO preference VALUES (1, 'level', '95');
INSERT INTO draft VALUES (1, 1, 1, 1, '2026-11-02T08:00:06.000+00:00', x'01000000', 'A short one.', 'Ask Bo.');
INSERT INTO reopened_issue VALUES (1, 1, 1, NULL, 1, '2026-11-02T08:00:07.000+00:00', x'', '',
    1, '2026-11-02T08:00:08.000+00:00', 'Too early.')
""",
}


@pytest.fixture
def other_engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine of somebody else in the same process."""
    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    yield engine
    engine.dispose()


def pragma(engine: Engine, name: str) -> object:
    with engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def upgrade(store: Store, revision: str) -> None:
    config = migration_config()
    with store.engine.begin() as connection:
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, revision)


def shape(engine: Engine) -> dict[str, object]:
    """Give what Alembic's comparison leaves out: defaults, checks, foreign keys, and SQLite's own kinds of table."""
    look = inspect(engine)
    with engine.connect() as connection:
        sql = dict(connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")).all())
    return {
        name: (
            [
                (column["name"], column["nullable"], column["primary_key"], column["default"])
                for column in look.get_columns(name)
            ],
            sorted(check["sqltext"] for check in look.get_check_constraints(name)),
            sorted((key["constrained_columns"], key["referred_table"]) for key in look.get_foreign_keys(name)),
            "AUTOINCREMENT" in sql[name],
            "WITHOUT ROWID" in sql[name],
        )
        for name in Base.metadata.tables
    }


@pytest.mark.parametrize(
    ("name", "ours", "plain"),
    [
        pytest.param("journal_mode", "wal", "delete", id="write-ahead-log"),
        pytest.param("foreign_keys", 1, 0, id="foreign-keys"),
        pytest.param("busy_timeout", 10_000, 5_000, id="busy-timeout"),
    ],
)
def test_pragmas_are_on_for_our_engine_alone(store, other_engine, name, ours, plain):
    assert pragma(store.engine, name) == ours
    assert pragma(other_engine, name) == plain


def test_every_connection_syncs_fully(store):
    with store.connection() as one, store.connection() as other:
        for connection in (one, other):
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_broken_reference_is_refused(store):
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), store.writing() as connection:
        connection.exec_driver_sql("INSERT INTO listing VALUES (7, 1, 7)")


def test_a_new_workspace_has_the_tables_of_the_metadata(store, other_engine):
    with store.connection() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    Base.metadata.create_all(other_engine)
    assert shape(store.engine) == shape(other_engine)


def columns_of(store: Store) -> dict[str, list[str]]:
    look = inspect(store.engine)
    tables = sorted(set(look.get_table_names()) - {"alembic_version"})
    return {table: [column["name"] for column in look.get_columns(table)] for table in tables}


def rows_of(store: Store, columns: dict[str, list[str]]) -> dict[str, list[tuple[object, ...]]]:
    with store.reading() as connection:
        return {
            table: [
                tuple(row)
                for row in connection.exec_driver_sql(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1, 2")
            ]
            for table, names in columns.items()
        }


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_filled_older_file_is_upgraded_and_keeps_everything(tmp_path, revision):
    older = Store(tmp_path / FILE_NAME)
    for passed in REVISIONS[: REVISIONS.index(revision) + 1]:
        upgrade(older, passed)
        with older.engine.begin() as connection:
            for statement in FILLED[passed].split(";\n"):
                connection.execute(text(statement))
    columns = columns_of(older)
    before = rows_of(older, columns)
    assert all(before.values()), "a table is empty"
    older.close()

    store = open_store(tmp_path)
    with store.reading() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == REVISIONS[-1]
    assert damage(store) == []
    assert rows_of(store, columns) == before
    assert catalogue.revision(store) == 41
    assert catalogue.setting(store, "demo") == "1"
    assert catalogue.papers(store, FIRST) == [
        Paper("p1", "Wages", "We show.", ("Ann Lee", "Bo Chen"), ("J31",), "Papers"),
        Paper("p2", "Jobs", date="2026-11-01"),
    ]
    assert [paper.paper_id for paper in catalogue.papers(store, SECOND)] == ["p2"]
    assert catalogue.reports(store, retired=True) == [
        Report("his", "History", is_retired=True),
        Report("lab", "Labour"),
    ]
    assert reviews.words(store, "lab", FIRST) == {"p1": "yes", "p2": "no"}
    note = "A short one." if revision >= "0003" else ""
    gone_out = ReportIssue("lab", FIRST, (1,), "Ann", 1, note)
    assert reviews.issued(store, "lab") == {FIRST: gone_out}
    assert reopening.issuings(store, "lab", FIRST)[-1] == Issuing(gone_out, datetime(2026, 11, 2, 9, tzinfo=UTC))
    shown = rankings.newest_rankings(store, "lab", FIRST)["krichel-2007"]
    assert shown.made_at == datetime(2026, 11, 2, 7, tzinfo=UTC)
    assert (shown.ranking.positions.tolist(), shown.ranking.scores.tolist()) == ([2, 1], [1.0, -0.5])
    assert [replay.retrain_every for replay in rankings.replays(store)] == [4]
    assert [scored.places.tolist() for scored in rankings.scored_rankings(store)] == [[2]]
    with store.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM decision").scalar() == 3
    assert shown.ranking.hints_up_to == 0
    told = {"his": Hints(muted=("war",), up_to=1)} if revision >= "0002" else {}
    assert rankings.ranked(store, "krichel-2007", 1) == {Done("lab", SECOND, SECOND, 3, 1, len(told))}
    assert hints(store) == told
    history = catalogue.history(store, date.max, tokens=True)
    assert (history.tokens, history.seeds) == (None, {})

    assert reviews.decide(store, [say("lab", "p2", "yes", SECOND, shown=2)]) == 1
    add_hint(store, "lab", "mute", "bitcoin", person="Ann")
    assert hints(store)["lab"] == Hints(muted=("bitcoin",), up_to=len(told) + 1)
    keep_tokens(store, lambda paper: PaperTokens(paper.title.lower().split(), [], paper.authors, paper.codes))
    tokens = catalogue.history(store, date.max, tokens=True).tokens
    assert [tokens.vocabulary[number] for number in tokens.title.values] == ["wages", "jobs", "jobs"]
    rankings.add_rankings(store, [replace(shown.ranking, hints_up_to=1)])
    assert rankings.newest_rankings(store, "lab", FIRST)["krichel-2007"].ranking.hints_up_to == 1
    reopening.reopen(store, "lab", FIRST, "One is missing.", person="Bo")
    assert rankings.scored_rankings(store) == []
    drafts.save_draft(store, Draft("lab", FIRST, (2, 1)), person="Bo")
    assert send_out(store, "lab", order=(1, 2)) == (1,)
    store.close()


def test_opening_twice_changes_nothing(tmp_path):
    one = open_store(tmp_path)
    take_in(one, make_issue(2, selected={"lab": [1]}))
    other = open_store(tmp_path)
    assert contents(one) == contents(other)
    assert catalogue.revision(one) == catalogue.revision(other)
    one.close()
    other.close()


def test_many_processes_open_a_new_workspace_at_once(tmp_path):
    code = """
import sys
from pathlib import Path
from data.store import open_store
print("ready", flush=True)
sys.stdin.readline()
open_store(Path(sys.argv[1])).close()
"""
    command = [sys.executable, "-c", code, str(tmp_path / "workspace")]
    pipe = subprocess.PIPE
    openers = [subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(4)]
    for opener in openers:
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        opener.stdin.write("go\n")
        opener.stdin.flush()
    errors = [opener.communicate()[1] for opener in openers]
    assert errors == [""] * len(openers)
    store = open_store(tmp_path / "workspace")
    assert catalogue.revision(store) == 0
    store.close()


def test_a_workspace_of_a_newer_version_is_refused_and_left_alone(tmp_path):
    store = open_store(tmp_path)
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    before = contents(store)
    with pytest.raises(WorkspaceError, match=r"newer Presort \(its tables are at 9999\); upgrade"):
        open_store(tmp_path)
    assert contents(store) == before
    store.close()


def test_a_failing_migration_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    def fail(*_arguments, **_options):
        raise RuntimeError("half way")

    monkeypatch.setattr("alembic.op.create_index", fail)
    with pytest.raises(RuntimeError, match="half way"):
        open_store(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []
    monkeypatch.undo()
    open_store(tmp_path).close()


@pytest.mark.parametrize("table", ["setting", "customer"])
def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path, table):
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} (id INTEGER)")
    with pytest.raises(WorkspaceError, match="is not a Presort database; choose another workspace folder"):
        open_store(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"paper_id,title,issue\n" * 100)
    with pytest.raises(WorkspaceError, match=r"presort\.db is not a Presort database"):
        open_store(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == b"paper_id,title,issue\n" * 100


def test_an_empty_file_becomes_a_workspace(tmp_path):
    (tmp_path / FILE_NAME).touch()
    store = open_store(tmp_path)
    assert catalogue.issues(store) == []
    store.close()


def test_a_damaged_file_is_refused(tmp_path):
    store = open_store(tmp_path)
    take_in(store, make_issue(200))
    store.close()
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises(WorkspaceError, match=r"presort\.db is damaged; put back a backup"):
        open_store(tmp_path)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(WorkspaceError, match=r"presort\.db can't be opened; check that the folder exists"):
        open_store(tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "workspace").touch()
    with pytest.raises(WorkspaceError, match="workspace can't be made into a workspace folder: File exists"):
        open_store(tmp_path / "workspace")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WorkspaceError):
            open_store(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_a_read_only_connection_says_so(store):
    def write_nevertheless():
        with store.writing() as connection:
            connection.exec_driver_sql("PRAGMA query_only=ON")
            connection.exec_driver_sql("DELETE FROM paper")

    with pytest.raises(WorkspaceError, match="can't be written to; check the permissions"):
        write_nevertheless()


@pytest.mark.parametrize("name", ["what?mode=memory", "100%25", "a#b", "später", "with space", "'quoted\""])
def test_a_folder_may_have_any_name(tmp_path, name):
    store = open_store(tmp_path / name)
    catalogue.set_setting(store, "demo", "1")
    store.close()
    assert [path.name for path in (tmp_path / name).iterdir()] == [FILE_NAME]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    again = open_store(tmp_path / name)
    assert catalogue.setting(again, "demo") == "1"
    again.close()


def test_the_revision_grows_with_every_change_and_with_no_look(store):
    changes = [
        lambda: take_in(store, make_issue(3, selected={"lab": [1]}), make_issue(2, SECOND)),
        lambda: reviews.decide(store, [say("lab", "b1", "yes", SECOND)]),
        lambda: send_out(store, "lab", SECOND, order=(1,)),
        lambda: catalogue.add_reports(store, [Report("his", "History")]),
        lambda: catalogue.rename_report(store, "his", "Past"),
        lambda: catalogue.retire_report(store, "his"),
        lambda: catalogue.set_setting(store, "demo", "1"),
        lambda: rankings.find_replay(store, FIRST, SECOND, 1),
        lambda: drafts.save_draft(store, Draft("his", SECOND, (2, 1)), person="Ann"),
        lambda: reopening.reopen(store, "lab", SECOND, "One is missing.", person="Ann"),
        lambda: desk_notes.add_notes(store, [Note("lab", SECOND, "b1", "tag", "survey", "Ann")]),
        lambda: set_criteria(store, "lab", "What people earn.", person="Ann"),
        lambda: set_preference(store, "Ann", "level", "95"),
        lambda: add_hint(store, "lab", "mute", "bitcoin", person="Ann"),
        lambda: keep_tokens(store, lambda paper: PaperTokens([paper.title], [], [], [])),
    ]
    looks = [
        lambda: catalogue.history(store, date.max, tokens=True),
        lambda: keep_tokens(store, lambda paper: PaperTokens([paper.title], [], [], [])),
        lambda: hints(store),
        lambda: catalogue.papers(store, FIRST),
        lambda: catalogue.reports(store),
        lambda: reviews.words(store, "lab", FIRST),
        lambda: reviews.issued(store, "lab"),
        lambda: reopening.issuings(store, "lab", SECOND),
        lambda: drafts.draft(store, "his", SECOND),
        lambda: drafts.outgoing(store, "his", SECOND, (1, 2)),
        lambda: review_log.decisions_since(store, "lab", SECOND, 0),
        lambda: review_log.minutes_spent(store, "lab", SECOND),
        lambda: desk_notes.paper_notes(store, "lab", SECOND),
        lambda: criteria(store, "lab"),
        lambda: preference(store, "Ann", "level"),
        lambda: pending(store, ["lab"], today=SECOND),
        lambda: rankings.scored_rankings(store),
        lambda: rankings.score_issued(store, lambda order, relevant: relevant),
    ]
    numbers = [catalogue.revision(store)]
    for change in changes:
        change()
        numbers.append(catalogue.revision(store))
    assert numbers == sorted(set(numbers))
    for look in looks:
        look()
    assert catalogue.revision(store) == numbers[-1]


def test_another_process_sees_the_revision_grow(store):
    before = catalogue.revision(store)
    other = Store(store.path)
    catalogue.set_setting(other, "demo", "1")
    other.close()
    assert catalogue.revision(store) > before


def test_an_error_inside_writing_keeps_nothing(store):
    take_in(store, make_issue(1))
    before, number = contents(store), catalogue.revision(store)

    def fail_half_way():
        with store.writing() as connection:
            connection.exec_driver_sql("UPDATE paper SET title = 'lost'")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert (contents(store), catalogue.revision(store)) == (before, number)
    catalogue.set_setting(store, "demo", "1")  # the lock was given back


def test_a_reader_sees_one_state_while_another_writes(store):
    take_in(store, make_issue(1))
    other = Store(store.path)
    with store.reading() as connection:
        count = text("SELECT count(*) FROM issue")
        assert connection.execute(count).scalar() == 1
        publish(other, make_issue(1, SECOND), person="files")
        assert connection.execute(count).scalar() == 1
    assert len(catalogue.issues(store)) == 2
    other.close()


def test_two_writers_at_once_and_the_second_is_told(store, monkeypatch):
    monkeypatch.setattr(data.store, "BUSY_TIMEOUT_MS", 1)
    other = Store(store.path)
    with store.writing():
        assert catalogue.issues(other) == []  # reading goes on
        with pytest.raises(WorkspaceError, match=r"presort\.db is being written to by another process"):
            catalogue.set_setting(other, "demo", "1")
    catalogue.set_setting(other, "demo", "2")
    assert catalogue.setting(store, "demo") == "2"
    other.close()


def test_a_full_disk_is_told_and_keeps_nothing(store):
    before = contents(store)

    def write_a_lot():
        with store.writing() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1")
            connection.exec_driver_sql("INSERT INTO setting VALUES ('long', hex(zeroblob(1000000)))")

    with pytest.raises(WorkspaceError, match="the disk is full; nothing of the last change was kept"):
        write_a_lot()
    assert contents(store) == before


def test_a_wrong_statement_stays_a_bug(store):
    with pytest.raises(OperationalError, match="no such table"), store.reading() as connection:
        connection.exec_driver_sql("SELECT * FROM customer")
