"""Locks on what a process has open, be it a file or a folder: the system takes them back even if it is killed.

They belong to the descriptor, not to the name: nothing is written, so a folder can be locked in which nothing may be,
and no lock is left behind. Who closes the descriptor gives the lock back. Two descriptors of one process keep each
other out as those of two do.

A lock held alone works on Windows, too, but there only files can be opened, no folders; and a lock that is shared does
not exist there.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor

from presort.data.errors import RefusedError, WorkspaceError


@contextmanager
def alone(path: Path, busy: str) -> Iterator[None]:
    """Hold a lock file alone; it is made where there is none, and the system gives it back even if we are killed.

    Raises
    ------
    RefusedError
        If another holds it, in the words of `busy`.
    """
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise WorkspaceError(f"{path} can't be opened: {error.strerror}.") from error
    try:
        if not take(lock):
            raise RefusedError(busy)
        yield
    finally:
        os.close(lock)


def take(descriptor: int) -> bool:
    """Hold it alone, or tell that another holds it, alone or shared; then it is not held at all."""
    return lock_descriptor(descriptor, blocking=False)


def wait_for(descriptor: int) -> None:
    """Hold it alone, once nobody else holds it."""
    lock_descriptor(descriptor)


def share(descriptor: int) -> None:
    """Hold it with others who share it; wait for one that holds it alone.

    Raises
    ------
    WorkspaceError
        On Windows.
    """
    check_shareable()
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_SH)


def check_shareable() -> None:
    """Refuse a system on which nothing can be locked together with others.

    Raises
    ------
    WorkspaceError
        On Windows.
    """
    try:
        import fcntl  # noqa: F401  (not there on Windows)
    except ImportError as error:
        raise WorkspaceError(
            "A workspace can't be opened on Windows itself, where its folder can't be locked; use WSL there."
        ) from error
