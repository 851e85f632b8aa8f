"""The small chart of when to stop."""

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.desk.colours import GREY, RED
from presort.desk.sheet.progress import Reading

PARTS = {"read": "#009E73", "to read": "#73C7AE", "rest": GREY}  # seen on white and on black
SPARKS = 60  # bars of the small curve


def scores_by_place(scores: NDArray[np.float64], reading: Reading) -> alt.LayerChart:
    """Draw small how the score falls down the list, what of it was read, and where reading may end.

    Scores are best first; papers that joined the issue later have none.
    """
    ends = np.unique(np.linspace(0, len(scores), SPARKS + 1).astype(int))
    parts = np.where(ends[1:] <= reading.read_to, "read", np.where(ends[:-1] < reading.stop_at, "to read", "rest"))
    bars = pd.DataFrame(
        {
            "first": ends[:-1] + 1,
            "last": ends[1:],
            "height": np.add.reduceat(scores, ends[:-1]) / np.diff(ends) - scores.min(),
            "part": parts,
        }
    )
    drawn = alt.Chart(bars).mark_bar(binSpacing=1)
    drawn = drawn.encode(
        alt.X("first:Q", axis=None, scale=alt.Scale(domain=[1, reading.n_papers + 1], nice=False)),
        alt.X2("last:Q"),
        alt.Y("height:Q", axis=None),
        alt.Y2(datum=0),
        alt.Color("part:N", legend=None, scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values()))),
        tooltip=[
            alt.Tooltip("first:Q", title="From paper"),
            alt.Tooltip("last:Q", title="to"),
            alt.Tooltip("part:N", title="Part"),
        ],
    )
    stop = alt.Chart(pd.DataFrame({"at": [reading.stop_at + 1]})).mark_rule(color=RED, strokeWidth=2).encode(x="at:Q")
    title = alt.Title(
        "how well each paper fits, first to last", anchor="start", fontWeight="normal", fontSize=12, offset=4
    )
    return (drawn + stop).properties(height=80, padding=0, title=title).configure_view(stroke=None)
