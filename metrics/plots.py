"""Altair charts of outcomes and comparisons. Requires ``pip install 'presort[plots]'``.

Notebooks display the charts. Use a chart's method ``save`` to write HTML, SVG, PNG or PDF.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Floats, Ints
from presort.metrics.comparison import Comparison
from presort.metrics.f_curve import FCurve
from presort.metrics.lazy import scipy
from presort.metrics.natural_order import NaturalOrderTable
from presort.metrics.outcome import Outcome, Outcomes, outcome_list
from presort.metrics.registry import MEASURES

try:
    import altair as alt
except ImportError as error:
    raise ImportError("presort.metrics.plots needs Altair: pip install 'presort[plots]'") from error

CONFIDENCE = 0.95
MOST_POINTS = 500  # maximum number of points per curve, because more couldn't be distinguished on a screen
MOST_ROWS = 300  # maximum number of outcomes, because the rows of a longer table would be too thin to distinguish
FOREST_ROW, ORDERS_HEIGHT = 22, 500  # heights in pixels: one row of `forest`, and the whole `natural_order` chart
# Colour-blind readers can distinguish these colours on a white and on a black background.
RED, BLUE, GREY = "#D0342C", "#0072B2", "#9AA0A6"


def recall_curves(systems: Mapping[str, Outcomes]) -> alt.Chart:
    """Draw the mean recall of each system against the number of papers read.

    Parameters
    ----------
    systems : mapping of str to outcomes
        Outcomes by system, see `presort.metrics.score`. Outcomes without relevant papers are skipped. Each system needs
        at least one outcome with relevant papers.

    Returns
    -------
    altair.Chart
        Chart of the recall, averaged over outcomes; higher is better. Its `data` has the columns ``system``, ``papers``
        and ``recall``.

    Raises
    ------
    ValueError
        If there are no systems, or if a system has no outcome with relevant papers.

    Examples
    --------
    >>> from presort.metrics import Outcome
    >>> chart = recall_curves({"new": [Outcome([1, 3], n=4)], "old": [Outcome([2, 4], n=4)]})
    >>> chart.data.query("papers == 3")["recall"].tolist()
    [1.0, 0.5]
    """
    if not isinstance(systems, Mapping) or not systems:
        raise ValueError(f"systems must be a non-empty mapping from names to outcomes, got {short_repr(systems)}")
    listed = {name: [one for one in outcome_list(found) if one.r] for name, found in systems.items()}
    for name, found in listed.items():
        if not found:
            raise ValueError(f"systems must each have an outcome with a relevant paper; {name!r} has none")
    longest = max(one.n for found in listed.values() for one in found)
    papers = np.unique(np.linspace(0, longest, min(longest, MOST_POINTS) + 1).astype(np.int64))
    tables = [
        pd.DataFrame({"system": name, "papers": papers, "recall": _mean_recall(found, papers)})
        for name, found in listed.items()
    ]
    names = list(listed)
    lines = alt.Chart(pd.concat(tables, ignore_index=True))
    drawn: alt.Chart = lines.mark_line(interpolate="step-after" if longest <= MOST_POINTS else "linear").encode(
        alt.X("papers:Q", title="Papers read"),
        alt.Y("recall:Q", title="Mean recall", scale=alt.Scale(domain=[0, 1])),
        alt.Color("system:N", title="System", scale=alt.Scale(domain=names)),
        alt.StrokeDash("system:N", title="System", scale=alt.Scale(domain=names)),
        tooltip=["system:N", "papers:Q", alt.Tooltip("recall:Q", format=".3f")],
    )
    return drawn


def _mean_recall(outcomes: Sequence[Outcome], papers: Ints) -> Floats:
    shares = np.array([np.searchsorted(one.positions, papers, side="right") / one.r for one in outcomes])
    means: Floats = shares.mean(axis=0)
    return means


def f_curves(curve: FCurve, systems: Sequence[str]) -> alt.LayerChart:
    """Draw the mean F of each system against the weight of precision. Circles mark where two systems swap ranks.

    Parameters
    ----------
    curve : FCurve
        Result of `presort.metrics.f_curve`.
    systems : sequence of str, length n_systems
        Names of the rows of `curve.mean_f`.

    Returns
    -------
    altair.LayerChart
        Chart with a layer of curves, higher is better, and a layer of circles.

    Raises
    ------
    ValueError
        If the number of systems differs from the number of rows, or if names are repeated.

    Examples
    --------
    >>> from presort.metrics import f_curve
    >>> curve = f_curve([[0.9, 0.8], [0.5, 0.4]], [[0.3, 0.2], [0.6, 0.7]])
    >>> f_curves(curve, ["careful", "greedy"]).layer[1].data["ahead"].tolist()
    ['greedy below, careful above']
    """
    names = list(systems)
    if len(set(names)) != len(curve.mean_f) or len(names) != len(curve.mean_f):
        raise ValueError(f"systems must be {len(curve.mean_f)} distinct names, one per row, got {short_repr(systems)}")
    lines = pd.DataFrame(curve.mean_f.T, columns=names).assign(alpha=curve.alphas).melt("alpha", names, "system", "f")
    swaps = [
        (
            swap.alpha,
            np.interp(swap.alpha, curve.alphas, curve.mean_f[swap.below]),
            names[swap.below],
            names[swap.above],
        )
        for swap in curve.swaps
    ]
    crossings = pd.DataFrame(swaps, columns=["alpha", "f", "below", "above"])
    crossings["ahead"] = [f"{one.below} below, {one.above} above" for one in crossings.itertuples()]
    x = alt.X("alpha:Q", title="Weight of precision (0: recall alone)", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("f:Q", title="Mean F", scale=alt.Scale(zero=False))
    drawn = alt.Chart(lines).mark_line()
    drawn = drawn.encode(
        x,
        y,
        alt.Color("system:N", title="System", scale=alt.Scale(domain=names)),
        alt.StrokeDash("system:N", title="System", scale=alt.Scale(domain=names)),
        tooltip=["system:N", alt.Tooltip("alpha:Q", format=".2f"), alt.Tooltip("f:Q", format=".4f")],
    )
    circles = alt.Chart(crossings).mark_point(size=120, color=GREY, opacity=1)
    circles = circles.encode(x, y, tooltip=["ahead:N", alt.Tooltip("alpha:Q", format=".3f")])
    return alt.LayerChart(layer=[drawn, circles])


def forest(comparison: Comparison, system: str | None = None) -> alt.FacetChart:
    """Draw the mean difference between a system and each other system, with 95 % confidence intervals.

    Parameters
    ----------
    comparison : Comparison
        Result of `presort.metrics.compare`.
    system : str, optional
        System to compare with the others. Defaults to the best system, the first in `comparison.improvements`.

    Returns
    -------
    altair.FacetChart
        Chart with one panel per measure, in units of its scores. `system` is better to the right of 0. Its `data` has
        the columns ``measure``, ``other``, ``difference``, ``low`` and ``high``.

    Raises
    ------
    ValueError
        If the comparison does not contain the system.

    Notes
    -----
    The intervals are Student's t intervals over topics. They are not corrected for multiple comparisons. To test for
    significance, use `comparison.at_once` or the columns ``…_holm`` of `comparison.tests`.

    Examples
    --------
    >>> from presort.metrics import compare
    >>> found = compare(pd.DataFrame({"new": [0.6, 0.8, 0.7], "old": [0.5, 0.6, 0.7]}, index=["a", "b", "c"]))
    >>> forest(found).data.round(2).to_dict("records")
    [{'measure': 'score', 'other': 'old', 'difference': 0.1, 'low': -0.15, 'high': 0.35}]
    """
    names = list(comparison.improvements.index)
    first = names[0] if system is None else system
    if first not in names:
        raise ValueError(f"system must be one of {', '.join(map(str, names))}, got {short_repr(system)}")
    rows = [
        (measure, other, *_interval((table[first] - table[other]).to_numpy(dtype=float)))
        for measure, table in comparison.scores.items()
        for other in names
        if other != first
    ]
    table = pd.DataFrame(rows, columns=["measure", "other", "difference", "low", "high"])
    base = alt.Chart().encode(
        y=alt.Y("other:N", title=None, sort=names),
        tooltip=["other:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("difference", "low", "high"))],
    )
    intervals = base.mark_rule(strokeWidth=2).encode(
        alt.X("low:Q", title=f"Mean difference (to the right, {first} is better)"), alt.X2("high:Q")
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="difference:Q")
    zero = alt.Chart().mark_rule(strokeDash=[4, 3], color=GREY).encode(x=alt.datum(0))
    layers = alt.layer(zero, intervals, points, data=table).properties(height=FOREST_ROW * (len(names) - 1))
    facet = alt.Facet("measure:N", title=None, sort=list(comparison.scores))
    panels: alt.FacetChart = layers.facet(facet, columns=1).resolve_scale(x="independent")
    return panels


def _interval(differences: Floats) -> tuple[float, float, float]:
    mean = float(differences.mean())
    error = float(scipy.stats.sem(differences))
    half = error * float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, len(differences) - 1))
    return mean, mean - half, mean + half


def natural_order(table: NaturalOrderTable, measures: Sequence[str]) -> alt.HConcatChart:
    """Draw all outcomes in natural order, best on top, next to their values by the given measures.

    Parameters
    ----------
    table : NaturalOrderTable
        Result of `presort.metrics.natural_order_table`, with at most 300 outcomes.
    measures : sequence of str
        Names of columns of `table.measures`.

    Returns
    -------
    altair.HConcatChart
        Chart with a panel for the outcomes, in which relevant papers are blue, and one panel per measure. A red value
        violates the natural order: the measure prefers the outcome to the better outcome above it.

    Raises
    ------
    ValueError
        If a measure is not in the table, if no measure is given, or if there are too many outcomes.

    Examples
    --------
    >>> from presort.metrics import natural_order_table
    >>> chart = natural_order(natural_order_table(2, n=5), ["nosel", "average_precision"])
    >>> chart.hconcat[2].data.query("violates")["row"].tolist()
    [3, 6]
    """
    known = list(table.measures.columns)
    names = [] if isinstance(measures, str) else list(measures)
    if not names or not set(names) <= set(known):
        raise ValueError(f"measures must be a non-empty subset of {', '.join(known)}, got {short_repr(measures)}")
    n_rows = len(table.outcomes)
    if n_rows > MOST_ROWS:
        raise ValueError(f"table must have at most {MOST_ROWS} outcomes, got {n_rows:,}")
    squares = pd.DataFrame(
        [
            (row, position, position in set(outcome.positions.tolist()))
            for row, outcome in enumerate(table.outcomes)
            for position in range(1, outcome.n + 1)
        ],
        columns=["row", "position", "relevant"],
    )
    y = alt.Y("row:O", axis=None)
    lists = alt.Chart(squares, height=ORDERS_HEIGHT, title="Order, best on top").mark_rect(stroke="white")
    lists = lists.encode(
        alt.X("position:O", title="Position", axis=alt.Axis(labelAngle=0)),
        y,
        color=alt.condition("datum.relevant", alt.value(BLUE), alt.value(GREY)),
        opacity=alt.condition("datum.relevant", alt.value(1), alt.value(0.25)),
    )
    panels = [_values(table, name).encode(y=y) for name in names]
    return alt.hconcat(lists, *panels)


def _values(table: NaturalOrderTable, name: str) -> alt.Chart:
    values = pd.DataFrame(
        {
            "row": np.arange(len(table.outcomes)),
            "value": table.measures[name].to_numpy(),
            "violates": table.goes_back_up[name].to_numpy(),
        }
    )
    measure = MEASURES[name]
    title = f"{measure.unit or 'value'} ({'higher' if measure.higher_is_better else 'lower'} is better)"
    chart = alt.Chart(values, height=ORDERS_HEIGHT, width=120, title=measure.label)
    points: alt.Chart = chart.mark_point(filled=True, size=40, opacity=1).encode(
        x=alt.X("value:Q", title=title, scale=alt.Scale(zero=False, reverse=not measure.higher_is_better)),
        color=alt.condition("datum.violates", alt.value(RED), alt.value(GREY)),
        tooltip=["value:Q", "violates:N"],
    )
    return points
