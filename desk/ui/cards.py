"""Row of metric cards: two abreast on a phone, all of one height."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import streamlit as st

UNKNOWN = "–"  # noqa: RUF001


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
    height = "" if any(card.chart for card in cards) else "low-"
    with st.container(key=f"cards-{len(cards)}-{height}{name}"):
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
