"""Contradictions between measures and the natural order, for pairs of rankers on the same report issue.

Two rankings of the same issue for the same report have equal numbers of papers (n) and relevant papers (r). The ranking
that is better in natural order requires less reading. A measure misleads if it prefers the other ranking.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.scores.exact_values import STRICT, UNDEFINED, Rows, Signs, preferences
from presort.desk.scores.table import MEASURED
from presort.metrics import Outcome, natural_order_key
from presort.metrics.batch import Batch

AT_ONCE = 20_000  # number of pairs per batch, limited to save memory
SIGNS = {"agrees": 1, "cannot_tell": 0, "misleads": -1}  # values in `PairVerdicts.verdicts`


@dataclass(frozen=True, eq=False)
class PairVerdicts:
    """Pairs of rankers on the same report issue, and the ranker in each pair that each measure prefers.

    Attributes
    ----------
    pairs : DataFrame
        One row per pair: ``report``; ``issue``; ``better`` and ``worse``, the better and the worse ranker in natural
        order; ``better_row`` and ``worse_row``, their 0-based rows in the table of scores; ``is_decided``, False if
        both outcomes are the same; and ``papers_more``, the last relevant position of the worse ranker minus that of
        the better one.
    verdicts : DataFrame of int8, shape (n_pairs, n_measures)
        1 if the measure prefers the better ranker, -1 if it prefers the worse one, 0 if it has no preference, and
        `UNDEFINED` if it has no value.
    n_left_out : int
        Number of pairs that can't be compared because no paper is relevant, or because r or n differ.
    """

    pairs: pd.DataFrame
    verdicts: pd.DataFrame
    n_left_out: int


def judge(scores: pd.DataFrame) -> PairVerdicts:
    """Compare every measure with the natural order, for all pairs of rankers on all report issues.

    Parameters
    ----------
    scores : DataFrame
        Result of `presort.desk.scores.table.scores`.

    Returns
    -------
    PairVerdicts
        Built-in measures that follow the natural order strictly (Krichel 2007) always agree with it, even if their
        values for different outcomes are equal as floats. For other measures, a difference of at most 1e-12 (relative
        for values above 1) may be a rounding error and is not a preference.
    """
    first, second, n_left_out = _comparable_pairs(scores)
    order = natural_signs(Batch.of(scores["outcome"].to_list()), first, second)
    better, worse = np.where(order > 0, second, first), np.where(order > 0, first, second)
    last = scores["last_relevant_position"].to_numpy()
    columns = {name: scores[name].to_numpy()[better] for name in ("report", "issue")}
    columns |= {"better": scores["ranker"].to_numpy()[better], "worse": scores["ranker"].to_numpy()[worse]}
    columns |= {"better_row": better, "worse_row": worse, "is_decided": order != 0}
    pairs = pd.DataFrame(columns | {"papers_more": (last[worse] - last[better]).astype(int)})
    agrees = (order != 0).astype(np.int8)
    verdicts = {name: agrees if name in STRICT else preferences(name, scores, better, worse) for name in MEASURED}
    return PairVerdicts(pairs, pd.DataFrame(verdicts), n_left_out)


def counts(judged: PairVerdicts, is_asked: NDArray[np.bool_]) -> pd.DataFrame:
    """Count how often each measure misleads.

    Parameters
    ----------
    judged : PairVerdicts
        Result of `judge`.
    is_asked : array of bool, shape (n_pairs,)
        Mask of the pairs to count.

    Returns
    -------
    DataFrame
        One row per measure, the most misleading measure first. ``decided`` is the number of pairs with different
        outcomes on which the measure has a value. It is the sum of ``agrees``, ``cannot_tell`` and ``misleads``;
        ``share_cannot_tell`` and ``share_misleads`` are shares of it, NaN if it is 0. ``papers_more`` is the mean over
        the pairs on which the measure misleads, or NaN if there are none.
    """
    is_decided = judged.pairs["is_decided"].to_numpy() & is_asked
    verdicts, papers_more = judged.verdicts[is_decided], judged.pairs.loc[is_decided, "papers_more"]
    table = pd.DataFrame(
        {
            "measure": list(verdicts),
            "decided": (verdicts != UNDEFINED).sum().to_numpy(),
            **{name: (verdicts == sign).sum().to_numpy() for name, sign in SIGNS.items()},
            "papers_more": [papers_more[verdicts[name] < 0].mean() for name in verdicts],
        }
    )
    decided = table["decided"].where(table["decided"] > 0)
    table.insert(5, "share_cannot_tell", table["cannot_tell"] / decided)
    table.insert(6, "share_misleads", table["misleads"] / decided)
    return table.sort_values(["misleads", "cannot_tell"], ascending=False, kind="stable", ignore_index=True)


def cases(judged: PairVerdicts, scores: pd.DataFrame, measure: str, is_asked: NDArray[np.bool_]) -> pd.DataFrame:
    """List the pairs on which a measure prefers the ranker that is worse in natural order, worst case first.

    Parameters
    ----------
    judged : PairVerdicts
        Result of `judge` for `scores`.
    scores : DataFrame
        Result of `presort.desk.scores.table.scores`.
    measure : str
        One of `MEASURED`.
    is_asked : array of bool, shape (n_pairs,)
        Mask of the pairs to list.

    Returns
    -------
    DataFrame
        Columns of `PairVerdicts.pairs` except ``is_decided``; ``n_relevant`` and ``n_papers``; ``better_last`` and
        ``worse_last``, the last relevant positions of the two rankers; ``better_value`` and ``worse_value``, their
        values of the measure; ``surer_than``, the share of decided pairs whose values differ less; and ``how_bad``,
        ``papers_more`` times ``surer_than``. Sorted by ``papers_more`` and then ``surer_than``, both descending.
    """
    is_decided = judged.pairs["is_decided"].to_numpy()
    rows = judged.pairs[["better_row", "worse_row"]].to_numpy()
    sizes = np.abs(np.diff(scores[measure].to_numpy()[rows], axis=1))[:, 0]
    is_case = is_decided & is_asked & (judged.verdicts[measure].to_numpy() < 0)
    found = judged.pairs[is_case].drop(columns="is_decided").reset_index(drop=True)
    better, worse = (scores.iloc[found[name]].reset_index(drop=True) for name in ("better_row", "worse_row"))
    all_sizes = np.sort(sizes[is_decided & ~np.isnan(sizes)])
    surer_than = np.searchsorted(all_sizes, sizes[is_case]) / max(len(all_sizes), 1)
    found = found.assign(
        n_relevant=better["n_relevant"],
        n_papers=better["n_papers"],
        better_last=better["last_relevant_position"].astype(int),
        worse_last=worse["last_relevant_position"].astype(int),
        better_value=better[measure],
        worse_value=worse[measure],
        surer_than=surer_than,
        how_bad=found["papers_more"] * surer_than,
    )
    worst_first = ["papers_more", "surer_than"]
    return found.sort_values(worst_first, ascending=False, kind="stable", ignore_index=True)


def deciding_places(better: Outcome, worse: Outcome) -> tuple[int, int]:
    """Return the two positions that decide which of two outcomes is better in natural order.

    The relevant papers are compared pairwise, from the last to the first. The first two different positions decide.

    Examples
    --------
    >>> deciding_places(Outcome([1, 4, 9], n=10), Outcome([2, 6, 9], n=10))
    (4, 6)
    """
    keys = zip(natural_order_key(better), natural_order_key(worse), strict=True)
    return next((one, other) for one, other in keys if one != other)


def natural_signs(batch: Batch, first: Rows, second: Rows) -> Signs:
    """Compare many pairs of outcomes in natural order. The outcomes in a pair have the same n and the same r > 0.

    Parameters
    ----------
    batch : Batch
        All outcomes.
    first, second : array of int, shape (n_pairs,)
        Indices of the two outcomes in each pair.

    Returns
    -------
    array of int8, shape (n_pairs,)
        -1 if the first outcome is better, 1 if the second is, 0 if they are the same, as in `metrics.compare_natural`.
    """
    starts = range(0, len(first), AT_ONCE)
    parts = [_natural_signs(batch, first[start : start + AT_ONCE], second[start : start + AT_ONCE]) for start in starts]
    return np.concatenate([*parts, np.zeros(0, dtype=np.int8)])


def _natural_signs(batch: Batch, first: Rows, second: Rows) -> Signs:
    lengths = batch.r[first]
    starts = np.cumsum(lengths) - lengths
    within = np.arange(lengths.sum()) - np.repeat(starts, lengths)
    laid = [batch.positions[np.repeat(batch.starts[rows], lengths) + within] for rows in (first, second)]
    apart = laid[0] - laid[1]
    deciding = np.maximum.reduceat(np.where(apart != 0, np.arange(apart.size), -1), starts)
    return np.where(deciding < 0, 0, np.sign(apart[deciding])).astype(np.int8)


def _comparable_pairs(scores: pd.DataFrame) -> tuple[Rows, Rows, int]:
    """Pair the rows of each report issue that have the same n and the same r > 0. Also count the other pairs."""
    first, second = _pairs(scores)
    r, n = (scores[name].to_numpy() for name in ("n_relevant", "n_papers"))
    is_comparable = (r[first] == r[second]) & (n[first] == n[second]) & (r[first] > 0)
    return first[is_comparable], second[is_comparable], int((~is_comparable).sum())


def _pairs(scores: pd.DataFrame) -> tuple[Rows, Rows]:
    """Return all pairs of rows for the same report issue. The rows of a report issue must be consecutive."""
    group = scores.groupby(["report", "issue"], sort=False).ngroup().to_numpy()
    most = int(np.bincount(group).max(initial=1))
    firsts = [np.flatnonzero(group[apart:] == group[:-apart]) for apart in range(1, most)]
    seconds = [first + apart for apart, first in enumerate(firsts, start=1)]
    nothing = [np.zeros(0, dtype=np.intp)]
    return np.concatenate(firsts or nothing), np.concatenate(seconds or nothing)
