"""Differences of two rankers by each measure, with confidence intervals and tests.

Report issues of one report are alike, so the signs of whole reports are flipped: what comes out holds for the reports
of a service, not for so many thousand independent lists. If there are too few reports for any test to be significant,
issues take their place in the tests, because what many reports have in one week is alike as well. That says nothing of
other reports, and so there is an interval only over reports.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.scores.pairs import Paired
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED
from presort.metrics import tukey_hsd
from presort.metrics.batch import Floats
from presort.metrics.paired_tests import holm, p_values_of_pairs
from presort.metrics.sign_flips import mean_interval, median_interval

NATURAL = "natural_order"  # name in the tables in addition to the measures
BY_MEDIAN = ("ponori",)  # one bad issue drowns their mean
SURE = 0.05  # p below which a difference is significant
LEAST_REPORTS = 6  # for an interval: with fewer, sign flips never reach p < 0.05
TESTS = ("wilcoxon", "permutation")
LEAST_RANKERS = 3  # two are a single pair, for which other tests do
MEANS = ("mean", "mean_against", "difference", "low", "high", "p", "usual", "n_cases")
COLUMNS = ["measure", "ranker", *MEANS, "tukey", *TESTS]


class Units(NamedTuple):
    """Units whose signs are flipped as a whole: their kind, and the number of each report issue's unit, from 0.

    With fewer than `least`, no test of them can be significant.
    """

    kind: Literal["report", "issue"]
    codes: NDArray[np.intp]
    least: int

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.codes.max(initial=-1)) + 1


def least_units(n_tests: int) -> int:
    """Return the number of units needed for the smallest possible p to be below `SURE` among so many tests.

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
        the rankers; if they are over issues, there is no interval; ``tukey`` is of their places among all of them.
    """
    of, reports = units_of_leads(paired), pd.factorize(paired.cases["report"])[0]
    tukey = p_at_once({name: _totals(places_upwards(paired, name), of) for name in paired.rankers}, against)
    rows, totals = [], []
    for name in paired.rankers:
        if name != against:
            better = -paired.signs(name, against).astype(float)
            spread = _spread_of(NATURAL, better, reports)
            if of.kind == "issue":  # the verdict goes by issues; an interval over reports might contradict it
                spread |= dict.fromkeys(("low", "high", "p"), math.nan)
            rows.append({"measure": NATURAL, "ranker": name, "tukey": tukey[name], **spread})
            totals.append((_totals(better, of), np.zeros(of.n)))
    return _tested(rows, totals, of, n_pairs=math.comb(len(paired.rankers), 2))


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
        ``low``, ``high`` and ``p``: its 95 % confidence interval over reports by `presort.metrics.sign_flips`, NaN with
        too few reports (`LEAST_REPORTS`), and the p-value of this ranker and measure alone, below 0.05 if and only if 0
        is outside the interval. ``usual``: root mean square of the differences on the report issues, 0 if they are all
        0, so that a mean difference is from -1 to 1 of it, and 1 if all are the same. `TESTS`: those of `paired_tests`
        on the totals of the units; and the same with ``_holm``, corrected over all measures and all pairs of the
        rankers. ``tukey``: all pairs of the rankers tested at once on these totals, separately for each measure, see
        `p_at_once`. These are NaN for `BY_MEDIAN`, for a single unit, and for a measure without a value.
    """
    of, tested = units_of_differences(paired), _tested_measures(paired)
    reports = pd.factorize(paired.cases["report"])[0]
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
            if MEASURES[measure].loss:  # where floats see no difference, there may be one all the same
                apart = np.where(apart == 0, better[name] * sys.float_info.min, apart)
            named = {"measure": measure, "ranker": name, "tukey": tukey[name]}
            rows.append(named | means | _spread_of(measure, apart, reports))
            totals.append((sums[name], sums[against]) if measure in tested else None)
    return _tested(rows, totals, of, n_pairs=math.comb(len(paired.rankers), 2))


def _values(paired: Paired, measure: str, ranker: str) -> Floats:
    """Return a measure's values, or their negative losses if floats can't distinguish good values."""
    if MEASURES[measure].loss:
        return -paired.distances[ranker][measure].to_numpy(dtype=float)
    return paired.scores[ranker][measure].to_numpy(dtype=float)


