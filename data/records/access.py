"""Accounts, roles and members of the desk."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Place = Literal["desk", "file", "command", "rule"]
RoleName = Literal["director", "viewer"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Account at a sign-in provider. Never a mail address, because an address may be reassigned to another person."""

    issuer: str
    subject: str


@dataclass(frozen=True, slots=True)
class Role:
    """Role of a person in addition to editing reports: direct the service, or view one report."""

    person: str
    role: RoleName
    report: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """Person at the desk, with today's rights.

    Attributes
    ----------
    name : str
    is_director : bool
    edits, views : frozenset of str
        Codes of reports: those edited, also as a substitute, and those that may be looked at.
    n_identities : int
        By how many accounts the person can sign in; 0 before an invitation was accepted, and if unasked.
    invited_at : datetime or None
        Time of the newest open invitation.
    """

    name: str
    is_director: bool = False
    edits: frozenset[str] = frozenset()
    views: frozenset[str] = frozenset()
    n_identities: int = 0
    invited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A change in the audit log.

    Attributes
    ----------
    made_at, person
        When, and by whom.
    place : str
        From where: the desk, a file, a command, or a rule of the service.
    kind : str
        Of which log.
    action : str
        Action.
    report, issue
        Code of the report and date of the issue; empty and None if it concerns none.
    subject : str
        Title of the paper, name of the person, term or file; empty if there is none.
    before, after : str
        Old and new value; empty if there is none, or it is personal data.
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
