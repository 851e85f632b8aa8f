"""PostgreSQL server for tests: a new one, on its own socket."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psycopg import Connection
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, create_engine, event, inspect, make_url
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine.interfaces import Dialect

from presort.data.revisions import newest_revision
from presort.data.tables import Base

PLACES = Path("/usr/lib/postgresql")
PORT = 5432  # part of the socket's name; nothing listens there
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_connections=300")
CLOSE = "do_close"  # command with which engines end connections
AS_NEW = "RESET ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP; SET application_name = 'of nobody'"


def programs() -> Path | None:
    """Return the folder of the server's programs. None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    newest = max(PLACES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]), default=None)
    return Path(found).parent if found else newest and newest.parent


class Server:
    """Separate server that can be killed and restarted.

    Parameters
    ----------
    is_safe : bool
        Keep committed data in any event, like a production server.
    """

    def __init__(self, where: Path, folder: Path, *, is_safe: bool) -> None:
        self.url = f"postgresql://presort@/postgres?host={folder}"
        self.folder = folder
        self._where = where
        self._own: dict[str, Any] = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self._own = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        options = " ".join(f"-c {one}" for one in (() if is_safe else QUICK))
        self._options = f"{options} -c listen_addresses='' -c unix_socket_directories={folder} -c port={PORT}"
        self._call("initdb", "-U", "presort", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self._call("pg_ctl", "-w", "-l", f"{self.folder}/log", "-o", self._options, "start")

    def kill(self) -> None:
        """Kill the server, as in a power failure."""
        self._call("pg_ctl", "-w", "-m", "immediate", "stop")

    def _call(self, name: str, *words: str) -> None:
        command = [str(self._where / name), "-D", f"{self.folder}/data", *words]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, **self._own)


@contextmanager
def serving(*, is_safe: bool = False) -> Iterator[Server]:
    """Yield a new server. It is stopped at the end if it is still running."""
    where = programs()
    if where is None:
        raise FileNotFoundError("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="presort-pg-"))
    try:
        server = Server(where, folder, is_safe=is_safe)
        server.start()
        try:
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Connections:
    """Pool of connections, reused by the next engine of the same address.

    A new connection starts a server process that has no table definitions cached: a fifth of the time of a short test.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._free: dict[str, list[Connection]] = defaultdict(list)
        self._addresses: dict[Connection, str] = {}
        self._end: Callable[[PGDialect_psycopg, Connection], None] = getattr(PGDialect_psycopg, CLOSE)
        self._process = os.getpid()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Pool the connections of all engines of this process."""
        event.listen(Engine, "do_connect", self._begin)
        setattr(PGDialect_psycopg, CLOSE, lambda dialect, connection: self._let_go(dialect, connection))
        try:
            yield
        finally:
            setattr(PGDialect_psycopg, CLOSE, self._end)
            event.remove(Engine, "do_connect", self._begin)
            for connection in self._addresses:
                connection.close()

    def _begin(self, dialect: Dialect, record: Any, words: list[Any], named: dict[str, Any]) -> Any:
        if named.get("host") != self._folder or os.getpid() != self._process:
            return None
        address = str(sorted((name, value) for name, value in named.items() if name != "context"))
        if self._free[address]:
            connection = self._free[address].pop()
            connection.execute("RESET application_name")
            connection.autocommit = False
            return connection
        new: Any = dialect.connect(*words, **named)
        self._addresses[new] = address
        return new

    def _let_go(self, dialect: PGDialect_psycopg, connection: Connection) -> None:
        if connection not in self._addresses or connection.closed or os.getpid() != self._process:
            self._end(dialect, connection)
            return
        if connection.info.transaction_status != TransactionStatus.IDLE:
            connection.rollback()
        connection.autocommit = True
        connection.execute(AS_NEW)
        self._free[self._addresses[connection]].append(connection)


def _emptying(schema: str) -> Iterator[str]:
    for table in Base.metadata.tables.values():
        if table.name == "revision":
            yield f"UPDATE {schema}.revision SET number = 0"
            continue
        yield f"DELETE FROM {schema}.{table.name}"
        if (column := table.autoincrement_column) is not None:
            yield f"ALTER SEQUENCE {schema}.{table.name}_{column.name}_seq RESTART"


class Schemas:
    """Schemas of a server, one for each workspace of a test. They are emptied and reused by the next test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine: Engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
        self._used: dict[Path, str] = {}
        self._free: list[str] = []
        self._n_made = 0

    def of(self, folder: Path) -> str:
        """Return the address of the schema of a workspace. A new workspace gets an empty schema."""
        if folder not in self._used:
            self._used[folder] = self._free.pop() if self._free else self._make()
        return f"{self.url}&options=-csearch_path%3D{self._used[folder]}"

    def lasting(self) -> str:
        """Return the address of an empty schema that remains after the test."""
        return f"{self.url}&options=-csearch_path%3D{self._make()}"

    def clear(self) -> None:
        """Empty the used schemas: rows and sequences are reset, tables remain.

        A schema without tables, or of another version, is not reused.
        """
        with self._engine.begin() as connection:
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # logs are emptied, too
            for schema in self._used.values():
                if not inspect(connection).has_table("revision", schema):
                    continue
                version = connection.exec_driver_sql(f"SELECT version_num FROM {schema}.alembic_version").scalar()
                if version == newest_revision():
                    connection.exec_driver_sql("; ".join(_emptying(schema)))
                    self._free.append(schema)
        self._used.clear()

    def close(self) -> None:
        """Release the connection."""
        self._engine.dispose()

    def _make(self) -> str:
        self._n_made += 1
        schema = f"w{self._n_made}"
        with self._engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        return schema
