"""Charts: from a table to an Altair chart, nothing else."""

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from desk.reading import Reading
from metrics import Measure

# Of an axis in powers of ten, of percent: 0.005 %, and 3.2e-412 %, which JavaScript would take for 0.
POWER_LABEL = (
    "(datum.value < -3 ? format(pow(10, datum.value - floor(datum.value)), '.2~g') + 'e' + floor(datum.value)"
    " : format(pow(10, datum.value), '.4~g')) + ' %'"
)
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # told apart by colour-blind readers
PARTS = {"read": "#009E73", "to read": "#73C7AE", "rest": "#9AA0A6"}  # seen on white and on black
RED = "#D0342C"
SPARKS = 60  # bars of the small curve
DASHES = [[1, 0], [8, 3], [3, 2], [10, 3, 2, 3], [5, 4], [12, 2]]  # and on paper without colour, or one over another


def measure_over_time(scores: pd.DataFrame, measure: Measure) -> alt.LayerChart:
    """Draw one measure over the issues, a line a ranker.

    Parameters
    ----------
    scores : DataFrame
        Columns ``issue``, ``ranker``, ``n_papers``, ``n_relevant``, ``drawn``: the measure's value, or the power of ten
        of its `Measure.gap` in percent if it has one; and ``shown``: its value in words.
    measure : Measure
        What to draw.
    """
    direction = "higher" if measure.higher_is_better and not measure.gap else "lower"
    unit = "distance from 100 %; " if measure.gap else f"{measure.unit}; " if measure.unit else ""
    is_share = measure.unit.startswith("share")
    power = alt.Axis(labelExpr=POWER_LABEL)
    base = alt.Chart(scores).encode(
        x=alt.X("issue:T", title="Issue"),
        y=alt.Y(
            "drawn:Q",
            title=None,  # stands above, where a long one has room
            axis=power if measure.gap else alt.Axis(format="%" if is_share else ".3~g"),
            scale=alt.Scale(zero=is_share),
        ),
        color=alt.Color("ranker:N", title="Ranker", scale=alt.Scale(range=COLOURS), legend=alt.Legend(orient="bottom")),
    )
    points = base.mark_point(filled=True, size=55).encode(
        shape=alt.Shape("ranker:N", title="Ranker"),
        tooltip=[
            alt.Tooltip("issue:T", title="Issue", format="%Y-%m-%d"),
            alt.Tooltip("ranker:N", title="Ranker"),
            alt.Tooltip("shown:N", title=measure.label),
            alt.Tooltip("n_relevant:Q", title="Relevant"),
            alt.Tooltip("n_papers:Q", title="Papers"),
        ],
    )
    title = alt.Title(
        f"{measure.label} ({unit}{direction} is better)", anchor="start", fontWeight="normal", fontSize=13
    )
    return (base.mark_line(strokeWidth=1.5, opacity=0.7) + points).properties(height=380, title=title)


def scores_by_place(scores: NDArray[np.float64], reading: Reading) -> alt.LayerChart:
    """Draw small how the score falls down the list, what of it was read, and where the light turns red.

    Parameters
    ----------
    scores : array of shape (n_scored,)
        Best first; papers that joined the issue later have none.
    reading : Reading
        How far the editor has come.
    """
    ends = np.unique(np.linspace(0, len(scores), SPARKS + 1).astype(int))
    parts = np.where(ends[1:] <= reading.read_to, "read", np.where(ends[:-1] < reading.red_at, "to read", "rest"))
    bars = pd.DataFrame(
        {
            "first": ends[:-1] + 1,
            "last": ends[1:],
            "height": np.add.reduceat(scores, ends[:-1]) / np.diff(ends) - scores.min(),
            "part": parts,
        }
    )
    drawn = alt.Chart(bars).mark_bar(binSpacing=1)
    drawn = drawn.encode(
        alt.X("first:Q", axis=None, scale=alt.Scale(domain=[1, reading.n_papers + 1], nice=False)),
        alt.X2("last:Q"),
        alt.Y("height:Q", axis=None),
        alt.Y2(datum=0),
        alt.Color("part:N", legend=None, scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values()))),
        tooltip=[
            alt.Tooltip("first:Q", title="From paper"),
            alt.Tooltip("last:Q", title="to"),
            alt.Tooltip("part:N", title="Part"),
        ],
    )
    red = alt.Chart(pd.DataFrame({"at": [reading.red_at + 1]})).mark_rule(color=RED, strokeWidth=2).encode(x="at:Q")
    title = alt.Title("score by rank", anchor="start", fontWeight="normal", fontSize=12, offset=4)
    return (drawn + red).properties(height=80, padding=0, title=title).configure_view(stroke=None)


