"""Tables on the *Compare* page, and number formats for them."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from presort.desk.scores.differences import BY_MEDIAN, LEAST_REPORTS, NATURAL
from presort.desk.scores.effort import READING_EFFORT
from presort.desk.scores.formats import NOT_DEFINED
from presort.desk.scores.pairs import PairedScores, points
from presort.desk.scores.papers_saved import PairResult
from presort.desk.scores.registry import MEASURES
from presort.desk.text import exact_text, points_text, screen_text
from presort.metrics import FCurve
from presort.metrics.loss import decimal_losses, median_loss
from presort.metrics.paired_tests import permutation_floor

NATURAL_ORDER = "Natural order"
TINY = 1e-300  # losses below this may underflow as floats, so they are computed as decimals
CERTAIN, FINE = 0.001, 0.1  # p-values below CERTAIN are shown as "< 0.001", other values below FINE with three decimals
FLOOR = permutation_floor(64)  # smallest p-value of random sign flips, which the tests use for 15 units or more
MINUTE = 60  # seconds


def pair_table(pair_results: Sequence[PairResult]) -> pd.DataFrame:
    """Return a table of a ranker's results with one row per opponent.

    The columns are the fields of `PairResult`, with ``earlier``, ``same`` and ``later`` in percent of ``lists``.
    Additional columns are ``seconds``, the time saved per list, and the formatted columns ``interval`` and ``p_text``.
    """
    rows = [
        {
            "opponent": one.opponent,
            **{kind: 100 * getattr(one, kind) / one.n for kind in ("earlier", "same", "later")},
            "papers": one.papers,
            "minutes": one.minutes,
            "seconds": MINUTE * one.minutes,
            "interval": "" if math.isnan(one.low) else f"{one.low:.1f} to {one.high:.1f}",
            "p_text": p_text(one.p),
            "low": one.low,
            "high": one.high,
            "p": one.p,
            "lists": one.n,
            "ranker": one.ranker,
        }
        for one in pair_results
    ]
    return pd.DataFrame(rows)


def difference_texts(found: pd.DataFrame, paired: PairedScores, ranker: str) -> pd.DataFrame:
    """Format the results of `leads` and `differences`, signed so that positive values mean that the ranker is better.

    Returns
    -------
    DataFrame
        `found` with additional columns:

        - for the screen: ``label``, ``mean_text`` (the ranker's mean), ``opponent_text``, ``difference_text``,
          ``interval_text``, ``p_text``, ``wilcoxon_text``, ``permutation_text`` and ``tukey_text``
        - for a file: ``mean_exact`` and ``opponent_exact``
        - for the chart: ``effect``, ``low_effect`` and ``high_effect``, which are the difference and the ends of its
          interval, divided by the RMS difference. They are NaN for measures in `BY_MEDIAN` and for undefined measures.
    """
    # Differences in `found` are the opponent's value minus the ranker's value.
    ways = [-1 if name == NATURAL or MEASURES[name].higher_is_better else 1 for name in found["measure"]]
    texts = [_row_texts(row, paired, ranker, way) for way, (_, row) in zip(ways, found.iterrows(), strict=True)]
    usual = found["usual"].mask(found["usual"] == 0, 1).mask(found["measure"].isin(BY_MEDIAN))
    effects = found[["difference", "low", "high"]].mul(ways / usual, axis="index")
    return found.join(pd.DataFrame(texts, index=found.index)).assign(
        effect=effects["difference"],
        low_effect=effects[["low", "high"]].min(axis="columns"),
        high_effect=effects[["low", "high"]].max(axis="columns"),
    )


def point_texts(paired: PairedScores, a: str, b: str, measure: str) -> pd.DataFrame:
    """Add formatted values to the result of `points`.

    Rows are sorted by the absolute difference between the rankers' last relevant positions, largest first.

    Returns
    -------
    DataFrame
        Result of `points` with additional columns:

        - ``at``: the report issue as a query parameter
        - ``apart``: last relevant position in the ranking by `b` minus last relevant position in the ranking by `a`
        - ``shown_a``, ``shown_b``: formatted values
        - ``exact_a``, ``exact_b``: exact values for a file, only for measures with a loss
    """
    table = points(paired, a, b, measure)
    table["at"] = table["report"] + " " + table["issue"].dt.strftime("%Y-%m-%d")
    table["apart"] = table["last_b"] - table["last_a"]
    for side, name in {"a": a, "b": b}.items():
        if MEASURES[measure].loss:
            table[f"exact_{side}"] = [exact_text([loss]) for loss in decimal_losses(measure, paired.outcomes[name])]
            table[f"shown_{side}"] = table[f"exact_{side}"].map(screen_text)
        else:
            table[f"shown_{side}"] = [mean_text(value, MEASURES[measure].unit) for value in table[side]]
    furthest_first = table["apart"].abs().sort_values(ascending=False, kind="stable").index
    return table.loc[furthest_first].reset_index(drop=True)


def plottable_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points that can be plotted: both values are defined and, on a logarithmic scale, neither loss is 0."""
    return table.replace([-math.inf], math.nan).dropna(subset=["drawn_a", "drawn_b"])


def improvement_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Format the result of `presort.desk.scores.pairs.improvements`. Missing values are blank."""
    return pd.DataFrame(
        {
            "ranker": table.index,
            "mean_f": table["mean_f"].map("{:.4f}".format).where(table["mean_f"].notna(), ""),
            "improves": table["improves"],
            "reference": table["reference"].fillna(""),
            "reference_uir": table["reference_uir"].map("{:.2f}".format).where(table["reference"].notna(), ""),
        }
    )


def ordered_pairs(ratios: pd.DataFrame) -> pd.DataFrame:
    """List every pair of rankers once, better ranker first. The pairs are sorted by descending ratio.

    Examples
    --------
    >>> ordered_pairs(pd.DataFrame({"a": [0, 0.5], "b": [-0.5, 0]}, index=["a", "b"]))
           pair  ratio
    0  b over a    0.5
    """
    found = [(a, b, float(ratios.loc[a, b])) for a, b in combinations(ratios.index, 2)]
    turned = [(a, b, ratio) if ratio >= 0 else (b, a, -ratio) for a, b, ratio in found if not math.isnan(ratio)]
    table = pd.DataFrame({"pair": [f"{a} over {b}" for a, b, _ in turned], "ratio": [ratio for *_, ratio in turned]})
    return table.sort_values("ratio", ascending=False, kind="stable", ignore_index=True)


def swap_table(curve: FCurve, rankers: Sequence[str]) -> pd.DataFrame:
    """List the weights of the first measure at which two rankers swap ranks.

    Returns
    -------
    DataFrame
        One row per swap, with the columns:

        - ``alpha``: weight at which the rankers swap
        - ``below``, ``above``: ranker that leads at lower weights, and ranker that leads at higher weights
        - ``apart``: largest difference in mean F at lower weights or at higher weights, whichever is smaller. The swap
          hardly matters if this value is below 0.01.
    """
    rows = []
    for swap in curve.swaps:
        apart = np.abs(curve.mean_f[swap.below] - curve.mean_f[swap.above])
        sides = apart[curve.alphas < swap.alpha], apart[curve.alphas > swap.alpha]
        smaller = min(float(side.max(initial=0)) for side in sides)
        rows.append((swap.alpha, rankers[swap.below], rankers[swap.above], smaller))
    return pd.DataFrame(rows, columns=["alpha", "below", "above", "apart"])


def p_text(p: float, *, is_bound: bool = False) -> str:
    """Format a p-value or an upper bound on it. Returns an empty string for NaN.

    Examples
    --------
    >>> p_text(0.00005), p_text(0.0123), p_text(0.4), p_text(math.nan), p_text(0.0042, is_bound=True)
    ('< 0.001', '0.012', '0.40', '', '≤ 0.004')
    """
    if math.isnan(p):
        return ""
    if p < CERTAIN:
        return f"< {CERTAIN}"
    digits = f"{p:.3f}" if p < FINE else f"{p:.2f}"
    return f"≤ {digits}" if is_bound else digits


def measure_label(name: str) -> str:
    """Return the label for a row in the table of differences.

    Examples
    --------
    >>> measure_label("natural_order"), measure_label("ponori"), measure_label("relative_last_position")
    ('Natural order', '2-Ponori, median', 'Reading effort (relative last position)')
    """
    if name == NATURAL:
        return NATURAL_ORDER
    if name == "relative_last_position":
        return f"{READING_EFFORT} (relative last position)"
    return f"{MEASURES[name].label}{', median' if name in BY_MEDIAN else ''}"


def difference_text(difference: float, unit: str, *, is_distance: bool) -> str:
    """Format a difference between two means, with its unit.

    Examples
    --------
    >>> difference_text(-22.698, "papers", is_distance=False), difference_text(-0.0326, "share", is_distance=False)
    ('-22.7 papers', '-3.26 points')
    >>> difference_text(0.0378, "", is_distance=False), difference_text(3.1e-14, "", is_distance=True)
    ('+0.0378', '< +0.01 points')
    """
    if math.isnan(difference):
        return NOT_DEFINED
    return f"{_figure(difference, unit, is_distance)}{_unit(unit, is_distance)}"


def interval_text(low: float, high: float, unit: str, *, is_distance: bool) -> str:
    """Format the confidence interval of a difference in the same unit as `difference_text`.

    Examples
    --------
    >>> interval_text(-0.04, -0.026, "share of the issue", is_distance=False)
    '-4.00 to -2.60'
    """
    return " to ".join(_figure(end, unit, is_distance) for end in (low, high))


def mean_text(mean: float, unit: str) -> str:
    """Format a measure's mean with its unit.

    Examples
    --------
    >>> mean_text(90.288, "papers"), mean_text(0.1302, "share of the issue"), mean_text(0.957, "")
    ('90.3', '13.02 %', '0.9570')
    """
    if math.isnan(mean):
        return NOT_DEFINED
    return f"{mean:,.1f}" if unit == "papers" else f"{100 * mean:.2f} %" if unit.startswith("share") else f"{mean:.4f}"


def _figure(difference: float, unit: str, is_distance: bool) -> str:
    if unit == "papers":
        return f"{difference:+,.1f}"
    if not is_distance and not unit.startswith("share"):
        return f"{difference:+.4f}"
    return points_text(difference)


def _unit(unit: str, is_distance: bool) -> str:
    if is_distance or unit.startswith("share"):
        return " points"
    return f" {unit}" if unit else ""


def _row_texts(row: "pd.Series[Any]", paired: PairedScores, ranker: str, way: int) -> dict[str, str]:
    name = row["measure"]
    measure = MEASURES.get(name)
    unit = measure.unit if measure else "share"
    is_distance = measure is not None and measure.loss is not None
    opponent, mean = (
        _mean_text(name, row["mean"], paired, row["ranker"]),
        _mean_text(name, row["mean_against"], paired, ranker),
    )
    low, high = sorted((way * row["low"], way * row["high"]))
    no_interval = f"needs {LEAST_REPORTS} reports" if paired.cases["report"].nunique() < LEAST_REPORTS else NOT_DEFINED
    return {
        "label": measure_label(name),
        "mean_text": screen_text(mean),
        "opponent_text": screen_text(opponent),
        "difference_text": difference_text(way * row["difference"], unit, is_distance=is_distance),
        "interval_text": no_interval if math.isnan(low) else interval_text(low, high, unit, is_distance=is_distance),
        "p_text": p_text(row["p"]),
        "wilcoxon_text": p_text(row["wilcoxon_holm"]),
        "permutation_text": p_text(row["permutation_holm"], is_bound=row["permutation"] <= FLOOR),
        "tukey_text": p_text(row["tukey"]),
        "mean_exact": mean,
        "opponent_exact": opponent,
    }


def _mean_text(name: str, mean: float, paired: PairedScores, ranker: str) -> str:
    if name == NATURAL:
        return ""
    if name not in paired.distances[ranker]:
        return mean_text(mean, MEASURES[name].unit)
    distances = paired.distances[ranker][name].dropna()
    if distances.median() > TINY:
        return exact_text([distances.median()] if name in BY_MEDIAN else distances)
    outcomes = paired.outcomes[ranker]
    return exact_text([median_loss(name, outcomes)] if name in BY_MEDIAN else decimal_losses(name, outcomes))