def _middle(measure: str, values: Floats) -> float:
    defined = values[~np.isnan(values)]
    if not defined.size:
        return math.nan
    middle = np.median(defined) if measure in BY_MEDIAN else defined.mean()
    return float(middle) + (1 if MEASURES[measure].loss else 0)


def _root_mean_square(values: Floats) -> float:
    largest = np.abs(values).max()  # the square of what is near 0 may be 0
    return float(largest * np.sqrt(np.square(values / largest).mean())) if largest else 0.0


def _spread_of(measure: str, apart: Floats, reports: NDArray[np.intp]) -> dict[str, float]:
    is_defined = ~np.isnan(apart)
    defined, units = apart[is_defined], pd.factorize(reports[is_defined])[0]
    if not defined.size:
        return {**dict.fromkeys(("difference", "low", "high", "p", "usual"), math.nan), "n_cases": 0}
    by_median = measure in BY_MEDIAN
    interval = (
        median_interval(defined, units)
        if by_median
        else mean_interval(np.bincount(units, defined).astype(float), np.bincount(units).astype(float))
    )
    return {
        "difference": float(np.median(defined) if by_median else defined.mean()),
        **interval._asdict(),
        "usual": _root_mean_square(defined),
        "n_cases": defined.size,
    }


def _totals(values: Floats, of: Units) -> Floats:
    """Sum the values of each unit, so scaled that the mean over units is the mean over cases."""
    is_there = ~np.isnan(values)
    totals: Floats = np.bincount(of.codes, np.where(is_there, values, 0), of.n) * (of.n / max(is_there.sum(), 1))
    return totals


def _tested(
    rows: list[dict[str, object]], totals: Sequence[tuple[Floats, Floats] | None], of: Units, *, n_pairs: int
) -> pd.DataFrame:
    """Add the tests to the rows that have totals of two rankers; all at once, so that one set of sign flips serves."""
    table = pd.DataFrame(rows, columns=COLUMNS)
    numbers = [number for number, both in enumerate(totals) if both is not None and len(both[0]) > 1]
    if numbers:
        first, second = (np.column_stack(side) for side in zip(*(totals[number] for number in numbers), strict=True))
        _, tests = p_values_of_pairs(first, second)
        table.loc[numbers, list(TESTS)] = pd.DataFrame(tests, index=numbers)
        if of.kind == "report":  # the same test as that of the interval, not to differ from it by rounding
            table.loc[numbers, "permutation"] = table.loc[numbers, "p"]
    table = table.astype(dict.fromkeys(TESTS, float))
    family = n_pairs * table.loc[numbers, "measure"].nunique()
    corrected = {name: holm(table.loc[numbers, name].to_numpy(dtype=float), family=family) for name in TESTS}
    return table.join(pd.DataFrame(corrected, index=numbers).add_suffix("_holm"))


def p_at_once(totals: Mapping[str, Floats], against: str) -> dict[str, float]:
    """Test every other ranker against one by randomised Tukey HSD.

    Parameters
    ----------
    totals : mapping of str to ndarray of float64, shape (n_units,)
        Of each ranker, what each unit has; no NaN.
    against : str
        One of these rankers.

    Returns
    -------
    dict of str to float
        p-value of each other ranker, corrected for all pairs. NaN with fewer than three rankers or two units.

    Examples
    --------
    >>> import numpy as np
    >>> rising = np.arange(8.0)
    >>> found = p_at_once({"a": rising, "b": rising + 2, "c": rising + 0.1}, "a")
    >>> {name: round(p, 2) for name, p in found.items()}
    {'b': 0.0, 'c': 1.0}
    """
    others = [name for name in totals if name != against]
    if len(totals) < LEAST_RANKERS or len(totals[against]) < 2:
        return dict.fromkeys(others, math.nan)
    found = tukey_hsd(pd.DataFrame(totals))
    pairs = zip(found["system"], found["other"], found["p"], strict=True)
    p_values = {frozenset(pair): float(p) for *pair, p in pairs}
    return {name: p_values[frozenset((name, against))] for name in others}


def places_upwards(paired: Paired, ranker: str) -> Floats:
    """Return a ranker's places in natural order among all, higher is better, shape (n_cases,); level ones share one."""
    return -paired.places.rank(axis="columns")[ranker].to_numpy(dtype=float)
