"""Databases that can't be opened, moved to or restored to are refused in one line, and nothing changes."""

import sqlite3
import sys
from contextlib import closing

import pytest
from sqlalchemy import text

from presort.data import catalogue
from presort.data.errors import OtherVersionError, RefusedError, WorkspaceError
from presort.data.running.backups import back_up, restore
from presort.data.running.health import examine
from presort.data.running.moves import move_to_server
from presort.data.store import FILE_NAME, find_store, open_store
from tests.data.running.opened_workspaces import opened, rows
from tests.data.workspaces import incompressible, make_listed, take_in

pytestmark = pytest.mark.whole


def test_a_database_of_another_program_is_refused(schemas, url, tmp_path):
    with opened(tmp_path, url) as store, store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    with pytest.raises(WorkspaceError, match="is not a Presort database"):
        open_store(tmp_path, url)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://ann:hush@localhost:1/presort", "presort on localhost can't be reached"),
        ("postgresql://localhost", "Example: postgresql://"),
        ("postgresql://[", "Example: postgresql://"),
    ],
)
def test_an_error_names_a_wrong_address_without_its_password(tmp_path, address, message):
    with pytest.raises((WorkspaceError, RefusedError), match=message) as caught:
        open_store(tmp_path, address)
    assert "hush" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_is_reported(url, tmp_path):
    for do in (examine, lambda folder, url: back_up(folder, url=url)):
        with pytest.raises(WorkspaceError, match=r"There is no workspace in|it has no tables"):
            do(tmp_path, url)
    assert not list(tmp_path.glob("**/*.db"))


def test_tables_of_a_newer_presort_are_refused_and_stay(full, url):
    move_to_server(full, url)
    older = back_up(full, url=url)
    with opened(full, url) as store, store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(WorkspaceError, match=r"was written by a newer version \(database revision 9999\)"):
        open_store(full, url)
    with pytest.raises(WorkspaceError, match="Upgrade Presort"):
        back_up(full, url=url)
    with pytest.raises(WorkspaceError, match=r"9999.*create an empty one"):
        restore(full, older, url=url)
    with pytest.raises(OtherVersionError, match="Upgrade Presort"):
        examine(full, url)


def test_a_text_that_postgresql_can_not_store_is_one_line(url, tmp_path):
    """Presort never stores such a character, but a forged text may contain one."""
    with opened(tmp_path, url) as store, pytest.raises(WorkspaceError, match="contains a NUL character"):
        catalogue.set_setting(store, "place", "a\x00b")


def test_an_id_that_postgresql_can_not_store_is_one_line(url, tmp_path):
    """Files accepted such ids before their length was limited."""
    with opened(tmp_path) as store:
        take_in(store, [make_listed(incompressible(3_000))])
    with pytest.raises(
        WorkspaceError, match=r"can't store a text of that length. The server reports: .*uq_paper_paper_id"
    ):
        move_to_server(tmp_path, url)
    assert (tmp_path / FILE_NAME).exists()


def test_without_the_driver_one_line_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(RefusedError, match=r"pip install 'presort\[postgresql\]'"):
        open_store(tmp_path, "postgresql://presort@localhost/presort")


def test_a_database_that_can_not_hold_every_text_is_refused(schemas, tmp_path):
    with opened(tmp_path / "one", schemas.lasting()) as store, store.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text("CREATE DATABASE small TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"))
    with pytest.raises(WorkspaceError, match="has the encoding LATIN1"):
        open_store(tmp_path / "two", schemas.url.replace("/postgres?", "/small?"))


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_nothing_is_moved_or_restored_to_an_unusable_database(full, schemas, encoding):
    name = f"small_{encoding.lower()}"
    with opened(full.parent / "one", schemas.lasting()) as store, store.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'"))
    url, before = schemas.url.replace("/postgres?", f"/{name}?"), rows(full)
    backup = back_up(full)
    with pytest.raises(WorkspaceError, match=f"has the encoding {encoding}"):
        move_to_server(full, url)
    assert rows(full) == before
    elsewhere = full.parent / "elsewhere"
    with pytest.raises(WorkspaceError, match=f"has the encoding {encoding}"):
        restore(elsewhere, backup, url=url)
    with closing(find_store(elsewhere, url)) as store:
        assert store.has_no_tables()


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("DROP TABLE draft", "lack draft"),
        ("ALTER TABLE setting DROP COLUMN value", "lack setting.value"),
        (
            "DELETE FROM alembic_version; DROP TABLE hint; DROP TABLE draft",
            r"\(database revision unknown\) .* and 1 more",
        ),
    ],
)
@pytest.mark.parametrize("is_on_server", [False, True])
def test_a_check_of_incomplete_tables_names_their_version_and_what_is_missing(
    full, url, statement, missing, is_on_server
):
    if is_on_server:
        move_to_server(full, url)
        with opened(full, url) as store, store.engine.begin() as connection:
            connection.exec_driver_sql(statement)
    else:
        with closing(sqlite3.connect(full / FILE_NAME)) as connection:
            connection.executescript(statement)
    with pytest.raises(WorkspaceError, match=missing):
        examine(full, url if is_on_server else "")
