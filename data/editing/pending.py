"""Find each report's pending issues, and check whether their rankings use all current decisions, hints and papers."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date, timedelta
from enum import Enum
from itertools import groupby
from typing import Literal, NamedTuple

from sqlalchemy import Connection, exists, func, select, true

from presort.data.catalogue import report_id
from presort.data.editing.skipping import is_skipped
from presort.data.learning.history import read_hints, read_newest_example
from presort.data.learning.issue_lists import plain_rows
from presort.data.learning.official import CONDITION, LIVE, with_first_publication
from presort.data.records import Holiday, PendingIssue
from presort.data.rights import Right
from presort.data.running.holidays import count_open_days, holidays
from presort.data.running.people import newest_editorships
from presort.data.store import Store
from presort.data.tables import (
    CurrentDecisionsRow,
    EditorshipRow,
    FirstPublicationRow,
    IssueRow,
    ListingRow,
    RankingRow,
    ReopenedIssueRow,
    ReportIssueRow,
    ReportRow,
)
from presort.data.tables.positions import count_positions

Lateness = Literal["late", "very late"]

LATE = 14  # age in days at which an issue is late; readers then start asking for it
VERY_LATE = 2 * LATE  # age at which an issue is very late: of little use to readers, and the director is notified


class SortedBy(Enum):
    """Data that the newest ranking of a pending issue was trained on."""

    ALL = "all current data"
    ALL_BUT_OTHERS = "all current data of its own report, but older decisions of the other reports"
    LESS = "older decisions or hints of its own report, or fewer papers"


class UnpublishedIssue(NamedTuple):
    """Report issue that was never published, or was reopened."""

    report: str
    issue: date
    n_papers: int
    n_decided: int
    n_relevant: int
    was_reopened: bool
    is_skipped: bool

    @property
    def is_started(self) -> bool:
        """True if the report issue has decisions or was reopened."""
        return self.n_decided > 0 or self.was_reopened


def pending(store: Store, reports: Sequence[str], *, today: date) -> list[PendingIssue]:
    """Return the reports' pending issues, oldest first. An issue is pending until it is published or skipped.

    To spare new editors a backlog, issues before a report's first pending issue are not pending. The first pending
    issue is:

    - the issue that the director chose as the first, if any;
    - for a report with imported selections, the issue after the newest imported one;
    - otherwise the first issue that was ranked, decided or published for the report, or the newest issue.

    Earlier issues are also pending if they have decisions or were reopened.

    Parameters
    ----------
    reports : sequence of str
        Codes of reports.
    today : date
        Current date, from which each issue's age is computed.

    Raises
    ------
    RefusedError
        If one of the reports does not exist.
    """
    return pending_and_skipped(store, reports, today=today)[0]


def lateness(issue: PendingIssue) -> Lateness | None:
    """Return how late an issue is, not counting holidays. Returns None if it is not late, or can't be late.

    Examples
    --------
    >>> ages = (20, 21, 34, 35)  # days, of which 7 were holidays
    >>> [lateness(PendingIssue("lab", date(2026, 11, 2), 9, 0, False, age, 7)) for age in ages]
    [None, 'late', 'late', 'very late']
    """
    if issue.days_counted >= VERY_LATE:
        return "very late"
    return "late" if issue.days_counted >= LATE else None


def late_issues(issues: Iterable[PendingIssue]) -> list[PendingIssue]:
    """Return the issues that are late or very late."""
    return [one for one in issues if lateness(one)]


def skipped(store: Store, reports: Sequence[str], *, today: date) -> list[PendingIssue]:
    """Return the reports' skipped issues, oldest first."""
    return pending_and_skipped(store, reports, today=today)[1]


def pending_and_skipped(
    store: Store, reports: Sequence[str], *, today: date
) -> tuple[list[PendingIssue], list[PendingIssue]]:
    """Return the results of `pending` and `skipped` from a single set of queries."""
    unpublished, begins, since = _read_inputs(store, reports)
    off = holidays(store)
    due = [one for one in unpublished if not one.is_skipped and (one.is_started or one.issue >= begins[one.report])]
    passed_over = [one for one in unpublished if one.is_skipped]
    return _to_pending(off, due, since, today), _to_pending(off, passed_over, since, today)


