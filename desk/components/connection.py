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
    """Place the invisible component on a page. Call it outside of fragments, so that it redraws the whole page."""
    CONNECTION(key=KEY, on_back_change=_nothing)


def _nothing() -> None:
    """Do nothing. Streamlit accepts messages only if there is a callback."""
