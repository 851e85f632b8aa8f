"""Readers of reports, and mailings to them."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

MailingState = Literal["pending", "sending", "sent", "refused", "unsure", "given up"]


@dataclass(frozen=True, slots=True)
class Reader:
    """Person who gets a report by mail.

    Attributes
    ----------
    report : str
        Code of the report.
    address : str
        Of mail; its domain in lower case, and with the letters of its language.
    name : str
        Empty where none is known.
    joined : datetime
        Time when this reader last joined the report.
    left : datetime or None
        Time when the reader left it. None for a current reader.
    """

    report: str
    address: str
    name: str
    joined: datetime
    left: datetime | None = None


@dataclass(frozen=True, slots=True)
class Mailing:
    """One report issue on its way to one reader.

    Attributes
    ----------
    id : int
        Number of the mailing, from 1; a report issue has one a reader.
    report, issue
        Mailed report issue.
    reader : int
        Number of the reader, which stays when the address changes or goes.
    address, name : str
        Of the reader; both empty of one who was erased.
    state : str
        "pending" before it is tried; "sending" from just before the mail server is asked; then "sent", "refused" for
        good, or "unsure" where the mail was cut off in the middle; "given up" where the director says so.
    changed_at : datetime
        Time of the last change of the state.
    reason : str
        Reply of the mail server if it refused the mail.
    """

    id: int
    report: str
    issue: date
    reader: int
    address: str
    name: str
    state: MailingState
    changed_at: datetime
    reason: str = ""
