"""What draws a page anew, all of it, when the server is back: see connection.js."""

from importlib.resources import files

import streamlit as st

BROWSER = files("presort.desk.components") / "browser"
KEY = "connection"
CONNECTION = st.components.v2.component(
    "presort_connection",
    js="\n".join((BROWSER / f"{name}.js").read_text(encoding="utf-8") for name in ("calls", "connection")),
    isolate_styles=False,  # it shows nothing that could have a style
)


def keep_connected() -> None:
    """Place what nobody sees on a page; outside of fragments, so that what it sends draws the whole page."""
    CONNECTION(key=KEY, on_back_change=_nothing)


def _nothing() -> None:
    """Stand for the callback without which Streamlit takes no message."""
