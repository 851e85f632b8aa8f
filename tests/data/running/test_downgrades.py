"""The way back from tables of this version, all the way down and up again, by what each table is and holds."""

import json
import re
import shutil
import sqlite3
from collections.abc import Collection
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.engine.interfaces import ReflectedIndex

from presort.data import catalogue
from presort.data.editing.decisions import decide
from presort.data.editing.hints import add_hint
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import Report
from presort.data.running.backups import restore
from presort.data.running.downgrades import go_down, way_down
from presort.data.store import FILE_NAME, Store, find_store, migrate, open_store
from tests.data import workspaces
from tests.data.older_files import FILLED, REVISIONS, columns_of, fill, rows_of, upgrade
from tests.data.workspaces import damage, incompressible, make_issue, say, take_in

pytestmark = pytest.mark.whole

NEWEST = REVISIONS[-1]
OF_REOPENED = ("n_papers", "unread", "ended", "stop_at", "decisions_up_to")
LATER_COLUMNS = {  # since 0018
    *(("outcome", "revision"), ("promise", "revision"), ("report", "late_after"), ("paper", "url")),
    ("paper", "type"),
    *(("reopened_issue", name) for name in OF_REOPENED),
}
MADE_BY = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
TRIGGERS = """SELECT event_object_table || ' ' || trigger_name || ' ' || event_manipulation, action_statement
FROM information_schema.triggers WHERE trigger_schema = current_schema()"""
# What is there in other words after a way down and up again: to who reads it, it says the same.
REWORDED = {
    "setting": "what was read and drawn stands there; the next tests look at it",
    "read_mark": "of those of a list the furthest is there",
    "ranker_choice": "presort-1 was logged as the choice of before",
    "person": "presort, who logged it",
    "decision.source": "guessed anew, as are the next two",
    "report_issue.source": "",
    "reopened_issue.source": "",
    "report_issue.n_papers": "counted anew",
    "report_issue.ended": "early where something is unread",
}


def shape(store: Store) -> dict[str, object]:
    """Return what each table is, whatever the statements were that made it."""
    look = inspect(store.engine)
    is_file = store.engine.dialect.name == "sqlite"
    with store.reading() as connection:
        sql: dict[str, str] = dict(connection.execute(text(MADE_BY if is_file else TRIGGERS)).all())
    triggers = {name: said for name, said in sql.items() if not is_file or said.startswith("CREATE TRIGGER")}
    tables = {
        name: (
            sorted((c["name"], str(c["type"]), c["nullable"], c["default"]) for c in look.get_columns(name)),
            look.get_pk_constraint(name)["constrained_columns"],
            sorted(check["sqltext"] for check in look.get_check_constraints(name)),
            sorted(
                (key["constrained_columns"], key["referred_table"], str(key["options"]))
                for key in look.get_foreign_keys(name)
            ),
            sorted(key["column_names"] for key in look.get_unique_constraints(name)),
            sorted((i["name"], i["column_names"], bool(i["unique"]), _where(i)) for i in look.get_indexes(name)),
            re.findall("AUTOINCREMENT|WITHOUT ROWID", sql[name]) if is_file else [],
        )
        for name in look.get_table_names()
        if name != "alembic_version"
    }
    return {**tables, "triggers": triggers}


def _where(index: ReflectedIndex) -> str:
    """Return of which rows an index is; of all if this is empty."""
    return "".join(
        str(value) for option, value in index.get("dialect_options", {}).items() if option.endswith("_where")
    )


@pytest.fixture(scope="module")
def shapes(tmp_path_factory) -> dict[str, object]:
    """What tables each version has in a file that no way down has led to."""
    found = {}
    with closing(find_store(_new(tmp_path_factory.mktemp("up")))) as store:
        for revision in REVISIONS:
            upgrade(store, revision)
            found[revision] = shape(store)
    return found


def _new(folder: Path) -> Path:
    (folder / FILE_NAME).touch(mode=0o600)
    return folder


def schema_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (found,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found)


def versions(store: Store) -> str | None:
    with store.reading() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@pytest.mark.of_file
def test_down_to_each_version_and_up_again(tmp_path, shapes):
    """At each step the tables are those of that version, and hold all that they can."""
    (workspace := tmp_path / "workspace").mkdir()
    fill(workspace, NEWEST)
    for target in REVISIONS[-2::-1]:
        before = _contents(workspace)
        kept = go_down(workspace, target)
        assert schema_of(kept) == REVISIONS[REVISIONS.index(target) + 1]
        with closing(find_store(workspace)) as store:
            assert (versions(store), shape(store), damage(store)) == (target, shapes[target], [])
        held = _contents(workspace)
        assert _common(held, before, {"setting"}) == _common(before, held, {"setting"}), target
        again = shutil.copytree(workspace, tmp_path / target)
        with closing(open_store(again)) as store:
            assert (versions(store), shape(store), damage(store)) == (NEWEST, shapes[NEWEST], [])
        now = _contents(again)
        assert _common(now, held, REWORDED) == _common(held, now, REWORDED), target


