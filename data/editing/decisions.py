"""Decisions of editors: the log, the current decisions that follow from it, and the time they took.

The review page polls every other second, so `newest` must be quick.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, Select, func, insert, select
from sqlalchemy.orm import InstrumentedAttribute

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.learning.first_publications import counts
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
from presort.data.tables.positions import n_packed

LONGEST_PAUSE = timedelta(minutes=5)
MOST_NOTES = 2**26  # in all logs of a workspace; with as many decisions the two make a number that a browser counts

Message = TypeVar("Message", Decision, Note)


def decide(store: Store, decisions: Iterable[Decision]) -> int:
    """Add decisions to the log, all or none, and return the number of new ones.

    A decision whose `client_id` is in the log already is passed over: sending a message twice is harmless.

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
    """Return the label of the current decision on each paper of an issue, by paper id."""
    with store.reading(Right.SEE, report) as connection:
        current = current_labels(report_id(connection, report), issue_id(connection, issue), about).subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, current.c.label)
            .join(current, current.c.paper_id == PaperRow.id)
            .order_by(current.c.position)
        )
        return {paper: cast("Label", label) for paper, label in rows if label != "undecided"}


def labels_at(connection: Connection, report: int, issue: int) -> dict[int, Label]:
    """Return `labels` by list position, for the rows of a report and an issue, on an open connection."""
    rows = connection.execute(current_labels(report, issue))
    return {position: cast("Label", label) for position, _, label in rows if label != "undecided"}


def n_relevant(store: Store, reports: Sequence[str] = ()) -> dict[str, int]:
    """Count the papers found relevant in all issues, by report. Defaults to all reports."""
    query = (
        select(ReportRow.code, func.coalesce(func.sum(n_packed(CurrentDecisionsRow.relevant)), 0))
        .outerjoin(CurrentDecisionsRow, CurrentDecisionsRow.report_id == ReportRow.id)
        .group_by(ReportRow.code)
        .order_by(ReportRow.code)
    )
    with store.reading() as connection:
        return dict(connection.execute(query.where(ReportRow.code.in_(reports)) if reports else query).all())


def newest_decisions(store: Store, before: date, cutoff: Cutoff | None = None) -> dict[str, int]:
    """Return, by report, the number of the newest decision in the log on issues before a date, or within a cutoff."""
    log = DecisionRow
    query = _newest(before)
    if cutoff is not None:
        query = (
            select(ReportRow.code, func.max(log.id))
            .join(ReportRow, ReportRow.id == log.report_id)
            .join(IssueRow, IssueRow.id == log.issue_id)
            .where(IssueRow.date < before, counts(log, cutoff))
            .group_by(ReportRow.code)
        )
    with store.reading() as connection:
        return dict(connection.execute(query).all())


def newest_before(store: Store, days: Sequence[date]) -> dict[date, dict[str, int]]:
    """Return `newest_decisions` for each of several dates, reading the log once."""
    with store.reading() as connection:
        newest = _newest(max(days, default=date.min), IssueRow.date).order_by(IssueRow.date)
        left = deque(connection.execute(newest).all())
    known, found = dict[str, int](), {}
    for day in sorted(days):
        while left and left[0].date < day:
            report, number, _ = left.popleft()
            known[report] = max(number, known.get(report, 0))
        found[day] = dict(known)
    return found


