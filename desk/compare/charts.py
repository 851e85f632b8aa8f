"""Charts of the page Compare."""

import json
from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from presort.desk.ui.colours import COLOURS, GREY, IN_LINES, POWER_LABEL, in_lines, ink_on, marks_of
from presort.metrics import FCurve, Measure

PALE, TIE = "#B9BEC4", "#E1E4E8"  # parts of a bar without a clear winner, and where both are the same
MARKED, LIMIT = COLOURS[0], COLOURS[1]
INK = "#787878"  # of lines and text inside a chart, read on white and on black
LEAST_LABELLED = 0.05  # share of a bar that has room for its figure
CLICKED = "clicked"
LABEL = 190  # pixels of a name beside a row
PADDING = {"top": 5, "left": 5, "right": 12, "bottom": 5}  # a name is wider on the page than when it is laid out
AROUND = 120  # pixels of a chart for its axis and legend


def win_tie_loss_bars(parts: pd.DataFrame, against: str) -> alt.LayerChart:
    """Draw how often each ranker was earlier than another, named on the right; a clear winner's part has its colour.

    The table is that of `tables.shares`.
    """
    winners = sorted(set(parts["winner"]) - {""})
    colours = dict(zip(winners, marks_of(winners).colours, strict=True))
    colour = [
        colours[winner] if winner else TIE if kind == "same" else PALE
        for winner, kind in zip(parts["winner"], parts["kind"], strict=True)
    ]
    parts = parts.assign(colour=colour, ink=list(map(ink_on, colour)), at=(parts["start"] + parts["end"]) / 2)
    parts["text"] = (100 * parts["share"]).map("{:.0f} %".format).where(parts["share"] >= LEAST_LABELLED, "")
    rankers = list(parts["ranker"].drop_duplicates())
    tooltip = [
        alt.Tooltip("outcome:N", title="Which"),
        alt.Tooltip("n:Q", title="Lists", format=",d"),
        alt.Tooltip("share:Q", title="Share", format=".1%"),
    ]

    def on(side: Literal["left", "right"], label: str) -> alt.Y:
        axis = alt.Axis(orient=side, labelExpr=label, labelLimit=LABEL, ticks=False, domain=False)
        scale = alt.Scale(paddingInner=0.3, paddingOuter=0.1)
        return alt.Y("ranker:N", title=None, sort=rankers, axis=axis, scale=scale)

    x = alt.X("start:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    bars = (
        alt.Chart(parts)
        .mark_bar()
        .encode(x, alt.X2("end:Q"), on("left", "datum.label"), color=alt.Color("colour:N", scale=None), tooltip=tooltip)
    )
    figures = (
        alt.Chart(parts)
        .mark_text(fontSize=12, aria=False)
        .encode(
            alt.X("at:Q", axis=None),
            on("right", json.dumps(against)),
            text="text:N",
            color=alt.Color("ink:N", scale=None),
            tooltip=tooltip,
        )
    )
    chart = alt.LayerChart(layer=[bars, figures], height=36 * len(rankers) + 14, padding=PADDING)
    return chart.resolve_scale(y="independent")


