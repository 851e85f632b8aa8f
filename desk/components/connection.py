"""Component that redraws the page when the server is back: see connection.js."""

import streamlit as st

from presort.desk.components.scripts import script

KEY = "connection"
CONNECTION = st.components.v2.component(
    "presort_connection",
    js=script("connection"),
    isolate_styles=False,  # invisible, so there is nothing to isolate
)


def keep_connected() -> None:
    """Add the invisible component to a page. Call it outside fragments, because only then is the whole page redrawn."""
    CONNECTION(key=KEY, on_back_change=_nothing)


def _nothing() -> None:
    """Do nothing. Streamlit requires a callback to accept messages."""
