"""Records of readers, and of mailings to readers."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

MailingState = Literal["pending", "sending", "sent", "refused", "unsure", "given up"]


@dataclass(frozen=True, slots=True)
class Reader:
    """Subscriber who receives a report by mail.

    Attributes
    ----------
    report : str
        Report code.
    address : str
        Email address, with its domain in lower-case Unicode instead of punycode.
    name : str
        Name of the reader. Empty if unknown.
    joined : datetime
        Time of the latest subscription.
    left : datetime or None
        Time when the reader unsubscribed. None for current readers.
    """

    report: str
    address: str
    name: str
    joined: datetime
    left: datetime | None = None


@dataclass(frozen=True, slots=True)
class Mailing:
    """Mailing of one report issue to one reader.

    Attributes
    ----------
    id : int
        Mailing number, counted from 1. A report issue has one mailing per reader.
    report, issue
        Mailed report issue.
    reader : int
        Reader number. It doesn't change if the address is changed or erased.
    address, name : str
        Address and name of the reader. Both are empty if the reader was erased.
    state : str
        "pending" before the first attempt. It is set to "sending" just before the mail server is contacted, and
        afterwards to "sent", to "refused" if the server rejected the mail permanently, or to "unsure" if the connection
        was lost during sending. "given up" if the director decided not to send the mail again.
    changed_at : datetime
        Time of the last state change.
    reason : str
        The mail server's reply if it refused the mail.
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
