"""Charts on the *Natural order* page: how often measures contradict the natural order, and two lists side by side."""

import json
from dataclasses import dataclass
from typing import Literal

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.ui.colours import CENTRED, COLOURS, GREY, IN_LINES, RED, wrap_label

BLUE = COLOURS[0]
INK = "currentColor"  # the page's text colour; works only in SVG, in which charts of up to 2,000 marks are drawn
DECIDING = alt.condition("datum.is_deciding", alt.value(RED), alt.value(BLUE))
PREFERS = "prefers the worse"
KINDS = {PREFERS: RED, "no preference": GREY}
HEIGHT = 520  # height of the chart of two lists in pixels
CLICKED = "clicked"  # name of Altair's point selection
LABEL, NUMBER = 15, 32  # pixels: line height of titles, and width of a position number
PADDING = dict.fromkeys(["top", "left", "right", "bottom"], 5)  # pixels; Streamlit doesn't accept a single number
LEFT, RIGHT = 0.42, 0.58  # horizontal positions of the two lists, as shares of the width
MOST_NAMED = 33  # maximum number of titles that fit below one another


def misleading_bars(counts: pd.DataFrame) -> alt.Chart:
    """Plot how often each measure prefers the worse order or has no preference. A click selects a measure.

    `counts` is a result of `natural_order.counts` with two additional columns: ``label``, the measure's label, and
    ``is_selected``, which is True for the measure to highlight.
    """
    shares = dict(zip(KINDS, ("share_misleads", "share_cannot_tell"), strict=True))
    counts = counts.assign(label=counts["label"].map(wrap_label))
    long = pd.concat([counts.assign(kind=kind, share=counts[column]) for kind, column in shares.items()])
    names = counts.loc[counts["is_selected"], "label"].to_list()
    is_selected = f"indexof({json.dumps(names)}, datum.value) >= 0"
    base = alt.Chart(long).encode(
        alt.Y(
            "label:N",
            title=None,
            sort=counts["label"].to_list(),
            axis=alt.Axis(
                labelLimit=0,
                labelExpr=IN_LINES,
                labelBaseline=CENTRED,
                labelOverlap=False,
                labelFlush=False,
                labelFontWeight=alt.condition(is_selected, alt.value("bold"), alt.value("normal")),
            ),
        ),
        tooltip=[
            alt.Tooltip("label:N", title="Measure"),
            alt.Tooltip("decided:Q", title="Pairs", format=","),
            alt.Tooltip("misleads:Q", title="Prefers the worse order", format=","),
            alt.Tooltip("cannot_tell:Q", title="No preference", format=","),
        ],
    )
    clicked = alt.selection_point(name=CLICKED, fields=["measure"], on="click", empty=False)
    axis = alt.Axis(format="%", tickCount=4, orient="top")
    x = alt.X("share:Q", title=["Share of pairs", "(lower is better)"], axis=axis)
    scale = alt.Scale(domain=list(KINDS), range=list(KINDS.values()))
    colour = alt.Color("kind:N", title=None, scale=scale, legend=alt.Legend(orient="top", columns=1, labelLimit=0))
    faint = alt.condition("datum.is_selected", alt.value(1), alt.value(0.55))
    bars = base.mark_bar(height={"band": 0.7}, cursor="pointer")
    bars = bars.encode(x, colour, opacity=faint, order=alt.Order("rank:Q")).add_params(clicked)
    ranked = bars.transform_calculate(rank=f"datum.kind == '{PREFERS}' ? 0 : 1")
    return ranked.properties(height=34 * len(counts) + 110)


def two_lists(relevant: pd.DataFrame, names: tuple[str, str], n_papers: int) -> alt.LayerChart:
    """Draw two lists of the same papers as columns. Lines connect each relevant paper's two positions.

    Relevant papers are marked and labelled. `relevant` is `TwoLists.relevant`. The better ranker's list is on the left.
    """
    drawing = _Drawing(relevant, n_papers, names)
    layers = [drawing.column(RIGHT, "worse_place"), drawing.column(LEFT, "better_place"), drawing.lines()]
    layers += drawing.titles(LEFT, "better_place", -1) + drawing.titles(RIGHT, "worse_place", 1)
    return alt.LayerChart(layer=layers, height=HEIGHT, padding=PADDING)