def difference_intervals(table: pd.DataFrame, rankers: list[str], better: str) -> alt.LayerChart:
    """Draw the mean difference of each ranker by each measure, and its interval; to the right somebody is better.

    The columns are ``name``, ``label``, ``ranker``; ``effect``, ``low_effect`` and ``high_effect``, from -1 to 1; and,
    in words, ``difference_text`` and ``interval_text``. Rankers are in the order of the legend.
    """
    names, marks = list(table["name"].map(in_lines).drop_duplicates()), marks_of(rankers)
    base = alt.Chart(table.assign(name=table["name"].map(in_lines))).encode(
        y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=LABEL, labelExpr=IN_LINES, grid=True)),
        yOffset=alt.YOffset("ranker:N", sort=rankers),
        color=alt.Color(
            "ranker:N",
            title=None,
            sort=rankers,
            scale=alt.Scale(domain=rankers, range=marks.colours),
            legend=alt.Legend(orient="top", columns=2, labelLimit=0),
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Measure"),
            alt.Tooltip("ranker:N", title="Ranker"),
            alt.Tooltip("difference_text:N", title="Difference"),
            alt.Tooltip("interval_text:N", title="95 % CI"),
        ],
    )
    points = base.mark_point(filled=True, size=50, opacity=1).encode(
        x=alt.X(
            "effect:Q",
            title=["Part of the usual difference", f"(to the right {better} is better)"],
            axis=alt.Axis(format=".2f", tickCount=6),
        ),
        shape=alt.Shape("ranker:N", title=None, sort=rankers, scale=alt.Scale(domain=rankers, range=marks.shapes)),
    )
    lines = base.mark_rule(strokeWidth=2, aria=False).encode(x="low_effect:Q", x2="high_effect:Q")
    zero = alt.Chart(table.head(1)).mark_rule(color=INK, strokeDash=[4, 3], aria=False).encode(x=alt.datum(0))
    row = max(26, 9 * len(rankers) + 8)
    return (zero + lines + points).properties(height=row * len(names) + AROUND + 10 * len(rankers))


def scatter(points: pd.DataFrame, a: str, b: str, measure: Measure) -> alt.LayerChart:
    """Draw two rankers' values of a measure against each other, a point a report issue; a goes upwards.

    The columns are ``drawn_a`` and ``drawn_b``, finite; ``sign``, -1 where a is better in natural order, 1 where b is;
    ``at``, by which a point is known; ``is_picked``, of one that is drawn large; ``report``, ``issue``, ``n_relevant``,
    ``n_papers``; in words ``shown_a`` and ``shown_b``.
    """
    names = {-1: f"{a} better in natural order", 0: "the same", 1: f"{b} better in natural order"}
    drawn = points.assign(who=points["sign"].map(names), issue=points["issue"].dt.strftime("%Y-%m-%d"))
    first, second = marks_of([a, b]).colours
    values = points[["drawn_a", "drawn_b"]].to_numpy()
    domain = [float(values.min()), float(values.max())]
    scale = alt.Scale(domain=domain, nice=False, zero=False, padding=6)
    is_share = measure.unit.startswith("share")
    axis = alt.Axis(labelExpr=POWER_LABEL) if measure.loss else alt.Axis(format="%" if is_share else ".3~g")
    unit = "distance from 100 %" if measure.loss else measure.unit
    titles = [f"{measure.label}, {name}{f' ({unit})' if unit else ''}" for name in (b, a)]
    diagonal = pd.DataFrame({"drawn_a": domain, "drawn_b": domain})
    x, y = (
        alt.X("drawn_b:Q", title=titles[0], scale=scale, axis=axis),
        alt.Y("drawn_a:Q", title=titles[1], scale=scale, axis=axis),
    )
    line = alt.Chart(diagonal).mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1).encode(x, y)
    clicked = alt.selection_point(name=CLICKED, fields=["at"], on="click", empty=False)
    dots = alt.Chart(drawn).mark_point(filled=True, cursor="pointer")
    dots = dots.encode(
        x,
        y,
        color=alt.Color(
            "who:N",
            title=None,
            scale=alt.Scale(domain=list(names.values()), range=[first, GREY, second]),
            legend=alt.Legend(orient="top", columns=1, labelLimit=0, symbolOpacity=1),
        ),
        size=alt.condition("datum.is_picked", alt.value(260), alt.value(34)),
        opacity=alt.condition("datum.is_picked", alt.value(1), alt.value(0.7)),
        tooltip=[
            alt.Tooltip("report:N", title="Report"),
            alt.Tooltip("issue:N", title="Issue"),
            alt.Tooltip("shown_a:N", title=a),
            alt.Tooltip("shown_b:N", title=b),
            alt.Tooltip("n_relevant:Q", title="Relevant"),
            alt.Tooltip("n_papers:Q", title="Papers"),
        ],
    )
    return (line + dots.add_params(clicked)).properties(height=520)


