"""Papers and minutes that a ranker saves, compared with each other ranker, with a confidence interval and a test.

The number of papers saved on a report issue is the difference between the last relevant positions. The report issues of
one report are correlated, so the interval and the test flip the signs of whole reports instead of individual lists.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from presort.desk.scores.differences import SURE, Units, units_of_leads
from presort.desk.scores.pairs import PairedScores
from presort.metrics.batch import Floats
from presort.metrics.paired_tests import holm
from presort.metrics.sign_flips import mean_interval

LAST = "last_relevant_position"


@dataclass(frozen=True)
class PairResult:
    """Comparison of a ranker with one opponent on the same report issues.

    Attributes
    ----------
    ranker, opponent : str
        Names of the two rankers.
    earlier, same, later : int
        Numbers of report issues on which the ranker is better in natural order, equal, and worse.
    papers, minutes : float
        Mean papers and minutes saved per list. Negative if the opponent saves more.
    low, high : float
        95 % confidence interval of the papers saved. NaN with fewer than 6 `Units`.
    p : float
        p-value of the papers saved, corrected for all pairs of rankers (Holm). NaN if there are too few units for a
        significant result.
    """

    ranker: str
    opponent: str
    earlier: int
    same: int
    later: int
    papers: float
    minutes: float
    low: float
    high: float
    p: float

    @property
    def n(self) -> int:
        """Number of report issues."""
        return self.earlier + self.same + self.later

    @property
    def is_clear(self) -> bool:
        """True if the ranker saves significantly many papers and is better on at least as many lists as it is worse."""
        return self.p < SURE and self.papers > 0 and self.earlier >= self.later


def least_read(paired: PairedScores) -> str:
    """Return the ranker with the earliest last relevant paper on average.

    Ties are broken by the mean rank in natural order, and then by the order of `PairedScores.rankers`.
    """
    # Rounded so that floating-point noise doesn't break ties.
    means = {name: round(float(paired.scores[name][LAST].mean()), 9) for name in paired.rankers}
    return min(paired.rankers, key=lambda name: (means[name], paired.places[name].mean()))


def pair_results(paired: PairedScores, ranker: str, minutes: Floats) -> list[PairResult]:
    """Compare a ranker with each of the other rankers.

    Parameters
    ----------
    paired : PairedScores
        Comparison with at least one report issue.
    ranker : str
        One of `paired.rankers`.
    minutes : ndarray of float64, shape (n_cases,)
        Reading time per paper on each report issue.

    Returns
    -------
    list of PairResult
        Sorted by papers saved, strongest opponent first. The interval is over reports, or over issues if there are too
        few reports for a significant difference: see `units_of_leads`.
    """
    of = units_of_leads(paired)
    found = [_pair_result(paired, ranker, name, minutes, of) for name in paired.rankers if name != ranker]
    if of.n >= of.least:  # with fewer units, all p-values are NaN
        p_values = holm(np.array([one.p for one in found]), family=math.comb(len(paired.rankers), 2))
        found = [replace(one, p=float(p)) for one, p in zip(found, p_values, strict=True)]
    return sorted(found, key=lambda one: (one.papers, one.opponent))


def compare_recommended(paired: PairedScores, reference: str, minutes: Floats) -> list[PairResult]:
    """Compare the recommended ranker with each of the other rankers.

    The ranker that requires the least reading is recommended if it clearly beats the reference. Otherwise, the
    reference is recommended.

    Parameters
    ----------
    paired, minutes
        See `pair_results`.
    reference : str
        One of `paired.rankers`, usually the active ranker.
    """
    best = least_read(paired)
    found = pair_results(paired, best, minutes)
    if best == reference or any(one.opponent == reference and one.is_clear for one in found):
        return found
    return pair_results(paired, reference, minutes)


def papers_saved(paired: PairedScores, ranker: str, opponent: str) -> Floats:
    """Return how many papers a ranker saves on each report issue, compared with an opponent.

    Returns
    -------
    ndarray of float64, shape (n_cases,)
        Difference between the last relevant positions. Negative if the opponent ranks the last relevant paper earlier.
    """
    saved: Floats = (paired.scores[opponent][LAST] - paired.scores[ranker][LAST]).to_numpy(dtype=float)
    return saved


def average_by_report(paired: PairedScores, ranker: str, opponent: str) -> pd.DataFrame:
    """For each report, average the number of papers saved per list.

    Returns
    -------
    DataFrame
        Columns ``report``, ``papers`` (mean), ``report_issues`` (number), and ``earlier`` and ``later``, the numbers of
        report issues on which the ranker is better or worse in natural order. Most papers saved first.
    """
    signs = paired.signs(ranker, opponent)
    saved = paired.cases[["report"]].assign(
        papers=papers_saved(paired, ranker, opponent), earlier=signs < 0, later=signs > 0
    )
    groups = saved.groupby("report")
    table = groups.agg(papers=("papers", "mean"), report_issues=("papers", "size"))
    table = table.join(groups[["earlier", "later"]].sum()).reset_index()
    return table.sort_values(["papers", "report"], ascending=[False, True], ignore_index=True)


def _pair_result(paired: PairedScores, ranker: str, opponent: str, minutes: Floats, of: Units) -> PairResult:
    """Compare two rankers. The p-value is not corrected."""
    saved, signs = papers_saved(paired, ranker, opponent), paired.signs(ranker, opponent)
    earlier, same, later = (int((signs == sign).sum()) for sign in (-1, 0, 1))
    totals = np.bincount(of.codes, saved, of.n).astype(float)
    interval = mean_interval(totals, np.bincount(of.codes, minlength=of.n).astype(float))
    return PairResult(
        ranker,
        opponent,
        earlier,
        same,
        later,
        papers=float(saved.mean()),
        minutes=float((saved * minutes).mean()),
        low=interval.low,
        high=interval.high,
        p=interval.p if of.n >= of.least else math.nan,
    )
