"""Log editors' decisions, and derive the current decisions and the time spent on a report issue from the log.

The review page polls every two seconds, so `log_cursor` must be fast.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, Select, Subquery, bindparam, func, insert, select
from sqlalchemy.orm import InstrumentedAttribute

from presort.data.catalogue import issue_id, list_conditions, list_ids, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.learning.first_publications import cutoff_condition
from presort.data.learning.history import current_labels
from presort.data.records import (
    About,
    Cutoff,
    Decision,
    Label,
    Note,
)
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    CurrentDecisionsRow,
    DecisionRow,
    DrawRow,
    IssueRow,
    ListingRow,
    PaperNoteRow,
    PaperRow,
    ReadMarkRow,
    ReportIssueRow,
    ReportRow,
    RerankingRow,
)
from presort.data.tables.current_decisions import update_current_decisions
from presort.data.tables.positions import count_positions

LONGEST_PAUSE = timedelta(minutes=5)  # longer pauses between two decisions are counted as 5 minutes of working time
# Maximum number of notes in a workspace. `LogCursor.number` packs a decision's and a note's log numbers into a single
# integer, which must stay below 2**53, because JavaScript can't represent larger integers exactly.
MOST_NOTES = 2**26

Message = TypeVar("Message", Decision, Note)


def decide(store: Store, decisions: Iterable[Decision]) -> int:
    """Log decisions and return how many were new. If any of the decisions is refused, none of them are logged.

    Decisions whose `client_id` is already in the log are skipped, so clients can safely resend a message.

    Raises
    ------
    RefusedError
        If the report, the issue or the paper does not exist, or the report issue is published.
    """
    decisions = list(decisions)
    with store.writing(Right.EDIT, *{decision.report for decision in decisions}) as connection:
        new = not_in_log(connection, DecisionRow.client_id, decisions)
        rows = rows_of(connection, new)
        for report, issue in dict.fromkeys((decision.report, decision.issue) for decision in new):
            refuse_published(connection, report, issue)
        now = {"made_at": datetime.now(UTC)}
        if new:
            logged = [row | _columns(decision) | now for row, decision in zip(rows, new, strict=True)]
            connection.execute(insert(DecisionRow), logged)
            update_current_decisions(connection)
    return len(new)


def labels(store: Store, report: str, issue: date, about: About = "relevant") -> dict[str, Label]:
    """Return the current label of each decided paper in an issue, by paper id."""
    with store.reading(Right.SEE, report) as connection:
        current = current_labels(report_id(connection, report), issue_id(connection, issue), about).subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, current.c.label)
            .join(current, current.c.paper_id == PaperRow.id)
            .order_by(current.c.position)
        )
        return {paper: cast("Label", label) for paper, label in rows if label != "undecided"}


def labels_up_to(store: Store, report: str, issue: date, number: int) -> dict[str, Label]:
    """Return the label that each paper in an issue had at a log number, by paper id. Undecided papers are left out."""
    last = _select_last(DecisionRow, DecisionRow.about == "relevant", DecisionRow.id <= number)
    query = (
        select(PaperRow.paper_id, DecisionRow.label)
        .join(last, last.c.id == DecisionRow.id)
        .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
        .where(DecisionRow.label != "undecided")
        .order_by(DecisionRow.id)
    )
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(query, list_ids(connection, report, issue))
        return {paper: cast("Label", label) for paper, label in rows}


def labels_at(connection: Connection, report: int, issue: int) -> dict[int, Label]:
    """Return the current label of each decided paper in an issue, by list position.

    `report` and `issue` are database ids.
    """
    rows = connection.execute(current_labels(report, issue))
    return {position: cast("Label", label) for position, _, label in rows if label != "undecided"}


def n_relevant(store: Store, reports: Sequence[str] = ()) -> dict[str, int]:
    """Count each report's relevant papers across all issues. `reports` defaults to all reports."""
    query = (
        select(ReportRow.code, func.coalesce(func.sum(count_positions(CurrentDecisionsRow.relevant)), 0))
        .outerjoin(CurrentDecisionsRow, CurrentDecisionsRow.report_id == ReportRow.id)
        .group_by(ReportRow.code)
        .order_by(ReportRow.code)
    )
    with store.reading() as connection:
        return dict(connection.execute(query.where(ReportRow.code.in_(reports)) if reports else query).all())


def newest_decisions(store: Store, before: date, cutoff: Cutoff | None = None) -> dict[str, int]:
    """Return the log number of each report's newest decision on an issue before the given date, by report code.

    If `cutoff` is given, only decisions up to the cutoff are considered.
    """
    log = DecisionRow
    query = _select_newest(before)
    if cutoff is not None:
        query = (
            select(ReportRow.code, func.max(log.id))
            .join(ReportRow, ReportRow.id == log.report_id)
            .join(IssueRow, IssueRow.id == log.issue_id)
            .where(IssueRow.date < before, cutoff_condition(log, cutoff))
            .group_by(ReportRow.code)
        )
    with store.reading() as connection:
        return dict(connection.execute(query).all())


