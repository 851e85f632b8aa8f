"""Findings of checks."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from presort.data.errors import DataError

State = Literal["ok", "missing", "wrong"]


class Finding(NamedTuple):
    """Finding of a check. "missing" means that something optional is not set up."""

    about: str
    state: State
    says: str


Found = tuple[State, str]


def tried(about: str, check: Callable[[], Found]) -> Finding:
    """Run a check and return its finding. An error counts as wrong."""
    try:
        return Finding(about, *check())
    except DataError as error:
        return Finding(about, "wrong", str(error))
