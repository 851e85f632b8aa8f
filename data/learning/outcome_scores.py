"""What measures say of each outcome: kept beside it, so that whoever looks has nothing measured; and read by column."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, delete, func, insert, select

from data.catalogue import report_id
from data.errors import DamagedCellError
from data.learning.plain_rows import plain_rows
from data.records import Positions, ScoredColumns
from data.store import Store
from data.tables import IssueRow, OutcomeRow, OutcomeScoresRow, RankingRow, ReportIssueRow, ReportRow, SettingRow
from data.tables.positions import POSITION, SCORE, numbers, unpacked

KEPT_AT_ONCE = 2_000  # outcomes measured under one lock, some milliseconds
MEASURED_BY = "outcome-scores"  # the setting that tells by which measures
Measure = Callable[[Positions, NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def keep_scores(store: Store, measure: Measure, version: str) -> int:
    """Measure every outcome of which no scores are kept, keep them, and return how many outcomes that were.

    What other measures said is let go first. Where nothing is missing no lock is taken.

    Parameters
    ----------
    measure : callable
        From places laid end to end, and how many relevant papers and how many papers each outcome has, to the scores,
        of shape (n_outcomes, n_measures).
    version : str
        Of the measures: another one wherever any of them may say something else.
    """
    with store.reading() as connection:
        if _version(connection) == version and _is_whole(connection):
            return 0
    n_kept, last = 0, 0
    while True:
        with store.writing() as connection:
            if _version(connection) != version:  # at first, or an older Presort beside this one has begun anew
                _begin_anew(connection, version)
                last = 0
            rows = connection.execute(_missing(after=last)).all()
            if not rows:
                return n_kept
            ids, n_papers, cells = zip(*rows, strict=True)
            scores = measure(*_laid(cells), np.array(n_papers, dtype=np.int64)).astype(SCORE)
            made = [{"ranking_id": id, "numbers": one.tobytes()} for id, one in zip(ids, scores, strict=True)]
            connection.execute(insert(OutcomeScoresRow), made)
        n_kept, last = n_kept + len(rows), ids[-1]


def scored_columns(store: Store, version: str, report: str | None = None) -> ScoredColumns:
    """Read every ranking that has an outcome, of one report or of all, and what is kept that these measures said."""
    with store.reading() as connection:
        codes = connection.execute(select(ReportRow.id, ReportRow.code)).all()
        days = connection.execute(select(IssueRow.id, IssueRow.date)).all()
        query = _rankings(None if report is None else report_id(connection, report))
        rows = list(plain_rows(connection, query))
        columns = dict(zip(query.selected_columns.keys(), zip(*rows, strict=True), strict=True)) if rows else {}

        def column(name: str, kind: Any) -> NDArray[Any]:
            return np.array(columns.get(name, ()), dtype=kind)

        places, n_relevant = _laid(columns.get("places", ()))
        kept = columns.get("numbers", ()) if _version(connection) == version else (None,) * len(rows)
        return ScoredColumns(
            ranking_id=column("id", np.int64),
            report=_named(codes, column("report_id", np.int64), "O"),
            issue=_named(days, column("issue_id", np.int64), "datetime64[D]"),
            ranker=column("ranker", object),
            replay=columns.get("replay_id", ()),
            was_shown=column("was_shown", bool),
            was_in_time=column("was_in_time", bool),
            is_trained=column("is_trained", bool),
            is_judged=column("is_judged", bool),
            n_papers=column("n_papers", np.int64),
            n_relevant=n_relevant,
            places=places,
            has_scores=np.array([cell is not None for cell in kept], dtype=bool),
            scores=_scores(kept),
        )


def _named(pairs: Sequence[Row[int, Any]], numbers: NDArray[np.int64], kind: str) -> NDArray[Any]:
    """Look up what belongs to each number; numbers are small."""
    values = np.empty(max((number for number, _ in pairs), default=0) + 1, dtype=kind)
    for number, value in pairs:
        values[number] = value
    return values[numbers]


def _rankings(report: int | None) -> Select[*tuple[Any, ...]]:
    """Select in no order: to sort some hundred thousand rows takes a database longer than to read them."""
    query = (
        select(
            *(RankingRow.id, RankingRow.report_id, RankingRow.issue_id, RankingRow.ranker, RankingRow.replay_id),
            func.coalesce(ReportIssueRow.ranking_id == RankingRow.id, False).label("was_shown"),
            func.coalesce(RankingRow.made_at <= ReportIssueRow.issued_at, False).label("was_in_time"),
            (func.length(RankingRow.scores) > 0).label("is_trained"),
            (ReportIssueRow.ended == "all").label("is_judged"),
            *(OutcomeRow.n_papers, OutcomeRow.places, OutcomeScoresRow.numbers),
        )
        .join(OutcomeRow, OutcomeRow.ranking_id == RankingRow.id)
        .join(
            ReportIssueRow,
            (ReportIssueRow.report_id == RankingRow.report_id) & (ReportIssueRow.issue_id == RankingRow.issue_id),
        )
        .outerjoin(OutcomeScoresRow, OutcomeScoresRow.ranking_id == OutcomeRow.ranking_id)
    )
    return query if report is None else query.where(RankingRow.report_id == report)


def _version(connection: Connection) -> str | None:
    return connection.execute(select(SettingRow.value).where(SettingRow.name == MEASURED_BY)).scalar()


def _is_whole(connection: Connection) -> bool:
    """Return whether there are as many scores as outcomes; there are none without."""
    n_outcomes, n_kept = (
        select(func.count(row.ranking_id)).scalar_subquery() for row in (OutcomeRow, OutcomeScoresRow)
    )
    return bool(connection.execute(select(n_outcomes == n_kept)).scalar_one())


def _begin_anew(connection: Connection, version: str) -> None:
    connection.execute(delete(OutcomeScoresRow))
    connection.execute(delete(SettingRow).where(SettingRow.name == MEASURED_BY))
    connection.execute(insert(SettingRow).values(name=MEASURED_BY, value=version))


def _missing(after: int) -> Select[int, int, bytes]:
    return (
        select(OutcomeRow.ranking_id, OutcomeRow.n_papers, OutcomeRow.places)
        .outerjoin(OutcomeScoresRow, OutcomeScoresRow.ranking_id == OutcomeRow.ranking_id)
        .where(OutcomeRow.ranking_id > after, OutcomeScoresRow.ranking_id.is_(None))
        .order_by(OutcomeRow.ranking_id)
        .limit(KEPT_AT_ONCE)
    )


def _laid(cells: Sequence[bytes]) -> tuple[Positions, NDArray[np.int64]]:
    """Lay packed lists end to end, and return how long each is."""
    lengths, rests = np.divmod(np.array([len(cell) for cell in cells], dtype=np.int64), POSITION.itemsize)
    if rests.any():
        raise DamagedCellError("half a position stands where places of relevant papers should")
    return unpacked(b"".join(cells)), lengths


def _scores(cells: Sequence[bytes | None]) -> NDArray[np.float64]:
    """Return the numbers of each cell, as many in each; NaN for those that are empty."""
    lengths = {len(cell) for cell in cells if cell is not None}
    if len(lengths) > 1:
        raise DamagedCellError("of one outcome more scores are kept than of another")
    blank = b"".join([np.full(length // SCORE.itemsize, np.nan, SCORE).tobytes() for length in lengths])
    laid = b"".join([blank if cell is None else cell for cell in cells])
    return numbers(laid, SCORE).reshape(len(cells), -1 if laid else 0)
