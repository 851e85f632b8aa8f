"""What a check found."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from presort.data.errors import DataError

State = Literal["ok", "missing", "wrong"]


class Finding(NamedTuple):
    """What a check found: what is "missing", one can do without."""

    about: str
    state: State
    says: str


Found = tuple[State, str]


def tried(about: str, check: Callable[[], Found]) -> Finding:
    """Return what a check found; what it could not look at is wrong."""
    try:
        return Finding(about, *check())
    except DataError as error:
        return Finding(about, "wrong", str(error))
