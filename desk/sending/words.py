"""What mail, feeds and public pages of reports say, and the command that sends them."""

from collections.abc import Mapping, Sequence
from datetime import date

from presort.desk.text import counted

DRAFT_LINE = "DRAFT · not sent to readers"
NOTHING_CHOSEN = "Nothing in this issue fits this report."
NO_AUTHOR = "no author given"
FOR_TEMPLATES = {  # a service's own templates may say these; docs/sending.md names them
    "ALL_ISSUES": "All issues",
    "ALL_REPORTS": "All reports",
    "DRAFT_LINE": DRAFT_LINE,
    "NEWEST": "Newest issue",
    "NOTHING_CHOSEN": NOTHING_CHOSEN,
    "NO_AUTHOR": NO_AUTHOR,
    "NO_REPORT": "No report has published anything yet.",
    "PAST_ISSUES": "Past issues",
    "REPORTS": "Reports",
    "RETIRED": "no longer edited",
}


def subject(name: str, issue: date, *, is_draft: bool) -> str:
    """Write the subject of a mail.

    Examples
    --------
    >>> subject("Labour", date(2026, 11, 16), is_draft=True)
    '[DRAFT] Labour, 2026-11-16'
    """
    return f"{'[DRAFT] ' if is_draft else ''}{name}, {issue}"


def goes_to(report: str, issue: date, n_readers: int) -> str:
    """Describe what is about to be sent.

    Examples
    --------
    >>> goes_to("lab", date(2026, 11, 16), 120)
    'lab 2026-11-16 goes to 120 readers.'
    """
    return f"{report} {issue} goes to {counted(n_readers, 'reader')}."


def nothing_new(report: str, issue: date) -> str:
    """State that nobody waits for a report issue."""
    return f"Nobody waits for {report} {issue}; nothing is sent twice."


def sent(n_sent: int, n_refused: int, n_later: int) -> str:
    """Describe how sending went.

    Examples
    --------
    >>> sent(3, 0, 0), sent(1, 1, 2)
    ('Sent to 3 readers.', 'Sent to 1 reader. 1 was refused. 2 could not be taken now; send again later.')
    """
    parts = [f"Sent to {counted(n_sent, 'reader')}."]
    if n_refused:
        parts.append(f"{n_refused:,} {'was' if n_refused == 1 else 'were'} refused.")
    if n_later:
        parts.append(f"{n_later:,} could not be taken now; send again later.")
    return " ".join(parts)


def draft_sent(address: str) -> str:
    """State that a draft went out."""
    return f"A draft is on its way to {address} alone."


def given_up(report: str, issue: date, address: str) -> str:
    """State that a reader goes without."""
    return f"{report} {issue} is not sent to {address} any more, whether it arrived or not."


def joins(report: str, address: str) -> str:
    """State that somebody will read a report."""
    return f"{address} reads {report} from the next issue that is sent."


def leaves(report: str, address: str) -> str:
    """State that a reader leaves."""
    return f"{address} does not read {report} any more, and gets nothing that is still on its way."


def chosen_by(editors: Sequence[str], affiliations: Mapping[str, str]) -> str:
    """State by whom a report issue is made, as readers are told.

    Examples
    --------
    >>> chosen_by(["Ann Lee", "Bo Chen"], {"Ann Lee": "University of X", "Bo Chen": ""})
    'chosen by Ann Lee, University of X, and Bo Chen'
    """
    named = [", ".join(filter(None, (name, affiliations.get(name, "")))) for name in editors]
    has_places = any(affiliations.get(name) for name in editors[:-1])
    return f"chosen by {(', and ' if has_places else ' and ').join(named)}"
