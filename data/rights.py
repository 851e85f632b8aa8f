"""What a function of a workspace needs to be allowed: it says so where it reads or writes, and `desk.access` decides.

Whoever runs a command or sits at the computer itself may do all. A store that serves somebody who signed in asks its
guard in each transaction, so that a role that was taken away a moment ago is gone.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from sqlalchemy import Connection

from presort.data.errors import DataError, RefusedError


class Right(StrEnum):
    """Right needed for an operation. The caller passes the reports or persons that it concerns.

    Without a report, a right on any report is enough: a viewer of one report may see all papers and the list of
    reports.
    """

    SEE = "see"  # what is decided, noted and sorted for reports
    EDIT = "edit"  # to decide, note and publish for reports
    OWN = "own"  # what is one person's alone
    MANAGE = "manage"  # includes all rights; needed by default


class Guard(Protocol):
    """Identifies the visitor and checks their rights in each transaction that needs them."""

    def demand(self, connection: Connection, right: Right, of: Sequence[str]) -> None:
        """Raise a `ForbiddenError` if they have no such right, a `SignedOutError` if nobody is there any more."""

    def name(self, connection: Connection) -> str:
        """Return the name of who asks; raise a `SignedOutError` if nobody is there any more."""

    def has(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return for each of some reports whether they have a right."""


class ForbiddenError(RefusedError):
    """Somebody who signed in asked for what they have no right to."""


class SignedOutError(DataError):
    """Nobody is signed in any more: what was not saved can be saved once they have signed in again."""

    def __init__(self, message: str = "You are not signed in any more. Sign in again; what you saved is kept.") -> None:
        super().__init__(message)
