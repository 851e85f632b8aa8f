"""What measures say of each outcome: kept beside it, so that whoever looks has nothing measured; and read by column."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, delete, func, insert, select

from data.catalogue import report_id
from data.errors import DamagedCellError
from data.learning.plain_rows import plain_parts
from data.records import Positions, ScoredColumns
from data.store import Store
from data.tables import IssueRow, OutcomeRow, OutcomeScoresRow, RankingRow, ReportIssueRow, ReportRow, SettingRow
from data.tables.positions import POSITION, SCORE, numbers

KEPT_AT_ONCE = 2_000  # outcomes measured under one lock, some milliseconds
N_COLUMNS = 12  # of `_rankings`
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
            scores = measure(*_laid(cells, POSITION), np.array(n_papers, dtype=np.int64)).astype(SCORE)
            made = [{"ranking_id": id, "numbers": one.tobytes()} for id, one in zip(ids, scores, strict=True)]
            connection.execute(insert(OutcomeScoresRow), made)
        n_kept, last = n_kept + len(rows), ids[-1]


def scored_columns(store: Store, version: str, report: str | None = None) -> ScoredColumns:
    """Read every ranking that has an outcome, of one report or of all, and what is kept that these measures said."""
    with store.reading() as connection:
        codes = connection.execute(select(ReportRow.id, ReportRow.code)).all()
        days = connection.execute(select(IssueRow.id, IssueRow.date)).all()
        query = _rankings(None if report is None else report_id(connection, report))
        parts = [_part(rows) for rows in plain_parts(connection, query)] or [_part([])]
        found = _Part(*map(np.concatenate, zip(*parts, strict=True)))
        has_scores = found.sizes > 0
        if _version(connection) != version:
            has_scores[:] = False
        return ScoredColumns(
            ranking_id=found.numbers,
            report=_named(codes, found.reports, "O"),
            issue=_named(days, found.issues, "datetime64[D]"),
            ranker=found.rankers,
            replay=found.replays,
            was_shown=found.was_shown,
            was_in_time=found.was_in_time,
            is_trained=found.is_trained,
            is_judged=found.is_judged,
            n_papers=found.n_papers,
            n_relevant=found.n_relevant,
            places=found.places,
            has_scores=has_scores,
            scores=_scores(found, has_scores),
        )


class _Part(NamedTuple):
    """Some of the rankings, an array a column of `_rankings`; all cells of one row after the other where it has more.

    `sizes` has how many scores are kept of each ranking.
    """

    numbers: NDArray[np.int64]
    reports: NDArray[np.int64]
    issues: NDArray[np.int64]
    rankers: NDArray[np.object_]
    replays: NDArray[np.int64]
    was_shown: NDArray[np.bool_]
    was_in_time: NDArray[np.bool_]
    is_trained: NDArray[np.bool_]
    is_judged: NDArray[np.bool_]
    n_papers: NDArray[np.int64]
    n_relevant: NDArray[np.int64]
    places: Positions
    sizes: NDArray[np.int64]
    scores: NDArray[np.float64]


def _part(rows: Sequence[tuple[Any, ...]]) -> _Part:
    columns = list(zip(*rows, strict=True)) or [()] * N_COLUMNS
    numbers, reports, issues, replays, n_papers = (np.array(columns[at], np.int64) for at in (0, 1, 2, 4, 9))
    shown, in_time, trained, judged = (np.array(one, dtype=bool) for one in columns[5:9])
    places, n_relevant = _laid(columns[10], POSITION)
    scores, sizes = _laid(columns[11], SCORE)
    rankers = np.array(columns[3], dtype=object)
    kinds = (shown, in_time, trained, judged)
    return _Part(numbers, reports, issues, rankers, replays, *kinds, n_papers, n_relevant, places, sizes, scores)


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
            *(RankingRow.id, RankingRow.report_id, RankingRow.issue_id, RankingRow.ranker),
            func.coalesce(RankingRow.replay_id, 0),
            func.coalesce(ReportIssueRow.ranking_id == RankingRow.id, False),
            func.coalesce(RankingRow.made_at <= ReportIssueRow.issued_at, False),
            func.length(RankingRow.scores) > 0,
            ReportIssueRow.ended == "all",
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


def _laid(cells: Sequence[bytes | None], kind: np.dtype) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Lay the numbers of cells end to end, and return how many each has; an empty one has none."""
    filled = [cell or b"" for cell in cells]
    lengths, rests = np.divmod(np.array([len(cell) for cell in filled], dtype=np.int64), kind.itemsize)
    if rests.any():
        raise DamagedCellError(f"a part of a number stands where numbers of {kind.itemsize} bytes should")
    return numbers(b"".join(filled), kind), lengths


def _scores(found: _Part, has_scores: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the scores of each ranking, NaN where none are kept."""
    n_measures = set(found.sizes[found.sizes > 0].tolist())
    if len(n_measures) > 1:
        raise DamagedCellError("of one outcome more scores are kept than of another")
    scores = np.full((len(has_scores), *(n_measures or {0})), np.nan)
    if has_scores.any():
        scores[has_scores] = found.scores.reshape(has_scores.sum(), -1)
    return scores