def newest_decisions_before(store: Store, days: Sequence[date]) -> dict[date, dict[str, int]]:
    """Return `newest_decisions` for each of the dates, using a single query."""
    with store.reading() as connection:
        newest = _select_newest(max(days, default=date.min), IssueRow.date).order_by(IssueRow.date)
        left = deque(connection.execute(newest).all())
    known, found = dict[str, int](), {}
    for day in sorted(days):
        while left and left[0].date < day:
            report, number, _ = left.popleft()
            known[report] = max(number, known.get(report, 0))
        found[day] = dict(known)
    return found


def _select_newest(before: date, *by: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(ReportRow.code, func.max(CurrentDecisionsRow.newest), *by)
        .join(ReportRow, ReportRow.id == CurrentDecisionsRow.report_id)
        .join(IssueRow, IssueRow.id == CurrentDecisionsRow.issue_id)
        .where(IssueRow.date < before)
        .group_by(ReportRow.code, *by)
    )


def _columns(decision: Decision) -> dict[str, Any]:
    return {
        "client_id": decision.client_id,
        "about": decision.about,
        "label": decision.label,
        "ranking_id": decision.ranking_id,
        "source": decision.source,
        "is_alone": decision.is_alone,
        "reranking_id": decision.reranking_id,
    }


def not_in_log(
    connection: Connection, client_ids: InstrumentedAttribute[str | None], messages: Iterable[Message]
) -> list[Message]:
    """Return the messages whose `client_id` is not yet in the log, without repeats.

    Messages without a `client_id` are always returned.

    Parameters
    ----------
    client_ids : column
        Column `client_id` of the log's table.
    """
    given = list(messages)
    wanted = {message.client_id for message in given} - {None}
    known = set(connection.execute(select(client_ids).where(client_ids.in_(wanted))).scalars())
    new = []
    for message in given:
        if message.client_id is None or message.client_id not in known:
            new.append(message)
            known.add(message.client_id)
    return new


def rows_of(connection: Connection, messages: Sequence[Decision] | Sequence[Note]) -> list[dict[str, Any]]:
    """Return the database ids of each message's report, issue, paper and person. Adds new persons to the database.

    Raises
    ------
    RefusedError
        If a report or an issue does not exist, or a paper is not in the issue.
    """
    reports = {code: report_id(connection, code) for code in dict.fromkeys(m.report for m in messages)}
    issues = {day: issue_id(connection, day) for day in dict.fromkeys(m.issue for m in messages)}
    papers = {day: _find_papers(connection, row, day, messages) for day, row in issues.items()}
    people = {name: person_id(connection, name) for name in dict.fromkeys(m.person for m in messages)}
    return [
        {
            "report_id": reports[message.report],
            "issue_id": issues[message.issue],
            "paper_id": papers[message.issue][message.paper_id],
            "person_id": people[message.person],
        }
        for message in messages
    ]


def refuse_published(connection: Connection, report: str, issue: date) -> None:
    """Raise RefusedError if a report issue is published, because published report issues must not change."""
    found = connection.execute(_PUBLISHED_AT, {"report": report, "day": issue}).scalar()
    if found is not None:
        raise RefusedError(f"{report} {issue} was published on {found:%Y-%m-%d %H:%M} UTC. Reopen it to make changes.")


def _find_papers(
    connection: Connection, issue: int, day: date, messages: Sequence[Decision] | Sequence[Note]
) -> dict[str, int]:
    wanted = dict.fromkeys(message.paper_id for message in messages if message.issue == day)
    found = dict(connection.execute(_PAPERS, {"issue": issue, "papers": list(wanted)}).all())
    if missing := [paper for paper in wanted if paper not in found]:
        raise RefusedError(f"The issue of {day} has no paper {missing[0]!r}.")
    return found


class LogCursor(NamedTuple):
    """Log numbers of a report issue's newest decision, note, read mark, draw and re-ranked order.

    A number is 0 if the report issue has no entry of that kind. `is_published` is True if it is published.
    """

    decision: int = 0
    note: int = 0
    mark: int = 0
    draw: int = 0
    reranking: int = 0
    is_published: bool = False

    @property
    def number(self) -> int:
        """Single integer that encodes the decision and note numbers, and increases when either of them does.

        Examples
        --------
        >>> LogCursor.of_number(LogCursor(7, 3, 5, 2).number)
        LogCursor(decision=7, note=3, mark=0, draw=0, reranking=0, is_published=False)
        """
        return self.decision * MOST_NOTES + self.note

    @staticmethod
    def of_number(number: int | None) -> "LogCursor":
        """Decode the decision and note numbers from `LogCursor.number`. Returns a cursor of zeros for None."""
        return LogCursor(*divmod(number or 0, MOST_NOTES))


