"""Charts on the *In theory* tab: all possible orders with the measures' values, and the rates of contradiction."""

from textwrap import wrap

import altair as alt
import numpy as np
import pandas as pd

from presort.desk.natural_order.charts import BLUE, INK, PADDING
from presort.desk.natural_order.possible_orders import PossibleOrders
from presort.desk.scores.registry import MEASURES
from presort.desk.ui.colours import GREY, RED

SQUARE, PANEL, GAP = 1, 6, 1.2  # widths in x-axis units: a square, a measure's panel, and the gap before the panel
TALLEST, HIGHEST_ROW, LOWEST_ROW = 620, 20, 4  # pixels: maximum height of the chart, maximum and minimum row height
# Legible in light and dark mode; "currentColor" doesn't work because the chart is drawn on a canvas.
GREY_INK = "#787878"
LINE, LINE_HEIGHT = 12, 13  # characters per line of a measure's label, and line height in pixels
FLAT = alt.Axis(labelAngle=0, labelFlush=False, ticks=False, domain=False)


def orders(possible: PossibleOrders, names: list[str], shown: pd.DataFrame) -> alt.LayerChart:
    """Draw outcomes as rows of squares, best outcome on top, next to a line for each measure's values.

    Violations of the natural order are red. `shown` contains the formatted values, with one row per outcome and one
    column per measure.
    """
    n_rows = len(possible.outcomes)
    step = min(max(TALLEST / n_rows, LOWEST_ROW), HIGHEST_ROW)
    n = possible.outcomes[0].n
    width = n * SQUARE + len(names) * (PANEL + GAP)
    across = alt.Scale(domain=[0, width], nice=False)
    down = alt.Scale(domain=[0, n_rows], reverse=True, nice=False)

    def position(x: str, y: str) -> tuple[alt.X, alt.Y]:  # Vega needs the same axes in all layers
        return alt.X(x, axis=None, scale=across), alt.Y(y, axis=None, scale=down)

    squares = alt.Chart(_squares(possible)).mark_rect()
    squares = squares.encode(
        *position("x:Q", "row:Q"),
        alt.X2("x2:Q"),
        alt.Y2("row2:Q"),
        color=alt.condition("datum.is_relevant", alt.value(BLUE), alt.value(GREY)),
        opacity=alt.condition("datum.is_relevant", alt.value(1), alt.value(0.25)),
        tooltip=[alt.Tooltip("place:N", title="Number of better orders"), alt.Tooltip("at:N", title="Relevant places")],
    )
    points = pd.concat([_points(possible, name, number, shown[name]) for number, name in enumerate(names)])
    colour = alt.condition("datum.step > 0", alt.value(RED), alt.value(GREY))
    points = points.dropna(subset="x")
    lines = alt.Chart(points.dropna(subset="before")).mark_rule()
    lines = lines.encode(
        *position("before:Q", "row_before:Q"),
        alt.X2("x:Q"),
        alt.Y2("row:Q"),
        color=colour,
        strokeWidth=alt.condition("datum.step > 0", alt.value(3), alt.value(1.5)),
    )
    dots = alt.Chart(points).mark_point(filled=True, opacity=1, size=min(45, step**2 / 4))
    dots = dots.encode(
        *position("x:Q", "row:Q"),
        color=colour,
        tooltip=[
            alt.Tooltip("label:N", title="Measure"),
            alt.Tooltip("shown:N", title="Value"),
            alt.Tooltip("at:N", title="Relevant at"),
            alt.Tooltip("verdict:N", title="Compared with the row above"),
        ],
    )
    labels = [wrap(MEASURES[name].label, LINE) for name in names]
    heads = pd.DataFrame(
        {"x": [_panel_left(n, number) for number in range(len(names))], "row": 0, "label": list(map("\n".join, labels))}
    )
    above = -LINE_HEIGHT * max(map(len, labels)) - 4
    written = alt.Chart(heads).mark_text(
        align="left", baseline="top", color=GREY_INK, dy=above, fontSize=11, lineBreak="\n"
    )
    written = written.encode(*position("x:Q", "row:Q"), alt.Text("label:N"))
    layers = [squares, lines, dots, written]
    return alt.LayerChart(layer=layers, height=step * n_rows, padding=PADDING)


