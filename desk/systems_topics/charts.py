"""Charts on the *Systems and topics* page."""

import altair as alt
import numpy as np
import pandas as pd

from presort.desk.ui.colours import COLOURS, GREY, POWER_LABEL
from presort.metrics.batch import Floats

ABOVE, BELOW = COLOURS[:2]  # blue for a weight above 0, orange for a weight below 0
INK = "#787878"  # text colour in charts, legible in both light and dark mode
MIDDLE = "#C9CDD2"  # colour of matrix cells that show neither agreement nor disagreement
ROW = 20  # height of a label in pixels
LARGEST_CELL, LEAST_CELL, WIDEST = 30, 5, 640  # pixels: maximum and minimum width of a matrix cell, width of the matrix
NAME, AROUND = 110, 170  # pixels: width of names next to a matrix; height of names and legend around it
SCATTER = 320  # height of a scatter plot in pixels
LEGEND = 50  # height of the graph's legend in pixels
LINE = 0.1  # minimum distance between labels, as a share of the plot's height
PICKED = "picked"  # name of the graph's point selection
CLICKED = "clicked"  # name of the scatter plot's point selection
# Vega expression: True if the line's system or topic is selected, or if nothing is selected. Other lines are pale.
IS_PICKED = (
    f"!length(data('{PICKED}_store')) || indexof({PICKED}.name, datum.system) >= 0"
    f" || indexof({PICKED}.name, datum.topic) >= 0"
)


def bipartite_graph(nodes: pd.DataFrame, arcs: pd.DataFrame, *, system: str, topic: str) -> alt.LayerChart:
    """Draw a bipartite graph with systems on the left, topics on the right, and lines between them.

    `nodes` is a result of `lay_out`. `arcs` has the columns ``system``, ``topic`` and ``weight``.
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


def mean_scatter(
    table: pd.DataFrame, *, mean: str, value: str, name: str, is_power: bool = False, is_share: bool = False
) -> alt.LayerChart:
    """Plot a figure of systems or topics, such as their hubness, against their mean score. A click selects a point.

    Columns of the table: ``name``; ``mean``; ``value``, the figure; ``label``, which may be empty; ``is_far``, True for
    outliers; ``is_selected``, True for the point to enlarge; and ``drawn``, the value on the x-axis. The latter is the
    mean or, if `is_power` is True, log10 of the mean distance from 100 % in percent.
    """
    domain = _pad_domain(table["drawn"])
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
    )  # in the right part of the plot, the label is to the left of the point
    spread = float(np.ptp(table["value"]))
    labels = [_labels(table[is_labelled & (is_late == late)], x, y, spread, is_late=late) for late in (False, True)]
    return alt.LayerChart(layer=[dots.add_params(clicked), *filter(None, labels)], height=SCATTER)


def _labels(table: pd.DataFrame, x: alt.X, y: alt.Y, height: float, *, is_late: bool) -> alt.Chart | None:
    """Draw the labels on one side of their points. They are moved apart vertically so that they don't overlap."""
    if table.empty:
        return None
    placed = table.assign(value=move_apart(table["value"].to_numpy(), LINE * height))
    text = alt.Chart(placed).mark_text(
        align="right" if is_late else "left", dx=-8 if is_late else 8, color=INK, limit=alt.ExprRef("width * 0.7")
    )
    return text.encode(x, y, alt.Text("label:N"))


def move_apart(values: Floats, least: float) -> Floats:
    """Move values apart so that neighbours differ by at least `least`.

    An upward and a downward pass are averaged, so that the values move only a little.

    Examples
    --------
    >>> move_apart(np.array([0.5, 0.51, 0.9]), 0.1).round(3).tolist()
    [0.455, 0.555, 0.9]
    >>> move_apart(np.array([0.9, 0.1, 0.5]), 0.1).round(3).tolist()
    [0.9, 0.1, 0.5]
    """
    order = np.argsort(values, kind="stable")
    steps = least * np.arange(len(values))
    ascending = values[order] - steps  # neighbours are far enough apart if these differences don't decrease
    upwards, downwards = np.maximum.accumulate(ascending), np.minimum.accumulate(ascending[::-1])[::-1]
    moved = np.empty(len(values))
    moved[order] = (upwards + downwards) / 2 + steps
    return moved


def _pad_domain(values: "pd.Series[float]") -> list[float]:
    spread = float(values.max() - values.min()) or 1.0
    return [float(values.min()) - 0.06 * spread, float(values.max()) + 0.06 * spread]


def matrix(cosines: pd.DataFrame, *, name: str) -> alt.Chart:
    """Draw an agreement matrix with values from -1 to 1 and rows in the given order. `name` is the noun for a row."""
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
            title=["Agreement: -1 (opposite)", "to 1 (the same)"],
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
    """Return the width in pixels of a matrix with n rows, so that its cells are approximately square."""
    return _side(n) + NAME


def _side(n: int) -> int:
    return n * min(LARGEST_CELL, max(LEAST_CELL, WIDEST // n))


def order_preservation_chart(curve: pd.DataFrame, k: int, *, topics: str) -> alt.LayerChart:
    """Plot how well subsets of topics preserve the order of systems. A line marks the selected size k.

    Columns of `curve`: ``k``, ``tau``, ``random_tau``, ``random_low`` and ``random_high``.
    """
    domain = ["selected", "random: mean and 90 % of draws"]
    colour = alt.Color(
        "which:N",
        title=None,
        scale=alt.Scale(domain=domain, range=[ABOVE, GREY]),
        legend=alt.Legend(orient="top", labelLimit=0, columns=1),
    )
    x = alt.X("k:Q", title=f"{topics} selected", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format="d"))
    title = "Kendall τ (1: the same order)"
    random = alt.Chart(curve.assign(which=domain[1])).encode(x, color=colour)
    band = random.mark_area(opacity=0.25).encode(alt.Y("random_low:Q", title=title), alt.Y2("random_high:Q"))
    mean = random.mark_line(strokeDash=[4, 3]).encode(alt.Y("random_tau:Q", title=title))
    picked = alt.Chart(curve.assign(which=domain[0])).encode(
        x,
        alt.Y("tau:Q", title=title),
        color=colour,
        tooltip=[
            alt.Tooltip("k:Q", title="Selected"),
            alt.Tooltip("tau:Q", title="Kendall τ", format=".3f"),
            alt.Tooltip("random_tau:Q", title="Random, mean", format=".3f"),
        ],
    )
    chosen = alt.Chart(pd.DataFrame({"k": [k]})).mark_rule(color=INK, strokeDash=[2, 2]).encode(x)
    return (band + mean + picked.mark_line(point=True) + chosen).properties(height=310)
