"""What the part Readers of Manage says."""

from collections.abc import Mapping, Sequence

from presort.data.records import Mailing
from presort.desk.sending import words
from presort.desk.text import counted

READER_COLUMNS = {"address": "Address", "name": "Name", "joined": "Since"}

WRITTEN = "What you wrote"  # stands before the line that is wrong

WHO = "Who"

LOST_COLUMNS = {
    "issue": "Issue",
    "address": "Address",
    "state": "What became of it",
    "changed_at": "When (UTC)",
    "reason": "What was said",
}
STATES = {"unsure": "unsure", "refused": "refused", "pending": "waits"}


def joins(report: str, n_written: int, new: Sequence[str]) -> str:
    """Describe what adding readers changes, of whom so many were written, and these don't read the report yet.

    Examples
    --------
    >>> joins("lab", 1, ["ann@example.org"])
    'ann@example.org reads lab from the next issue that is sent.'
    >>> joins("lab", 3, ["ann@example.org", "bo@example.org"])
    'lab gets 2 new readers, from the next issue that is sent; 1 reads it already.'
    >>> joins("lab", 2, [])
    'lab gets no new reader; 2 read it already. Names that were written are theirs from now on.'
    """
    n_known = n_written - len(new)
    known = f"; {n_known:,} {'reads' if n_known == 1 else 'read'} it already" if n_known else ""
    if not new:
        return f"{report} gets no new reader{known}. Names that were written are theirs from now on."
    if n_written == 1:
        return words.joins(report, new[0])
    return f"{report} gets {counted(len(new), 'new reader')}, from the next issue that is sent{known}."


def no_new_reader(report: str) -> str:
    """State why nobody can be added to a report that is retired.

    Examples
    --------
    >>> no_new_reader("lab")
    'lab is retired and sends nothing, so nobody can be added; bring it back under Reports first.'
    """
    return f"{report} is retired and sends nothing, so nobody can be added; bring it back under Reports first."


def erased(address: str, reports: Sequence[str]) -> str:
    """Describe what forgetting a reader of these reports changes.

    Examples
    --------
    >>> erased("ann@example.org", ["lab", "mac"])  # doctest: +NORMALIZE_WHITESPACE
    "ann@example.org leaves lab, mac, gets nothing that is still on its way, and neither address nor name is kept
     anywhere. This can't be undone."
    """
    leaves = f"leaves {', '.join(reports)}" if reports else "reads nothing"
    return (
        f"{address} {leaves}, gets nothing that is still on its way, and neither address nor name is kept anywhere. "
        "This can't be undone."
    )


def unsure_in(counts: Mapping[str, int]) -> str:
    """State where mails were cut off, by how many of each report's were.

    Examples
    --------
    >>> unsure_in({"lab": 1, "mac": 2})
    'Of some mails nobody knows whether they arrived: lab 1, mac 2. They are not sent again unless you say so.'
    """
    where = ", ".join(f"{report} {n:,}" for report, n in counts.items())
    return f"Of some mails nobody knows whether they arrived: {where}. They are not sent again unless you say so."


def sent_again(one: Mailing) -> str:
    """Describe what sending a mail again changes."""
    twice = " If the first mail did arrive, it is there twice." if one.state == "unsure" else ""
    return f"{one.report} {one.issue} waits for {one.address}, and goes out when it is next mailed on Publish.{twice}"
