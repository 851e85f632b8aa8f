"""What editors decided, and what they sent out."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import cast

import numpy as np
from sqlalchemy import Connection, func, insert, select

from data.catalogue import issue_id, person_id, report_id
from data.errors import RefusedError
from data.history import current_decisions
from data.records import Decision, ReportIssue, Word
from data.store import Store
from data.tables import DecisionRow, IssueRow, ListingRow, PaperRow, PersonRow, ReportIssueRow, ReportRow

POSITION = np.dtype("<i4")


def decide(store: Store, decisions: Iterable[Decision]) -> int:
    """Add decisions to the log, all or none, and give how many were new.

    A decision whose `client_id` is in the log already is passed over: sending a message twice is harmless.

    Raises
    ------
    RefusedError
        If the report, the issue or the paper is not there, or the report issue has gone out.
    """
    n_new = 0
    with store.writing() as connection:
        for decision in decisions:
            if not _is_known(connection, decision.client_id):
                _add(connection, decision)
                n_new += 1
    return n_new


def words(store: Store, report: str, issue: date) -> dict[str, Word]:
    """Give the word that counts now on each decided paper of an issue, by paper id."""
    with store.reading() as connection:
        rows = connection.execute(
            select(PaperRow.paper_id, DecisionRow.word)
            .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
            .where(
                DecisionRow.id.in_(
                    current_decisions().where(
                        DecisionRow.report_id == report_id(connection, report),
                        DecisionRow.issue_id == issue_id(connection, issue),
                    )
                )
            )
            .order_by(DecisionRow.id)
        )
        return {paper: cast("Word", word) for paper, word in rows if word != "undecided"}


def n_relevant(store: Store) -> dict[str, int]:
    """Count, by report, the papers found relevant in all issues."""
    with store.reading() as connection:
        rows = connection.execute(
            select(ReportRow.code, func.count(DecisionRow.id))
            .outerjoin(
                DecisionRow,
                (DecisionRow.report_id == ReportRow.id)
                & (DecisionRow.word == "yes")
                & DecisionRow.id.in_(current_decisions()),
            )
            .group_by(ReportRow.code)
            .order_by(ReportRow.code)
        )
        return dict(rows.all())


def newest_decisions(store: Store, before: date) -> dict[str, int]:
    """Give, by report, the number of the newest decision in the log on issues before a date."""
    with store.reading() as connection:
        rows = connection.execute(
            select(ReportRow.code, func.max(DecisionRow.id))
            .join(ReportRow, ReportRow.id == DecisionRow.report_id)
            .join(IssueRow, IssueRow.id == DecisionRow.issue_id)
            .where(IssueRow.date < before)
            .group_by(ReportRow.code)
        )
        return dict(rows.all())


def issue_report(store: Store, gone_out: ReportIssue) -> None:
    """Record that a report issue went out; it goes out once.

    Raises
    ------
    RefusedError
        If it went out before.
    """
    with store.writing() as connection:
        report, issue = report_id(connection, gone_out.report), issue_id(connection, gone_out.issue)
        _refuse_issued(connection, report, issue, f"{gone_out.report} {gone_out.issue}")
        connection.execute(
            insert(ReportIssueRow).values(
                report_id=report,
                issue_id=issue,
                ranking_id=gone_out.ranking_id,
                person_id=person_id(connection, gone_out.person),
                issued_at=datetime.now(UTC),
                published=np.array(gone_out.published, dtype=POSITION).tobytes(),
            )
        )


def issued(store: Store, report: str) -> dict[date, ReportIssue]:
    """Give the report issues that have gone out, by the date of the issue."""
    with store.reading() as connection:
        rows = connection.execute(
            select(IssueRow.date, ReportIssueRow.published, PersonRow.name, ReportIssueRow.ranking_id)
            .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
            .join(PersonRow, PersonRow.id == ReportIssueRow.person_id)
            .where(ReportIssueRow.report_id == report_id(connection, report))
            .order_by(IssueRow.date)
        )
        return {
            day: ReportIssue(report, day, tuple(np.frombuffer(published, POSITION).tolist()), person, ranking_id)
            for day, published, person, ranking_id in rows
        }


def _add(connection: Connection, decision: Decision) -> None:
    report, issue = report_id(connection, decision.report), issue_id(connection, decision.issue)
    _refuse_issued(connection, report, issue, f"{decision.report} {decision.issue}")
    paper = connection.execute(
        select(PaperRow.id)
        .join(ListingRow, ListingRow.paper_id == PaperRow.id)
        .where(ListingRow.issue_id == issue, PaperRow.paper_id == decision.paper_id)
    ).scalar()
    if paper is None:
        raise RefusedError(f"There is no paper {decision.paper_id!r} in the issue of {decision.issue}.")
    connection.execute(
        insert(DecisionRow).values(
            client_id=decision.client_id,
            report_id=report,
            issue_id=issue,
            paper_id=paper,
            person_id=person_id(connection, decision.person),
            made_at=datetime.now(UTC),
            about="relevant",
            word=decision.word,
        )
    )


def _is_known(connection: Connection, client_id: str | None) -> bool:
    if client_id is None:
        return False
    return connection.execute(select(DecisionRow.id).where(DecisionRow.client_id == client_id)).scalar() is not None


def _refuse_issued(connection: Connection, report: int, issue: int, name: str) -> None:
    found = connection.execute(
        select(ReportIssueRow.issued_at).where(ReportIssueRow.report_id == report, ReportIssueRow.issue_id == issue)
    ).scalar()
    if found is not None:
        raise RefusedError(f"{name} was issued on {found:%Y-%m-%d %H:%M} UTC and can't be changed any more.")
