"""The logs of a reading beside decisions: how far people said to have read, and what was drawn at random."""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.editing.messages import refuse_issued
from presort.data.records import Draw
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DrawRow, ReadMarkRow
from presort.data.tables.positions import packed, unpacked


def draws(store: Store, report: str, issue: date) -> list[Draw]:
    """Return what was drawn from an issue for a report, oldest first."""
    with store.reading(Right.SEE, report) as connection:
        return _drawn(connection, report_id(connection, report), issue_id(connection, issue))


def mark_read(store: Store, report: str, issue: date, ranking: int | None, place: int, *, person: str) -> None:
    """Add to the log that somebody has read a list down to a place; what they said of it before no longer counts.

    Parameters
    ----------
    ranking : int or None
        Number of the ranking that the list is sorted by; None in the order received.
    place : int
        From 1.

    Raises
    ------
    RefusedError
        If the report or the issue is not there, or the report issue has gone out.
    """
    with store.writing(Right.EDIT, report) as connection:
        values = _of(connection, report, issue, person) | {"ranking_id": ranking, "place": place}
        connection.execute(insert(ReadMarkRow).values(values))


def add_draw(store: Store, report: str, issue: date, draw: Draw, *, person: str) -> None:
    """Add a draw to the log. To draw from what is unread now, read that in the same `Store.transaction`.

    Raises
    ------
    RefusedError
        If the report or the issue is not there, or the report issue has gone out.
    """
    with store.writing(Right.EDIT, report) as connection:
        drawn = {"ranking_id": draw.ranking, "n_read": draw.n_read, "n_rest": draw.n_rest}
        values = _of(connection, report, issue, person) | drawn | {"positions": packed(draw.positions)}
        connection.execute(insert(DrawRow).values(values))


def _of(connection: Connection, report: str, issue: date, person: str) -> dict[str, Any]:
    refuse_issued(connection, report, issue)
    return {
        "report_id": report_id(connection, report),
        "issue_id": issue_id(connection, issue),
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }


def _drawn(connection: Connection, report: int, issue: int) -> list[Draw]:
    rows = connection.execute(
        select(DrawRow.ranking_id, DrawRow.n_read, DrawRow.n_rest, DrawRow.positions)
        .where(DrawRow.report_id == report, DrawRow.issue_id == issue)
        .order_by(DrawRow.id)
    )
    return [
        Draw(ranking, n_read, n_rest, tuple(unpacked(positions).tolist()))
        for ranking, n_read, n_rest, positions in rows
    ]
