"""Temporary folders that are deleted eventually, even if the process that created them is killed.

Each folder is locked by its process. Unlocked folders belonged to killed processes, and are deleted when the next
folder is created. A folder gets its final name only after it has been locked, so that a new folder is never mistaken
for the remains of a killed process.
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
    """Yield a new temporary folder, which is deleted after the block.

    Raises
    ------
    WorkspaceError
        If the folder can't be created.
    """
    place = Path(tempfile.gettempdir())
    _clear(place)
    try:
        new = Path(tempfile.mkdtemp(prefix=NEW, dir=place))
    except OSError as error:
        raise temporary_folder_error(error) from error
    with _lock_folder(new):
        folder = new.rename(place / (HELD + new.name.removeprefix(NEW)))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # the next call of `scratch_folder` deletes the remaining files


def temporary_folder_error(error: OSError) -> WorkspaceError:
    """Return a WorkspaceError that says why a temporary file can't be written."""
    return WorkspaceError(
        f"The temporary folder {tempfile.gettempdir()} can't be written to: {error.strerror or error}. Free some "
        "space, or set TMPDIR to another folder."
    )


def _clear(place: Path) -> None:
    """Delete the folders of killed processes."""
    for left in place.glob(f"{HELD}*"):
        # OSError: the folder is still locked, belongs to another user, or was just deleted by another process.
        with suppress(OSError), _lock_folder(left) as descriptor:
            if os.fstat(descriptor).st_uid == os.geteuid():
                shutil.rmtree(left)


@contextmanager
def _lock_folder(folder: Path) -> Iterator[int]:
    """Lock a folder. Raises BlockingIOError if another process has locked it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if not try_lock(descriptor):
            raise BlockingIOError(f"{folder} is locked by another process")
        yield descriptor
    finally:
        os.close(descriptor)
