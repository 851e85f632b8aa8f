"""Rights required to read or change a workspace. `desk.access` grants them.

Commands, and users of a desk without sign-in, have all rights. The rights of a signed-in user are checked in each
transaction, so removing a role takes effect immediately.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from sqlalchemy import Connection

from presort.data.errors import DataError, RefusedError


class Right(StrEnum):
    """Right required for an operation on certain reports or persons.

    If the operation concerns no particular report, a right on any report is enough. For example, a viewer of one report
    may see all papers and the list of reports.
    """

    SEE = "see"  # see reports' decisions, notes and rankings
    EDIT = "edit"  # make decisions, write notes and publish report issues
    OWN = "own"  # read and change the user's own personal data
    MANAGE = "manage"  # includes all other rights; required for every operation that doesn't name another right


class Guard(Protocol):
    """Object that identifies the signed-in user and checks their rights in each transaction."""

    def demand(self, connection: Connection, right: Right, of: Sequence[str]) -> None:
        """Raise `ForbiddenError` if the user lacks the right, or `SignedOutError` if they are signed out."""

    def name(self, connection: Connection) -> str:
        """Return the name of the user. Raise `SignedOutError` if they are signed out."""

    def has(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return one boolean per report, which is True if the user has the right on that report."""


class ForbiddenError(RefusedError):
    """The signed-in user lacks the right required for an operation."""


class SignedOutError(DataError):
    """The user is signed out. Unsaved changes can be saved after signing in again."""

    def __init__(
        self, message: str = "You are no longer signed in. Sign in again. Saved changes are not lost."
    ) -> None:
        super().__init__(message)
