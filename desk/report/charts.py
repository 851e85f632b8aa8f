"""Charts of the *My report* page: a measure over time with changes of editor and ranker, and list lengths."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import altair as alt
import numpy as np
import pandas as pd

from presort.desk.scores.shifts import NEW
from presort.desk.scores.ticks import FORMAT, issue_ticks
from presort.desk.ui.colours import COLOURS, GREY, POWER_LABEL, marks_of
from presort.metrics import Measure

LIST_ORDER = "list order (not ranked)"
PICKED = "picked"  # name of Altair's point selection
PICKED_BY = ["ranking_id"]
HEIGHT, LENGTHS = 330, 100  # pixels
PADDING = 8  # pixels left of the first and right of the last issue
AXIS = 46  # width of the y-axis in pixels, the same in both charts to align their issues


class Event(NamedTuple):
    """Event that may explain why figures changed. `last` equals `first` unless the event is a holiday."""

    text: str
    first: pd.Timestamp
    last: pd.Timestamp


def measure_over_time(
    scores: pd.DataFrame, measure: Measure, label: str, events: Sequence[Event] = ()
) -> alt.LayerChart:
    """Plot a measure over the issues, with the selected rankings in bold. A click on a point selects it.

    Parameters
    ----------
    scores : DataFrame
        Columns ``issue``, ``day``, ``ranker``, ``is_trained`` (False if the papers were left in list order), ``is_own``
        (True for the selected rankings), ``n_papers``, ``n_relevant``, ``drawn`` (the plotted value: see
        `scores.table.values_to_plot`) and ``shown`` (the value formatted for display).
    measure : Measure
        Measure to plot.
    label : str
        Label of the measure.
    events : sequence of Event
        Changes of editor and ranker, and holidays.
    """
    direction = "higher" if measure.higher_is_better and not measure.loss else "lower"
    unit = "distance from 100 %; " if measure.loss else f"{measure.unit}; " if measure.unit else ""
    order = scores["ranker"].where(scores["is_trained"].astype(bool), LIST_ORDER)
    spoken = scores["day"] + ", " + order + ": " + scores["shown"]  # for screen readers
    base = alt.Chart(scores.assign(spoken=spoken, order=order)).encode(
        x=_issues(scores),
        y=_values(measure),
        color=alt.Color(
            "order:N",
            title=None,
            scale=alt.Scale(domain=list(_colours(scores, order)), range=list(_colours(scores, order).values())),
            legend=alt.Legend(orient="bottom", columns=3, labelLimit=0),
        ),
    )
    picked = alt.selection_point(name=PICKED, fields=PICKED_BY)
    points = base.mark_point(filled=True, cursor="pointer").encode(
        size=alt.condition("datum.is_own", alt.value(60), alt.value(25)),
        opacity=alt.condition(picked, alt.value(1), alt.value(0.35)),
        description=alt.Description("spoken:N"),
        tooltip=[
            alt.Tooltip("issue:T", title="Issue", format="%Y-%m-%d"),
            alt.Tooltip("order:N", title="Ranked by"),
            alt.Tooltip("shown:N", title=label),
            alt.Tooltip("n_relevant:Q", title="Relevant"),
            alt.Tooltip("n_papers:Q", title="Papers"),
        ],
    )
    points = points.add_params(picked)
    others = base.transform_filter("!datum.is_own").mark_line(strokeWidth=1, opacity=0.5)
    # The selected rankings are drawn as a single line, even if they come from several rankers.
    own = base.transform_filter("datum.is_own").mark_line(strokeWidth=2.5).encode(color=alt.value(COLOURS[0]))
    legend = f"Bold: selected rankings. Dashed: median of {NEW} lists."
    text = [f"{label} ({unit}{direction} is better)", legend]  # two lines, because one would be too long for a phone
    title = alt.Title(text, anchor="start", fontWeight="normal", fontSize=13)
    layers = [*_events(events, scores), others, own, _medians(scores, measure), points]
    return cast("alt.LayerChart", alt.layer(*layers).properties(height=HEIGHT, title=title))


def list_lengths(scores: pd.DataFrame) -> alt.Chart:
    """Plot the number of papers in each list.

    The chart is shown below `measure_over_time`, because a measure's values depend on list length.
    """
    one_each = scores.drop_duplicates("issue")
    tooltip = [
        alt.Tooltip("issue:T", title="Issue", format="%Y-%m-%d"),
        alt.Tooltip("n_papers:Q", title="Papers"),
        alt.Tooltip("n_relevant:Q", title="Relevant"),
    ]
    axis = alt.Axis(tickCount=2, minExtent=AXIS, maxExtent=AXIS, titlePadding=8)
    chart: alt.Chart = (
        alt.Chart(one_each)
        .mark_bar(color=GREY, width=6)
        .encode(
            alt.X("issue:T", title=None, axis=alt.Axis(labels=False, ticks=False), scale=alt.Scale(padding=PADDING)),
            alt.Y("n_papers:Q", title=None, axis=axis),
            tooltip=tooltip,
        )
        .properties(height=LENGTHS, title=alt.Title("Papers", anchor="start", fontWeight="normal", fontSize=13))
    )
    return chart


def _issues(scores: pd.DataFrame) -> alt.X:
    # labelFlush keeps the last label within the chart. A label that extends beyond the edge would make this chart
    # narrower than the one below.
    axis = alt.Axis(values=issue_ticks(scores["issue"]), format=FORMAT, labelFlush=PADDING + 2)
    return alt.X("issue:T", title="Issue", axis=axis, scale=alt.Scale(padding=PADDING))


def _values(measure: Measure) -> alt.Y:
    is_share = measure.unit.startswith("share")
    look: dict[str, Any] = {"labelExpr": POWER_LABEL} if measure.loss else {"format": "%" if is_share else ".3~g"}
    axis = alt.Axis(**look, minExtent=AXIS, maxExtent=AXIS)
    return alt.Y("drawn:Q", title=None, axis=axis, scale=alt.Scale(zero=is_share))  # the title is above the chart


def _colours(scores: pd.DataFrame, order: "pd.Series[str]") -> dict[str, str]:
    """Return the colour of each ranker. Rankers whose rankings are not selected are grey."""
    own = sorted(set(order[scores["is_own"].astype(bool)]) - {LIST_ORDER})
    others = sorted(set(order) - {*own, LIST_ORDER})
    colours = {own[0]: COLOURS[0]} if len(own) == 1 else dict(zip(own, marks_of(own).colours, strict=True))
    colours |= dict.fromkeys(others, GREY)
    return colours | ({LIST_ORDER: GREY} if (order == LIST_ORDER).any() else {})


def _medians(scores: pd.DataFrame, measure: Measure) -> alt.Chart:
    """Plot the selected rankings' median over each block of `NEW` issues, counted back from the newest issue."""
    own = scores[scores["is_own"].astype(bool)].sort_values("issue")
    block = np.arange(len(own))[::-1] // NEW
    steps = own.groupby(block).agg(issue=("issue", "min"), end=("issue", "max"), drawn=("drawn", "median"))
    return (
        alt.Chart(steps)
        .mark_rule(color=COLOURS[1], strokeWidth=2, strokeDash=[6, 4])
        .encode(alt.X("issue:T"), alt.X2("end:T"), _values(measure), tooltip=alt.value(f"Median of {NEW} lists"))
    )


