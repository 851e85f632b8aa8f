"""Row of metric cards: two abreast on a phone, all of one height."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import streamlit as st

UNKNOWN = "–"  # noqa: RUF001
STYLE = """
<style>
[class*="st-key-cards-"] { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); }
[class*="st-key-cards-"] > * { min-width: 0; margin: 0; height: 100%; }
[class*="st-key-cards-"] [data-testid="stMetric"] { padding: .5rem .75rem; height: 9.5rem; overflow: hidden; }
[class*="st-key-cards-"] [data-testid="stMetric"] > div { padding: 0; }
[class*="st-key-cards-"] [data-testid="stMetricValue"] { font-size: 1.5rem; line-height: 1.3; }
[class*="st-key-cards-"] [data-testid="stMetricDelta"] * { white-space: normal; }
/* The point under the pointer: Streamlit draws it without a name, which screen readers stumble over. */
[class*="st-key-cards-"] [data-testid="stMetricChart"] .mark-symbol { display: none; }
@media (max-width: 640px) { [class*="st-key-cards-"] [data-testid="stMetric"] { height: 100%; min-height: 7rem; } }
</style>
"""
LOW = """
<style>
[class*="st-key-cards-"] [data-testid="stMetric"] { height: auto; min-height: 6.5rem; } /* without room for a chart */
</style>
"""


class Card(NamedTuple):
    """A figure with its label.

    Attributes
    ----------
    label, value, help : str
    below : str
        A second figure, below the first; empty if there is none.
    trend : "lower is better", "higher is better" or "off"
        Whether and how to colour what is below, which then begins with its sign.
    chart : sequence of float
        Sparkline, oldest first; empty for none.
    """

    label: str
    value: str
    help: str
    below: str = ""
    trend: Literal["lower is better", "higher is better", "off"] = "off"
    chart: Sequence[float] = ()


def draw(cards: Sequence[Card], name: str = "answer") -> None:
    """Draw the cards in a row. The name of the row is unique on the page."""
    st.html(STYLE if any(card.chart for card in cards) else STYLE + LOW)
    with st.container(key=f"cards-{name}"):
        for card in cards:
            colour: Any = {"lower is better": "inverse", "higher is better": "normal", "off": "off"}[card.trend]
            st.metric(
                card.label,
                card.value,
                card.below or None,
                colour,
                help=card.help,
                border=True,
                chart_data=list(card.chart) or None,
                delta_arrow="off" if card.trend == "off" else "auto",
            )
