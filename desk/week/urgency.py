"""Lateness of pending issues, and sorting them by urgency."""

from collections.abc import Iterable
from typing import Literal

from presort.data.editing.pending import LATE, VERY_LATE
from presort.data.records import PendingIssue

Lateness = Literal["Late", "Very late"]

LATE_HELP = (
    f"Late: {LATE} days after the issue date, not counting holidays. Very late: {VERY_LATE} days. Publish a very late "
    "issue, even without papers, or skip it."
)


def lateness(issue: PendingIssue) -> Lateness | None:
    """Return how late an issue is, or None if it is not late.

    Examples
    --------
    >>> from datetime import date
    >>> issue = PendingIssue("lab", date(2026, 11, 9), 612, 0, is_started=False, days_old=29)
    >>> lateness(issue)
    'Very late'
    """
    if issue.days_counted >= VERY_LATE:
        return "Very late"
    return "Late" if issue.days_counted >= LATE else None


def sort_by_urgency(issues: Iterable[PendingIssue]) -> list[PendingIssue]:
    """Sort pending issues by urgency: late ones first, then oldest first."""
    return sorted(issues, key=lambda issue: (lateness(issue) is None, issue.issue, issue.report))