def _events(events: Sequence[Event], scores: pd.DataFrame) -> list[alt.Chart]:
    """Draw holidays as bands, and changes of editor or ranker as labelled lines.

    Only the part within the plotted dates is drawn.
    """
    first, last = scores["issue"].min(), scores["issue"].max()
    inside = [one for one in events if one.last >= first and one.first <= last]
    rows = pd.DataFrame(
        [(one.text, max(one.first, first), min(one.last, last)) for one in inside], columns=["text", "issue", "end"]
    )
    is_holiday = rows["issue"] < rows["end"]
    tooltip = [alt.Tooltip("text:N", title="Change"), alt.Tooltip("issue:T", title="From", format="%Y-%m-%d")]
    charts = []
    if is_holiday.any():
        bands = alt.Chart(rows[is_holiday]).mark_rect(color=GREY, opacity=0.25)
        charts.append(bands.encode(alt.X("issue:T"), alt.X2("end:T"), tooltip=tooltip))
    if not is_holiday.all():
        lines = alt.Chart(rows[~is_holiday]).encode(alt.X("issue:T"), tooltip=tooltip)
        charts.append(lines.mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=1.5))
        # Rotated along the line, because the labels of changes that are close together would otherwise overlap.
        names = lines.mark_text(angle=270, align="right", baseline="bottom", dy=-3, color=GREY, fontSize=11)
        charts.append(names.encode(text="text:N", y=alt.value(4)))
    return charts
