"""With which issue a report begins: all that came before it is past, and nobody is asked to work it off."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, case, exists, func, select

from data.tables import IssueRow, RankingRow, ReopenedIssueRow, ReportIssueRow, ReportRow


class _GoneOut(NamedTuple):
    """What of a report has gone out, where there is such.

    Attributes
    ----------
    at_desk : date or None
        The first issue of which more is known than a file said.
    past : date or None
        The newest that is known from a file alone, before the first that went out at the desk and was never reopened:
        who reopens an imported issue does not begin there.
    """

    at_desk: date | None
    past: date | None


NOTHING = _GoneOut(None, None)


def beginnings(connection: Connection, known: Mapping[str, Sequence[date]]) -> dict[str, date]:
    """Return the first date, by report, from which on what has not gone out is pending.

    Parameters
    ----------
    known : mapping from str to sequence of date
        By report, other issues with which it may begin; at least one.
    """
    gone_out, first_sorted = _gone_out(connection, list(known)), _first_sorted(connection, list(known))
    found = {}
    for code, days in known.items():
        at_desk, past = gone_out.get(code, NOTHING)
        others = [at_desk, first_sorted.get(code), *days]
        found[code] = past or min(day for day in others if day is not None)
    return found


def _gone_out(connection: Connection, reports: Sequence[str]) -> dict[str, _GoneOut]:
    """Read, by report, what has gone out."""
    out, reopened = ReportIssueRow, ReopenedIssueRow
    was_reopened = exists().where(reopened.report_id == out.report_id, reopened.issue_id == out.issue_id)
    at_desk = out.source != "file"
    asked = select(ReportRow.id).where(ReportRow.code.in_(reports))
    firsts = (
        select(
            out.report_id,
            func.min(case((at_desk, IssueRow.date))).label("at_desk"),
            func.min(case((at_desk & ~was_reopened, IssueRow.date))).label("begun"),
        )
        .join(IssueRow, IssueRow.id == out.issue_id)
        .where(out.report_id.in_(asked))
        .group_by(out.report_id)
        .subquery()
    )
    is_past = (out.source == "file") & (firsts.c.begun.is_(None) | (IssueRow.date < firsts.c.begun))
    rows = connection.execute(
        select(ReportRow.code, firsts.c.at_desk, func.max(case((is_past, IssueRow.date))))
        .join(firsts, firsts.c.report_id == ReportRow.id)
        .join(out, out.report_id == ReportRow.id)
        .join(IssueRow, IssueRow.id == out.issue_id)
        .where(ReportRow.code.in_(reports))
        .group_by(ReportRow.code, firsts.c.at_desk)
    )
    return {code: _GoneOut(first, past) for code, first, past in rows}


def _first_sorted(connection: Connection, reports: Sequence[str]) -> dict[str, date]:
    """Read, by report, the first issue that was sorted for its editor, if one was."""
    is_sorted = exists().where(
        RankingRow.report_id == ReportRow.id, RankingRow.issue_id == IssueRow.id, RankingRow.replay_id.is_(None)
    )
    first = select(IssueRow.date).where(is_sorted).order_by(IssueRow.date).limit(1).correlate(ReportRow)
    rows = connection.execute(select(ReportRow.code, first.scalar_subquery()).where(ReportRow.code.in_(reports)))
    return {code: day for code, day in rows if day is not None}