def _contents(workspace: Path) -> dict[str, dict[str, list[object]]]:
    """Return each column of each table, in the order of its keys."""
    with closing(find_store(workspace)) as store:
        columns = columns_of(store)
        rows = rows_of(store, columns)
    return {
        table: {name: [row[at] for row in rows[table]] for at, name in enumerate(names)}
        for table, names in columns.items()
    }


def _common(
    one: dict[str, dict[str, list[object]]], other: dict[str, dict[str, list[object]]], but: Collection[str]
) -> dict[str, object]:
    """Return of the one what stands in both, but for some tables, and columns of tables."""
    return {
        table: {name: cells for name, cells in columns.items() if name in other[table] and f"{table}.{name}" not in but}
        for table, columns in one.items()
        if table in other and table not in but
    }


@pytest.mark.of_file
def test_what_was_read_and_drawn_is_in_the_settings_of_before_and_comes_back(tmp_path):
    more = """
INSERT INTO read_mark VALUES (2, 1, 1, NULL, 1, NULL, NULL), (3, 1, 1, 1, 1, 1, '2026-11-02T08:00:09.000+00:00')"""
    fill(tmp_path, "0009", more)
    go_down(tmp_path, "0008")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        kept = dict(file.execute("SELECT name, value FROM setting WHERE name LIKE '%:lab:%'"))
    assert {name: json.loads(value) for name, value in kept.items()} == {
        "read-to:lab:2026-11-02": {"1": "p1", "received": "p1"},  # the ranking has p2 first, p1 second
        "drawn:lab:2026-11-02": [[1, 0, 2, [1]]],
    }
    with closing(find_store(tmp_path)) as store:
        upgrade(store, "0009")
        with store.reading() as connection:
            marks = connection.execute(text("SELECT ranking_id, place FROM read_mark ORDER BY id")).all()
            draws = connection.execute(text("SELECT ranking_id, n_read, n_rest, positions FROM draw")).all()
    assert sorted(map(tuple, marks), key=str) == [(1, 2), (None, 1)]
    assert list(map(tuple, draws)) == [(1, 0, 2, b"\1\0\0\0")]


@pytest.mark.of_file
def test_a_choice_of_how_much_may_be_missed_becomes_the_nearest(tmp_path):
    more = (
        "INSERT INTO setting VALUES ('may-miss:lab', '1 in 20'), ('may-miss:his', '1 in 100'), ('may-miss:mac', 'none')"
    )
    fill(tmp_path, "0012", more)
    assert way_down(tmp_path, "0011").lost["choices to miss 1 in 10 or 20, which become less"] == 1
    go_down(tmp_path, "0011")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        kept = dict(file.execute("SELECT name, value FROM setting WHERE name LIKE 'level:%'"))
    assert kept == {"level:lab": "80", "level:his": "90", "level:mac": "95"}


@pytest.mark.of_file
def test_what_is_lost_is_named_with_how_much_of_it_and_is_in_the_backup(tmp_path):
    columns, before = fill(tmp_path, NEWEST)
    assert way_down(tmp_path, "0018").lost == {
        "addresses of papers": 1,
        "types of papers": 1,
        "possible duplicates": 1,
    }
    way = way_down(tmp_path, "0016")
    assert (way.begins_at, way.revisions) == (NEWEST, tuple(REVISIONS[:15:-1]))
    assert way.lost == {
        "addresses of papers": 1,
        "types of papers": 1,
        "possible duplicates": 1,
        "roles and their ends": 1,
        "accounts that people sign in by": 1,
        "invitations": 1,
        "changes that no other log tells of": 1,
        "steps of weekly jobs": 1,
        "notices to editors and directors": 1,
    }
    kept = go_down(tmp_path, "0016")
    assert kept.stat().st_mode & 0o777 == 0o600
    restore(tmp_path, kept)
    with closing(find_store(tmp_path)) as store:
        assert (columns_of(store), rows_of(store, columns)) == (columns, before)


@pytest.mark.of_file
def test_each_version_names_what_it_brought(tmp_path):
    """A table or column that goes, and holds something, is named; but for what is made again."""
    made_again = {"0011", "0013", "0015", "0019", "0020", "0021", "0023", "0024", "0025"}
    for revision in REVISIONS[1:]:
        if FILLED[revision] and revision not in made_again | {"0013"}:
            (folder := tmp_path / revision).mkdir()
            fill(folder, revision)
            assert way_down(folder, REVISIONS[REVISIONS.index(revision) - 1]).lost, revision


