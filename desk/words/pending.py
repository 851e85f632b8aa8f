"""What the page Pending says, and what is said of sorting again."""

from collections.abc import Sequence
from datetime import date, datetime

from data.records import Issuing, LoggedDecision, Pending
from data.review_log import GoneOut
from desk.words.text import counted

TITLE = "Pending"
ALL_REPORTS = "all reports"
ONLY = "Report"
PART = "Show"
TO_FINISH, GONE_OUT = "to finish", "gone out"
NOTHING_PENDING = "Nothing is pending: every issue has gone out. Enjoy the quiet week."
NOTHING_GONE_OUT = "Nothing has gone out yet."
MORE = "Show more"
LOG = "Log"
SORT_THEM = "Sort them now"

LATE, VERY_LATE = 14, 42  # days after which readers ask where an issue is, and after which nobody waits for it
IS_LATE = "late: readers expect it within two weeks"
IS_VERY_LATE = "very late: six weeks and more; finish it soon, if need be with nothing in it"

SEARCH = "Words of the title"
NO_ENTRY = "Nothing was decided on this issue."
NONE_FOUND = "No title in this log has all of these words."
HOW_TO_SEE_ONE = "Choose a line to see all that was decided on its paper."
DOWNLOAD = "Download the log as CSV"
COLUMNS = {"made_at": "When (UTC)", "person": "Who", "said": "What", "title": "Title"}

SAID = {
    ("relevant", "yes"): "relevant",
    ("relevant", "no"): "not relevant",
    ("relevant", "maybe"): "maybe",
    ("relevant", "undecided"): "undecided again",
    ("publish", "yes"): "to be published",
    ("publish", "no"): "not to be published",
}


def age(days: int) -> str:
    """Say how old an issue is.

    Parameters
    ----------
    days : int
        Since its date; below zero if that is still to come.

    Examples
    --------
    >>> [age(days) for days in (-1, 0, 1, 6, 7, 13, 14, 62)]
    ['dated ahead', 'today', '1 day old', '6 days old', '1 week old', '1 week old', '2 weeks old', '8 weeks old']
    >>> age(63), age(729), age(730)
    ('2 months old', '23 months old', '2 years old')
    """
    if days < 1:
        return "dated ahead" if days else "today"
    if days < 7:
        return f"{counted(days, 'day')} old"
    if days < 63:
        return f"{counted(days // 7, 'week')} old"
    if days < 730:
        return f"{counted(int(days / 30.44), 'month')} old"
    return f"{counted(days // 365, 'year')} old"


def lateness(days: int) -> str:
    """Say whether an issue is late, by the days since its date but those of holidays; nothing if it is not.

    Examples
    --------
    >>> lateness(13), lateness(14)
    ('', 'late: readers expect it within two weeks')
    >>> lateness(42)
    'very late: six weeks and more; finish it soon, if need be with nothing in it'
    """
    if days >= VERY_LATE:
        return IS_VERY_LATE
    return IS_LATE if days >= LATE else ""


def summary(issues: Sequence[Pending]) -> str:
    """Say how much there is to finish.

    Parameters
    ----------
    issues : sequence of Pending
        Oldest first, at least one.

    Examples
    --------
    >>> week = Pending("lab", date(2026, 11, 16), 300, 0, is_started=False, days_old=5)
    >>> summary([week])
    '1 issue to finish, 5 days old.'
    >>> summary([Pending("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19), week, week])
    '3 issues to finish, the oldest 2 weeks old; 1 is late.'
    """
    n_late = sum(one.days_old - one.days_off >= LATE for one in issues)
    oldest = f"{'the oldest ' if len(issues) > 1 else ''}{age(issues[0].days_old)}"
    late = f"; {n_late:,} {_are(n_late)} late" if n_late else ""
    return f"{counted(len(issues), 'issue')} to finish, {oldest}{late}."


def of_issue(issue: Pending) -> str:
    """Say of an issue, in Markdown, what holds for all reports that have it pending.

    Examples
    --------
    >>> of_issue(Pending("lab", date(2026, 11, 16), 612, 0, is_started=False, days_old=5))
    '5 days old · 612 papers'
    """
    said = f"{age(issue.days_old)} · {counted(issue.n_papers, 'paper')}"
    late = lateness(issue.days_old - issue.days_off)
    return f"{said} · **{late}**" if late else said


def progress(issue: Pending, by_rankers: Sequence[bool]) -> str:
    """Say how far a report has come in an issue, and whether it is sorted.

    Parameters
    ----------
    issue : Pending
    by_rankers : sequence of bool
        For each ranker that sorted it, whether by all that is known now.

    Examples
    --------
    >>> begun = Pending("lab", date(2026, 11, 16), 612, 84, is_started=True, days_old=5)
    >>> progress(begun, [True]), progress(begun, [False]), progress(begun, [])
    ('84 decided', '84 decided, to be sorted again', '84 decided, not sorted yet')
    >>> progress(Pending("lab", date(2026, 11, 16), 612, 0, is_started=True, days_old=5), [True])
    'reopened, nothing decided'
    """
    if issue.n_decided:
        said = f"{issue.n_decided:,} decided"
    else:
        said = "reopened, nothing decided" if issue.is_started else "not begun"
    if not by_rankers:
        return f"{said}, not sorted yet"
    return said if all(by_rankers) else f"{said}, to be sorted again"


