"""Wording used in reports' emails, feeds and public pages, and in messages about sending them."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from presort.desk.text import count_text

DRAFT_LINE = "DRAFT · not sent to readers"
NOTHING_CHOSEN = "Nothing in this issue fits this report."
NO_AUTHOR = "no author given"
# Address in a mail server's error message, with or without angle brackets.
AN_ADDRESS = re.compile(r"<?[^\s<>()\"',;:]+@[^\s<>()\"',;:]+>?")
FOR_TEMPLATES = {  # available in templates as `words`; documented in docs/sending.md
    "ALL_ISSUES": "All issues",
    "ALL_REPORTS": "All reports",
    "DRAFT_LINE": DRAFT_LINE,
    "NEWEST": "Newest issue",
    "NOTHING_CHOSEN": NOTHING_CHOSEN,
    "NO_AUTHOR": NO_AUTHOR,
    "NO_REPORT": "No report issue has been published yet.",
    "PAST_ISSUES": "Past issues",
    "REPORTS": "Reports",
    "RETIRED": "discontinued",
    "UNSUBSCRIBE": "Unsubscribe",
}


def subject(name: str, issue: date, *, is_draft: bool) -> str:
    """Return the subject of the email for a report issue.

    Examples
    --------
    >>> subject("Labour", date(2026, 11, 16), is_draft=True)
    '[DRAFT] Labour, 2026-11-16'
    """
    return f"{'[DRAFT] ' if is_draft else ''}{name}, {issue}"


def describe_mailing(report: str, issue: date, n_readers: int) -> str:
    """Describe the mailing that is about to be sent.

    Examples
    --------
    >>> describe_mailing("lab", date(2026, 11, 16), 120)
    'lab 2026-11-16 will be sent to 120 readers.'
    """
    return f"{report} {issue} will be sent to {count_text(n_readers, 'reader')}."


def nothing_to_send(report: str, issue: date) -> str:
    """Return the message for a report issue that all readers have already received."""
    return f"All readers have already received {report} {issue}."


def describe_result(n_sent: int, n_refused: int, n_later: int) -> str:
    """Describe the result of a mailing.

    Examples
    --------
    >>> describe_result(3, 0, 0), describe_result(1, 1, 2)
    ('Sent to 3 readers.', 'Sent to 1 reader. 1 refused. 2 temporarily rejected. Send again later.')
    """
    parts = [f"Sent to {count_text(n_sent, 'reader')}."]
    if n_refused:
        parts.append(f"{n_refused:,} refused.")
    if n_later:
        parts.append(f"{n_later:,} temporarily rejected. Send again later.")
    return " ".join(parts)


def describe_sent_draft(address: str) -> str:
    """Return the message that is shown after a draft has been sent."""
    return f"Draft sent to {address} only."


def describe_cancellation(report: str, issue: date, address: str) -> str:
    """Return the message that is shown after an email to a reader has been cancelled."""
    return f"{report} {issue} will not be sent to {address} again, even if it did not arrive."


def describe_new_reader(report: str, address: str) -> str:
    """Describe the addition of a reader, for a confirmation or for the result."""
    return f"{address} will receive {report}, starting with the next issue."


def describe_removed_reader(report: str, address: str) -> str:
    """Describe the removal of a reader, for a confirmation or for the result."""
    return f"{address} no longer receives {report}, including issues that have not been sent yet."


def editors_phrase(editors: Sequence[str], affiliations: Mapping[str, str]) -> str:
    """Return a phrase that tells readers who edited a report issue, with the editors' affiliations.

    Examples
    --------
    >>> editors_phrase(["Ann Lee", "Bo Chen"], {"Ann Lee": "University of X", "Bo Chen": ""})
    'chosen by Ann Lee, University of X, and Bo Chen'
    """
    named = [", ".join(filter(None, (name, affiliations.get(name, "")))) for name in editors]
    has_places = any(affiliations.get(name) for name in editors[:-1])
    return f"chosen by {(', and ' if has_places else ' and ').join(named)}"


def mask_addresses(problem: str, sender: str) -> str:
    r"""Put an error message on one line, and mask all addresses except the sender's.

    Editors mustn't see the other addresses.

    Examples
    --------
    >>> mask_addresses("Stopped: 550 no <ann@example.org> here\nfor us@example.org", "us@example.org")
    'Stopped: 550 no a reader here for us@example.org'
    """
    line = " ".join(problem.split())
    return AN_ADDRESS.sub(lambda found: found[0] if found[0].strip("<>") == sender else "a reader", line)