@pytest.mark.of_file
@pytest.mark.parametrize(
    ("target", "said"),
    [
        pytest.param("0099", "'0099' is no earlier version of the tables; they can go back to 0016", id="unknown"),
        pytest.param("0017", "'0017' is no earlier version", id="this-one"),
        pytest.param("base", "'base' is no earlier version", id="no-tables"),
        pytest.param("0017-1", "'0017-1' is no earlier version", id="a-way-of-alembic"),
    ],
)
def test_where_no_way_leads_is_refused(tmp_path, target, said):
    fill(tmp_path, "0017")
    before = (tmp_path / FILE_NAME).read_bytes()
    for call in (way_down, go_down):
        with pytest.raises(RefusedError, match=said):
            call(tmp_path, target)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert not list((tmp_path / "backups").glob("*.db"))


@pytest.mark.of_file
def test_the_oldest_tables_and_no_workspace_have_no_way_back(tmp_path):
    with pytest.raises(WorkspaceError, match="There is no workspace"):
        way_down(tmp_path, "0001")
    fill(tmp_path, "0001")
    with pytest.raises(RefusedError, match="has the oldest tables there are, 0001"):
        way_down(tmp_path, "0001")


def test_a_workspace_in_use_stays_as_it_is(store):
    url = workspaces.address_of(store.folder)
    take_in(store, make_issue(3))
    with pytest.raises(
        RefusedError, match=r"is in use, by the desk or by a command; stop it first\. Nothing was changed"
    ):
        go_down(store.folder, "0018", url=url)
    assert versions(store) == NEWEST


@pytest.mark.of_file
def test_a_second_way_back_leaves_the_backup_of_the_first(tmp_path):
    """What was lost the first time is there alone."""
    columns, before = fill(tmp_path, NEWEST)
    first = go_down(tmp_path, "0016", now=datetime(2026, 11, 16, tzinfo=UTC))
    with closing(open_store(tmp_path)):
        pass
    assert go_down(tmp_path, "0018", now=datetime(2026, 11, 17, tzinfo=UTC)) != first
    restore(tmp_path, first)
    with closing(find_store(tmp_path)) as store:
        assert (columns_of(store), rows_of(store, columns)) == (columns, before)


@pytest.mark.of_file
def test_a_way_back_that_fails_half_way_changes_nothing(tmp_path, monkeypatch):
    columns, before = fill(tmp_path, NEWEST)

    def fail(*_arguments, **_options):
        raise RuntimeError("half way")

    monkeypatch.setattr("alembic.op.batch_alter_table", fail)
    with pytest.raises(RuntimeError, match="half way"):
        go_down(tmp_path, "0001")
    with closing(find_store(tmp_path)) as store:
        assert (columns_of(store), rows_of(store, columns)) == (columns, before)
        migrate(store)


def test_down_and_up_on_either_database(workspace):
    """The newest tables, on each kind of database: down, and up, where what is made of others is made anew alike."""
    url = workspaces.address_of(workspace)
    with closing(open_store(workspace)) as store:
        take_in(store, make_issue(5))
        catalogue.add_reports(store, [Report("lab", "Labour")])
        decide(store, [say("lab", "a1", "yes"), say("lab", "a2", "no"), say("lab", "a1", "maybe")])
        add_hint(store, "lab", "seed", incompressible(20_000), person="Ann")
        columns, made = columns_of(store), shape(store)
        before = rows_of(store, columns)
        later = ("first_publication", "judged_issue", "outcome_scores", "paper_index", "possible_duplicate")
        older = {
            table: [name for name in names if (table, name) not in LATER_COLUMNS]
            for table, names in columns.items()
            if table not in later
        }
        before_in_older = rows_of(store, older)
    assert way_down(workspace, "0018", url=url).lost == {}
    kept = go_down(workspace, "0018", url=url)
    with closing(find_store(workspace)) as store:
        assert versions(store) == "0018"
        assert columns_of(store) == older
        changed = {
            name: made[name] for name in ("hint", "outcome", "paper", "promise", "ranking", "report", "reopened_issue")
        }
        down = shape(store)
        guarded = (*later, "reopened_issue_unread")
        of_later = {name: said for name, said in made["triggers"].items() if any(one in name for one in guarded)}
        down["triggers"] |= of_later
        assert made | down | changed == made, "but for indexes and later columns"
        assert rows_of(store, older) == before_in_older
    with closing(open_store(workspace)) as store:
        assert (versions(store), shape(store)) == (NEWEST, made)
        assert rows_of(store, columns) == before
    if url:
        with pytest.raises(
            RefusedError,
            match=f"'0017' is no earlier version of the tables; they can go back to {', '.join(REVISIONS[-2:16:-1])}",
        ):
            way_down(workspace, "0017", url=url)
    assert schema_of(kept) == NEWEST
