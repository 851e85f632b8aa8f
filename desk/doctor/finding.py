"""Results of health checks."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from presort.data.errors import DataError

State = Literal["ok", "missing", "wrong"]


class Finding(NamedTuple):
    """Result of a health check: its title, state and message. "missing" means that an optional part is not set up."""

    about: str
    state: State
    says: str


Found = tuple[State, str]


def tried(about: str, check: Callable[[], Found]) -> Finding:
    """Run a check and return its finding. If it raises a DataError, the state is "wrong"."""
    try:
        return Finding(about, *check())
    except DataError as error:
        return Finding(about, "wrong", str(error))