def improvement_bars(pairs: pd.DataFrame, robust: float) -> alt.LayerChart:
    """Draw the Unanimous Improvement Ratio of pairs of rankers, and from where on it is robust.

    The columns are ``pair`` and ``ratio``, from 0 to 1, by falling ratio.
    """
    colours = alt.condition(alt.datum.ratio >= robust, alt.value(MARKED), alt.value(GREY))
    bars = (
        alt.Chart(pairs)
        .mark_bar(height=16)
        .encode(
            x=alt.X(
                "ratio:Q",
                title=["Share of lists better by both measures,", "less share worse by both (UIR)"],
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(tickCount=5),
            ),
            y=alt.Y("pair:N", title=None, sort=list(pairs["pair"]), axis=alt.Axis(labelLimit=230)),
            color=colours,
            tooltip=[alt.Tooltip("pair:N", title="Pair"), alt.Tooltip("ratio:Q", title="UIR", format=".3f")],
        )
    )
    line = (
        alt.Chart(pairs.head(1))
        .mark_rule(color=LIMIT, strokeWidth=2, strokeDash=[4, 3], aria=False)
        .encode(x=alt.datum(robust))
    )
    return (bars + line).properties(
        height=26 * len(pairs) + AROUND,
        padding=PADDING,
        title=_title(f"Blue: robust, from {robust:g} on (dashed line)"),
    )


def f_curve_lines(curve: FCurve, rankers: list[str], measures: list[Measure]) -> alt.LayerChart:
    """Draw the mean F of each ranker over the weight of the first of two measures, and where two of them swap.

    The curve has a case; rankers are in the order of its rows.
    """
    first, second = (measure.label for measure in measures)
    lines = (
        pd.DataFrame(curve.mean_f.T, columns=rankers).assign(alpha=curve.alphas).melt("alpha", rankers, "ranker", "f")
    )
    marks = marks_of(rankers)
    scale, dashes = (alt.Scale(domain=rankers, range=each) for each in (marks.colours, marks.dashes))
    legend = alt.Legend(orient="top", columns=2, labelLimit=0, symbolType="stroke", symbolSize=400)
    drawn = alt.Chart(lines).mark_line(strokeWidth=2.5)
    drawn = drawn.encode(
        x=alt.X("alpha:Q", title=[f"Weight of {first}", f"(0: {second} alone)"], scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("f:Q", title="Mean F (higher is better)", scale=alt.Scale(zero=False)),
        color=alt.Color("ranker:N", title=None, scale=scale, legend=legend),
        strokeDash=alt.StrokeDash("ranker:N", title=None, scale=dashes, legend=legend),
        tooltip=[
            alt.Tooltip("ranker:N", title="Ranker"),
            alt.Tooltip("alpha:Q", title="Weight", format=".2f"),
            alt.Tooltip("f:Q", title="Mean F", format=".4f"),
        ],
    )
    swaps = pd.DataFrame(
        {
            "alpha": [swap.alpha for swap in curve.swaps],
            "f": [float(np.interp(swap.alpha, curve.alphas, curve.mean_f[swap.below])) for swap in curve.swaps],
            "swap": [f"{rankers[swap.below]} before, {rankers[swap.above]} after" for swap in curve.swaps],
        },
        columns=["alpha", "f", "swap"],
    )
    marks = alt.Chart(swaps).mark_point(size=130, stroke=INK, strokeWidth=2, opacity=1)
    marks = marks.encode(
        x="alpha:Q",
        y="f:Q",
        tooltip=[alt.Tooltip("swap:N", title="Ahead"), alt.Tooltip("alpha:Q", title="Weight", format=".3f")],
    )
    return (drawn + marks).properties(height=380)


def _title(text: str) -> alt.Title:
    return alt.Title(text, anchor="start", fontWeight="normal", fontSize=12)
