"""Component that reports whether the browser has unsaved entries of a review list: see unsaved.js."""

import streamlit as st

from presort.desk.components.scripts import script

UNSAVED = st.components.v2.component(
    "presort_unsaved",
    js=script("unsaved"),
    isolate_styles=False,  # it shows nothing that could have a style
)


def holds_unsaved(key: str) -> bool:
    """Return whether the browser has unsaved entries of the `review_list` of that key, by its newest report.

    The browser reports once the page is drawn, and after each change. Then the caller's fragment is redrawn.
    """
    name = f"unsaved-{key}"
    state = st.session_state.get(name)
    holds = bool(state and state.get("holds"))
    UNSAVED(key=name, data={"list": key, "reported": holds}, on_holds_change=_nothing)
    return holds


def _nothing() -> None:
    """Do nothing. Streamlit keeps a value only if there is a callback."""
