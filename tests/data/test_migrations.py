"""Database versions: the baseline, upgrades from it, and workspaces of development versions."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import alembic.command
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from presort.data import revisions
from presort.data.errors import DataError, WorkspaceError
from presort.data.revisions import known_revisions, migration_config, newest_revision
from presort.data.running.backups import back_up, restore
from presort.data.running.health import examine, examine_file
from presort.data.running.moves import move_to_file, move_to_server
from presort.data.store import (
    FILE_NAME,
    Store,
    find_store,
    open_store,
    refuse_other_tables,
)
from presort.data.tables import Base
from presort.data.workspace.opening import BASELINE, find_database
from tests.data import workspaces
from tests.data.filled_workspace import fill
from tests.data.workspaces import contents, damage

pytestmark = pytest.mark.whole

NEWEST = newest_revision()
LATER = "9998"
LATER_MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision = "{LATER}"
down_revision = "{NEWEST}"


def upgrade():
    op.add_column("setting", sa.Column("unit", sa.String(), server_default=sa.text("'week'"), nullable=False))
    op.create_table("later", sa.Column("id", sa.Integer(), primary_key=True))
"""
KEPT = f"backups/before-upgrade-{NEWEST}.db"


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Folder of a workspace with rows in every table."""
    fill(workspace := tmp_path / "filled")
    return workspace


@pytest.fixture
def later_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Later version of Presort with one more migration, and its folder of migrations."""
    folder = shutil.copytree(revisions.MIGRATIONS, tmp_path / "migrations")
    (folder / "versions" / f"{LATER}_unit.py").write_text(LATER_MIGRATION)
    monkeypatch.setattr(revisions, "MIGRATIONS", folder)
    known_revisions.cache_clear()
    yield folder
    known_revisions.cache_clear()


def version(store: Store) -> str | None:
    with store.reading() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def units(store: Store) -> set[str]:
    with store.reading() as connection:
        return set(connection.execute(text("SELECT unit FROM setting")).scalars())


def shape(engine: Engine) -> dict[str, object]:
    """Return the parts of a schema that Alembic doesn't compare: defaults, checks, foreign keys, table types."""
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


def test_a_new_workspace_has_the_declared_tables(store):
    with store.connection() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    assert version(store) == newest_revision()


@pytest.mark.of_file
def test_a_new_file_has_the_declared_defaults_checks_and_keys(store, other_engine):
    Base.metadata.create_all(other_engine)
    assert shape(store.engine) == shape(other_engine)


@pytest.mark.of_file
def test_the_migrations_alone_lead_to_the_same_tables(store, other_engine):
    """Valid only while the baseline is the newest revision, because it creates the tables as currently declared."""
    if newest_revision() != BASELINE:
        pytest.skip("upgrades of released versions are tested from their files")
    with other_engine.begin() as connection:
        alembic.command.upgrade(migration_config(connection), "head")
    assert shape(store.engine) == shape(other_engine)


def test_a_filled_workspace_stays_as_it_is_when_it_is_opened(filled):
    with closing(find_store(filled)) as store:
        before = contents(store)
    assert all(before.values()), "a table is empty"
    with closing(open_store(filled)) as store:
        assert contents(store) == before
        assert damage(store) == []
    assert examine_file(filled / FILE_NAME).problems == ()
    assert not (filled / "backups").exists()


def test_an_upgrade_keeps_every_row(filled, later_version):
    with closing(find_store(filled)) as store:
        before = contents(store)
    with closing(open_store(filled)) as store:
        assert (version(store), units(store), damage(store)) == (LATER, {"week"}, [])
        assert contents(store) == before


def test_an_upgrade_of_postgresql_keeps_every_row(filled, schemas, request):
    url = schemas.lasting()
    move_to_server(filled, url)
    with closing(find_store(filled, url)) as store:
        before = contents(store)
    request.getfixturevalue("later_version")
    with closing(open_store(filled, url)) as store:
        assert (version(store), units(store)) == (LATER, {"week"})
        assert contents(store) == before


# Takes back what the migrations after the baseline do, the newest first.
DOWN = (
    "DROP TABLE removed_account",
    "ALTER TABLE identity DROP COLUMN given_until",
    "ALTER TABLE identity DROP COLUMN given",
)


@pytest.mark.parametrize("place", ["file", "postgresql"])
def test_a_workspace_of_the_baseline_gets_todays_tables_and_keeps_every_row(filled, request, place, other_engine):
    url = ""
    if place == "postgresql":
        url = request.getfixturevalue("schemas").lasting()
        move_to_server(filled, url)
    with closing(find_store(filled, url)) as store:
        before = contents(store)
    with closing(Store(find_database(filled, url))) as store, store.writing() as connection:
        for statement in DOWN:
            connection.execute(text(statement))
    _set_version(filled, url, BASELINE)
    with closing(open_store(filled, url)) as store:
        assert (version(store), damage(store)) == (NEWEST, [])
        with store.connection() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, Base.metadata) == []
        after = contents(store)
        accounts, kept = after.pop("identity"), before.pop("identity")
        assert (after.pop("removed_account"), before.pop("removed_account")) == ([], [("beef",)])
        assert after == before
        assert [row[:6] for row in accounts] == [row[:6] for row in kept]
        assert [row[6:] for row in accounts] == [((), None)]
        if place == "file":
            Base.metadata.create_all(other_engine)
            assert shape(store.engine) == shape(other_engine)