@dataclass(frozen=True, eq=False)
class _Drawing:
    """Layers of the chart drawn by `two_lists`. ``side`` is -1 for the left column and 1 for the right column."""

    relevant: pd.DataFrame
    n_papers: int
    names: tuple[str, str]

    def position(self, x: str, y: str) -> tuple[alt.X, alt.Y]:
        """Return the encoding for the position of a mark. All layers must have the same axes."""
        axis = alt.Axis(title="Place in the list (earlier is better)", grid=False)
        down = alt.Scale(domain=[1, self.n_papers], reverse=True, nice=False)
        return alt.X(x, axis=None, scale=alt.Scale(domain=[0, 1])), alt.Y(y, axis=axis, scale=down)

    @property
    def tooltip(self) -> list[alt.Tooltip]:
        """Tooltip of a paper."""
        left, right = self.names
        return [
            alt.Tooltip("title:N", title="Paper"),
            alt.Tooltip("better_place:Q", title=left),
            alt.Tooltip("worse_place:Q", title=right),
        ]

    def column(self, x: float, place: str) -> alt.Chart:
        """Draw a list as a bar. The part below the last relevant paper is faint."""
        last = self.relevant[place].max()
        parts = pd.DataFrame({"x": x, "from": [1, last], "to": [last, self.n_papers], "opacity": [0.8, 0.25]})
        drawn = alt.Chart(parts).mark_rule(strokeWidth=9, color=GREY)
        opacity = alt.Opacity("opacity:Q", scale=None)
        return drawn.encode(*self.position("x:Q", "from:Q"), alt.Y2("to:Q"), opacity=opacity)

    def lines(self) -> alt.Chart:
        """Connect the positions of each relevant paper in the two lists. The line under the pointer is wider."""
        hovered = alt.selection_point(fields=["position"], on="pointerover", empty=False, name="hovered")
        drawn = alt.Chart(self.relevant.assign(left=LEFT, right=RIGHT)).mark_rule()
        width = alt.condition(hovered, alt.value(5), alt.value(2))
        ends = alt.X2("right:Q"), alt.Y2("worse_place:Q")
        drawn = drawn.encode(
            *self.position("left:Q", "better_place:Q"), *ends, color=DECIDING, strokeWidth=width, tooltip=self.tooltip
        )
        return drawn.add_params(hovered)

    def titles(self, x: float, place: str, side: int) -> list[alt.Chart]:
        """Mark and label the relevant papers in one list. Labels that would overlap are moved apart."""
        deepest = self.relevant.sort_values(place).tail(MOST_NAMED)
        label = spread_labels(deepest[place].to_numpy(float), LABEL * self.n_papers / HEIGHT, self.n_papers)
        deepest = deepest.assign(label=label, at=x + side * 0.008, number=x + side * 0.025)
        align: Literal["left", "right"] = "right" if side < 0 else "left"
        marks = alt.Chart(self.relevant.assign(at=x)).mark_point(filled=True, size=60, opacity=1)
        marks = marks.encode(*self.position("at:Q", f"{place}:Q"), color=DECIDING, tooltip=self.tooltip)
        leaders = alt.Chart(deepest).mark_rule(color=GREY, strokeWidth=0.7)
        leaders = leaders.encode(*self.position("at:Q", f"{place}:Q"), alt.X2("number:Q"), alt.Y2("label:Q"))
        written = alt.Chart(deepest).encode(tooltip=self.tooltip)
        numbers = written.mark_text(align=align, color=INK, fontSize=11, dx=2 * side)
        numbers = numbers.encode(*self.position("number:Q", "label:Q"), alt.Text(f"{place}:Q"))
        titles = written.mark_text(
            align=align, color=INK, fontSize=11, dx=side * NUMBER, limit=alt.expr(f"width * {LEFT - 0.03:g} - {NUMBER}")
        )
        titles = titles.encode(*self.position("number:Q", "label:Q"), alt.Text("title:N"))
        head = alt.Chart(pd.DataFrame({"at": [x], "from": [1], "name": [self.names[side > 0]]}))
        head = head.mark_text(align=align, color=INK, fontSize=13, fontWeight="bold", dy=-18)
        return [leaders, marks, numbers, titles, head.encode(*self.position("at:Q", "from:Q"), alt.Text("name:N"))]


def spread_labels(places: NDArray[np.float64], apart: float, end: float) -> NDArray[np.float64]:
    """Move overlapping labels down. If the last label would then be below the end, move labels up again.

    Examples
    --------
    >>> spread_labels(np.array([1.0, 2.0, 9.0, 10.0]), apart=2, end=10).tolist()
    [1.0, 3.0, 8.0, 10.0]
    """
    moved = places.copy()
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + apart)
    if len(moved):
        moved[-1] = min(moved[-1], end)
    for i in range(len(moved) - 2, -1, -1):
        moved[i] = min(moved[i], moved[i + 1] - apart)
    return moved
