"""What mail, feeds and public pages of reports say, and the command that sends them."""

from datetime import date
from pathlib import Path

from data.records import Mailing, MailingState
from desk.words.text import counted

REPORTS = "Reports"
PAST_ISSUES = "Past issues"
ALL_ISSUES = "All issues"
ALL_REPORTS = "All reports"
NEWEST = "Newest issue"
RETIRED = "no longer edited"
NO_REPORT = "No report has issued anything yet."

NOBODY_UNSURE = "Nothing is unsure: every mail was taken, refused, or not tried yet."
INTERRUPTED = "stopped; if a mail was on its way, 'presort send --unsure' lists it. The same command sends the others."
NO_READER = "Nobody reads it yet. 'presort readers add' lets somebody."


def subject(name: str, issue: date, *, is_draft: bool) -> str:
    """Write the subject of a mail.

    Examples
    --------
    >>> subject("Labour", date(2026, 11, 16), is_draft=True)
    '[DRAFT] Labour, 2026-11-16'
    """
    return f"{'[DRAFT] ' if is_draft else ''}{name}, {issue}"


def goes_to(report: str, issue: date, n_readers: int) -> str:
    """Say what is about to be sent.

    Examples
    --------
    >>> goes_to("lab", date(2026, 11, 16), 120)
    'lab 2026-11-16 goes to 120 readers.'
    """
    return f"{report} {issue} goes to {counted(n_readers, 'reader')}."


def nothing_new(report: str, issue: date) -> str:
    """Say that nobody waits for a report issue."""
    return f"Nobody waits for {report} {issue}; nothing is sent twice."


def sent(n_sent: int, n_refused: int, n_later: int) -> str:
    """Say how sending went.

    Examples
    --------
    >>> sent(3, 0, 0), sent(1, 1, 2)
    ('Sent to 3 readers.', 'Sent to 1 reader. 1 was refused. 2 could not be taken now; send again later.')
    """
    told = [f"Sent to {counted(n_sent, 'reader')}."]
    if n_refused:
        told.append(f"{n_refused:,} {'was' if n_refused == 1 else 'were'} refused.")
    if n_later:
        told.append(f"{n_later:,} could not be taken now; send again later.")
    return " ".join(told)


def stopped(n_sent: int, last: Mailing, state: MailingState, reason: str) -> str:
    """Say that sending stopped, and what became of the mail that was on its way.

    Parameters
    ----------
    n_sent : int
        Mails sent before.
    last : Mailing
        The one on its way.
    state, reason
        What became of it, and why.
    """
    ends: dict[MailingState, str] = {
        "unsure": f"{last.address} may have it or not: 'presort send --unsure' lists it",
        "refused": f"{last.address} was refused",
    }
    end = ends.get(state, f"{last.address} has not got it")
    return (
        f"The mail server stopped after {counted(n_sent, 'mail')} of {last.report} {last.issue}, and {end} ({reason}). "
        f"'presort send {last.report} {last.issue}' goes on with the others."
    )


def draft_sent(address: str) -> str:
    """Say that a draft went out."""
    return f"A draft is on its way to {address} alone."


def given_up(report: str, issue: date, address: str) -> str:
    """Say that a reader goes without."""
    return f"{report} {issue} is not sent to {address} any more, whether it arrived or not."


def unsure(one: Mailing) -> str:
    """Say of a mail that it may have arrived, and what can be done."""
    return (
        f"{one.report} {one.issue} to {one.address}, {one.changed_at:%Y-%m-%d %H:%M} UTC: {one.reason} "
        f"Send it with 'presort send {one.report} {one.issue} --again ADDRESS', or let it be with --give-up ADDRESS."
    )


def joins(report: str, address: str) -> str:
    """Say that somebody will read a report."""
    return f"{address} reads {report} from the next issue that is sent."


def all_join(report: str, n_readers: int, n_new: int) -> str:
    """Say that several will read a report.

    Examples
    --------
    >>> all_join("lab", 3, 2)
    'lab gets 2 new readers, of 3 in the file.'
    """
    return f"{report} gets {counted(n_new, 'new reader')}, of {n_readers:,} in the file."


def leaves(report: str, address: str) -> str:
    """Say that a reader leaves."""
    return f"{address} does not read {report} any more, and gets nothing that is still on its way."


def erased(address: str) -> str:
    """Say that a reader is forgotten."""
    return f"{address} leaves all reports, and neither address nor name is kept. This can't be undone."


def site_written(n_issues: int, folder: Path) -> str:
    """Say that public pages were written."""
    return f"The pages of {counted(n_issues, 'report issue')} are in {folder}; begin at {folder / 'index.html'}."
