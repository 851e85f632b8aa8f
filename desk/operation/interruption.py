"""Commands that are stopped, by Ctrl-C or by SIGTERM: either unwinds what is under way, and has an exit code."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """Somebody asked the program to end, as a service manager does."""


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return what a shell expects of a program that a signal ended.

    Examples
    --------
    >>> exit_code(KeyboardInterrupt()), exit_code(Terminated())
    (130, 143)
    """
    return 128 + (signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT)


@contextmanager
def stoppable() -> Iterator[None]:
    """Have SIGTERM raise `Terminated` wherever the program is, once: what is then cleared away is not disturbed."""
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated
