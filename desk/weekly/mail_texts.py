"""Wording of emails from the weekly job to editors and the director."""

from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import urlencode

from presort.data.editing.pending import late_issues, lateness
from presort.data.records import NoticeKind, PendingIssue, WeeklyStep
from presort.desk.service.weekly_job import describe_step
from presort.desk.text import age_text, count_text

MOST_NAMED = 4  # maximum number of late reports that are listed by name
SIGNED = "Presort, on behalf of the director"


def kind_of(one: PendingIssue) -> NoticeKind:
    """Return the kind of notice that a pending issue requires."""
    return lateness(one) or "pending"


def late_reports(pending_issues: Sequence[PendingIssue], n_reports: int) -> str:
    """Summarise the late reports.

    Parameters
    ----------
    pending_issues : sequence of PendingIssue
        All pending issues, oldest first.
    n_reports : int
        Number of reports in the service.

    Examples
    --------
    >>> old = PendingIssue("lab", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)
    >>> late_reports([old, PendingIssue("mac", date(2026, 11, 9), 300, 0, is_started=False, days_old=14)], 65)
    'Late: 2 of 65 reports (lab, mac), oldest issue 2 weeks old'
    >>> late_reports([], 65)
    'Late: 0 of 65 reports'
    """
    late = late_issues(pending_issues)
    if not late:
        return f"Late: 0 of {count_text(n_reports, 'report')}"
    names = list(dict.fromkeys(one.report for one in late))
    named = ", ".join(names[:MOST_NAMED]) + (f", {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else "")
    n_late = f"{len(names):,} of {count_text(n_reports, 'report')}"
    return f"Late: {n_late} ({named}), oldest issue {age_text(late[0].days_old)}"


def subject(pending_issues: Sequence[PendingIssue]) -> str:
    """Return the subject of an email to an editor.

    Examples
    --------
    >>> new = PendingIssue("lab", date(2026, 11, 16), 300, 0, is_started=False, days_old=5)
    >>> subject([new]), subject([new, PendingIssue("mac", date(2026, 11, 2), 300, 0, is_started=False, days_old=19)])
    ('lab 2026-11-16 is pending', '2 issues pending, 1 late')
    """
    n_late = sum(kind_of(one) != "pending" for one in pending_issues)
    if len(pending_issues) == 1:
        (one,) = pending_issues
        return f"{one.report} {one.issue} is {'late' if n_late else 'pending'}"
    return f"{len(pending_issues)} issues pending" + (f", {n_late} late" if n_late else "")


def editor_text(editor: str, pending_issues: Sequence[PendingIssue], names: Mapping[str, str], desk_url: str) -> str:
    """Write an email to an editor with a list of their pending issues, oldest first.

    Examples
    --------
    >>> old = PendingIssue("lab", date(2026, 11, 2), 300, 84, is_started=True, days_old=19, n_relevant=9)
    >>> print(editor_text("Ann", [old], {"lab": "Labour"}, "https://desk.example.org"))
    Dear Ann,
    <BLANKLINE>
    These issues are pending:
    <BLANKLINE>
    - Labour, 2026-11-02: 300 papers, 84 decided, 9 relevant. Late: 2 weeks old. Issues are due within 2 weeks.
      https://desk.example.org/review?report=lab&issue=2026-11-02
    <BLANKLINE>
    Presort, on behalf of the director
    """
    lines = []
    for one in pending_issues:
        lines.append(f"- {names[one.report]}, {one.issue}: {_size(one)}.{_lateness(one)}")
        if desk_url:
            query = urlencode({"report": one.report, "issue": str(one.issue)})
            lines.append(f"  {desk_url}/review?{query}")
    return "\n".join([f"Dear {editor},", "", "These issues are pending:", "", *lines, "", SIGNED])


def very_late_subject(n_issues: int) -> str:
    """Return the subject of an email to the director about very late issues."""
    return f"{count_text(n_issues, 'issue')} at least four weeks old"


def director_text(late: Sequence[PendingIssue], names: Mapping[str, str], editors: Mapping[str, Sequence[str]]) -> str:
    """Write an email to the director with a list of very late issues and their editors.

    Examples
    --------
    >>> old = PendingIssue("lab", date(2026, 10, 12), 300, 0, is_started=False, days_old=40)
    >>> print(director_text([old], {"lab": "Labour"}, {"lab": []}))
    These issues are at least four weeks old, not counting holidays:
    <BLANKLINE>
    - Labour, 2026-10-12: 300 papers, no decision yet; 5 weeks old. No editor.
    <BLANKLINE>
    All editors with an email address have been notified.
    <BLANKLINE>
    Presort
    """
    lines = [
        f"- {names[one.report]}, {one.issue}: {_size(one)}; {age_text(one.days_old)}. "
        f"{_editors_text(editors[one.report])}"
        for one in late
    ]
    notified = "All editors with an email address have been notified."
    return "\n".join(
        ["These issues are at least four weeks old, not counting holidays:", "", *lines, "", notified, "", "Presort"]
    )


def unreachable_lines(reports: Mapping[str, Sequence[str]]) -> list[str]:
    """List the editors without an email address and the reports without an editor.

    Parameters
    ----------
    reports : mapping from str to sequence of str
        Report codes by editor. Reports without an editor have the key "".

    Examples
    --------
    >>> unreachable_lines({"Ann": ["lab", "mac"], "": ["his"]})
    ['No email address: Ann (lab, mac).', 'No editor: his.']
    """
    missing = [f"{name} ({', '.join(codes)})" for name, codes in sorted(reports.items()) if name]
    parts = [f"No email address: {', '.join(missing)}."] if missing else []
    return parts + ([f"No editor: {', '.join(reports[''])}."] if "" in reports else [])


def interruption_lines(names: Sequence[str]) -> list[str]:
    """List the recipients whose email was interrupted while being sent. An empty name means the director.

    Examples
    --------
    >>> interruption_lines(["", "Ann"]), interruption_lines([])
    (['Not sent again to the director, Ann: sending was interrupted, so the email may have arrived.'], [])
    """
    to = ", ".join(name or "the director" for name in names)
    return [f"Not sent again to {to}: sending was interrupted, so the email may have arrived."] if names else []


def weekly_summary(day: date, figures: Sequence[str], steps: Sequence[WeeklyStep], desk_url: str) -> str:
    """Write the email about the steps of the weekly job and the service's headline figures, one line each.

    Examples
    --------
    >>> from datetime import datetime
    >>> begun = datetime(2026, 11, 23, 6)
    >>> steps = [WeeklyStep(date(2026, 11, 23), "rank", "done", begun, begun, "12 lists ranked.")]
    >>> print(weekly_summary(date(2026, 11, 23), ["Reading effort: 13.0 %"], steps, ""))
    Week of 2026-11-23
    <BLANKLINE>
    - Ranking: 12 lists ranked.
    <BLANKLINE>
    - Reading effort: 13.0 %
    <BLANKLINE>
    Presort
    """
    done = [f"- {describe_step(one)}" for one in steps]
    shown = [f"- {one}" for one in figures]
    return "\n".join([f"Week of {day}", "", *done, "", *shown, "", *_link(desk_url), "Presort"])


def recovery_subject(day: date) -> str:
    """Return the subject of the email about failed steps that have since succeeded."""
    return f"Week of {day}: all steps done"


def recovery_text(day: date, steps: Sequence[WeeklyStep], desk_url: str) -> str:
    """Write the email about steps that failed at the time of the summary and have since succeeded.

    Examples
    --------
    >>> from datetime import datetime
    >>> begun = datetime(2026, 11, 23, 6)
    >>> steps = [WeeklyStep(date(2026, 11, 23), "papers", "done", begun, begun, "week.ris: 612 new papers.")]
    >>> print(recovery_text(date(2026, 11, 23), steps, "https://desk.example.org"))
    The weekly job of 2026-11-23 was run again. No step failed this time:
    <BLANKLINE>
    - New papers: week.ris: 612 new papers.
    <BLANKLINE>
    https://desk.example.org/overview
    <BLANKLINE>
    Presort
    """
    done = [f"- {describe_step(one)}" for one in steps]
    head = f"The weekly job of {day} was run again. No step failed this time:"
    return "\n".join([head, "", *done, "", *_link(desk_url), "Presort"])


def unit_failure_subject(unit: str) -> str:
    """Return the subject of the email about a failed systemd unit."""
    return f"Presort: {unit} failed"


def unit_failure_text(unit: str, is_step_failed: bool, desk_url: str) -> str:
    """Write the email about a failed systemd unit.

    Examples
    --------
    >>> print(unit_failure_text("presort-weekly.service", True, "https://desk.example.org"))
    presort-weekly.service failed and will not be retried before its next scheduled run.
    <BLANKLINE>
    Overview shows the steps of the weekly job that failed.
    <BLANKLINE>
    Ask your system administrator to check the log and restart the service:
    <BLANKLINE>
    journalctl -u presort-weekly.service
    systemctl start presort-weekly.service
    <BLANKLINE>
    https://desk.example.org/overview
    <BLANKLINE>
    Presort
    """
    steps = ["Overview shows the steps of the weekly job that failed.", ""] if is_step_failed else []
    return "\n".join(
        [
            f"{unit} failed and will not be retried before its next scheduled run.",
            "",
            *steps,
            "Ask your system administrator to check the log and restart the service:",
            "",
            f"journalctl -u {unit}",
            f"systemctl start {unit}",
            "",
            *_link(desk_url),
            "Presort",
        ]
    )


def _link(desk_url: str) -> list[str]:
    return [f"{desk_url}/overview", ""] if desk_url else []


def _size(one: PendingIssue) -> str:
    n_papers = count_text(one.n_papers, "paper")
    if not one.n_decided:
        return f"{n_papers}, no decision yet"
    return f"{n_papers}, {one.n_decided:,} decided, {one.n_relevant:,} relevant"


def _lateness(one: PendingIssue) -> str:
    kind = kind_of(one)
    if kind == "pending":
        return ""
    if kind == "late":
        return f" Late: {age_text(one.days_old)}. Issues are due within 2 weeks."
    return (
        f" Very late: {age_text(one.days_old)}. The director is also notified. Publish the issue, even without papers, "
        "or skip it."
    )


def _editors_text(editors: Sequence[str]) -> str:
    return f"Editor: {', '.join(editors)}." if editors else "No editor."
