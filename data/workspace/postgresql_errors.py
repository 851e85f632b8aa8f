"""What PostgreSQL says when something is wrong outside the program, as one line a person can act on."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from presort.data.errors import DamagedCellError, WorkspaceError

BUSY = "is being written to by another process for more than 10 s; try again in a moment"
READ_ONLY = "can't be written to: the server says {said}"
FULL = "can't grow: the server's disk is full; nothing of the last change was kept"
GONE = "can't be reached ({said}); see that its server runs, and try again"
DAMAGED = "is damaged, its server says: {said}"
NUL = "cannot contain NUL"  # says the driver; it has no code for that

# Conditions of the world, not bugs: by the whole code, or by its class, the first two letters
# (https://www.postgresql.org/docs/current/errcodes-appendix.html).
WORLD = {
    "55P03": BUSY,
    "40P01": BUSY,
    "57014": BUSY,
    "53100": FULL,
    "54000": "can't hold a text of that length, its server says: {said}; shorten it, nothing was changed",
    "53300": "has too many connections; raise max_connections of its server, or stop what else uses it",
    "25006": READ_ONLY,
    "42501": READ_ONLY,
    "28": "lets nobody in: {said}. Check the name and password in its address",
    "3D": "is not there: {said}. Make it, in UTF-8, or correct its address",
    "08": GONE,
    "57": GONE,
    "58": "can't be read or written: {said}",
    "XX": DAMAGED,
}


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn a condition of the world into a `WorkspaceError`; anything else is a bug and stays one."""
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
    """Return what is wrong with a database, to stand behind its name; None if it is a bug."""
    code = getattr(error.orig, "sqlstate", None)
    said = " ".join(str(error.orig).splitlines()[:1]).removeprefix("connection failed: ").strip().rstrip(".?")
    if NUL in said:
        return "can't hold a text with a character of number 0; nothing was changed"
    if code is None:  # it was never asked, or it never answered
        is_gone = isinstance(error, OperationalError | InterfaceError)
        return GONE.format(said=said) if is_gone or error.connection_invalidated else None
    found = WORLD.get(code) or WORLD.get(code[:2])
    return found and found.format(said=said)