def went_out(row: GoneOut) -> str:
    """Say what went out, and where the last relevant paper stood.

    Examples
    --------
    >>> row = GoneOut("lab", date(2026, 11, 16), "Ada", datetime(2026, 11, 17, 8, 30), 612, 12, True, 61)
    >>> went_out(row)
    '12 of 612 papers · the last relevant one at 61 · Ada, 2026-11-17'
    """
    if not row.is_sorted:
        last = "in the order received"
    elif row.last_place is None:
        last = "nothing was relevant"
    else:
        last = f"the last relevant one at {row.last_place:,}"
    papers = counted(row.n_papers, "paper")
    return f"{row.n_published:,} of {papers} · {last} · {row.person}, {row.issued_at:%Y-%m-%d}"


def to_sort(n_unsorted: int, n_outdated: int) -> str:
    """Say how many of the pending issues are to be sorted, or sorted again; nothing if there are none.

    Examples
    --------
    >>> to_sort(0, 0), to_sort(1, 0)
    ('', '1 issue is not sorted yet.')
    >>> to_sort(0, 2)
    '2 issues are to be sorted again: they were sorted without what is known now.'
    >>> to_sort(3, 1)
    '3 issues are not sorted yet, 1 is to be sorted again: it was sorted without what is known now.'
    """
    parts = [f"{counted(n_unsorted, 'issue')} {_are(n_unsorted)} not sorted yet"] if n_unsorted else []
    if n_outdated:
        what = f"{n_outdated:,}" if parts else counted(n_outdated, "issue")
        they = "it was" if n_outdated == 1 else "they were"
        parts.append(f"{what} {_are(n_outdated)} to be sorted again: {they} sorted without what is known now")
    return f"{', '.join(parts)}." if parts else ""


def being_sorted(n_issues: int, after: date | None) -> str:
    """Say what is going on; `after` is the issue that was finished before, None if somebody asked for it.

    Examples
    --------
    >>> being_sorted(2, date(2026, 11, 2))
    '2 newer issues are being sorted again with what you just decided. You can go on meanwhile.'
    >>> being_sorted(1, None)
    '1 issue is being sorted. You can go on meanwhile.'
    """
    how = "sorted" if after is None else "sorted again with what you just decided"
    return f"{_issues(n_issues, after)} {_are(n_issues)} being {how}. You can go on meanwhile."


def was_sorted(n_issues: int, after: date | None) -> str:
    """Say what was done; a list that is open stays as it is.

    Examples
    --------
    >>> was_sorted(2, date(2026, 11, 2))
    '2 newer issues were sorted again with what you just decided; so they stand when you open them next.'
    >>> was_sorted(1, None)
    '1 issue was sorted.'
    """
    were = "was" if n_issues == 1 else "were"
    if after is None:
        return f"{_issues(n_issues, after)} {were} sorted."
    they = "it stands when you open it" if n_issues == 1 else "they stand when you open them"
    return f"{_issues(n_issues, after)} {were} sorted again with what you just decided; so {they} next."


def log_title(report: str, issue: date) -> str:
    """Name the log of a report issue."""
    return f"Log of {report} {issue}"


def entries(n_shown: int, n_all: int) -> str:
    """Say how much of a log is shown.

    Examples
    --------
    >>> entries(84, 84), entries(2, 1200)
    ('84 entries, newest first', '2 of 1,200 entries, newest first')
    """
    some = f"{n_shown:,} of " if n_shown < n_all else ""
    return f"{some}{n_all:,} {'entry' if n_all == 1 else 'entries'}, newest first"


def decided(entry: LoggedDecision) -> str:
    """Say on one line what was decided, when and by whom."""
    return f"{moment(entry.made_at)} · {entry.person}: {SAID[entry.about, entry.word]}"


def issued(issuing: Issuing) -> list[str]:
    """Say of one going out when it was and by whom, and when and why it was reopened."""
    gone_out = issuing.report_issue
    said = [f"{moment(issuing.made_at)} · {gone_out.person}: issued"]
    if reopened := issuing.reopened:
        said.append(f"{moment(reopened.made_at)} · {reopened.person}: reopened, as: {reopened.reason}")
    return said


def moment(time: datetime) -> str:
    """Write a time to the minute."""
    return f"{time:%Y-%m-%d %H:%M}"


def _issues(n_issues: int, after: date | None) -> str:
    return counted(n_issues, "issue" if after is None else "newer issue")


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
