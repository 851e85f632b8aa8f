"""What measures say of each outcome: kept beside it, so that whoever looks has nothing measured; and read by column."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, Select, delete, func, insert, select

from data.catalogue import report_id
from data.errors import DamagedCellError
from data.learning.official import CONDITION
from data.learning.outcomes import IS_SORTED, with_outcome
from data.learning.plain_rows import plain_parts
from data.records import Positions, ScoredColumns
from data.store import Store
from data.tables import IssueRow, OutcomeRow, OutcomeScoresRow, RankingRow, ReportIssueRow, ReportRow, SettingRow
from data.tables.positions import POSITION, SCORE, numbers

KEPT_AT_ONCE = 2_000  # outcomes measured under one lock, some milliseconds
MEASURED_BY = "outcome-scores"  # the setting that tells by which measures
COLUMNS: Mapping[str, tuple[Any, type]] = {  # of `ScoredColumns`; numbers stand for reports and issues at first
    "ranking_id": (RankingRow.id, np.int64),
    "report": (RankingRow.report_id, np.int64),
    "issue": (RankingRow.issue_id, np.int64),
    "ranker": (RankingRow.ranker, np.object_),
    "replay": (func.coalesce(RankingRow.replay_id, 0), np.int64),
    "condition": (CONDITION, np.int64),
    "is_trained": (IS_SORTED, np.bool_),
    "is_judged": (ReportIssueRow.ended == "all", np.bool_),
    "was_read_whole": (func.length(ReportIssueRow.unread) == 0, np.bool_),
    "n_papers": (OutcomeRow.n_papers, np.int64),
}
Counts = NDArray[np.int64]
Measure = Callable[[Positions, Counts, Counts], NDArray[np.float64]]


def keep_scores(store: Store, measure: Measure, version: str) -> int:
    """Measure every outcome of which no scores are kept, keep them, and return how many outcomes that were.

    What other measures said is let go first. Where nothing is missing no lock is taken. Where a Presort of another
    version begins anew meanwhile, the rest is left to the next call: two of them side by side don't undo each other's
    work for ever.

    Parameters
    ----------
    measure : callable
        From places laid end to end, and how many relevant papers and how many papers each outcome has, to the scores,
        of shape (n_outcomes, n_measures).
    version : str
        Of the measures: another one wherever any of them may say something else.

    Notes
    -----
    A damaged outcome is passed over, so that no other has to go without; whoever reads it is told.
    """
    with store.reading() as connection:
        is_begun = _version(connection) == version
        if is_begun and _is_whole(connection):
            return 0
    if not is_begun:
        with store.writing() as connection:
            if _version(connection) != version:
                _begin_anew(connection, version)
    with store.reading() as connection:
        missing = connection.scalars(_missing(OutcomeRow.ranking_id)).all()
    n_kept = 0
    for start in range(0, len(missing), KEPT_AT_ONCE):
        part = missing[start : start + KEPT_AT_ONCE]
        with store.writing() as connection:
            if _version(connection) != version:
                break
            n_kept += _keep_some(connection, measure, part[0], part[-1])
    return n_kept


def _keep_some(connection: Connection, measure: Measure, first: int, last: int) -> int:
    """Measure what nobody else has measured meanwhile of the rankings between two, and return how many they were."""
    columns = (OutcomeRow.ranking_id, OutcomeRow.n_papers, OutcomeRow.places)
    rows = connection.execute(_missing(*columns).where(OutcomeRow.ranking_id.between(first, last))).all()
    try:
        laid = _laid_outcomes(rows)
    except DamagedCellError:
        laid = _laid_outcomes([row for row in rows if _is_sound(row)])
    scores = measure(*laid[1:]).astype(SCORE)
    made = [{"ranking_id": number, "numbers": one.tobytes()} for number, one in zip(laid[0], scores, strict=True)]
    if made:
        connection.execute(insert(OutcomeScoresRow), made)
    return len(made)


def _laid_outcomes(rows: Sequence[Row[int, int, bytes]]) -> tuple[list[int], Positions, Counts, Counts]:
    """Return ids, places laid end to end, and how many relevant papers and papers each outcome has."""
    ids = [row.ranking_id for row in rows]
    places, n_relevant = _laid([row.places for row in rows], POSITION)
    n_papers = np.array([row.n_papers for row in rows], dtype=np.int64)
    _check_places(ids, places, n_relevant, n_papers)
    return ids, places, n_relevant, n_papers


def _is_sound(row: Row[int, int, bytes]) -> bool:
    try:
        _laid_outcomes([row])
    except DamagedCellError:
        return False
    return True


def scored_columns(store: Store, version: str, report: str | None = None) -> ScoredColumns:
    """Read every ranking that has an outcome, of one report or of all, and what is kept that these measures said."""
    with store.reading() as connection:
        codes = connection.execute(select(ReportRow.id, ReportRow.code)).all()
        days = connection.execute(select(IssueRow.id, IssueRow.date)).all()
        query = with_outcome(*(column for column, _ in COLUMNS.values()), OutcomeRow.places, OutcomeScoresRow.numbers)
        query = query.outerjoin(OutcomeScoresRow, OutcomeScoresRow.ranking_id == OutcomeRow.ranking_id)
        if report is not None:
            query = query.where(RankingRow.report_id == report_id(connection, report))
        parts = [_arrays(rows) for rows in plain_parts(connection, query)] or [_arrays([])]  # in no order: sooner read
        *columns, places, n_relevant, scores, n_scores = map(np.concatenate, zip(*parts, strict=True))
        found = dict(zip(COLUMNS, columns, strict=True))
        found["report"] = _named(codes, found["report"], "O")
        found["issue"] = _named(days, found["issue"], "datetime64[D]")
        _check_places(found["ranking_id"], places, n_relevant, found["n_papers"])
        has_scores = (n_scores > 0) & (_version(connection) == version)
        scores = _scores(scores, n_scores, has_scores)
        return ScoredColumns(**found, n_relevant=n_relevant, places=places, has_scores=has_scores, scores=scores)


def _arrays(rows: Sequence[tuple[Any, ...]]) -> list[NDArray[Any]]:
    """Return `COLUMNS` of some rows, and places and scores of all laid end to end, each with their lengths."""
    *columns, places, scores = zip(*rows, strict=True) if rows else [()] * (len(COLUMNS) + 2)
    kinds = (kind for _, kind in COLUMNS.values())
    plain: list[NDArray[Any]] = [np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    return [*plain, *_laid(places, POSITION), *_laid(scores, SCORE)]


def _named(pairs: Sequence[Row[int, Any]], ids: NDArray[np.int64], kind: str) -> NDArray[Any]:
    """Look up what belongs to each id; ids are small."""
    values = np.empty(max((one for one, _ in pairs), default=0) + 1, dtype=kind)
    for one, value in pairs:
        values[one] = value
    return values[ids]


def _version(connection: Connection) -> str | None:
    return connection.execute(select(SettingRow.value).where(SettingRow.name == MEASURED_BY)).scalar()


def _is_whole(connection: Connection) -> bool:
    """Return whether there are as many scores as outcomes; there are none without."""
    n_outcomes, n_kept = (
        select(func.count()).select_from(row).scalar_subquery() for row in (OutcomeRow, OutcomeScoresRow)
    )
    return bool(connection.execute(select(n_outcomes == n_kept)).scalar_one())


def _begin_anew(connection: Connection, version: str) -> None:
    connection.execute(delete(OutcomeScoresRow))
    connection.execute(delete(SettingRow).where(SettingRow.name == MEASURED_BY))
    connection.execute(insert(SettingRow).values(name=MEASURED_BY, value=version))


def _missing(*columns: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .select_from(OutcomeRow)
        .outerjoin(OutcomeScoresRow, OutcomeScoresRow.ranking_id == OutcomeRow.ranking_id)
        .where(OutcomeScoresRow.ranking_id.is_(None))
        .order_by(OutcomeRow.ranking_id)
    )


def _laid(cells: Sequence[bytes | None], kind: np.dtype) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Lay the numbers of cells end to end, and return how many each has; an empty one has none."""
    filled = [cell or b"" for cell in cells]
    lengths, rests = np.divmod(np.array([len(cell) for cell in filled], dtype=np.int64), kind.itemsize)
    if rests.any():
        raise DamagedCellError(f"a part of a number stands where numbers of {kind.itemsize} bytes should")
    return numbers(b"".join(filled), kind), lengths