class CurrentDecision(NamedTuple):
    """Current decision on a paper, with its log number, its label, and the ranking that the editor was shown.

    `is_alone` is True if the editor may not have read the papers above this paper in the list.
    """

    number: int
    label: Label
    ranking_id: int | None
    is_alone: bool = False


def newest_decision(store: Store) -> int:
    """Return the log number of the newest decision of any report, or 0 if there is no decision."""
    with store.reading() as connection:
        return connection.execute(select(func.coalesce(func.max(DecisionRow.id), 0))).scalar_one()


def log_cursor(store: Store, report: str, issue: date) -> LogCursor:
    """Return the newest log numbers for a report issue, and whether it is published.

    If two cursors are equal, no decision, note, read mark, draw or re-ranking was added between them.
    """
    with store.reading(Right.SEE, report) as connection:
        ids = list_ids(connection, report, issue)
        *numbers, n_published = connection.execute(_NEWEST_NUMBERS, ids).one()
        return LogCursor(*numbers)._replace(is_published=n_published > 0)


def current_decisions(store: Store, report: str, issue: date) -> dict[str, CurrentDecision]:
    """Return the newest relevance decision on each paper, by paper id. Undone decisions have the label "undecided"."""
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(_CURRENT, list_ids(connection, report, issue)).all()
        return {
            paper: CurrentDecision(number, cast("Label", label), ranking, alone)
            for paper, number, label, ranking, alone in rows
        }


def newest_notes(store: Store, report: str, issue: date) -> dict[str, int]:
    """Return the log number of each paper's newest tag or note entry, by paper id. Papers without one are omitted."""
    with store.reading(Right.SEE, report) as connection:
        return dict(connection.execute(_NEWEST_NOTES, list_ids(connection, report, issue)).all())


def _select_last(log: type[DecisionRow] | type[PaperNoteRow], *wanted: ColumnElement[bool]) -> Subquery:
    query = select(log.paper_id, func.max(log.id).label("id"))
    return query.where(*list_conditions(log), *wanted).group_by(log.paper_id).subquery()


def _select_current() -> Select[*tuple[Any, ...]]:
    last = _select_last(DecisionRow, DecisionRow.about == "relevant")
    return (
        select(PaperRow.paper_id, DecisionRow.id, DecisionRow.label, DecisionRow.ranking_id, DecisionRow.is_alone)
        .join(last, last.c.id == DecisionRow.id)
        .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
    )


def _select_newest_notes() -> Select[str, int]:
    last = _select_last(PaperNoteRow)
    return select(PaperRow.paper_id, last.c.id).join(last, last.c.paper_id == PaperRow.id).order_by(last.c.id)


# These queries run for each message from a review page. They are built only once, because building a query takes longer
# than running it.
_LOGS = (DecisionRow, PaperNoteRow, ReadMarkRow, DrawRow, RerankingRow)
_NEWEST_NUMBERS = select(
    *(select(func.coalesce(func.max(log.id), 0)).where(*list_conditions(log)).scalar_subquery() for log in _LOGS),
    select(func.count()).where(*list_conditions(ReportIssueRow)).scalar_subquery(),
)
_CURRENT, _NEWEST_NOTES = _select_current(), _select_newest_notes()
_TIMES = (
    select(DecisionRow.person_id, DecisionRow.made_at)
    .where(*list_conditions(DecisionRow), DecisionRow.source != "file")
    .order_by(DecisionRow.person_id, DecisionRow.made_at)
)
_PAPERS = (
    select(PaperRow.paper_id, PaperRow.id)
    .join(ListingRow, ListingRow.paper_id == PaperRow.id)
    .where(ListingRow.issue_id == bindparam("issue"), PaperRow.paper_id.in_(bindparam("papers", expanding=True)))
)
_PUBLISHED_AT = (
    select(ReportIssueRow.published_at)
    .join(ReportRow, ReportRow.id == ReportIssueRow.report_id)
    .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
    .where(ReportRow.code == bindparam("report"), IssueRow.date == bindparam("day", type_=IssueRow.date.type))
)


def minutes_spent(store: Store, report: str, issue: date) -> float:
    """Estimate the minutes spent on a report issue from the times at which its decisions were made.

    Sums the intervals between each editor's consecutive decisions, counting at most five minutes for each interval. The
    time before the first decision is unknown, so a single decision gives 0. Imported decisions are ignored.
    """
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(_TIMES, list_ids(connection, report, issue)).all()
    of_people = groupby(rows, key=lambda row: row.person_id)
    return sum(minutes_between([row.made_at for row in of_person]) for _, of_person in of_people)


def minutes_between(times: Iterable[datetime]) -> float:
    """Estimate the minutes that one editor worked from the times of their decisions, which may be in any order.

    Examples
    --------
    >>> minutes_between([datetime(2026, 11, 2, 9, minute) for minute in (0, 2, 40)])
    7.0
    """
    pauses = (later - earlier for earlier, later in pairwise(sorted(times)))
    return sum((min(pause, LONGEST_PAUSE) for pause in pauses), timedelta()) / timedelta(minutes=1)
