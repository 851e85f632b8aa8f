"""Temporary folders that go whatever happens: those of a process that was killed go with the next one's.

A folder is held by a lock, which the system lets go of with the process. It gets the name by which it is found only
once it is held, so that nobody takes a new one for one that was left.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from presort.data.errors import WorkspaceError
from presort.data.workspace.folder import try_lock

NEW, HELD = "presort-new-", "presort-scratch-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a new folder in the system's place for temporary files; when left nothing of it stays.

    Raises
    ------
    WorkspaceError
        If there is no room for it.
    """
    place = Path(tempfile.gettempdir())
    _clear(place)
    try:
        new = Path(tempfile.mkdtemp(prefix=NEW, dir=place))
    except OSError as error:
        raise full(error) from error
    with _held(new):
        folder = new.rename(place / (HELD + new.name.removeprefix(NEW)))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # what can't be removed now is left to the next


def full(error: OSError) -> WorkspaceError:
    """Return the error that a temporary file can't be written."""
    return WorkspaceError(
        f"The temporary folder {tempfile.gettempdir()} can't be written to: {error.strerror or error}. Make room "
        "there, or set TMPDIR to another folder."
    )


def _clear(place: Path) -> None:
    """Remove our folders that nobody holds any more."""
    for left in place.glob(f"{HELD}*"):
        with (
            suppress(OSError),
            _held(left) as descriptor,
        ):  # held still, somebody else's, or cleared by another just now
            if os.fstat(descriptor).st_uid == os.geteuid():
                shutil.rmtree(left)


@contextmanager
def _held(folder: Path) -> Iterator[int]:
    """Hold a folder while inside; `BlockingIOError` if another process does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if not try_lock(descriptor):
            raise BlockingIOError(f"{folder} is held by another")
        yield descriptor
    finally:
        os.close(descriptor)