def _check_places(
    ids: Sequence[int] | NDArray[np.int64],
    places: Positions,
    n_relevant: NDArray[np.int64],
    n_papers: NDArray[np.int64],
) -> None:
    """Raise if the places of an outcome do not ascend from 1, or go beyond its papers."""
    ends = np.cumsum(n_relevant)
    is_some = n_relevant > 0
    before = np.zeros_like(places)
    before[1:] = places[:-1]
    before[(ends - n_relevant)[is_some]] = 0
    wrong = np.flatnonzero(is_some)[places[ends[is_some] - 1] > n_papers[is_some]]
    if not len(wrong):
        wrong = np.searchsorted(ends, np.flatnonzero(places <= before), side="right")
    if len(wrong):
        raise DamagedCellError(f"the places of ranking {ids[wrong[0]]} are not ascending places of its papers")


def _scores(
    laid: NDArray[np.float64], lengths: NDArray[np.int64], has_scores: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the scores of each ranking, NaN where none are kept."""
    n_measures = set(lengths[lengths > 0].tolist())
    if len(n_measures) > 1:
        raise DamagedCellError("of one outcome more scores are kept than of another")
    scores = np.full((len(lengths), *(n_measures or {0})), np.nan)
    if has_scores.any():
        scores[has_scores] = laid.reshape(has_scores.sum(), -1)
    return scores
