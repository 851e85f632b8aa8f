"""What editors decided, and what they sent out."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import cast

import numpy as np
from sqlalchemy import Connection, func, insert, select

from data.catalogue import issue_id, person_id, report_id
from data.errors import RefusedError
from data.history import current_decisions, current_words
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
        current = current_words(report_id(connection, report), issue_id(connection, issue)).subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, current.c.word)
            .join(current, current.c.paper_id == PaperRow.id)
            .order_by(current.c.position)
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


def issue_report(
    store: Store, report: str, issue: date, order: Sequence[int], *, ranking_id: int | None, person: str
) -> tuple[int, ...]:
    """Send out the relevant papers of an issue, once, and give their list positions in the order they went out.

    Parameters
    ----------
    order : sequence of int
        List positions as the editor saw them.
    ranking_id : int or None
        The ranking that put them so; None in list order.

    Raises
    ------
    RefusedError
        If it went out before.
    """
    with store.writing() as connection:  # a decision from another window comes before all of this, or is refused
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        _refuse_issued(connection, of_report, of_issue, f"{report} {issue}")
        ids = {"report_id": of_report, "issue_id": of_issue, "person_id": person_id(connection, person)}
        now = datetime.now(UTC)
        current = connection.execute(current_words(of_report, of_issue))
        relevant = {position: paper for position, paper, word in current if word == "yes"}
        published = tuple(position for position in order if position in relevant)
        connection.execute(
            insert(ReportIssueRow).values(
                **ids, ranking_id=ranking_id, issued_at=now, published=np.array(published, dtype=POSITION).tobytes()
            )
        )
        for position in published:
            values = {"paper_id": relevant[position], "made_at": now, "about": "publish", "word": "yes"}
            connection.execute(insert(DecisionRow).values(**ids, **values))
    return published


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
