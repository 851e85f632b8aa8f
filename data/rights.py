"""Rights that functions of a workspace demand when they read or write. `desk.access` grants them.

Commands and users of the computer itself have all rights. A store for a signed-in visitor checks its guard in each
transaction, so a removed role takes effect at once.
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

    SEE = "see"  # decisions, notes and rankings of reports
    EDIT = "edit"  # to decide, note and publish for reports
    OWN = "own"  # personal data
    MANAGE = "manage"  # includes all rights; needed by default


class Guard(Protocol):
    """Identifies the visitor and checks their rights in each transaction that needs them."""

    def demand(self, connection: Connection, right: Right, of: Sequence[str]) -> None:
        """Raise a `ForbiddenError` if the visitor lacks the right, a `SignedOutError` if they are signed out."""

    def name(self, connection: Connection) -> str:
        """Return the name of the visitor. Raise a `SignedOutError` if they are signed out."""

    def has(self, connection: Connection, right: Right, reports: Sequence[str]) -> list[bool]:
        """Return for each report whether the visitor has the right."""


class ForbiddenError(RefusedError):
    """A signed-in visitor lacks the right for an operation."""


class SignedOutError(DataError):
    """The visitor is signed out. Unsaved changes can be saved after signing in again."""

    def __init__(self, message: str = "You are not signed in any more. Sign in again; what you saved is kept.") -> None:
        super().__init__(message)
