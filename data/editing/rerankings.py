"""Log of re-ranked orders. An editor may re-rank the unread papers in a list, using the decisions made in that list.

The ranking itself never changes, and its original order is evaluated. Each log entry contains the list's new order,
which remains in use until the next entry. Undoing a re-ranking adds an entry with the previous order.
"""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select

from presort.data.catalogue import issue_id, list_conditions, list_ids, person_id, report_id
from presort.data.editing.decisions import refuse_published
from presort.data.errors import RefusedError
from presort.data.records import Positions, Reranking
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DecisionRow, IssueRow, PersonRow, ReportRow, RerankingRow
from presort.data.tables.positions import pack, unpack

NOTHING_TO_UNDO = "The order of this list was changed after you opened it. Nothing was undone."


def newest_reranking(store: Store, report: str, issue: date, ranking: int) -> Reranking | None:
    """Return the current re-ranked order of the list that shows a ranking, or None if the list was never re-ranked."""
    with store.reading(Right.SEE, report) as connection:
        return query_newest_reranking(connection, report, issue, ranking)


def query_newest_reranking(connection: Connection, report: str, issue: date, ranking: int) -> Reranking | None:
    """Return the result of `newest_reranking`, using an open connection."""
    query = (
        _select_rerankings(report, issue)
        .where(RerankingRow.ranking_id == ranking)
        .order_by(RerankingRow.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else _record(row)


def reranking_of(store: Store, report: str, issue: date, number: int) -> Reranking:
    """Return the re-ranked order with this number.

    Raises
    ------
    RefusedError
        If the order does not exist or belongs to another report issue.
    """
    with store.reading(Right.SEE, report) as connection:
        row = connection.execute(_select_rerankings(report, issue).where(RerankingRow.id == number)).one_or_none()
    if row is None:
        raise RefusedError(f"Report {report!r} has no re-ranked order {number} for the issue of {issue}.")
    return _record(row)


def add_reranking(
    store: Store,
    report: str,
    issue: date,
    ranking: int,
    order: Positions,
    *,
    n_decisions: int,
    person: str,
    client_id: str | None = None,
) -> None:
    """Log a re-ranked order. Does nothing if `client_id` is already in the log.

    The order depends on the decisions and on which papers were read. Callers must query both in the same
    `Store.transaction`.

    Parameters
    ----------
    ranking : int
        Number of the ranking that the list shows.
    order : array of shape (n_papers,)
        1-based list positions of all papers in the issue, in the new order.
    n_decisions : int
        Number of decisions used to learn the order.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist, or the report issue is published.
    """
    with store.writing(Right.EDIT, report) as connection:
        before = query_newest_reranking(connection, report, issue, ranking)
        values = {
            "ranking_id": ranking,
            "before_id": None if before is None else before.number,
            "positions": pack(order),
            "n_decisions": n_decisions,
            "decisions_up_to": _newest_decision(connection, report, issue),
        }
        _log_reranking(connection, report, issue, values, person=person, client_id=client_id)


def undo_reranking(
    store: Store, report: str, issue: date, undone: Reranking, first: Positions, *, person: str, client_id: str
) -> None:
    """Undo the newest re-ranking by logging the previous order again.

    Parameters
    ----------
    undone : Reranking
        Newest re-ranked order that the user has seen.
    first : array of shape (n_papers,)
        1-based list positions in the order of the ranking, which becomes the list's order if no re-ranking remains.

    Raises
    ------
    RefusedError
        If there is a newer order, or the report issue is published.
    """
    with store.writing(Right.EDIT, report) as connection:
        newest = query_newest_reranking(connection, report, issue, undone.ranking)
        if not _is_known(connection, client_id) and (newest is None or newest.number != undone.number):
            raise RefusedError(NOTHING_TO_UNDO)
        older = None
        if undone.before is not None:
            older = _record(
                connection.execute(_select_rerankings(report, issue).where(RerankingRow.id == undone.before)).one()
            )
        values = {
            "ranking_id": undone.ranking,
            "before_id": None if older is None else older.before,
            "positions": pack(first if older is None else older.positions),
            "n_decisions": 0 if older is None else older.n_decisions,
            "decisions_up_to": 0 if older is None else older.decisions_up_to,
        }
        _log_reranking(connection, report, issue, values, person=person, client_id=client_id)


def _log_reranking(
    connection: Connection, report: str, issue: date, values: dict[str, Any], *, person: str, client_id: str | None
) -> None:
    # A repeated message has no effect, even if the report issue has been published in the meantime.
    if client_id is not None and _is_known(connection, client_id):
        return
    refuse_published(connection, report, issue)
    ids = {"report_id": report_id(connection, report), "issue_id": issue_id(connection, issue)}
    made = {
        "client_id": client_id,
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }
    connection.execute(insert(RerankingRow).values(ids | values | made))


def _newest_decision(connection: Connection, report: str, issue: date) -> int:
    log = DecisionRow
    newest = select(func.coalesce(func.max(log.id), 0)).where(*list_conditions(log), log.about == "relevant")
    return connection.execute(newest, list_ids(connection, report, issue)).scalar_one()


def _is_known(connection: Connection, client_id: str) -> bool:
    return connection.execute(select(RerankingRow.id).where(RerankingRow.client_id == client_id)).first() is not None


def _select_rerankings(report: str, issue: date) -> Select[*tuple[Any, ...]]:
    log = RerankingRow
    return (
        select(log.id, log.ranking_id, log.before_id, log.positions, log.n_decisions, log.decisions_up_to)
        .add_columns(PersonRow.name, log.made_at)
        .join(PersonRow, PersonRow.id == log.person_id)
        .join(ReportRow, ReportRow.id == log.report_id)
        .join(IssueRow, IssueRow.id == log.issue_id)
        .where(ReportRow.code == report, IssueRow.date == issue)
    )


def _record(row: Row[*tuple[Any, ...]]) -> Reranking:
    return Reranking(
        row.id,
        row.ranking_id,
        row.before_id,
        unpack(row.positions),
        row.n_decisions,
        row.decisions_up_to,
        row.name,
        row.made_at,
    )