@pytest.mark.of_file
def test_a_new_workspace_runs_no_migration(tmp_path, later_version):
    """Its tables are created as declared, so an earlier migration must not change them again."""
    (later_version / "versions" / f"{LATER}_unit.py").write_text(f"{LATER_MIGRATION}\n    raise RuntimeError\n")
    with closing(open_store(tmp_path / "new")) as store:
        assert version(store) == LATER


def test_an_upgraded_file_can_be_rolled_back(filled, later_version):
    with closing(find_store(filled)) as store:
        before = contents(store)
    open_store(filled).close()
    kept = filled / KEPT
    assert kept.stat().st_mode & 0o777 == 0o600
    restore(filled, kept)
    assert examine_file(filled / FILE_NAME).schema == NEWEST
    with closing(find_store(filled)) as older:
        assert contents(older) == before
    open_store(filled).close()  # and upgraded again
    assert kept.exists()


def test_an_older_workspace_is_neither_copied_to_a_backup_of_postgresql_nor_changed(filled, schemas, request):
    """A backup of PostgreSQL is read with the current table definitions."""
    url = schemas.lasting()
    move_to_server(filled, url)
    request.getfixturevalue("later_version")
    with pytest.raises(WorkspaceError, match=f"is not up to date: it has revision {NEWEST}"):
        back_up(filled, url=url)


def test_without_space_for_a_copy_nothing_is_upgraded(filled, later_version, monkeypatch):
    with closing(find_store(filled)) as store:
        before = contents(store)
    no_room = shutil.disk_usage(filled)._replace(free=100)
    monkeypatch.setattr("presort.data.workspace.file_copy.shutil.disk_usage", lambda _: no_room)
    with pytest.raises(WorkspaceError, match=r"has no space for a copy \([\d,]+ bytes\)"):
        open_store(filled)
    with closing(find_store(filled)) as older:
        assert (version(older), contents(older)) == (NEWEST, before)


def test_only_the_copy_of_the_last_upgrade_is_kept(filled, later_version):
    kept = filled / KEPT
    kept.parent.mkdir()
    kept.write_bytes(b"of another time")
    kept.with_name("before-upgrade-0099.db").write_bytes(b"of an earlier upgrade")
    kept.with_name(f"{kept.name}.unfinished").write_bytes(b"cut off")
    open_store(filled).close()
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    restore(filled, kept)
    assert examine_file(filled / FILE_NAME).schema == NEWEST


def test_a_failing_migration_leaves_the_file_as_it_was(filled, later_version):
    (later_version / "versions" / f"{LATER}_unit.py").write_text(f"{LATER_MIGRATION}\n    raise RuntimeError('half')\n")
    with closing(find_store(filled)) as store:
        before = contents(store)
    with pytest.raises(RuntimeError, match="half"):
        open_store(filled)
    with closing(find_store(filled)) as older:
        assert (version(older), contents(older)) == (NEWEST, before)
        assert not inspect(older.engine).has_table("later")


@pytest.mark.of_file
def test_tables_that_are_created_half_way_are_not_kept(tmp_path, monkeypatch):
    def fail(*_arguments, **_options):
        raise RuntimeError("half way")

    monkeypatch.setattr("presort.data.tables.guards.position_triggers", fail)
    with pytest.raises(RuntimeError, match="half way"):
        open_store(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        assert connection.execute("SELECT * FROM sqlite_master").fetchall() == []
    monkeypatch.undo()
    open_store(tmp_path).close()


DEVELOPMENT = r"a development version before 0\.1\.0 \(database revision 00\d\d\)\. Nothing was changed\..*last commit"


def test_a_workspace_of_a_development_version_is_refused_and_not_written(workspace):
    """For every function that opens, checks or copies it."""
    url = workspaces.address_of(workspace)
    with closing(find_store(workspace, url)) as store:
        before = contents(store)
    _set_version(workspace, url, "0028")
    files = _files(workspace)
    for open_it in (
        lambda: open_store(workspace, url),
        lambda: refuse_other_tables(workspace, url),
        lambda: examine(workspace, url),
        lambda: back_up(workspace, url=url),
        lambda: move_to_file(workspace, url) if url else move_to_server(workspace, "postgresql:///nowhere"),
    ):
        with pytest.raises(WorkspaceError, match=DEVELOPMENT):
            open_it()
    with closing(Store(find_database(workspace, url))) as store:
        assert (version(store), contents(store)) == ("0028", before)
    assert _files(workspace) == files
    """Folder of a workspace with rows in every table."""


def test_a_backup_of_a_development_version_is_not_restored(filled, tmp_path):
    backup = back_up(filled, tmp_path / "backup.db")
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    files = _files(filled)
    with pytest.raises(DataError, match=DEVELOPMENT):
        restore(filled, backup)
    assert _files(filled) == files


def _set_version(workspace: Path, url: str, revision: str) -> None:
    with closing(Store(find_database(workspace, url))) as store, store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()} | {
        str(path.relative_to(folder)): b"" for path in folder.rglob("*") if path.is_dir()
    }
