"""With which issue a report begins: all that came before it is past, and nobody is asked to work it off."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, exists, func, select

from presort.data.learning.plain_rows import plain_rows
from presort.data.running.people import newest_editorships
from presort.data.tables import EditorshipRow, IssueRow, RankingRow, ReopenedIssueRow, ReportIssueRow, ReportRow


def late_since(connection: Connection, reports: Sequence[str]) -> dict[str, date]:
    """Return, by report, the date of the first issue that it can be late for; `date.min` if any.

    A report is late only for issues that came after it was added or brought back, and only since it has an editor: not
    for those before the first day of its first editor. A report that nobody was ever named for is late by itself.
    """
    log = EditorshipRow
    edited = select(func.min(log.first)).where(
        log.report_id == ReportRow.id, log.id.in_(newest_editorships()), ~log.is_taken_back, log.away_id.is_(None)
    )
    query = select(ReportRow.code, ReportRow.late_after, edited.correlate(ReportRow).scalar_subquery())
    rows = connection.execute(query.where(ReportRow.code.in_(reports)))
    return {
        code: max(after + timedelta(days=1) if after else date.min, edited or date.min) for code, after, edited in rows
    }


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
FEW = 10  # reports, whose issues are looked up; of more, those of all are sooner read


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
    codes = dict(plain_rows(connection, select(ReportRow.id, ReportRow.code).where(ReportRow.code.in_(reports))))
    days = {row.id: row.date for row in connection.execute(select(IssueRow.id, IssueRow.date))}
    query = select(out.report_id, out.issue_id, out.source != "file", was_reopened)
    if len(codes) <= FEW:
        query = query.where(out.report_id.in_(codes))
    at_desk, begun, of_file = (defaultdict[int, list[date]](list) for _ in range(3))
    for report, issue, is_at_desk, is_again in plain_rows(connection, query):
        (at_desk if is_at_desk else of_file)[report].append(days[issue])
        if is_at_desk and not is_again:
            begun[report].append(days[issue])
    found = {}
    for report in codes.keys() & {*at_desk, *of_file}:
        begins = min(begun[report], default=date.max)
        past = max((day for day in of_file[report] if day < begins), default=None)
        found[codes[report]] = _GoneOut(min(at_desk[report], default=None), past)
    return found


def _first_sorted(connection: Connection, reports: Sequence[str]) -> dict[str, date]:
    """Read, by report, the first issue that was sorted for its editor, if one was."""
    is_sorted = exists().where(
        RankingRow.report_id == ReportRow.id, RankingRow.issue_id == IssueRow.id, RankingRow.replay_id.is_(None)
    )
    first = select(IssueRow.date).where(is_sorted).order_by(IssueRow.date).limit(1).correlate(ReportRow)
    rows = connection.execute(select(ReportRow.code, first.scalar_subquery()).where(ReportRow.code.in_(reports)))
    return {code: day for code, day in rows if day is not None}