def first_late_issues(store: Store, reports: Sequence[str]) -> dict[str, date]:
    """Return the date from which issues can be late, by report code. `date.min` means that any issue can be late."""
    with store.reading(Right.SEE, *reports) as connection:
        return query_first_late_issues(connection, reports)


def rankers_of(
    store: Store, issues: Iterable[PendingIssue], *, together: Container[str] = ()
) -> dict[tuple[str, date], dict[str, SortedBy]]:
    """Return the rankers of each report issue, and whether their newest rankings were trained on all current data.

    A ranking becomes outdated (`SortedBy.LESS`) if a hint or a decision on an earlier issue is added, or if a paper is
    added to this issue or an earlier one. For an unranked report issue, the inner mapping is empty. A reopened report
    issue's ranking is always up to date, because it remains the ranking of the first publication.

    Parameters
    ----------
    together : container of str
        Names of rankers that also learn from other reports' decisions. Their rankings become `SortedBy.ALL_BUT_OTHERS`
        if a decision on an earlier issue is added for another report, or another report's examples change.
    """
    n_papers = {(one.report, one.issue): one.n_papers for one in issues}
    found: dict[tuple[str, date], dict[str, SortedBy]] = {key: {} for key in n_papers}
    with store.reading(Right.SEE, *{one.report for one in issues}) as connection:
        newest = [ranking for ranking in _newest_rankings(connection, n_papers) if ranking[:2] in n_papers]
        decided = _read_newest_decisions(connection, min((ranking.decisions_up_to for ranking in newest), default=0))
        hinted_up_to = {report: hints.up_to for report, hints in read_hints(connection).items()}
        example = read_newest_example(connection)
        n_past = _papers_before(connection, {ranking.issue for ranking in newest})
    of_all = [one for of_report in decided.values() for one in of_report]
    for one in newest:
        own, others = (_last_before(one.issue, some) for some in (decided.get(one.report, ()), of_all))
        if one.was_published:
            by = SortedBy.ALL
        elif (
            own > one.decisions_up_to
            or hinted_up_to.get(one.report, 0) > one.hints_up_to
            or one.n_papers != n_papers[one.report, one.issue]
            or one.n_past not in (None, n_past[one.issue])
        ):
            by = SortedBy.LESS
        elif one.ranker in together and (others > one.decisions_up_to or example > one.hints_up_to):
            by = SortedBy.ALL_BUT_OTHERS
        else:
            by = SortedBy.ALL
        found[one.report, one.issue][one.ranker] = by
    return found


def _read_inputs(
    store: Store, reports: Sequence[str]
) -> tuple[list[UnpublishedIssue], dict[str, date], dict[str, date]]:
    """Read the unpublished issues, each report's first pending issue, and the result of `first_late_issues`."""
    with store.reading(Right.SEE, *reports) as connection:
        for code in set(reports) - set(connection.execute(select(ReportRow.code)).scalars()):
            report_id(connection, code)  # always raises RefusedError, because the report doesn't exist
        unpublished = _read_unpublished(connection, reports)
        newest = connection.execute(select(func.max(IssueRow.date))).scalar() or date.max
        known = {code: [newest] for code in reports}
        for one in unpublished:
            if one.is_started:
                known[one.report].append(one.issue)
        return unpublished, beginnings(connection, known), query_first_late_issues(connection, reports)


def _last_before(issue: date, decided: Iterable[tuple[date, int]]) -> int:
    return max((number for day, number in decided if day < issue), default=0)


def _papers_before(connection: Connection, issues: Iterable[date]) -> dict[date, int]:
    """Return the total number of papers in all issues before each of the given issues."""
    sizes = connection.execute(
        select(IssueRow.date, func.count()).join(ListingRow, ListingRow.issue_id == IssueRow.id).group_by(IssueRow.date)
    ).all()
    return {issue: sum(n for day, n in sizes if day < issue) for issue in issues}


