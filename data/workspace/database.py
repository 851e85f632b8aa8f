"""What a store asks of a database, whichever one keeps the workspace."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine

BUSY_TIMEOUT_MS = 10_000


class Database(Protocol):
    """The database of one workspace.

    Attributes
    ----------
    folder : Path
        The workspace: what is kept beside the database is there.
    name : str
        As messages and caches know it; without a password.
    engine : Engine
        Its transactions see one state from their first query to their end. Those with the option `immediate` write, one
        at a time.
    is_read_only : bool
        Whether nothing may be written at all.
    """

    folder: Path
    name: str
    engine: Engine
    is_read_only: bool

    def connected(self) -> AbstractContextManager[Connection]:
        """Yield a connection without a transaction; conditions of the world become a `WorkspaceError`."""

    def demand_same(self) -> None:
        """Refuse to go on where what is written would be lost."""

    def refuse_damaged(self, connection: Connection) -> None:
        """Refuse a database that is seen to be damaged at once."""

    def keep_before_upgrade(self, schema: str) -> None:
        """Keep what there is of tables of an older version, while nobody else writes, if that can be done here."""

    def lock(self, name: str, busy: str) -> AbstractContextManager[None]:
        """Do something alone, of all processes that have this workspace.

        Raises
        ------
        RefusedError
            If another does it, in the words of `busy`.
        """

    def close(self) -> None:
        """Let go of all connections."""
