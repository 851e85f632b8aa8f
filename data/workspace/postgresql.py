"""PostgreSQL database of a workspace: connections, locks and error messages.

The workspace's other files are stored in its folder.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, Connection, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError

from presort.data.errors import DamagedCellError, RefusedError, WorkspaceError
from presort.data.workspace import folder as workspace_folder
from presort.data.workspace.folder import FILE_NAME

BUSY = "has been locked by another process for more than 10 s. Try again in a moment"
READ_ONLY = "can't be written to. The server reports: {message}"
FULL = "can't grow because the server's disk is full. The last change was not saved"
GONE = "can't be reached ({message}). Check that its server is running, and try again"
DAMAGED = "is damaged. The server reports: {message}"
NUL = "cannot contain NUL"  # part of the driver's error message, which has no error code

# Messages for errors with external causes, by error code or by error class, which is the first two characters of a code
# (https://www.postgresql.org/docs/current/errcodes-appendix.html). Other errors are bugs.
WORLD = {
    "55P03": BUSY,
    "40P01": BUSY,
    "57014": BUSY,
    "53100": FULL,
    "54000": "can't store a text of that length. The server reports: {message}. Nothing was changed. Shorten the text",
    "53300": "has too many connections. Increase max_connections of its server, or stop other programs that use it",
    "25006": READ_ONLY,
    "42501": READ_ONLY,
    "28": "refuses the login: {message}. Check the user name and password in the URL",
    "3D": "does not exist: {message}. Create it with the encoding UTF-8, or correct the URL",
    "08": GONE,
    "57": GONE,
    "58": "can't be read or written: {message}",
    "XX": DAMAGED,
}

DRIVER = "postgresql+psycopg"
WRITING = "writing"
# A transaction sees the state at the time of its first query. A write transaction acquires the lock first, so it sees
# the newest state, which can't change because no other transaction can write.
BEGIN_WRITING = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock({key})"
# Number of connections that a process keeps open, and maximum number that it opens. Each page holds a connection while
# it is rendered, even while it waits for a forecast that another page computes. The server allows 100 connections by
# default.
KEPT_CONNECTIONS, MOST_CONNECTIONS = 5, 60
TRIES = 20  # attempts to acquire a lock; the server needs a moment to notice that the process holding it was killed
MEANWHILE = "SELECT pg_sleep(0.1)"
OTHERS = """SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = :name AND pid <> pg_backend_pid()"""


class PostgresqlDatabase:
    """PostgreSQL database, or one of its schemas if the URL sets search_path."""

    is_read_only = False

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        address = _address(url)
        schema = schema_of(address)
        self.name = f"{address.database} on {address.host or 'this computer'}{f' ({schema})' if schema else ''}"
        self._shown = f"presort {schema}".strip()[:60]
        self._schema = schema
        options = (
            f"-c lock_timeout={workspace_folder.BUSY_TIMEOUT_MS} -c default_transaction_isolation=repeatable\\ read "
            f"{address.query.get('options', '')}"
        )
        query = {**address.query, "application_name": self._shown, "client_encoding": "utf8", "options": options}
        try:
            self.engine = create_engine(
                address.set(query=query),
                pool_size=KEPT_CONNECTIONS,
                max_overflow=MOST_CONNECTIONS - KEPT_CONNECTIONS,
                pool_pre_ping=True,  # replaces connections that the server has closed
                execution_options={"preserve_rowcount": True},  # makes an INSERT's row count available
                hide_parameters=True,  # keeps personal data out of errors, which may be logged
            )
        except ImportError as error:  # the driver is an optional dependency
            raise RefusedError("PostgreSQL needs its driver: pip install 'presort[postgresql]'.") from error

        @event.listens_for(self.engine, "begin")
        def begin(connection: Connection) -> None:
            if connection.get_execution_options().get("immediate", False):
                connection.exec_driver_sql(BEGIN_WRITING.format(key=self._key(WRITING)))

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yield a connection without a transaction."""
        with explain_errors(self.name), self.engine.connect() as connection:
            yield connection

    def demand_same(self) -> None:
        """Raise WorkspaceError if the workspace was moved to a file in its folder."""
        if (self.folder / FILE_NAME).exists():
            raise WorkspaceError(f"{self.folder} was moved to {FILE_NAME}, so nothing can be saved. Restart presort.")

    def refuse_damaged(self, connection: Connection) -> None:
        """Raise WorkspaceError if the encoding isn't UTF-8. Damage is not checked, because the server reports it."""
        if (encoding := connection.exec_driver_sql("SHOW server_encoding").scalar_one()) != "UTF8":
            raise WorkspaceError(f"{self.name} has the encoding {encoding}. Create a database with the encoding UTF-8.")

    def demand_sole_use(self, connection: Connection) -> None:
        """Check that no other process has the database open.

        If this is called in a write transaction, processes that open the database later can't write until it ends.

        Raises
        ------
        RefusedError
            If another process has the database open.
        """
        if connection.execute(text(OTHERS), {"name": self._shown}).scalar_one():
            raise RefusedError(
                f"{self.name} is in use by the desk or a command. Stop the desk or the command first. "
                "Nothing was changed."
            )

    @contextmanager
    def lock(self, name: str, busy: str) -> Iterator[None]:
        """Hold a lock on the server through a separate connection.

        The server releases the lock when the process or the connection ends.
        """
        key = self._key(name)
        with self.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            for _ in range(TRIES):
                if connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}).scalar_one():
                    break
                connection.execute(text(MEANWHILE))
            else:
                raise RefusedError(busy)
            try:
                yield
            finally:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": key})

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _key(self, name: str) -> int:
        """Return the server's number for a named lock.

        The number depends on the schema, because the server's locks are shared by all schemas in a database.
        """
        digest = hashlib.sha256(f"presort/{self._schema}/{name}".encode()).digest()
        return int.from_bytes(digest[:8], signed=True)


def schema_of(address: URL) -> str:
    """Return the schema named in a URL. Returns "" if there is none, so that PostgreSQL uses its default.

    Examples
    --------
    >>> schema_of(make_url("postgresql:///presort?options=-csearch_path%3Dtry"))
    'try'
    """
    _, _, named = str(address.query.get("options", "")).partition("search_path=")
    return named.partition(" ")[0]


def _address(url: str) -> URL:
    with suppress(ArgumentError):
        address = make_url(url).set(drivername=DRIVER)
        if address.database:
            return address
    raise RefusedError("The URL of the database is invalid. Example: postgresql://presort@localhost/presort.")


@contextmanager
def explain_errors(name: str) -> Iterator[None]:
    """Convert errors with external causes to `WorkspaceError`. Other errors are bugs and are propagated unchanged."""
    try:
        yield
    except DamagedCellError as error:
        raise WorkspaceError(f"{name} is damaged ({error}).") from error
    except DBAPIError as error:
        reason = reason_of(error)
        if reason is None:
            raise
        raise WorkspaceError(f"{name} {reason}.") from error


def reason_of(error: DBAPIError) -> str | None:
    """Describe an error in words that follow the database name in a message. Returns None if the error is a bug."""
    code = getattr(error.orig, "sqlstate", None)
    message = " ".join(str(error.orig).splitlines()[:1]).removeprefix("connection failed: ").strip().rstrip(".?")
    if NUL in message:
        return "can't store a text that contains a NUL character. Nothing was changed"
    if code is None:  # the server can't be reached or didn't respond
        is_gone = isinstance(error, OperationalError | InterfaceError)
        return GONE.format(message=message) if is_gone or error.connection_invalidated else None
    found = WORLD.get(code) or WORLD.get(code[:2])
    return found and found.format(message=message)
