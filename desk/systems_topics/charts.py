"""Charts of the page Systems and topics."""

import altair as alt
import numpy as np
import pandas as pd

from presort.desk.ui.colours import COLOURS, GREY, POWER_LABEL
from presort.metrics.batch import Floats

ABOVE, BELOW = COLOURS[:2]  # blue and orange: a weight above or below 0
INK = "#787878"  # of text inside a chart, read on white and on black
MIDDLE = "#C9CDD2"  # of a matrix, where two neither agree nor disagree
ROW = 20  # pixels a name
LARGEST_CELL, LEAST_CELL, WIDEST = 30, 5, 640  # pixels: of a cell of a matrix, and of all of them
NAME, AROUND = 110, 170  # pixels: of a name next to a matrix; of the names and the legend above and below it
SCATTER = 320  # pixels: height of figures against means
LEGEND = 50  # pixels above the picture
LINE = 0.1  # of the height between the axes, at its least: what a line of text takes
PICKED = "picked"
CLICKED = "clicked"
# A click on a name leaves the lines of the others pale; nothing is picked at first.
IS_PICKED = (
    f"!length(data('{PICKED}_store')) || indexof({PICKED}.name, datum.system) >= 0"
    f" || indexof({PICKED}.name, datum.topic) >= 0"
)


def bipartite(nodes: pd.DataFrame, arcs: pd.DataFrame, *, system: str, topic: str) -> alt.LayerChart:
    """Draw systems on the left, topics on the right, and lines between them.

    Nodes are those of `laid_out`; the columns of arcs are ``system``, ``topic`` and ``weight``.
    """
    at = {side: table.set_index("name")["at"] for side, table in nodes.groupby("side")}
    lines = arcs.assign(
        left=0,
        right=1,
        top=arcs["system"].map(at["system"]),
        end=arcs["topic"].map(at["topic"]),
        size=arcs["weight"].abs(),
        sign=np.where(arcs["weight"] > 0, "above the mean", "below the mean"),
    )
    x = alt.X("left:Q", axis=None, scale=alt.Scale(domain=[-0.5, 1.5], nice=False))
    y = alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False, reverse=True))
    drawn = (
        alt.Chart(lines)
        .mark_rule(strokeCap="round")
        .encode(
            x,
            y,
            x2="right:Q",
            y2="end:Q",
            opacity=alt.condition(IS_PICKED, alt.value(0.6), alt.value(0.05)),
            strokeWidth=alt.StrokeWidth(
                "size:Q", legend=None, scale=alt.Scale(domain=[0, float(lines["size"].max())], range=[0.2, 4.5])
            ),
            color=alt.Color(
                "sign:N",
                title=None,
                scale=alt.Scale(domain=["above the mean", "below the mean"], range=[ABOVE, BELOW]),
                legend=alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=4),
            ),
            tooltip=[
                alt.Tooltip("system:N", title=system),
                alt.Tooltip("topic:N", title=topic),
                alt.Tooltip("weight:Q", title="Weight", format="+.3~g"),
            ],
        )
    )
    rows = int(nodes["side"].value_counts().max())
    names = _names(nodes).add_params(alt.selection_point(name=PICKED, fields=["name"], on="click", toggle="true"))
    return alt.layer(drawn, names).properties(height=LEGEND + max(160, ROW * rows)).configure_view(stroke=None)


def _names(nodes: pd.DataFrame) -> alt.Chart:
    is_left = nodes["side"] == "system"
    text = alt.Chart(nodes.assign(place=np.where(is_left, 0, 1))).mark_text(
        align=alt.ExprRef("datum.side == 'system' ? 'right' : 'left'"),
        dx=alt.ExprRef("datum.side == 'system' ? -6 : 6"),
        color=INK,
        cursor="pointer",
        limit=alt.ExprRef("width * 0.24"),
    )
    return text.encode(
        alt.X("place:Q"),
        alt.Y("at:Q"),
        alt.Text("name:N"),
        tooltip=[alt.Tooltip("name:N", title="Name"), alt.Tooltip("mean:Q", title="Mean", format=".4~g")],
    )


def against_mean(
    table: pd.DataFrame, *, mean: str, value: str, name: str, is_power: bool = False, is_share: bool = False
) -> alt.LayerChart:
    """Draw a figure of systems or topics against their mean, with labels on those that have one. A click selects one.

    The columns are ``name``, ``mean``, ``value``, ``label``, which may be empty, ``is_far``, True for outliers,
    ``is_selected``, True if it is drawn large, and ``drawn``: the plotted mean, or the logarithm of its distance from
    100 %, in percent.
    """
    domain = _padded(table["drawn"])
    axis = (
        alt.Axis(labelExpr=POWER_LABEL, tickCount=5)
        if is_power
        else alt.Axis(format="%" if is_share else ".3~g", tickCount=6)
    )
    x = alt.X("drawn:Q", title=mean, axis=axis, scale=alt.Scale(domain=domain, nice=False))
    y = alt.Y("value:Q", title=value, axis=alt.Axis(format=".2~g"), scale=alt.Scale(zero=False, padding=14))
    tooltip = [
        alt.Tooltip("name:N", title=name),
        alt.Tooltip("drawn:Q", title="Mean", format=".1%" if is_share else ".4~g"),
        alt.Tooltip("value:Q", title=value, format=".3~f"),
    ]
    clicked = alt.selection_point(name=CLICKED, fields=["name"], on="click", empty=False)
    dots = (
        alt.Chart(table)
        .mark_circle(cursor="pointer")
        .encode(
            x,
            y,
            color=alt.condition("datum.is_far", alt.value(BELOW), alt.value(ABOVE)),
            size=alt.condition("datum.is_selected", alt.value(260), alt.value(60)),
            opacity=alt.condition("datum.is_far || datum.is_selected", alt.value(1), alt.value(0.6)),
            tooltip=tooltip,
        )
    )
    is_labelled, is_late = (
        table["label"] != "",
        table["drawn"] > sum(domain) / 2,
    )  # on the right, the label is left of it
    spread = float(np.ptp(table["value"]))
    labels = [_labels(table[is_labelled & (is_late == late)], x, y, spread, is_late=late) for late in (False, True)]
    return alt.LayerChart(layer=[dots.add_params(clicked), *filter(None, labels)], height=SCATTER)


