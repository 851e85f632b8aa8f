"""Read what a ranker learns from: all issues to a date, their papers, and what every report decided."""

import datetime
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from sqlalchemy import Connection, Row, Select, func, select

from data.records import About, HintKind, Hints, History, Paper, Rows
from data.tables import (
    PAPER_COLUMNS,
    DecisionRow,
    HintRow,
    IssueRow,
    ListingRow,
    PaperRow,
    ReportIssueRow,
    ReportRow,
)
from data.tokens import read_tokens


def current_decisions(about: About = "relevant") -> Select[int]:
    """Select the ids of the decisions that count: the newest of each report, issue and paper."""
    return (
        select(func.max(DecisionRow.id))
        .where(DecisionRow.about == about)
        .group_by(DecisionRow.report_id, DecisionRow.issue_id, DecisionRow.paper_id)
    )


def current_words(report: int, issue: int, about: About = "relevant") -> Select[int, int, str]:
    """Select list position, paper and word of the decisions that count on one issue for one report."""
    return (
        select(ListingRow.position, DecisionRow.paper_id, DecisionRow.word)
        .join(ListingRow, (ListingRow.issue_id == issue) & (ListingRow.paper_id == DecisionRow.paper_id))
        .where(
            DecisionRow.id.in_(
                current_decisions(about).where(DecisionRow.report_id == report, DecisionRow.issue_id == issue)
            )
        )
        .order_by(ListingRow.position)
    )


def read_hints(connection: Connection, up_to: int | None = None) -> dict[str, Hints]:
    """Read, by report code, the hints that count: the newest of each text, up to a number in the log or all."""
    chosen = select(func.max(HintRow.id).label("newest"), func.min(HintRow.id).label("first"))
    if up_to is not None:
        chosen = chosen.where(HintRow.id <= up_to)
    counted = chosen.group_by(HintRow.report_id, HintRow.text).subquery()
    rows = connection.execute(
        select(ReportRow.code, HintRow.id, HintRow.kind, HintRow.text)
        .join(counted, counted.c.newest == HintRow.id)
        .join(ReportRow, ReportRow.id == HintRow.report_id)
        .order_by(ReportRow.code, counted.c.first)
    )
    return {code: _as_hints(list(of_report)) for code, of_report in groupby(rows, key=lambda row: row.code)}


def read_history(connection: Connection, through: datetime.date, *, tokens: bool = False) -> History:
    """Read the issues up to and including the one of `through`.

    Rows of `History.maybe` are those that teach nothing: marked maybe, or not decided yet in an issue of which the
    report has selected papers but which it has not issued. `tokens` asks for those of the papers too.
    """
    issues = connection.execute(
        select(IssueRow.id, IssueRow.date, func.count(ListingRow.position))
        .join(ListingRow, ListingRow.issue_id == IssueRow.id)
        .where(IssueRow.date <= through)
        .group_by(IssueRow.id, IssueRow.date)
        .order_by(IssueRow.date)
    ).all()
    starts = np.concatenate([[0], np.cumsum([n for _, _, n in issues], dtype=np.intp)]).astype(np.intp)
    first_row = {issue_id: int(start) for (issue_id, _, _), start in zip(issues, starts, strict=False)}
    size = {issue_id: n for issue_id, _, n in issues}
    words = _words(connection, first_row)
    finished = set(connection.execute(select(ReportIssueRow.report_id, ReportIssueRow.issue_id)))
    codes = dict(connection.execute(select(ReportRow.id, ReportRow.code)).all())
    relevant: dict[str, list[int]] = {}
    maybe: dict[str, list[int]] = {}
    for (report_id, issue_id), decided in words.items():
        code, start = codes[report_id], first_row[issue_id]
        yes = [row for row, word in decided.items() if word == "yes"]
        relevant.setdefault(code, []).extend(yes)
        if (report_id, issue_id) in finished:
            unsure = [row for row, word in decided.items() if word == "maybe"]
        elif yes:
            unsure = [r for r in range(start, start + size[issue_id]) if decided.get(r) not in ("yes", "no")]
        else:
            unsure = []
        maybe.setdefault(code, []).extend(unsure)
    return History(
        issues=tuple(day for _, day, _ in issues),
        starts=starts,
        papers=_papers(connection, through),
        relevant=_as_rows(relevant),
        maybe=_as_rows(maybe),
        tokens=read_tokens(connection, through) if tokens else None,
        seeds={code: _as_papers(hints.seeds) for code, hints in read_hints(connection).items() if hints.seeds},
    )


def _words(connection: Connection, first_row: Mapping[int, int]) -> dict[tuple[int, int], dict[int, str]]:
    """Give, for each report and issue with a decision, the newest word on each decided row."""
    decisions = connection.execute(
        select(DecisionRow.report_id, DecisionRow.issue_id, ListingRow.position, DecisionRow.word)
        .join(
            ListingRow,
            (ListingRow.issue_id == DecisionRow.issue_id) & (ListingRow.paper_id == DecisionRow.paper_id),
        )
        .where(DecisionRow.id.in_(current_decisions()))
        .order_by(DecisionRow.id)
    )
    words: dict[tuple[int, int], dict[int, str]] = {}
    for report_id, issue_id, position, word in decisions:
        if issue_id in first_row:
            words.setdefault((report_id, issue_id), {})[first_row[issue_id] + position - 1] = word
    return words


def _papers(connection: Connection, through: datetime.date) -> list[Paper]:
    rows = connection.execute(
        select(*PAPER_COLUMNS)
        .join(ListingRow, ListingRow.paper_id == PaperRow.id)
        .join(IssueRow, IssueRow.id == ListingRow.issue_id)
        .where(IssueRow.date <= through)
        .order_by(IssueRow.date, ListingRow.position)
    )
    return [Paper(*row) for row in rows]


def _as_hints(rows: Sequence[Row[str, int, str, str]]) -> Hints:
    def texts(wanted: HintKind) -> tuple[str, ...]:
        return tuple(text for _, _, kind, text in rows if kind == wanted)

    newest = max(number for _, number, _, _ in rows)
    return Hints(muted=texts("mute"), boosted=texts("boost"), seeds=texts("seed"), up_to=newest)


def _as_papers(seeds: Sequence[str]) -> tuple[Paper, ...]:
    """Take the first line of each text as title and the rest as abstract."""
    parts = [seed.partition("\n") for seed in seeds]
    return tuple(Paper(f"seed {number}", title, rest.strip()) for number, (title, _, rest) in enumerate(parts, start=1))


def _as_rows(rows_by_report: Mapping[str, list[int]]) -> dict[str, Rows]:
    return {code: np.array(sorted(rows), dtype=np.intp) for code, rows in sorted(rows_by_report.items())}
