"""Read the logs of decisions and publications."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, true

from presort.data.catalogue import issue_id, report_id
from presort.data.records import About, Label, LoggedDecision, Source
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    CurrentDecisionsRow,
    DecisionRow,
    FirstPublicationRow,
    IssueRow,
    OutcomeRow,
    PaperRow,
    PersonRow,
    RankingRow,
    ReportIssueRow,
    ReportRow,
)
from presort.data.tables.positions import count_positions, unpack


@dataclass(frozen=True, slots=True)
class PublishedIssue:
    """Published report issue.

    `n_published` of the issue's `n_papers` papers were published. `is_sorted` is True if the editor's list was ranked.
    In that case, `last_place` is the place of the last relevant paper, or None if no paper was relevant or the
    ranking's outcome has not been computed yet. `ranking_id` identifies the ranking shown at the first publication.
    """

    report: str
    issue: date
    person: str
    published_at: datetime
    n_papers: int
    n_published: int
    is_sorted: bool
    last_place: int | None
    source: Source = "desk"
    ranking_id: int | None = None


def decisions_since(store: Store, report: str, issue: date, number: int) -> list[LoggedDecision]:
    """Return the decisions on a report issue with log numbers above `number`, oldest first."""
    with store.reading(Right.SEE, report) as connection:
        return _read_decisions(connection, report, issue, DecisionRow.id > number)


def history_of(store: Store, report: str, issue: date, paper_id: str) -> list[LoggedDecision]:
    """Return all decisions on one paper of a report issue, oldest first."""
    with store.reading(Right.SEE, report) as connection:
        return _read_decisions(connection, report, issue, PaperRow.paper_id == paper_id)


def last_report(store: Store, person: str) -> str | None:
    """Return the code of the report for which a user made their latest decision at the desk, or None."""
    with store.reading(Right.OWN, person) as connection:
        return connection.scalar(
            select(ReportRow.code)
            .join(DecisionRow, DecisionRow.report_id == ReportRow.id)
            .join(PersonRow, DecisionRow.person_id == PersonRow.id)
            .where(PersonRow.name == person, DecisionRow.source != "file")
            .order_by(DecisionRow.id.desc())
            .limit(1)
        )


def last_published(store: Store) -> dict[str, date]:
    """Return the date of each report's newest published issue, by report code. Omits reports that have none."""
    newest = (
        select(ReportRow.code, func.max(IssueRow.date))
        .join(ReportIssueRow, ReportIssueRow.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .group_by(ReportRow.code)
        .order_by(ReportRow.code)
    )
    with store.reading() as connection:
        return dict(connection.execute(newest).all())


def published_issues(
    store: Store,
    reports: Sequence[str],
    limit: int,
    *,
    first_day: date = date.min,
    last_day: date = date.max,
    after: tuple[date, str] | None = None,
) -> list[PublishedIssue]:
    """Return at most `limit` published issues of the given reports, newest first and then by report code.

    For imported selections, `n_published` is the number of relevant papers, because imports don't record which papers
    were published.

    Parameters
    ----------
    first_day, last_day : date
        First and last issue date to return, both inclusive.
    after : tuple of date and str, optional
        Issue date and report code of the last entry already returned. Use it to retrieve the list page by page.
    """
    out, first = ReportIssueRow, FirstPublicationRow
    current = CurrentDecisionsRow
    newest = (  # the limit is applied first, so that the counts below are computed only for these rows
        select(out.report_id, out.issue_id)
        .join(ReportRow, ReportRow.id == out.report_id)
        .join(IssueRow, IssueRow.id == out.issue_id)
        .where(ReportRow.code.in_(reports), IssueRow.date.between(first_day, last_day), _comes_after(after))
        .order_by(IssueRow.date.desc(), ReportRow.code)
        .limit(limit)
        .subquery()
    )
    query = (
        select(
            ReportRow.code,
            IssueRow.date,
            PersonRow.name,
            out.published_at,
            out.n_papers,
            out.source,
            count_positions(out.published).label("n_published"),
            func.coalesce(count_positions(current.relevant), 0).label("n_relevant"),
            func.coalesce(func.length(RankingRow.scores) > 0, False).label("is_sorted"),
            OutcomeRow.places,
            RankingRow.id.label("ranking_id"),
        )
        .select_from(newest)
        .join(out, (out.report_id == newest.c.report_id) & (out.issue_id == newest.c.issue_id))
        .join(ReportRow, ReportRow.id == out.report_id)
        .join(IssueRow, IssueRow.id == out.issue_id)
        .join(PersonRow, PersonRow.id == out.person_id)
        .outerjoin(current, (current.report_id == out.report_id) & (current.issue_id == out.issue_id))
        .outerjoin(first, (first.report_id == out.report_id) & (first.issue_id == out.issue_id))
        .outerjoin(RankingRow, RankingRow.id == first.ranking_id)
        .outerjoin(OutcomeRow, OutcomeRow.ranking_id == first.ranking_id)
        .order_by(IssueRow.date.desc(), ReportRow.code)
    )
    with store.reading(Right.SEE, *reports) as connection:
        rows = connection.execute(query).all()
    return [
        PublishedIssue(
            report=row.code,
            issue=row.date,
            person=row.name,
            published_at=row.published_at,
            n_papers=row.n_papers,
            n_published=row.n_relevant if row.source == "file" else row.n_published,
            is_sorted=row.is_sorted,
            last_place=_last_place(row.places) if row.is_sorted else None,
            source=row.source,
            ranking_id=row.ranking_id,
        )
        for row in rows
    ]


def _comes_after(after: tuple[date, str] | None) -> ColumnElement[bool]:
    """Return the SQL condition for issues that follow the entry `after` in the order of `published_issues`."""
    if after is None:
        return true()
    day, report = after
    return or_(IssueRow.date < day, and_(IssueRow.date == day, ReportRow.code > report))


def _last_place(places: bytes | None) -> int | None:
    found = unpack(places or b"")
    return int(found[-1]) if len(found) else None


def _read_decisions(
    connection: Connection, report: str, issue: date, wanted: ColumnElement[bool]
) -> list[LoggedDecision]:
    rows: Sequence[Any] = connection.execute(
        select(
            DecisionRow.id,
            PaperRow.paper_id,
            DecisionRow.about,
            DecisionRow.label,
            PersonRow.name,
            DecisionRow.made_at,
            DecisionRow.client_id,
            DecisionRow.source,
        )
        .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
        .join(PersonRow, PersonRow.id == DecisionRow.person_id)
        .where(
            DecisionRow.report_id == report_id(connection, report),
            DecisionRow.issue_id == issue_id(connection, issue),
            wanted,
        )
        .order_by(DecisionRow.id)
    ).all()
    return [
        LoggedDecision(number, paper, cast("About", about), cast("Label", label), *other)
        for number, paper, about, label, *other in rows
    ]
