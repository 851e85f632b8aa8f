"""Complete spot checks of published lists, to estimate how much was missed below the stop points."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Row, func, select

from presort.data.learning.outcomes import with_outcome
from presort.data.records import SpotCheckedList
from presort.data.store import Store
from presort.data.tables import DrawRow, IssueRow, OutcomeRow, RankingRow, ReportIssueRow, ReportRow
from presort.data.tables.positions import unpacked


def spot_checked_lists(store: Store) -> list[SpotCheckedList]:
    """Return the published lists with a complete spot check, by report and issue.

    Only the first check of a list counts. Whether an editor takes another depends on what the first one found, so
    both together are no random sample.
    """
    first = select(func.min(DrawRow.id)).group_by(DrawRow.report_id, DrawRow.issue_id)
    query = (
        with_outcome(ReportRow.code, IssueRow.date, RankingRow.ranker, DrawRow.n_read, DrawRow.n_rest)
        .add_columns(DrawRow.positions.label("drawn"), RankingRow.positions, OutcomeRow.places, ReportIssueRow.unread)
        .join(DrawRow, DrawRow.ranking_id == RankingRow.id)
        .join(ReportRow, ReportRow.id == RankingRow.report_id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(DrawRow.id.in_(first), DrawRow.n_rest > 0)
        .order_by(ReportRow.code, IssueRow.date)
    )
    with store.reading() as connection:
        return [one for row in connection.execute(query) for one in _checked(row)]


def _checked(row: Row[*tuple[Any, ...]]) -> Iterator[SpotCheckedList]:
    """Yield what a check found, or nothing if it was left half done."""
    drawn, order, places = unpacked(row.drawn), unpacked(row.positions), unpacked(row.places)
    if np.isin(drawn, unpacked(row.unread)).any():
        return
    # Papers that joined the issue after it was ranked stand below all others, in the order in which they joined.
    relevant = [int(order[place - 1]) if place <= len(order) else int(place) for place in places]
    yield SpotCheckedList(
        row.code,
        row.date,
        row.ranker,
        n_eligible=row.n_rest,
        n_checked=len(drawn),
        n_found=int(np.isin(drawn, relevant).sum()),
        n_found_above=int((places <= row.n_read).sum()),
    )
