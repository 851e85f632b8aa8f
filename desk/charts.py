"""Charts: from a table to an Altair chart, nothing else."""

import altair as alt
import pandas as pd

from metrics import Measure

# Of an axis in powers of ten, of percent: 0.005 %, and 3.2e-412 %, which JavaScript would take for 0.
POWER_LABEL = (
    "(datum.value < -3 ? format(pow(10, datum.value - floor(datum.value)), '.2~g') + 'e' + floor(datum.value)"
    " : format(pow(10, datum.value), '.4~g')) + ' %'"
)
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # told apart by colour-blind readers


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
