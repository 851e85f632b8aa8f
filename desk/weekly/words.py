"""What the weekly job writes to editors and to the director."""

from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import urlencode

from presort.data.editing.pending import LATE, late_ones
from presort.data.records import NoticeKind, Pending, WeeklyStep
from presort.desk.service.weekly_job import line
from presort.desk.text import age, counted

VERY_LATE = 28  # days without holidays after which the director hears of it, too
MOST_NAMED = 4  # late reports
SIGNED = "Presort, for the director of this service"


def kind_of(one: Pending) -> NoticeKind:
    """Return the kind of notice about a pending issue, by its age without holidays.

    Examples
    --------
    >>> [kind_of(Pending("lab", date(2026, 11, 2), 9, 0, False, days, 7)) for days in (20, 21, 34, 35)]
    ['pending', 'late', 'late', 'very late']
    """
    if is_very_late(one):
        return "very late"
    return "late" if one.days_counted >= LATE else "pending"


def is_very_late(one: Pending) -> bool:
    """Return whether an issue is so late that the director gets a notice."""
    return one.days_counted >= VERY_LATE


def late_reports(pending_issues: Sequence[Pending], n_reports: int) -> str:
    """State which of all reports are late, by their pending issues, oldest first.

    Examples
    --------
    >>> old = Pending("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)
    >>> late_reports([old, Pending("mac", date(2026, 11, 9), 300, 0, is_started=False, days_old=14)], 65)
    'Late: 2 of 65 reports (lab, mac). The oldest issue is 2 weeks old.'
    >>> late_reports([], 65)
    'No report is late.'
    """
    late = late_ones(pending_issues)
    if not late:
        return "No report is late."
    names = list(dict.fromkeys(one.report for one in late))
    named = ", ".join(names[:MOST_NAMED]) + (f", {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else "")
    n_late = f"{len(names):,} of {counted(n_reports, 'report')}"
    return f"Late: {n_late} ({named}). The oldest issue is {age(late[0].days_old)}."


def subject(pending_issues: Sequence[Pending]) -> str:
    """Return the subject of a mail to an editor.

    Examples
    --------
    >>> new = Pending("lab", date(2026, 11, 16), 300, 0, is_started=False, days_old=5)
    >>> subject([new]), subject([new, Pending("mac", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)])
    ('lab 2026-11-16 waits for you', '2 issues wait for you, 1 is late')
    """
    if len(pending_issues) == 1:
        (one,) = pending_issues
        return f"{one.report} {one.issue} {'is late' if kind_of(one) != 'pending' else 'waits for you'}"
    n_late = sum(kind_of(one) != "pending" for one in pending_issues)
    late = f", {n_late} {'is' if n_late == 1 else 'are'} late" if n_late else ""
    return f"{len(pending_issues)} issues wait for you{late}"


def to_editor(editor: str, pending_issues: Sequence[Pending], names: Mapping[str, str], desk_url: str) -> str:
    """Write the mail that lists an editor's pending issues, oldest first.

    Examples
    --------
    >>> old = Pending("lab", date(2026, 11, 2), 300, 84, is_started=True, days_old=19, n_relevant=9)
    >>> print(to_editor("Ann", [old], {"lab": "Labour"}, "https://desk.example.org"))
    Dear Ann,
    <BLANKLINE>
    this waits for you:
    <BLANKLINE>
    - Labour, 2026-11-02: 300 papers, 84 decided, 9 of them relevant. It is 2 weeks old; readers expect it within two weeks.
      https://desk.example.org/review?report=lab&issue=2026-11-02
    <BLANKLINE>
    Presort, for the director of this service
    """  # noqa: E501
    lines = []
    for one in pending_issues:
        lines.append(f"- {names[one.report]}, {one.issue}: {_size(one)}.{_lateness(one)}")
        if desk_url:
            query = urlencode({"report": one.report, "issue": str(one.issue)})
            lines.append(f"  {desk_url}/review?{query}")
    return "\n".join([f"Dear {editor},", "", "this waits for you:", "", *lines, "", SIGNED])


def very_late_subject(n_issues: int) -> str:
    """Return the subject of a mail to the director on what is very late."""
    return f"{counted(n_issues, 'issue')} four weeks late"


def to_director(late: Sequence[Pending], names: Mapping[str, str], editors: Mapping[str, Sequence[str]]) -> str:
    """Write to the director what is very late, and who edits it.

    Examples
    --------
    >>> old = Pending("lab", date(2026, 10, 12), 300, 0, is_started=False, days_old=40)
    >>> print(to_director([old], {"lab": "Labour"}, {"lab": []}))
    These are four weeks late, without holidays:
    <BLANKLINE>
    - Labour, 2026-10-12: 300 papers, not begun; 5 weeks old. Nobody edits it now.
    <BLANKLINE>
    Their editors were told, where an address is known.
    <BLANKLINE>
    Presort
    """
    lines = [
        f"- {names[one.report]}, {one.issue}: {_size(one)}; {age(one.days_old)}. {_edited(editors[one.report])}"
        for one in late
    ]
    notified = "Their editors were told, where an address is known."
    return "\n".join(["These are four weeks late, without holidays:", "", *lines, "", notified, "", "Presort"])


def unreachable(reports: Mapping[str, Sequence[str]]) -> list[str]:
    """State of whom no mail address is known, and what nobody edits, by name; of "" if nobody does.

    Examples
    --------
    >>> unreachable({"Ann": ["lab", "mac"], "": ["his"]})
    ['Not told, as there is no mail address: Ann (lab, mac).', 'Nobody edits his.']
    """
    missing = [f"{name} ({', '.join(codes)})" for name, codes in sorted(reports.items()) if name]
    parts = [f"Not told, as there is no mail address: {', '.join(missing)}."] if missing else []
    return parts + ([f"Nobody edits {', '.join(reports[''])}."] if "" in reports else [])


def cut_off(names: Sequence[str]) -> list[str]:
    """State whose mail was cut off while it was sent, by names; "" is the director.

    Examples
    --------
    >>> cut_off(["", "Ann"]), cut_off([])
    (['Cut off before, and not sent again, as it may have arrived: the mail to the director, Ann.'], [])
    """
    to = ", ".join(name or "the director" for name in names)
    return [f"Cut off before, and not sent again, as it may have arrived: the mail to {to}."] if names else []


def summed_up(day: date, sentences: Sequence[str], steps: Sequence[WeeklyStep], desk_url: str) -> str:
    """Write to the director how the week's job went, and how good the orders were.

    Examples
    --------
    >>> from datetime import datetime
    >>> begun = datetime(2026, 11, 23, 6)
    >>> steps = [WeeklyStep(date(2026, 11, 23), "rank", "done", begun, begun, "12 lists sorted.")]
    >>> print(summed_up(date(2026, 11, 23), ["No report is late."], steps, ""))
    The week of 2026-11-23:
    <BLANKLINE>
    - Sorting: 12 lists sorted.
    <BLANKLINE>
    No report is late.
    <BLANKLINE>
    Presort
    """
    done = [f"- {line(one)}" for one in steps]
    link = [f"{desk_url}/overview", ""] if desk_url else []
    return "\n".join([f"The week of {day}:", "", *done, "", *sentences, "", *link, "Presort"])


def _size(one: Pending) -> str:
    n_papers = counted(one.n_papers, "paper")
    if not one.n_decided:
        return f"{n_papers}, not begun"
    return f"{n_papers}, {one.n_decided:,} decided, {one.n_relevant:,} of them relevant"


def _lateness(one: Pending) -> str:
    kind = kind_of(one)
    if kind == "pending":
        return ""
    if kind == "late":
        return f" It is {age(one.days_old)}; readers expect it within two weeks."
    return f" It is {age(one.days_old)}; the director is told, too. It can go out with nothing in it, or be skipped."


def _edited(editors: Sequence[str]) -> str:
    return f"Edited by {', '.join(editors)}." if editors else "Nobody edits it now."
