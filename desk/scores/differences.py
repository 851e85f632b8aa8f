"""How far two rankers are apart by each measure, and how sure that is.

Report issues of one report are alike, so whole reports are drawn again, and their signs turned: what comes out holds
for the reports of a service, not for so many thousand independent lists. Where there are too few reports for any test
of them to be sure, issues take their place: what many reports have in one week is alike as well.
"""

import math
import sys
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from desk.scores.at_once import p_at_once, places_upwards
from desk.scores.pairs import Paired
from desk.scores.registry import MEASURES
from desk.scores.table import MEASURED
from metrics.batch import Floats
from metrics.paired_tests import holm, p_values_of_pairs

NATURAL = "natural_order"  # stands in the tables beside the measures
BY_MEDIAN = ("ponori",)  # one bad issue drowns their mean
SURE = 0.05  # p below which a difference is no chance
TAILS = (0.025, 0.975)
DRAWS = 9_999
DRAWS_OF_MEDIANS = 999  # each looks at all report issues
SEED = 0  # any will do, but always the same
TESTS = ("wilcoxon", "permutation")
MEANS = ("mean", "mean_against", "difference", "low", "high", "usual", "n_cases")
COLUMNS = ["measure", "ranker", *MEANS, "tukey", *TESTS]


class Units(NamedTuple):
    """What is drawn again as a whole: of which kind, and the number of each report issue's, from 0.

    With fewer than `least`, no test of them can be sure.
    """

    kind: Literal["report", "issue"]
    codes: NDArray[np.intp]
    least: int

    @property
    def n(self) -> int:
        """How many there are."""
        return int(self.codes.max(initial=-1)) + 1


def least_units(n_tests: int) -> int:
    """Return how many units it takes for the smallest p there can be to stay below `SURE` among so many tests.

    That is 2 of all ways to choose the signs of the units, times the number of tests.

    Examples
    --------
    >>> least_units(1), least_units(3), least_units(60)
    (6, 7, 12)
    """
    return math.floor(math.log2(2 * n_tests / SURE)) + 1


def units_of_leads(paired: Paired) -> Units:
    """Return the units that `leads` tests; the tests are as many as there are pairs of rankers."""
    return _units(paired.cases, math.comb(len(paired.rankers), 2))


def units_of_differences(paired: Paired) -> Units:
    """Return the units that `differences` tests; the tests are as many as measures times pairs of rankers."""
    return _units(paired.cases, math.comb(len(paired.rankers), 2) * len(_tested_measures(paired)))


def _units(cases: pd.DataFrame, n_tests: int) -> Units:
    """Take reports, if there are enough for that many tests or more than issues, or else issues."""
    least, n_reports = least_units(n_tests), cases["report"].nunique()
    is_enough = n_reports >= least or n_reports > cases["issue"].nunique()
    kind: Literal["report", "issue"] = "report" if is_enough else "issue"
    return Units(kind, pd.factorize(cases[kind])[0], least)


def _tested_measures(paired: Paired) -> list[str]:
    """Name the measures that are tested: by means, and with a value of every ranker."""
    scores = paired.scores.values()
    return [name for name in MEASURED if name not in BY_MEDIAN and all(each[name].notna().any() for each in scores)]


def leads(paired: Paired, against: str) -> pd.DataFrame:
    """Compute how far every other ranker leads one in natural order.

    Parameters
    ----------
    paired : Paired
        With a report issue at least.
    against : str
        One of its rankers.

    Returns
    -------
    DataFrame, a row another ranker
        Columns as of `differences`. ``measure`` is `NATURAL`; ``difference`` is the share of report issues on which the
        ranker is better, less that on which it is worse; there are no means. The tests are corrected over all pairs of
        the rankers; ``tukey`` is of their places among all of them.
    """
    of = units_of_leads(paired)
    tukey = p_at_once({name: _totals(places_upwards(paired, name), of) for name in paired.rankers}, against)
    rows, totals = [], []
    for name in paired.rankers:
        if name != against:
            better = -paired.signs(name, against).astype(float)
            rows.append({"measure": NATURAL, "ranker": name, "tukey": tukey[name], **_spread_of(NATURAL, better, of)})
            totals.append((_totals(better, of), np.zeros(of.n)))
    return _tested(rows, totals, n_pairs=math.comb(len(paired.rankers), 2))


def differences(paired: Paired, against: str) -> pd.DataFrame:
    """Return by each measure how far every other ranker is from one.

    Parameters
    ----------
    paired, against
        As for `leads`.

    Returns
    -------
    DataFrame, a row a measure and other ranker
        ``measure``, a name from `MEASURED`; ``ranker``. ``mean`` and ``mean_against``, of the report issues on which
        the measure is defined, ``n_cases``, and their ``difference``, in the measure's unit; medians for `BY_MEDIAN`.
        ``low`` and ``high``: its bootstrap interval of 95 %, NaN for a single unit. ``usual``: root mean square of the
        differences on the report issues, 0 if they are all 0, so that a mean difference is from -1 to 1 of it, and 1 if
        all are the same. `TESTS`: those of `paired_tests` on the totals of the units; and the same with ``_holm``,
        corrected over all measures and all pairs of the rankers. ``tukey``: all pairs of the rankers tested at once on
        these totals, see `at_once.p_at_once`; each measure stands by itself. NaN for `BY_MEDIAN`, for a single unit,
        and for a measure without a value.
    """
    of, tested = units_of_differences(paired), _tested_measures(paired)
    others = [name for name in paired.rankers if name != against]
    better = {name: -paired.signs(name, against) for name in others}
    rows, totals = [], []
    for measure in MEASURED:
        values = {name: _values(paired, measure, name) for name in paired.rankers}
        sums = {name: _totals(values[name], of) for name in paired.rankers}
        tukey = p_at_once(sums, against) if measure in tested else dict.fromkeys(others, math.nan)
        for name in others:
            means = {"mean": _middle(measure, values[name]), "mean_against": _middle(measure, values[against])}
            apart = values[name] - values[against]
            if MEASURES[measure].gap:  # where floats see no difference, there may be one all the same
                apart = np.where(apart == 0, better[name] * sys.float_info.min, apart)
            named = {"measure": measure, "ranker": name, "tukey": tukey[name]}
            rows.append(named | means | _spread_of(measure, apart, of))
            totals.append((sums[name], sums[against]) if measure in tested else None)
    return _tested(rows, totals, n_pairs=math.comb(len(paired.rankers), 2))