def _squares(possible: PossibleOrders) -> pd.DataFrame:
    n = possible.outcomes[0].n
    is_relevant = np.zeros((len(possible.outcomes), n), dtype=bool)
    for row, outcome in zip(is_relevant, possible.outcomes, strict=True):
        row[outcome.positions - 1] = True
    rows, columns = np.indices(is_relevant.shape).reshape(2, -1)
    return pd.DataFrame(
        {
            "x": columns * SQUARE,
            "x2": (columns + 0.85) * SQUARE,
            "row": rows + 0.08,
            "row2": rows + 0.92,
            "is_relevant": is_relevant.ravel(),
            "place": np.array([f"{place:,}" for place in possible.places])[rows],
            "at": np.array(_positions_texts(possible))[rows],
        }
    )


def _points(possible: PossibleOrders, name: str, number: int, shown: "pd.Series[str]") -> pd.DataFrame:
    """Return the points of a measure's line, one point per row. Better values are further to the right."""
    upwards = possible.measures[name] * (1 if MEASURES[name].higher_is_better else -1)
    lowest, highest = upwards.min(), upwards.max()
    x = _panel_left(possible.outcomes[0].n, number) + PANEL * (
        (upwards - lowest) / (highest - lowest) if highest > lowest else upwards * 0 + 0.5
    )
    row = np.arange(len(x)) + 0.5
    verdicts = {1: "preferred although worse", 0: "no preference", -1: "worse, as in natural order"}
    steps = possible.steps[name]
    table = pd.DataFrame({"x": x, "before": x.shift(), "row": row, "row_before": row - 1, "step": steps})
    table["verdict"] = ["–", *steps.iloc[1:].map(verdicts)]  # noqa: RUF001
    return table.assign(label=MEASURES[name].label, shown=shown.to_list(), at=_positions_texts(possible))


def _panel_left(n: int, number: int) -> float:
    return n * SQUARE + GAP + number * (PANEL + GAP)


def _positions_texts(possible: PossibleOrders) -> list[str]:
    return [", ".join(map(str, outcome.positions.tolist())) for outcome in possible.outcomes]


def rates(table: pd.DataFrame, r: int, n: int) -> alt.LayerChart:
    """Draw a heat map of how often a measure prefers the worse of two outcomes. A frame marks the given r and n."""
    cells = table.assign(
        percent=(100 * table["prefers_worse"]).round().astype(int),
        looked_at=np.where(table["is_estimate"], "random sample", "all outcomes"),
        is_chosen=(table["r"] == r) & (table["n"] == n),
    )
    base = alt.Chart(cells).encode(
        alt.X("n:O", title="n, papers in the list", axis=FLAT),
        alt.Y("r:O", title="r, relevant papers", axis=FLAT),
        tooltip=[
            alt.Tooltip("r:Q", title="Relevant"),
            alt.Tooltip("n:Q", title="Papers"),
            alt.Tooltip("prefers_worse:Q", title="Prefers the worse order", format=".1%"),
            alt.Tooltip("cannot_tell:Q", title="No preference", format=".1%"),
            alt.Tooltip("pairs:Q", title="Pairs", format=","),
            alt.Tooltip("looked_at:N", title="Outcomes"),
        ],
    )
    opacity = alt.Opacity("prefers_worse:Q", scale=alt.Scale(domain=[0, 0.5], range=[0.04, 0.7]), legend=None)
    boxes = base.mark_rect(color=RED).encode(opacity)
    numbers = base.mark_text(fontSize=11, color=INK).encode(alt.Text("percent:Q"))
    chosen = base.mark_rect(filled=False, stroke=BLUE, strokeWidth=3).transform_filter("datum.is_chosen")
    return alt.LayerChart(layer=[boxes, numbers, chosen], height=26 * table["r"].nunique() + 40)
