"""Redraw the whole page when the server is back: see connection.js."""

import streamlit as st

from presort.desk.components.scripts import script

KEY = "connection"
CONNECTION = st.components.v2.component(
    "presort_connection",
    js=script("connection"),
    isolate_styles=False,  # it shows nothing that could have a style
)


def keep_connected() -> None:
    """Place what nobody sees on a page; outside of fragments, so that what it sends draws the whole page."""
    CONNECTION(key=KEY, on_back_change=_nothing)


def _nothing() -> None:
    """Stand for the callback without which Streamlit takes no message."""
