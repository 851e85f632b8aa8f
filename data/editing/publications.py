"""Extent of a publication: the papers it covers, and the extent of an earlier publication of the same report issue."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from presort.data.learning.history import n_listed
from presort.data.records import Extent, Positions
from presort.data.tables import ReopenedIssueRow
from presort.data.tables.positions import unpacked


class Earlier(NamedTuple):
    """Newest publication of a report issue that was reopened since."""

    n_papers: int
    extent: Extent


def earlier_publication(connection: Connection, report: int, issue: int) -> Earlier | None:
    """Read how far a report issue, given by its rows, was read when it was last published and reopened.

    Returns
    -------
    Earlier or None
        None if it was never reopened, or by an earlier version that did not store it.
    """
    log = ReopenedIssueRow
    row = connection.execute(
        select(log.n_papers, log.unread, log.ended, log.stop_at)
        .where(log.report_id == report, log.issue_id == issue, log.n_papers > 0)
        .order_by(log.id.desc())
        .limit(1)
    ).first()
    if row is None:
        return None
    return Earlier(row.n_papers, Extent(tuple(unpacked(row.unread).tolist()), row.ended, row.stop_at))


def n_published_papers(connection: Connection, report: int, issue: int, read: Positions) -> int:
    """Count the papers of an issue that its publication for a report covers.

    These are all papers listed now. When a report issue is published again, papers that joined the issue after its
    first publication only count up to the last one that was read: nobody has seen those after it.

    Parameters
    ----------
    read : array of shape (n_read,)
        List positions of the papers that count as read, as `read_papers.read_now` returns them.
    """
    earlier = earlier_publication(connection, report, issue)
    if earlier is None:
        return connection.execute(n_listed(issue)).scalar_one()
    return max(earlier.n_papers, int(read.max(initial=0)))
