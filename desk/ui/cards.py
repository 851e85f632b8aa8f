"""Row of metric cards with equal heights. On a phone, there are two cards per row."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import streamlit as st

UNKNOWN = "–"  # noqa: RUF001


class Card(NamedTuple):
    """Card with a labelled figure.

    Attributes
    ----------
    label : str
        Label above the figure.
    value : str
        Formatted figure.
    help : str
        Tooltip.
    below : str
        Second figure, shown below the first. Empty if there is none.
    trend : "lower is better", "higher is better" or "off"
        How the second figure is coloured. Unless this is "off", the second figure must start with its sign.
    chart : sequence of float
        Values of the sparkline, oldest first. Empty if there is no sparkline.
    """

    label: str
    value: str
    help: str
    below: str = ""
    trend: Literal["lower is better", "higher is better", "off"] = "off"
    chart: Sequence[float] = ()


def draw(cards: Sequence[Card], name: str = "answer") -> None:
    """Draw the cards in a row. The row's name must be unique on the page."""
    height = "" if any(card.chart for card in cards) else "low-"
    with st.container(key=f"cards-{len(cards)}-{height}{name}"):
        for card in cards:
            colour: Any = {"lower is better": "inverse", "higher is better": "normal", "off": "off"}[card.trend]
            st.metric(
                card.label,
                card.value,
                card.below.replace(" %", "\N{NO-BREAK SPACE}%") or None,
                colour,
                help=card.help,
                border=True,
                chart_data=list(card.chart) or None,
                delta_arrow="off" if card.trend == "off" else "auto",
            )