def replay_panels(over_time: pd.DataFrame, curves: pd.DataFrame, medians: "pd.Series[float]") -> alt.HConcatChart:
    """Draw side by side how far rankers make an editor read, issue by issue and over all report issues.

    Parameters
    ----------
    over_time : DataFrame
        Columns ``ranker``, ``issue``, ``report_issues``, ``last`` and ``running``, NaN where it is not drawn.
    curves : DataFrame
        Columns ``ranker``, ``read`` and ``found``.
    medians : Series
        By ranker, in the order of the legend: the share read until all is found in half of the report issues.
    """
    names = {ranker: f"{ranker} (median {100 * median:.1f} %)" for ranker, median in medians.items()}
    scale = alt.Scale(domain=list(names.values()), range=COLOURS)
    legend = alt.Legend(
        orient="bottom",
        columns=4,
        columnPadding=35,  # an SVG may be shown in a wider font than it was laid out for
        labelLimit=0,
        labelFontSize=12,
        symbolType="stroke",
        symbolSize=500,
        symbolOpacity=1,
    )
    colour = alt.Color("named:N", title=None, scale=scale, legend=legend)
    dash = alt.StrokeDash("named:N", title=None, scale=alt.Scale(domain=scale.domain, range=DASHES), legend=legend)
    marks = pd.DataFrame({"named": list(names.values()), "read": medians.to_list(), "half": 0.5, "floor": 0})
    left = _last_over_time(over_time.assign(named=over_time["ranker"].map(names)), colour, dash)
    right = _found_by_reading(curves.assign(named=curves["ranker"].map(names)), marks, colour, dash)
    panels = alt.hconcat(left, right, spacing=30).configure_view(stroke=None)
    return panels.configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")


def _last_over_time(table: pd.DataFrame, colour: alt.Color, dash: alt.StrokeDash) -> alt.LayerChart:
    each = alt.Chart(table).encode(
        alt.X("issue:T", title="Issue"),
        alt.Y("last:Q", title="Share read to the last relevant paper (lower is better)", axis=alt.Axis(format="%")),
        color=colour,
        tooltip=[
            alt.Tooltip("issue:T", title="Issue", format="%Y-%m-%d"),
            alt.Tooltip("ranker:N", title="Ranker"),
            alt.Tooltip("last:Q", title="Share read, mean", format=".1%"),
            alt.Tooltip("report_issues:Q", title="Report issues"),
        ],
    )
    thin = each.mark_line(strokeWidth=0.8, opacity=0.5) + each.mark_point(filled=True, size=12, opacity=0.5)
    thick = alt.Chart(table.dropna(subset="running")).mark_line(strokeWidth=3)
    thick = thick.encode(alt.X("issue:T"), alt.Y("running:Q"), color=colour, strokeDash=dash)
    return _panel(thin + thick, "Issue by issue: mean (thin), mean of four issues (thick)")


def _found_by_reading(
    curves: pd.DataFrame, marks: pd.DataFrame, colour: alt.Color, dash: alt.StrokeDash
) -> alt.LayerChart:
    share = alt.Axis(format="%", tickCount=5, labelFlush=False)
    lines = alt.Chart(curves).mark_line(strokeWidth=3)
    lines = lines.encode(
        alt.X("read:Q", title="Share of the list read from the top", axis=share),
        alt.Y("found:Q", title="Share of report issues with all found (higher is better)", axis=share),
        color=colour,
        strokeDash=dash,
    )
    medians = alt.Chart(marks).encode(alt.X("read:Q"), color=colour)
    dots = medians.mark_point(size=80, filled=True, opacity=1, stroke="white").encode(alt.Y("half:Q"))
    drops = medians.mark_rule(strokeWidth=1).encode(alt.Y("floor:Q"), alt.Y2("half:Q"))
    return _panel(drops + lines + dots, "All relevant papers found by then; dots mark medians")


def _panel(chart: alt.LayerChart, title: str) -> alt.LayerChart:
    text = alt.Title(title, anchor="start", fontWeight="normal", fontSize=13)
    return chart.properties(width=440, height=320, title=text)
