"""Report issues known from files alone. They cover all papers of their issue, whatever the order of the files."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, select, update

from presort.data.index.paper_index import in_parts
from presort.data.tables import ListingRow, OutcomeRow, RankingRow, ReportIssueRow


def count_all_papers(connection: Connection, issues: Sequence[int]) -> None:
    """Count the papers that joined some issues for the reports whose selections from them came by file.

    A past that comes as several files is the same as one that comes as one. Nobody has read these issues at the desk:
    one that was reopened and published there has another source, and papers that join it later came after its editor.
    Whoever lists papers calls it in the same transaction. Outcomes of fewer papers are deleted, and made again.

    Parameters
    ----------
    issues : sequence of int
        Rows of the issues.
    """
    out = ReportIssueRow
    for some in in_parts(issues):
        sizes = select(ListingRow.issue_id, func.count().label("n")).where(ListingRow.issue_id.in_(some))
        size = sizes.group_by(ListingRow.issue_id).subquery()
        has_grown = (out.source == "file") & (out.issue_id == size.c.issue_id) & (out.n_papers < size.c.n)
        of_same = (RankingRow.report_id == out.report_id) & (RankingRow.issue_id == out.issue_id)
        stale = select(RankingRow.id).join(out, of_same).join(size, has_grown)
        connection.execute(delete(OutcomeRow).where(OutcomeRow.ranking_id.in_(stale)))
        connection.execute(update(out).where(has_grown).values(n_papers=size.c.n))