def _to_pending(
    off: Sequence[Holiday], issues: Iterable[UnpublishedIssue], since: Mapping[str, date], today: date
) -> list[PendingIssue]:
    """Convert unpublished issues to `PendingIssue` objects with ages, sorted from the oldest to the newest.

    `since` maps each report to the date from which its issues can be late.
    """
    found = []
    for one in sorted(issues, key=lambda one: (one.issue, one.report)):
        old = (today - one.issue).days
        days_off = old - count_open_days(off, one.issue, today) if old > 0 else 0
        sizes = one.n_papers, one.n_decided, one.is_started
        can_be_late = one.issue >= since[one.report]
        found.append(PendingIssue(one.report, one.issue, *sizes, old, days_off, one.n_relevant, can_be_late))
    return found


def _read_unpublished(connection: Connection, reports: Sequence[str]) -> list[UnpublishedIssue]:
    """Read the unpublished report issues, sorted by report and then by date."""
    sizes = select(ListingRow.issue_id, func.count().label("n")).group_by(ListingRow.issue_id).subquery()
    current = CurrentDecisionsRow
    n_relevant, *others = (
        func.coalesce(count_positions(words), 0) for words in (current.relevant, current.maybe, current.irrelevant)
    )
    was_reopened, is_published = (
        exists().where(log.report_id == ReportRow.id, log.issue_id == IssueRow.id)
        for log in (ReopenedIssueRow, ReportIssueRow)
    )
    rows = connection.execute(
        select(ReportRow.code, IssueRow.date, sizes.c.n, sum(others, n_relevant), n_relevant, was_reopened)
        .add_columns(is_skipped())
        .select_from(ReportRow)
        .join(IssueRow, true())
        .join(sizes, sizes.c.issue_id == IssueRow.id)
        .outerjoin(current, (current.report_id == ReportRow.id) & (current.issue_id == IssueRow.id))
        .where(ReportRow.code.in_(reports), ~is_published)
        .order_by(ReportRow.code, IssueRow.date)
    )
    return [UnpublishedIssue(*row) for row in rows]


class _Newest(NamedTuple):
    """Newest ranking of one report issue by one ranker. Replays and rankings made with hindsight don't count."""

    report: str
    issue: date
    ranker: str
    decisions_up_to: int
    hints_up_to: int
    n_papers: int
    n_past: int | None
    was_published: bool


def _newest_rankings(connection: Connection, issues: Mapping[tuple[str, date], object]) -> list[_Newest]:
    """Read each ranker's newest ranking for every combination of a report and an issue date in `issues`."""
    reports, days = ({key[part] for key in issues} for part in (0, 1))
    newest = (
        select(func.max(RankingRow.id))
        .select_from(RankingRow)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(CONDITION.in_(LIVE), ReportRow.code.in_(reports), IssueRow.date.in_(days))
        .group_by(RankingRow.report_id, RankingRow.issue_id, RankingRow.ranker)
    )
    newest = with_first_publication(newest)
    query = (
        select(
            ReportRow.code,
            IssueRow.date,
            RankingRow.ranker,
            RankingRow.decisions_up_to,
            RankingRow.hints_up_to,
            count_positions(RankingRow.positions),
            RankingRow.n_past,
            FirstPublicationRow.report_id.is_not(None),
        )
        .select_from(RankingRow)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(RankingRow.id.in_(newest))
        .order_by(RankingRow.id)
    )
    rows = connection.execute(with_first_publication(query))
    return [_Newest(*row) for row in rows]


def _read_newest_decisions(connection: Connection, number: int) -> dict[str, list[tuple[date, int]]]:
    """Read each report's issues that have a decision with a log number above `number`.

    Each issue is paired with the log number of its newest decision.
    """
    rows = connection.execute(
        select(ReportRow.code, IssueRow.date, CurrentDecisionsRow.newest)
        .join(CurrentDecisionsRow, CurrentDecisionsRow.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == CurrentDecisionsRow.issue_id)
        .where(CurrentDecisionsRow.newest > number)
        .order_by(ReportRow.code, IssueRow.date)
    )
    return {report: [(day, last) for _, day, last in group] for report, group in groupby(rows, key=lambda row: row[0])}


