"""Charts of the page My report."""

import altair as alt
import pandas as pd

from presort.desk.scores.ticks import FORMAT, issue_ticks
from presort.desk.ui.colours import GREY, POWER_LABEL, marks_of
from presort.metrics import Measure

LIST_ORDER = "list order, unsorted"
PICKED = "picked"  # name of the selection: a point, by `PICKED_BY`
PICKED_BY = ["ranking_id"]


def measure_over_time(scores: pd.DataFrame, measure: Measure, named: str) -> alt.LayerChart:
    """Draw one measure, by that name, over the issues, a line a ranker; a click on a point picks it.

    The columns are ``issue``, ``day``, ``ranker``, ``is_trained`` (else list order was kept, and no ranker sorted it),
    ``n_papers``, ``n_relevant``, ``drawn``: the measure's value, or the power of ten of its `Measure.loss` in percent
    if it has one; and ``shown``: its value in words.
    """
    direction = "higher" if measure.higher_is_better and not measure.loss else "lower"
    unit = "distance from 100 %; " if measure.loss else f"{measure.unit}; " if measure.unit else ""
    is_share = measure.unit.startswith("share")
    power = alt.Axis(labelExpr=POWER_LABEL)
    is_trained = scores["is_trained"].astype(bool)
    rankers = sorted(scores.loc[is_trained, "ranker"].unique())
    marks = marks_of(rankers)
    orders, colours, shapes = rankers, list(marks.colours), list(marks.shapes)
    if not is_trained.all():
        orders, colours, shapes = [*rankers, LIST_ORDER], [*colours, GREY], [*shapes, "cross"]
    order = scores["ranker"].where(is_trained, LIST_ORDER)
    spoken_text = scores["day"] + ", " + order + ": " + scores["shown"]  # to who hears the chart
    base = alt.Chart(scores.assign(spoken_text=spoken_text, order=order)).encode(
        x=alt.X("issue:T", title="Issue", axis=alt.Axis(values=issue_ticks(scores["issue"]), format=FORMAT)),
        y=alt.Y(
            "drawn:Q",
            title=None,  # stands above, where a long one has room
            axis=power if measure.loss else alt.Axis(format="%" if is_share else ".3~g"),
            scale=alt.Scale(zero=is_share),
        ),
        color=alt.Color(
            "order:N",
            title=None,
            scale=alt.Scale(domain=orders, range=colours),
            legend=alt.Legend(orient="bottom", columns=3),
        ),
    )
    picked = alt.selection_point(name=PICKED, fields=PICKED_BY)
    points = base.mark_point(filled=True, size=55, cursor="pointer").encode(
        opacity=alt.condition(picked, alt.value(1), alt.value(0.35)),
        shape=alt.Shape("order:N", title=None, scale=alt.Scale(domain=orders, range=shapes)),
        description=alt.Description("spoken_text:N"),
        tooltip=[
            alt.Tooltip("issue:T", title="Issue", format="%Y-%m-%d"),
            alt.Tooltip("order:N", title="Sorted by"),
            alt.Tooltip("shown:N", title=named),
            alt.Tooltip("n_relevant:Q", title="Relevant"),
            alt.Tooltip("n_papers:Q", title="Papers"),
        ],
    )
    points = points.add_params(picked)
    title = alt.Title(f"{named} ({unit}{direction} is better)", anchor="start", fontWeight="normal", fontSize=13)
    return (base.mark_line(strokeWidth=1.5, opacity=0.7) + points).properties(height=340, title=title)