def bootstrap(values: Floats, of: Units) -> tuple[float, float]:
    """Return the interval in which 95 % of the means lie when units are drawn again, as many as there are.

    Parameters
    ----------
    values : ndarray of float64, shape (n_cases,)
        NaN are left out.
    of : Units
        Of the cases.

    Examples
    --------
    >>> low, high = bootstrap(np.array([0.0, 1.0] * 50), Units("report", np.repeat(np.arange(50), 2), 6))
    >>> low, high  # every report has the same mean
    (0.5, 0.5)
    """
    if of.n < 2:
        return math.nan, math.nan
    is_there = ~np.isnan(values)
    totals = np.bincount(of.codes, np.where(is_there, values, 0), of.n)
    counts = np.bincount(of.codes, is_there, of.n)
    drawn = _draws(of.n, DRAWS)
    n_cases = drawn @ counts
    low, high = np.quantile((drawn @ totals)[n_cases > 0] / n_cases[n_cases > 0], TAILS)
    return float(low), float(high)


def bootstrap_of_median(values: Floats, of: Units) -> tuple[float, float]:
    """Return the interval of the medians, as `bootstrap` does of the means."""
    if of.n < 2:
        return math.nan, math.nan
    is_there = ~np.isnan(values)
    order = np.argsort(values[is_there])
    weights = _draws(of.n, DRAWS_OF_MEDIANS)[:, of.codes[is_there][order]].cumsum(axis=1)
    weights = weights[weights[:, -1] > 0]
    middle = (weights >= weights[:, -1:] / 2).argmax(axis=1)
    low, high = np.quantile(values[is_there][order][middle], TAILS)
    return float(low), float(high)


@cache
def _draws(n_units: int, n_draws: int) -> Floats:
    """Return how often each unit is drawn, shape (n_draws, n_units)."""
    evenly = np.full(n_units, 1 / n_units)
    return np.random.default_rng(SEED).multinomial(n_units, evenly, size=n_draws).astype(float)


def _values(paired: Paired, measure: str, ranker: str) -> Floats:
    """Return a measure's values; where floats can't tell good ones apart, minus their distances from the best."""
    if MEASURES[measure].gap:
        return -paired.distances[ranker][measure].to_numpy(dtype=float)
    return paired.scores[ranker][measure].to_numpy(dtype=float)


def _middle(measure: str, values: Floats) -> float:
    defined = values[~np.isnan(values)]
    if not defined.size:
        return math.nan
    middle = np.median(defined) if measure in BY_MEDIAN else defined.mean()
    return float(middle) + (1 if MEASURES[measure].gap else 0)


def _root_mean_square(values: Floats) -> float:
    largest = np.abs(values).max()  # the square of what is near 0 may be 0
    return float(largest * np.sqrt(np.square(values / largest).mean())) if largest else 0.0


def _spread_of(measure: str, apart: Floats, of: Units) -> dict[str, float]:
    defined = apart[~np.isnan(apart)]
    if not defined.size:
        return {"difference": math.nan, "low": math.nan, "high": math.nan, "usual": math.nan, "n_cases": 0}
    by_median = measure in BY_MEDIAN
    low, high = bootstrap_of_median(apart, of) if by_median else bootstrap(apart, of)
    return {
        "difference": float(np.median(defined) if by_median else defined.mean()),
        "low": low,
        "high": high,
        "usual": _root_mean_square(defined),
        "n_cases": defined.size,
    }


def _totals(values: Floats, of: Units) -> Floats:
    """Sum the values of each unit, so scaled that the mean over units is the mean over cases."""
    is_there = ~np.isnan(values)
    totals: Floats = np.bincount(of.codes, np.where(is_there, values, 0), of.n) * (of.n / max(is_there.sum(), 1))
    return totals


def _tested(
    rows: list[dict[str, object]], totals: Sequence[tuple[Floats, Floats] | None], *, n_pairs: int
) -> pd.DataFrame:
    """Add the tests to the rows that have totals of two rankers; all at once, so that one set of sign flips serves."""
    table = pd.DataFrame(rows, columns=COLUMNS)
    numbers = [number for number, both in enumerate(totals) if both is not None and len(both[0]) > 1]
    if numbers:
        first, second = (np.column_stack(side) for side in zip(*(totals[number] for number in numbers), strict=True))
        _, tests = p_values_of_pairs(first, second)
        table.loc[numbers, list(TESTS)] = pd.DataFrame(tests, index=numbers)
    table = table.astype(dict.fromkeys(TESTS, float))
    family = n_pairs * table.loc[numbers, "measure"].nunique()
    corrected = {name: holm(table.loc[numbers, name].to_numpy(dtype=float), family=family) for name in TESTS}
    return table.join(pd.DataFrame(corrected, index=numbers).add_suffix("_holm"))
