"""Chart of a replay: reading effort by issue, and the share of report issues whose relevant papers were all found."""

import altair as alt
import pandas as pd

from presort.desk.ui.colours import marks_of


def replay_panels(over_time: pd.DataFrame, curves: pd.DataFrame, medians: "pd.Series[float]") -> alt.HConcatChart:
    """Plot the rankers' reading effort in two panels: over time, and as a distribution over report issues.

    Parameters
    ----------
    over_time : DataFrame
        Result of `last_by_issue`: columns ``ranker``, ``issue``, ``report_issues``, ``last`` and ``running``.
    curves : DataFrame
        Result of `reading_curves`: columns ``ranker``, ``read`` and ``found``.
    medians : Series
        Median relative last position by ranker, in the order of the legend.
    """
    names = {ranker: f"{ranker} (median {100 * median:.1f} %)" for ranker, median in medians.items()}
    looks = marks_of([str(ranker) for ranker in names])
    scale = alt.Scale(domain=list(names.values()), range=looks.colours)
    legend = alt.Legend(
        orient="bottom",
        columns=4,
        columnPadding=35,  # extra space, because the viewer's computer may lack the font used to lay out the SVG
        labelLimit=0,
        labelFontSize=12,
        symbolType="stroke",
        symbolSize=500,
        symbolOpacity=1,
    )
    colour = alt.Color("named:N", title=None, scale=scale, legend=legend)
    dashes = alt.Scale(domain=scale.domain, range=looks.dashes)
    dash = alt.StrokeDash("named:N", title=None, scale=dashes, legend=legend)
    marks = pd.DataFrame({"named": list(names.values()), "read": medians.to_list(), "half": 0.5, "floor": 0})
    left = _last_position_chart(over_time.assign(named=over_time["ranker"].map(names)), colour, dash)
    right = _reading_curve_chart(curves.assign(named=curves["ranker"].map(names)), marks, colour, dash)
    panels = alt.hconcat(left, right, spacing=30).configure_view(stroke=None)
    return panels.configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")


def _last_position_chart(table: pd.DataFrame, colour: alt.Color, dash: alt.StrokeDash) -> alt.LayerChart:
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
    return _panel(thin + thick, "By issue: mean (thin), running mean of four issues (thick)")


def _reading_curve_chart(
    curves: pd.DataFrame, marks: pd.DataFrame, colour: alt.Color, dash: alt.StrokeDash
) -> alt.LayerChart:
    share = alt.Axis(format="%", tickCount=5, labelFlush=False)
    lines = alt.Chart(curves).mark_line(strokeWidth=3)
    lines = lines.encode(
        alt.X("read:Q", title="Share of the list read from the top", axis=share),
        alt.Y("found:Q", title="Share of report issues (higher is better)", axis=share),
        color=colour,
        strokeDash=dash,
    )
    medians = alt.Chart(marks).encode(alt.X("read:Q"), color=colour)
    dots = medians.mark_point(size=80, filled=True, opacity=1, stroke="white").encode(alt.Y("half:Q"))
    drops = medians.mark_rule(strokeWidth=1).encode(alt.Y("floor:Q"), alt.Y2("half:Q"))
    return _panel(drops + lines + dots, "Report issues with all relevant papers found. Dots: medians")


def _panel(chart: alt.LayerChart, title: str) -> alt.LayerChart:
    text = alt.Title(title, anchor="start", fontWeight="normal", fontSize=13)
    return chart.properties(width=440, height=320, title=text)
