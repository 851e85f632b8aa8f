"""What was known when report issues were first published: the limit for all that is made of them later."""

from sqlalchemy import Connection, exists, func, insert, select

from data.tables import DecisionRow, FirstPublicationRow, HintRow, RankingRow, ReportIssueRow

FROM_REPORT_ISSUE = ("report_id", "issue_id", "ranking_id", "source", "n_papers", "unread", "ended")


def add_first_publications(connection: Connection) -> None:
    """Log what is known now of every report issue that is published for the first time.

    Whoever publishes calls it in the same transaction, after the decisions of the publication are in their log.
    """
    out, first = ReportIssueRow, FirstPublicationRow
    newest = [select(func.coalesce(func.max(log.id), 0)) for log in (DecisionRow, HintRow, RankingRow)]
    is_first = ~exists().where(first.report_id == out.report_id, first.issue_id == out.issue_id)
    published = select(*(getattr(out, name) for name in FROM_REPORT_ISSUE), *(one.scalar_subquery() for one in newest))
    columns = (*FROM_REPORT_ISSUE, "decisions_up_to", "hints_up_to", "rankings_up_to")
    connection.execute(insert(first).from_select(columns, published.where(is_first)))