def _labels(table: pd.DataFrame, x: alt.X, y: alt.Y, height: float, *, is_late: bool) -> alt.Chart | None:
    """Draw the labels on one side of their points, one below the other where they would overlap."""
    if table.empty:
        return None
    placed = table.assign(value=apart(table["value"].to_numpy(), LINE * height))
    text = alt.Chart(placed).mark_text(
        align="right" if is_late else "left", dx=-8 if is_late else 8, color=INK, limit=alt.ExprRef("width * 0.7")
    )
    return text.encode(x, y, alt.Text("label:N"))


def apart(values: Floats, least: float) -> Floats:
    """Move values so that none is nearer than this to the next, each as little as a pass upwards and back takes.

    Examples
    --------
    >>> apart(np.array([0.5, 0.51, 0.9]), 0.1).round(3).tolist()
    [0.455, 0.555, 0.9]
    >>> apart(np.array([0.9, 0.1, 0.5]), 0.1).round(3).tolist()
    [0.9, 0.1, 0.5]
    """
    order = np.argsort(values, kind="stable")
    steps = least * np.arange(len(values))
    ascending = values[order] - steps  # must not decrease: equal values are neighbours
    upwards, downwards = np.maximum.accumulate(ascending), np.minimum.accumulate(ascending[::-1])[::-1]
    moved = np.empty(len(values))
    moved[order] = (upwards + downwards) / 2 + steps
    return moved


def _padded(values: "pd.Series[float]") -> list[float]:
    spread = float(values.max() - values.min()) or 1.0
    return [float(values.min()) - 0.06 * spread, float(values.max()) + 0.06 * spread]


def matrix(cosines: pd.DataFrame, *, name: str) -> alt.Chart:
    """Draw an agreement matrix of rows and columns of this name, from -1 to 1, in its order."""
    n, names = len(cosines), [str(each) for each in cosines.index]
    cells = pd.DataFrame(
        {"row": np.repeat(names, n), "column": np.tile(names, n), "agreement": cosines.to_numpy().ravel()}
    )
    axis = alt.Axis(labelLimit=NAME, labelFontSize=11, labelOverlap=True, ticks=False, domain=False, title=None)
    scale = alt.Scale(domain=[-1, 0, 1], range=[BELOW, MIDDLE, ABOVE], interpolate="rgb")
    rects = alt.Chart(cells).mark_rect()
    drawn = rects.encode(
        alt.X("column:N", sort=names, axis=axis),
        alt.Y("row:N", sort=names, axis=axis),
        alt.Color(
            "agreement:Q",
            title=["Agreement: from -1, the", "opposite, to 1, the same"],
            scale=scale,
            legend=alt.Legend(orient="top", titleLimit=0, gradientLength=200, gradientThickness=10),
        ),
        tooltip=[
            alt.Tooltip("row:N", title=name),
            alt.Tooltip("column:N", title="and"),
            alt.Tooltip("agreement:Q", title="Agreement", format="+.2f"),
        ],
    )
    return drawn.properties(height=_side(n) + AROUND)


def width_of_matrix(n: int) -> int:
    """Return the width in pixels of a matrix with so many names, for cells about as high as wide."""
    return _side(n) + NAME


def _side(n: int) -> int:
    return n * min(LARGEST_CELL, max(LEAST_CELL, WIDEST // n))


def kept_order(curve: pd.DataFrame, k: int, *, topics: str) -> alt.LayerChart:
    """Draw how well fewer topics keep the order of the systems, and the number chosen.

    The columns are ``k``, ``tau``, ``random_tau``, ``random_low`` and ``random_high``.
    """
    domain = ["picked", "at random: mean, and nine draws of ten"]
    colour = alt.Color(
        "which:N",
        title=None,
        scale=alt.Scale(domain=domain, range=[ABOVE, GREY]),
        legend=alt.Legend(orient="top", labelLimit=0, columns=1),
    )
    x = alt.X("k:Q", title=f"{topics} picked", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format="d"))
    title = "Kendall τ (1: the same order)"
    random = alt.Chart(curve.assign(which=domain[1])).encode(x, color=colour)
    band = random.mark_area(opacity=0.25).encode(alt.Y("random_low:Q", title=title), alt.Y2("random_high:Q"))
    mean = random.mark_line(strokeDash=[4, 3]).encode(alt.Y("random_tau:Q", title=title))
    picked = alt.Chart(curve.assign(which=domain[0])).encode(
        x,
        alt.Y("tau:Q", title=title),
        color=colour,
        tooltip=[
            alt.Tooltip("k:Q", title="Picked"),
            alt.Tooltip("tau:Q", title="Kendall τ", format=".3f"),
            alt.Tooltip("random_tau:Q", title="At random, mean", format=".3f"),
        ],
    )
    chosen = alt.Chart(pd.DataFrame({"k": [k]})).mark_rule(color=INK, strokeDash=[2, 2]).encode(x)
    return (band + mean + picked.mark_line(point=True) + chosen).properties(height=310)
