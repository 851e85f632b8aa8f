"""Differences between rankers for each measure, with confidence intervals and tests.

The report issues of one report are correlated, so the tests flip the signs of whole reports instead of treating
thousands of lists as independent. If there are too few reports for a significant result, the tests flip the signs of
whole issues instead, because the lists of one issue are correlated too. A result over issues doesn't generalise to
other reports, so confidence intervals are always over reports.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.scores.pairs import PairedScores
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED
from presort.metrics import tukey_hsd
from presort.metrics.batch import Floats
from presort.metrics.paired_tests import holm, p_values_of_pairs
from presort.metrics.sign_flips import mean_interval, median_interval

NATURAL = "natural_order"  # value of the column `measure` for the comparison in natural order
BY_MEDIAN = ("ponori",)  # measures that are compared by medians, because one bad issue would dominate the mean
SURE = 0.05  # significance level
LEAST_REPORTS = 6  # minimum number of reports for an interval: with fewer, sign flips can't reach p < 0.05
TESTS = ("wilcoxon", "permutation")
LEAST_RANKERS = 3  # minimum number of rankers for Tukey's test; two rankers form one pair, which needs no correction
MEANS = ("mean", "mean_against", "difference", "low", "high", "p", "usual", "n_cases")
COLUMNS = ["measure", "ranker", *MEANS, "tukey", *TESTS]


class Units(NamedTuple):
    """Units whose signs the tests flip: either reports or issues.

    Attributes
    ----------
    kind : str
        "report" or "issue".
    codes : array of int, shape (n_cases,)
        Unit to which each report issue belongs, numbered from 0.
    least : int
        Minimum number of units with which a result can be significant.
    """

    kind: Literal["report", "issue"]
    codes: NDArray[np.intp]
    least: int

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.codes.max(initial=-1)) + 1


def least_units(n_tests: int) -> int:
    """Return the number of units needed for the smallest possible corrected p-value to be below `SURE`.

    With k units there are 2^k sign patterns, so the smallest corrected p-value is 2 / 2^k times the number of tests.

    Examples
    --------
    >>> least_units(1), least_units(3), least_units(60)
    (6, 7, 12)
    """
    return math.floor(math.log2(2 * n_tests / SURE)) + 1


def units_of_leads(paired: PairedScores) -> Units:
    """Return the units for the tests of `leads`, which runs one test per pair of rankers."""
    return _units(paired.cases, math.comb(len(paired.rankers), 2))


def units_of_differences(paired: PairedScores) -> Units:
    """Return the units for the tests of `differences`, which runs one test per measure and pair of rankers."""
    return _units(paired.cases, math.comb(len(paired.rankers), 2) * len(_tested_measures(paired)))


def _units(cases: pd.DataFrame, n_tests: int) -> Units:
    """Return reports as units if there are enough for `n_tests` tests, or if there are more reports than issues.

    Otherwise, return issues as units.
    """
    least, n_reports = least_units(n_tests), cases["report"].nunique()
    is_enough = n_reports >= least or n_reports > cases["issue"].nunique()
    kind: Literal["report", "issue"] = "report" if is_enough else "issue"
    return Units(kind, pd.factorize(cases[kind])[0], least)


def _tested_measures(paired: PairedScores) -> list[str]:
    """Return the measures that can be tested. They are compared by means, and every ranker has values of them."""
    scores = paired.scores.values()
    return [name for name in MEASURED if name not in BY_MEDIAN and all(each[name].notna().any() for each in scores)]


def leads(paired: PairedScores, against: str) -> pd.DataFrame:
    """Compute each ranker's lead over a reference ranker in natural order.

    Parameters
    ----------
    paired : PairedScores
        Comparison with at least one report issue.
    against : str
        Reference ranker, one of `paired.rankers`.

    Returns
    -------
    DataFrame
        One row for each of the other rankers, with the columns of `differences`. ``measure`` is `NATURAL`.
        ``difference`` is the share of report issues on which the ranker is better minus the share on which it is worse.
        Means are NaN. Tests are corrected over all pairs of rankers. The interval and its p-value are NaN if the tests
        are over issues, not over reports. ``tukey`` tests the rankers' ranks in natural order.
    """
    of, reports = units_of_leads(paired), pd.factorize(paired.cases["report"])[0]
    tukey = tukey_p_values({name: _totals(negated_ranks(paired, name), of) for name in paired.rankers}, against)
    rows, totals = [], []
    for name in paired.rankers:
        if name != against:
            better = -paired.signs(name, against).astype(float)
            spread = _spread_of(NATURAL, better, reports)
            if of.kind == "issue":  # the verdict is based on issues, so an interval over reports might contradict it
                spread |= dict.fromkeys(("low", "high", "p"), math.nan)
            rows.append({"measure": NATURAL, "ranker": name, "tukey": tukey[name], **spread})
            totals.append((_totals(better, of), np.zeros(of.n)))
    return _add_tests(rows, totals, of, n_pairs=math.comb(len(paired.rankers), 2))


def differences(paired: PairedScores, against: str) -> pd.DataFrame:
    """For each measure, compute the difference between each ranker and a reference ranker.

    Parameters
    ----------
    paired, against
        See `leads`.

    Returns
    -------
    DataFrame
        One row for each measure and each of the other rankers:

        - ``measure`` (a name from `MEASURED`) and ``ranker``.
        - ``mean``, ``mean_against`` and their ``difference`` in the measure's unit, over the ``n_cases`` report issues
          on which the measure is defined. Medians for `BY_MEDIAN`.
        - ``low``, ``high`` and ``p``: 95 % confidence interval of the difference over reports, by
          `presort.metrics.sign_flips`, and the uncorrected p-value. ``p`` is below 0.05 if and only if the interval
          excludes 0. NaN with fewer than `LEAST_REPORTS` reports.
        - ``usual``: root mean square of the differences over report issues, 0 if all differences are 0. The mean
          difference divided by ``usual`` is between -1 and 1. It is 1 or -1 if all differences are equal.
        - `TESTS`: p-values of `paired_tests` on totals per report or issue. The columns with the suffix ``_holm``
          contain these p-values, corrected over all measures and all pairs of rankers.
        - ``tukey``: Tukey HSD of all pairs of rankers on these totals, separately for each measure: see
          `tukey_p_values`.

        The tests are NaN for `BY_MEDIAN`, for a measure without values, and if there is only one report or issue to
        test.
    """
    of, tested = units_of_differences(paired), _tested_measures(paired)
    reports = pd.factorize(paired.cases["report"])[0]
    others = [name for name in paired.rankers if name != against]
    better = {name: -paired.signs(name, against) for name in others}
    rows, totals = [], []
    for measure in MEASURED:
        values = {name: _values(paired, measure, name) for name in paired.rankers}
        sums = {name: _totals(values[name], of) for name in paired.rankers}
        tukey = tukey_p_values(sums, against) if measure in tested else dict.fromkeys(others, math.nan)
        for name in others:
            means = {"mean": _middle(measure, values[name]), "mean_against": _middle(measure, values[against])}
            apart = values[name] - values[against]
            if MEASURES[measure].loss:  # equal floats may represent different outcomes, so the natural order decides
                apart = np.where(apart == 0, better[name] * sys.float_info.min, apart)
            named = {"measure": measure, "ranker": name, "tukey": tukey[name]}
            rows.append(named | means | _spread_of(measure, apart, reports))
            totals.append((sums[name], sums[against]) if measure in tested else None)
    return _add_tests(rows, totals, of, n_pairs=math.comb(len(paired.rankers), 2))


def _values(paired: PairedScores, measure: str, ranker: str) -> Floats:
    """Return a measure's values.

    If the measure has losses, returns the negated losses instead, because values near the best round to equal floats.
    """
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
    largest = np.abs(values).max()  # scaled because the square of a tiny number underflows to 0
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
    """Sum the values in each unit. The sums are scaled so that their mean over units equals the mean over cases."""
    is_there = ~np.isnan(values)
    totals: Floats = np.bincount(of.codes, np.where(is_there, values, 0), of.n) * (of.n / max(is_there.sum(), 1))
    return totals


def _add_tests(
    rows: list[dict[str, object]], totals: Sequence[tuple[Floats, Floats] | None], of: Units, *, n_pairs: int
) -> pd.DataFrame:
    """Add the tests to the rows that have totals.

    All rows are tested together so that they share one set of sign flips.
    """
    table = pd.DataFrame(rows, columns=COLUMNS)
    numbers = [number for number, both in enumerate(totals) if both is not None and len(both[0]) > 1]
    if numbers:
        first, second = (np.column_stack(side) for side in zip(*(totals[number] for number in numbers), strict=True))
        tests = p_values_of_pairs(first, second)
        table.loc[numbers, list(TESTS)] = pd.DataFrame(tests, index=numbers)
        if of.kind == "report":  # the interval's p-value is from the same test; copied to avoid rounding differences
            table.loc[numbers, "permutation"] = table.loc[numbers, "p"]
    table = table.astype(dict.fromkeys(TESTS, float))
    family = n_pairs * table.loc[numbers, "measure"].nunique()
    corrected = {name: holm(table.loc[numbers, name].to_numpy(dtype=float), family=family) for name in TESTS}
    return table.join(pd.DataFrame(corrected, index=numbers).add_suffix("_holm"))


def tukey_p_values(totals: Mapping[str, Floats], against: str) -> dict[str, float]:
    """Test each of the other rankers against a reference ranker with the randomised Tukey HSD test.

    Parameters
    ----------
    totals : mapping of str to ndarray of float64, shape (n_units,)
        Each ranker's total for each unit, without NaN.
    against : str
        Reference ranker, a key of `totals`.

    Returns
    -------
    dict of str to float
        p-value of each other ranker, corrected for all pairs. NaN with fewer than three rankers or fewer than two
        units.

    Examples
    --------
    >>> import numpy as np
    >>> rising = np.arange(8.0)
    >>> found = tukey_p_values({"a": rising, "b": rising + 2, "c": rising + 0.1}, "a")
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


def negated_ranks(paired: PairedScores, ranker: str) -> Floats:
    """Return a ranker's negated ranks among all rankers in natural order, shape (n_cases,).

    Higher is better. Tied rankers share their mean rank.
    """
    return -paired.places.rank(axis="columns")[ranker].to_numpy(dtype=float)
