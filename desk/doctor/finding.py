"""Results of health checks."""

from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Literal, NamedTuple

from presort.data.errors import DataError

State = Literal["ok", "missing", "wrong"]
LONGEST = 500  # maximum length of a message in characters, because it may quote a server's long response


class Finding(NamedTuple):
    """Result of a health check: its title, state and message. In the state "missing", an optional part isn't set up."""

    about: str
    state: State
    says: str


Found = tuple[State, str]


def run_check(about: str, check: Callable[[], Found]) -> Finding:
    """Run a check and return its finding, with a one-line message. If it raises DataError, the state is "wrong"."""
    try:
        state, says = check()
    except DataError as error:
        state, says = "wrong", str(error)
    line = "".join(letter for letter in " ".join(says.split()) if letter.isprintable())
    return Finding(about, state, line if len(line) <= LONGEST else f"{line[:LONGEST]}…")


def limit_time(check: Callable[[], Found], seconds: float) -> Callable[[], Found]:
    """Add a time limit to a check. This is needed because a server may send its response arbitrarily slowly.

    The check runs in a thread that doesn't keep the process alive. It must not use the workspace.
    """
    return partial(_run_with_limit, check, seconds)


def _run_with_limit(check: Callable[[], Found], seconds: float) -> Found:
    results: list[Found | Exception] = []

    def run() -> None:
        try:
            results.append(check())
        except Exception as error:  # noqa: BLE001  (raised again in the thread of the caller)
            results.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not results:
        return "wrong", f"This check timed out after {seconds:g} seconds."
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]
