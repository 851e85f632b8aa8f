"""Charts for the summary page, readable on paper and on phones, in light and dark mode. The page draws the legend."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from presort.desk.scores.ticks import FORMAT, issue_ticks
from presort.desk.ui.colours import marks_of

Drawn = alt.Chart | alt.LayerChart

INK = "currentColor"  # the colour of the page's text, so that it also fits dark mode
WIDTH, HEIGHT = 430, 270


def last_position_chart(table: pd.DataFrame, rankers: Sequence[str]) -> Drawn:
    """Plot the rankers' reading effort over time. `table` is a result of `last_by_issue`.

    The order of `rankers` determines their colours.
    """
    x = alt.X(
        "issue:T", title="Issue", axis=alt.Axis(labelOverlap=True, values=issue_ticks(table["issue"]), format=FORMAT)
    )
    share = alt.Axis(format="%", tickCount=5)
    colour, dash = _marks(rankers)
    base = alt.Chart(table).encode(x, color=colour)
    thin = base.mark_line(strokeWidth=0.8, opacity=0.5, point={"size": 8, "opacity": 0.5}).encode(
        alt.Y("last:Q", title="Share of the list read (lower is better)", axis=share)
    )
    thick = base.transform_filter("isValid(datum.running)").mark_line(strokeWidth=2.5)
    return _style_chart(thin + thick.encode(alt.Y("running:Q"), strokeDash=dash))


def reading_curve_chart(curves: pd.DataFrame, rankers: Sequence[str]) -> Drawn:
    """Plot the share of report issues whose relevant papers were all found, by the share of the list read.

    `curves` is a result of `reading_curves`.
    """
    share = alt.Axis(format="%", tickCount=5, labelFlush=False)
    colour, dash = _marks(rankers)
    lines = alt.Chart(curves).mark_line(strokeWidth=2.5)
    lines = lines.encode(
        alt.X("read:Q", title="Share of the list read from the top", axis=share),
        alt.Y("found:Q", title="Share of report issues (higher is better)", axis=share),
        color=colour,
        strokeDash=dash,
    )
    return _style_chart(lines)


def _marks(rankers: Sequence[str]) -> tuple[alt.Color, alt.StrokeDash]:
    named, marks = list(rankers), marks_of(rankers)
    colours, dashes = alt.Scale(domain=named, range=marks.colours), alt.Scale(domain=named, range=marks.dashes)
    return alt.Color("ranker:N", scale=colours, legend=None), alt.StrokeDash("ranker:N", scale=dashes, legend=None)


def _style_chart(chart: Drawn) -> Drawn:
    plain = chart.properties(width=WIDTH, height=HEIGHT).configure(background="transparent")
    return plain.configure_view(stroke=None).configure_axis(
        labelColor=INK,
        titleColor=INK,
        domainColor=INK,
        tickColor=INK,
        gridColor=INK,
        gridOpacity=0.15,
        labelFontSize=12,
        titleFontSize=12,
        titleFontWeight="normal",
    )
