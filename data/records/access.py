"""Accounts, roles and members of the desk."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Place = Literal["desk", "file", "command", "rule"]
RoleName = Literal["director", "viewer"]
GivenName = Literal["director", "editor", "viewer"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Account at a sign-in provider. An email address doesn't identify an account, because it may be reassigned."""

    issuer: str
    subject: str


@dataclass(frozen=True, slots=True)
class Role:
    """Role other than editor: director of the service, or viewer of one report."""

    person: str
    role: RoleName
    report: str = ""


@dataclass(frozen=True, slots=True, order=True)
class GivenRole:
    """Role that a sign-in provider gives to a group's members: director, or editor or viewer of one report."""

    role: GivenName
    report: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """User of the desk with their current rights.

    Attributes
    ----------
    name : str
    is_director : bool
    edits : frozenset of str
        Codes of the reports that the user edits, including those edited as a substitute or through a role from the
        sign-in provider.
    views : frozenset of str
        Codes of the reports that the user may view.
    n_identities : int
        Number of accounts with which the user can sign in. 0 if the user hasn't accepted an invitation yet, or if the
        number was not read.
    invited_at : datetime or None
        Time of the latest open invitation. None if there is none, or if it was not read.
    given : frozenset of GivenRole
        Roles from the sign-in provider. They are already included in `is_director`, `edits` and `views`.
    given_and_granted : frozenset of GivenRole
        Roles from the sign-in provider that were also granted in Presort.
    """

    name: str
    is_director: bool = False
    edits: frozenset[str] = frozenset()
    views: frozenset[str] = frozenset()
    n_identities: int = 0
    invited_at: datetime | None = None
    given: frozenset[GivenRole] = frozenset()
    given_and_granted: frozenset[GivenRole] = frozenset()


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Change in the audit log.

    Attributes
    ----------
    made_at, person
        Time and author of the change.
    place : str
        Origin of the change: the desk, a file, a command, or a rule of the service.
    kind : str
        Log that recorded the change.
    action : str
        Description of the change.
    report, issue
        Report code and issue date. An empty string and None if the change doesn't concern a report or an issue.
    subject : str
        Changed object: title of a paper, name of a person, a term or a file name. May be empty.
    before, after : str
        Old and new value. Empty if there is no value, or if the value is personal data.
    """

    made_at: datetime
    person: str
    place: Place
    kind: str
    action: str
    report: str = ""
    issue: date | None = None
    subject: str = ""
    before: str = ""
    after: str = ""