def _newest(before: date, *by: Any) -> Select[*tuple[Any, ...]]:
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
    """Drop messages whose `client_id` is in the log or repeated. Messages without one are all kept.

    Parameters
    ----------
    client_ids : column
        That of the log's table.
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
    """Find the report, issue, paper and person of each message; a new person is added.

    Raises
    ------
    RefusedError
        If a report, an issue, or a paper in that issue is not there.
    """
    reports = {code: report_id(connection, code) for code in dict.fromkeys(m.report for m in messages)}
    issues = {day: issue_id(connection, day) for day in dict.fromkeys(m.issue for m in messages)}
    papers = {day: _listed(connection, row, day, messages) for day, row in issues.items()}
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
    """Refuse what would change a report issue that has gone out."""
    found = connection.execute(
        select(ReportIssueRow.published_at)
        .join(ReportRow, ReportRow.id == ReportIssueRow.report_id)
        .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .where(ReportRow.code == report, IssueRow.date == issue)
    ).scalar()
    if found is not None:
        raise RefusedError(
            f"{report} {issue} was published on {found:%Y-%m-%d %H:%M} UTC. Reopen it to change anything."
        )


def _listed(
    connection: Connection, issue: int, day: date, messages: Sequence[Decision] | Sequence[Note]
) -> dict[str, int]:
    wanted = dict.fromkeys(message.paper_id for message in messages if message.issue == day)
    rows = connection.execute(
        select(PaperRow.paper_id, PaperRow.id)
        .join(ListingRow, ListingRow.paper_id == PaperRow.id)
        .where(ListingRow.issue_id == issue, PaperRow.paper_id.in_(wanted))
    )
    found = dict(rows.all())
    if missing := [paper for paper in wanted if paper not in found]:
        raise RefusedError(f"There is no paper {missing[0]!r} in the issue of {day}.")
    return found


class LogCursor(NamedTuple):
    """Numbers of the newest decision, note, read mark, draw and re-ranked order in the logs; 0 if there is none."""

    decision: int = 0
    note: int = 0
    mark: int = 0
    draw: int = 0
    reranking: int = 0

    @property
    def number(self) -> int:
        """The first two as one number, that grows with each.

        Examples
        --------
        >>> LogCursor.of_number(LogCursor(7, 3, 5, 2).number)
        LogCursor(decision=7, note=3, mark=0, draw=0, reranking=0)
        """
        return self.decision * MOST_NOTES + self.note

    @staticmethod
    def of_number(number: int | None) -> "LogCursor":
        """Return what made that number; nothing seen yet for None."""
        return LogCursor(*divmod(number or 0, MOST_NOTES))


class CurrentDecision(NamedTuple):
    """Current decision on a paper: its number in the log, its label, and the ranking that its editor was shown.

    `is_alone` is true if it says nothing of the papers above it in that list.
    """

    number: int
    label: Label
    ranking_id: int | None
    is_alone: bool = False


def newest_decision(store: Store) -> int:
    """Return the number of the newest decision in the log of all reports. 0 if there is none."""
    with store.reading() as connection:
        return connection.execute(select(func.coalesce(func.max(DecisionRow.id), 0))).scalar_one()


def log_cursor(store: Store, report: str, issue: date) -> LogCursor:
    """Return the ends of the logs of a report issue. As long as they are equal, nothing has changed."""
    with store.reading(Right.SEE, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        last = (
            select(func.max(log.id)).where(log.report_id == of_report, log.issue_id == of_issue).scalar_subquery()
            for log in (DecisionRow, PaperNoteRow, ReadMarkRow, DrawRow, RerankingRow)
        )
        return LogCursor(*(number or 0 for number in connection.execute(select(*last)).one()))


def current_decisions(store: Store, report: str, issue: date) -> dict[str, CurrentDecision]:
    """Return the newest decision on whether each paper is relevant, by paper id, also one of "undecided" again."""
    with store.reading(Right.SEE, report) as connection:
        last = _last(connection, report, issue, DecisionRow, DecisionRow.about == "relevant").subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, DecisionRow.id, DecisionRow.label, DecisionRow.ranking_id, DecisionRow.is_alone)
            .join(last, last.c.id == DecisionRow.id)
            .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
        )
        return {
            paper: CurrentDecision(number, cast("Label", label), ranking, alone)
            for paper, number, label, ranking, alone in rows
        }


def newest_notes(store: Store, report: str, issue: date) -> dict[str, int]:
    """Return the number in the log of the newest tag or note on each paper that ever had one, by paper id."""
    with store.reading(Right.SEE, report) as connection:
        last = _last(connection, report, issue, PaperNoteRow).subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, last.c.id).join(last, last.c.paper_id == PaperRow.id).order_by(last.c.id)
        )
        return dict(rows.all())


def _last(
    connection: Connection,
    report: str,
    issue: date,
    log: type[DecisionRow] | type[PaperNoteRow],
    *wanted: ColumnElement[bool],
) -> Select[int, int]:
    of_issue = (log.report_id == report_id(connection, report), log.issue_id == issue_id(connection, issue))
    return select(log.paper_id, func.max(log.id).label("id")).where(*of_issue, *wanted).group_by(log.paper_id)


def minutes_spent(store: Store, report: str, issue: date) -> float:
    """Estimate how long people have worked on a report issue, in minutes, from the times of their decisions.

    The pauses of each person between one decision and the next are added up, none as more than five minutes. What
    came before a first decision is not seen: 0 before a second one. Decisions from files took nobody any time.
    """
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(
            select(DecisionRow.person_id, DecisionRow.made_at)
            .where(
                DecisionRow.report_id == report_id(connection, report),
                DecisionRow.issue_id == issue_id(connection, issue),
                DecisionRow.source != "file",
            )
            .order_by(DecisionRow.person_id, DecisionRow.made_at)
        ).all()
    of_people = groupby(rows, key=lambda row: row.person_id)
    return sum(minutes_between([row.made_at for row in of_person]) for _, of_person in of_people)


def minutes_between(times: Iterable[datetime]) -> float:
    """Return how long a person has worked, in minutes, from the times of the decisions, in whatever order.

    Examples
    --------
    >>> minutes_between([datetime(2026, 11, 2, 9, minute) for minute in (0, 2, 40)])
    7.0
    """
    pauses = (later - earlier for earlier, later in pairwise(sorted(times)))
    return sum((min(pause, LONGEST_PAUSE) for pause in pauses), timedelta()) / timedelta(minutes=1)
