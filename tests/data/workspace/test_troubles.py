"""External failures: each is reported in one line, nothing is lost or incomplete, and work continues once it is fixed.

Tests with a full disk use small disks in memory, which only root can mount.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, select, text, update

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.decisions import minutes_spent
from presort.data.editing.log import history_of
from presort.data.errors import WorkspaceError
from presort.data.learning.rankings import add_rankings
from presort.data.records import Report
from presort.data.running.backups import back_up
from presort.data.running.health import examine_file, examine_server
from presort.data.running.scheduled_backups import run_schedule
from presort.data.store import FILE_NAME, Store, find_store, open_store
from presort.data.tables import DecisionRow
from tests.data.workspaces import (
    FIRST,
    SECOND,
    address_of,
    contents,
    make_issue,
    make_listed,
    make_ranking,
    rewriting,
    say,
    send_out,
    take_in,
)
from tests.postgresql_server import Server, serving

pytestmark = pytest.mark.whole

MEGABYTES = 24


@pytest.fixture
def disk() -> Iterator[Path]:
    """Small disk that users other than root can write to."""
    folder = Path(tempfile.mkdtemp(prefix="presort-test-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "presort-test", str(folder)]
    is_mounted = os.geteuid() == 0 and not subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode
    try:
        if not is_mounted:
            pytest.skip("no small disk can be mounted here, as root alone may")
        yield folder
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Fill a disk for the duration of a block."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1024**2, 4096, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    yield
    filler.unlink()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@contextmanager
def begun(folder: Path, url: str = "") -> Iterator[Store]:
    """Workspace with a decision."""
    with closing(open_store(folder, url)) as store:
        fill(store)
        yield store


def fill(store: Store) -> None:
    catalogue.add_reports(store, [Report("lab", "Labour")])
    take_in(store, make_issue(9))
    add_rankings(store, [make_ranking(order=range(1, 10))])
    decisions.decide(store, [say("lab", "a1", "yes"), say("lab", "a2", "no")])


def refused(do, store, *, says):
    """Attempt a change that must fail, and check that one line reports it and nothing changes."""
    before = contents(store)
    with pytest.raises(WorkspaceError, match=says) as caught:
        do()
    assert "\n" not in str(caught.value)
    assert contents(store) == before


def goes_on(store):
    """Repeat the change that was refused, which must succeed now."""
    assert decisions.decide(store, [say("lab", "a3", "yes")]) == 1
    assert send_out(store, "lab") == (1, 3)


def take_in_a_lot(store):
    take_in(store, [make_listed(f"b{n}", SECOND, abstract=f"We show {n}. " * 6_000) for n in range(60)])


FULL = "can't grow because the .*disk is full. The last change was not saved\\.$"


def test_a_full_disk_of_a_file(disk):
    with begun(disk / "workspace") as store:
        with filled(disk):
            refused(lambda: take_in_a_lot(store), store, says=FULL)
            refused(lambda: back_up(store.folder), store, says=r"can't grow|can't be (created|written)")
            assert [path for path in store.folder.glob("**/*.db*") if path.parent != store.folder] == []
        goes_on(store)
        take_in_a_lot(store)
        assert examine_file(store.database.path).problems == ()


@pytest.mark.parametrize("kind", ["file", "server"])
def test_a_full_disk_of_backups_leaves_the_older_ones(disk, tmp_path, request, kind):
    url = ""
    if kind == "server":
        server = request.getfixturevalue("server")
        do(server, "CREATE SCHEMA full_backups")
        url = f"{server.url}&options=-csearch_path%3Dfull_backups"
    plan = {"every": timedelta(hours=1), "daily": 1, "weekly": 1, "url": url}
    with begun(tmp_path / "workspace", url) as store:
        old = run_schedule(store.folder, disk / "to", **plan, now=datetime(2026, 11, 2, tzinfo=UTC)).newest.path
        with filled(disk):
            refused(lambda: run_schedule(store.folder, disk / "to", **plan), store, says="disk is full|No space left")
            assert list((disk / "to").iterdir()) == [old]
        goes_on(store)
        made = run_schedule(store.folder, disk / "to", **plan)
        assert list((disk / "to").iterdir()) == [made.newest.path]
        assert made.deleted == (old,)


def test_a_full_disk_of_a_server(disk, tmp_path, server):
    tables = disk / "tables"
    tables.mkdir()
    owner = pwd.getpwnam("postgres")
    os.chown(tables, owner.pw_uid, owner.pw_gid)
    do(server, f"CREATE TABLESPACE small LOCATION '{tables}'", "CREATE SCHEMA full_disk")
    address = f"{server.url}&options=-csearch_path%3Dfull_disk%20-cdefault_tablespace%3Dsmall"
    with begun(tmp_path / "workspace", address) as store:
        with filled(disk):
            refused(lambda: take_in_a_lot(store), store, says=FULL)
        goes_on(store)
        take_in_a_lot(store)
        assert examine_server(store.database).problems == ()


@pytest.mark.of_file
def test_a_temporarily_missing_file(tmp_path):
    with begun(tmp_path) as store:
        path, aside = store.database.path, tmp_path / "aside.db"
        before = contents(store)
        path.rename(aside)
        for what in (lambda: catalogue.issues(store), lambda: goes_on(store)):
            with pytest.raises(
                WorkspaceError, match="was deleted or replaced while it was open, so nothing can be saved"
            ):
                what()
        assert not path.exists()
        aside.rename(path)
        assert contents(store) == before
        goes_on(store)


def test_a_read_only_server(tmp_path, server):
    do(server, "CREATE SCHEMA read_only")
    with begun(tmp_path, f"{server.url}&options=-csearch_path%3Dread_only") as store:
        do(server, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
        store.engine.dispose()
        says = r"can't be written to. The server reports: cannot execute .* in a read-only transaction\.$"
        refused(lambda: decisions.decide(store, [say("lab", "a3", "yes")]), store, says=says)
        refused(lambda: take_in_a_lot(store), store, says=says)
        reset = "SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only"
        do(server, *reset.split("; "), "SELECT pg_reload_conf()")
        store.engine.dispose()
        goes_on(store)


def test_a_temporarily_read_only_folder(empty_workspace):
    """Root can write everywhere, so another user opens the folder."""
    outer = Path(tempfile.mkdtemp(prefix="presort-test-"))
    folder = shutil.copytree(empty_workspace, outer / "workspace")
    with begun(folder):
        pass
    is_root = os.geteuid() == 0
    try:
        outer.chmod(0o755)
        folder.chmod(0o555)
        (folder / FILE_NAME).chmod(0o444)
        if is_root:
            os.seteuid(65534)
        with closing(open_store(folder)) as store:
            says = r"presort\.db can't be written to\. Check the permissions of the folder and its files\.$"
            refused(lambda: decisions.decide(store, [say("lab", "a3", "yes")]), store, says=says)
            refused(lambda: take_in_a_lot(store), store, says=r"import\.lock can't be opened: Permission denied\.$")
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)
        (folder / FILE_NAME).chmod(0o600)
        with closing(open_store(folder)) as store:
            goes_on(store)
    finally:
        if is_root:
            os.seteuid(0)
        shutil.rmtree(outer)


def test_a_newer_schema_is_refused_until_it_is_rolled_back(workspace):
    with begun(workspace, address_of(workspace)) as store:
        before = contents(store)
        newest = set_schema(store, "9999")
    for _ in range(2):
        with pytest.raises(WorkspaceError, match=r"by a newer version \(database revision 9999\)\. Upgrade Presort\.$"):
            open_store(workspace, address_of(workspace))
    with closing(find_store(workspace, address_of(workspace))) as store:
        assert contents(store) == before
        set_schema(store, newest)
    with closing(open_store(workspace, address_of(workspace))) as store:
        assert contents(store) == before
        goes_on(store)


def test_a_clock_set_back_a_day_loses_and_reorders_nothing(store):
    """All earlier entries have tomorrow's time."""
    fill(store)
    decisions.decide(store, [say("lab", "a4", "yes")])
    send_out(store, "lab")
    a_day = timedelta(days=1)
    with rewriting(store, "decision") as connection:
        rows = connection.execute(select(DecisionRow.id, DecisionRow.made_at)).all()
        for number, made_at in rows:
            connection.execute(update(DecisionRow).where(DecisionRow.id == number).values(made_at=made_at + a_day))
    publications.reopen(store, "lab", FIRST, "a mistake", person="Ann")
    decisions.decide(store, [say("lab", "a1", "no"), say("lab", "a2", "yes")])
    assert decisions.labels(store, "lab", FIRST) == {"a1": "no", "a2": "yes", "a4": "yes"}
    assert [one.label for one in history_of(store, "lab", FIRST, "a1")] == [
        "yes",
        "yes",
        "no",
    ]  # the second one as published
    assert minutes_spent(store, "lab", FIRST) >= 0
    assert send_out(store, "lab") == (2, 4)
    assert len(publications.publication_log(store, "lab", FIRST)) == 2


def do(server: Server, *statements: str) -> None:
    """Execute statements as the administrator of a server."""
    engine = create_engine(make_url(server.url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with closing(engine.connect()) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def set_schema(store: Store, schema: str) -> str:
    """Set the revision of the tables, and return the previous one."""
    with store.writing() as connection:
        before = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
        connection.execute(text("UPDATE alembic_version SET version_num = :schema"), {"schema": schema})
    return before