def query_first_late_issues(connection: Connection, reports: Sequence[str]) -> dict[str, date]:
    """Return the result of `first_late_issues`, using an open connection.

    An issue can be late only if it appeared after the report was added or restored, and on or after the first day of
    the report's first editor. If the report never had an editor, the second condition does not apply.
    """
    log = EditorshipRow
    edited = select(func.min(log.first)).where(
        log.report_id == ReportRow.id, log.id.in_(newest_editorships()), ~log.is_taken_back, log.away_id.is_(None)
    )
    query = select(ReportRow.code, ReportRow.late_after, edited.correlate(ReportRow).scalar_subquery())
    rows = connection.execute(query.where(ReportRow.code.in_(reports)))
    return {
        code: max(after + timedelta(days=1) if after else date.min, edited or date.min) for code, after, edited in rows
    }


class _PublicationLimits(NamedTuple):
    """A report's first issue published at the desk and its newest imported issue.

    Attributes
    ----------
    at_desk : date or None
        First issue published at the desk.
    past : date or None
        Newest imported issue before the first issue that was published at the desk without being reopened. Reopened
        issues are ignored, because republishing an imported issue doesn't mean that work at the desk has started.
    """

    at_desk: date | None
    past: date | None


NOTHING = _PublicationLimits(None, None)
FEW = 10  # maximum number of reports to filter in the query; for more reports, reading all rows is faster


def beginnings(connection: Connection, known: Mapping[str, Sequence[date]]) -> dict[str, date]:
    """Return the date of each report's first pending issue, as described in `pending`.

    Parameters
    ----------
    known : mapping from str to sequence of date
        Dates of further candidates for each report's first pending issue. Each report needs at least one candidate.
    """
    published_issue, first_sorted = (
        _read_publication_limits(connection, list(known)),
        _read_first_ranked(connection, list(known)),
    )
    found = {}
    chosen = dict(connection.execute(select(ReportRow.code, ReportRow.first_issue)).all())
    for code, days in known.items():
        at_desk, past = published_issue.get(code, NOTHING)
        others = [at_desk, first_sorted.get(code), *days]
        if first := chosen[code]:
            found[code] = max(first, past or first)
        else:
            found[code] = past or min(day for day in others if day is not None)
    return found


def _read_publication_limits(connection: Connection, reports: Sequence[str]) -> dict[str, _PublicationLimits]:
    """Read each report's first issue published at the desk and its newest imported issue."""
    out, reopened = ReportIssueRow, ReopenedIssueRow
    was_reopened = exists().where(reopened.report_id == out.report_id, reopened.issue_id == out.issue_id)
    codes = dict(plain_rows(connection, select(ReportRow.id, ReportRow.code).where(ReportRow.code.in_(reports))))
    days = {row.id: row.date for row in connection.execute(select(IssueRow.id, IssueRow.date))}
    query = select(out.report_id, out.issue_id, out.source != "file", was_reopened)
    if len(codes) <= FEW:
        query = query.where(out.report_id.in_(codes))
    at_desk, begun, of_file = (defaultdict[int, list[date]](list) for _ in range(3))
    for report, issue, is_at_desk, is_again in plain_rows(connection, query):
        (at_desk if is_at_desk else of_file)[report].append(days[issue])
        if is_at_desk and not is_again:
            begun[report].append(days[issue])
    found = {}
    for report in codes.keys() & {*at_desk, *of_file}:
        begins = min(begun[report], default=date.max)
        past = max((day for day in of_file[report] if day < begins), default=None)
        found[codes[report]] = _PublicationLimits(min(at_desk[report], default=None), past)
    return found


def _read_first_ranked(connection: Connection, reports: Sequence[str]) -> dict[str, date]:
    """Read the date of each report's oldest issue ranked for its editor. Reports without rankings are omitted."""
    is_sorted = exists().where(
        RankingRow.report_id == ReportRow.id, RankingRow.issue_id == IssueRow.id, RankingRow.replay_id.is_(None)
    )
    first = select(IssueRow.date).where(is_sorted).order_by(IssueRow.date).limit(1).correlate(ReportRow)
    rows = connection.execute(select(ReportRow.code, first.scalar_subquery()).where(ReportRow.code.in_(reports)))
    return {code: day for code, day in rows if day is not None}
