"""Find published report issues that a ranker has not ranked, for example because the selections were imported."""

from collections.abc import Collection
from datetime import date
from itertools import accumulate
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from presort.data.learning.official import CONDITION, with_first_publication
from presort.data.records import Condition
from presort.data.store import Store
from presort.data.tables import IssueRow, ListingRow, RankingRow, ReportIssueRow, ReportRow


class MissingRanking(NamedTuple):
    """Published report issue without a ranking by the given ranker."""

    issue: date
    report: str


def newest_published_issues(store: Store, n_issues: int) -> list[date]:
    """Return the dates of the newest `n_issues` issues published for any report, oldest first."""
    published = select(ReportIssueRow.issue_id)
    query = select(IssueRow.date).where(IssueRow.id.in_(published)).order_by(IssueRow.date.desc()).limit(n_issues)
    with store.reading() as connection:
        return [*connection.execute(query).scalars()][::-1]


def missing_rankings(store: Store, ranker: str, issues: Collection[date]) -> list[MissingRanking]:
    """Return the published report issues that still lack a ranking by a ranker.

    A ranking for the editor is sufficient if it has scores. A ranking from a replay, or a ranking without scores, is
    sufficient only if the number of papers in earlier issues hasn't changed since the ranking was created, because
    importing older issues changes the result. A ranking with hindsight is never sufficient. The oldest issue is never
    included in the result, because there is no training data for it.

    Parameters
    ----------
    ranker : str
        Recipe name.
    issues : collection of date
        Dates of the issues to check.

    Returns
    -------
    list of MissingRanking
        Report issues without a ranking, oldest first. Retired reports are left out.
    """
    with store.reading() as connection:
        query = select(IssueRow.id, IssueRow.date).where(IssueRow.date.in_(issues))
        days = {row.id: row.date for row in connection.execute(query)}
        published = (
            select(ReportIssueRow.report_id, ReportIssueRow.issue_id, ReportRow.code)
            .join(ReportRow, ReportRow.id == ReportIssueRow.report_id)
            .where(ReportIssueRow.issue_id.in_(days), ReportRow.retired_at.is_(None))
        )
        wanted = {(report, issue): code for report, issue, code in connection.execute(published)}
        left = wanted.keys() - _find_ranked(connection, ranker, [*days])
        oldest = connection.execute(select(func.min(IssueRow.date))).scalar()
    return sorted(MissingRanking(days[issue], wanted[report, issue]) for report, issue in left if days[issue] != oldest)


def _find_ranked(connection: Connection, ranker: str, issues: list[int]) -> set[tuple[int, int]]:
    """Return the (report id, issue id) pairs with a sufficient ranking."""
    is_for_editor = RankingRow.replay_id.is_(None) & (func.length(RankingRow.scores) > 0)
    columns = RankingRow.report_id, RankingRow.issue_id, is_for_editor, RankingRow.trained_before, RankingRow.n_past
    of_issues = RankingRow.ranker == ranker, RankingRow.issue_id.in_(issues), int(Condition.HINDSIGHT) < CONDITION
    query = with_first_publication(select(*columns)).where(*of_issues)
    found = connection.execute(query).all()
    if not found:  # skip the query below, which counts all papers
        return set()
    sizes = connection.execute(
        select(IssueRow.date, func.count(ListingRow.position))
        .join(ListingRow, ListingRow.issue_id == IssueRow.id)
        .group_by(IssueRow.date)
        .order_by(IssueRow.date)
    ).all()
    n_past = dict(zip((day for day, _ in sizes), accumulate((n for _, n in sizes), initial=0), strict=False))
    return {
        (report, issue)
        for report, issue, was_for_editor, trained_before, known in found
        if was_for_editor or known in (None, n_past.get(trained_before))  # old versions didn't record the number
    }
