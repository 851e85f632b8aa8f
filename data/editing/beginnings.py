"""With which issue a report begins: all that came before it is past, and nobody is asked to work it off."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, exists, func, select

from data.tables import IssueRow, RankingRow, ReopenedIssueRow, ReportIssueRow, ReportRow


class _Issued(NamedTuple):
    """A report issue that has gone out: whether it is known from a file alone, and whether it was ever reopened."""

    report: str
    issue: date
    is_imported: bool
    was_reopened: bool


def beginnings(connection: Connection, known: Mapping[str, Sequence[date]]) -> dict[str, date]:
    """Return the first date, by report, from which on what has not gone out is pending.

    Parameters
    ----------
    known : mapping from str to sequence of date
        By report, other issues with which it may begin; at least one.
    """
    issued, first_sorted = _issued(connection, list(known)), _first_sorted(connection, list(known))
    found = {}
    for code, days in known.items():
        gone_out = issued.get(code, [])
        at_desk = [one for one in gone_out if not one.is_imported]
        # Who reopens an imported issue does not begin there.
        first = min((one.issue for one in at_desk if not one.was_reopened), default=date.max)
        past = [one.issue for one in gone_out if one.is_imported and one.issue < first]
        others = [*(one.issue for one in at_desk), *days, *first_sorted.get(code, [])]
        found[code] = max(past) if past else min(others)
    return found


def _issued(connection: Connection, reports: Sequence[str]) -> dict[str, list[_Issued]]:
    """Read, by report, what has gone out."""
    out, reopened = ReportIssueRow, ReopenedIssueRow
    was_reopened = exists().where(reopened.report_id == out.report_id, reopened.issue_id == out.issue_id)
    rows = connection.execute(
        select(ReportRow.code, IssueRow.date, out.source == "file", was_reopened)
        .join(out, out.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == out.issue_id)
        .where(ReportRow.code.in_(reports))
        .order_by(ReportRow.code, IssueRow.date)
    )
    return {code: list(group) for code, group in groupby((_Issued(*row) for row in rows), key=lambda one: one.report)}


def _first_sorted(connection: Connection, reports: Sequence[str]) -> dict[str, list[date]]:
    """Read, by report, the first issue that was sorted for its editor, if one was."""
    rows = connection.execute(
        select(ReportRow.code, func.min(IssueRow.date))
        .join(RankingRow, RankingRow.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == RankingRow.issue_id)
        .where(ReportRow.code.in_(reports), RankingRow.replay_id.is_(None))
        .group_by(ReportRow.code)
    )
    return {code: [first] for code, first in rows}
