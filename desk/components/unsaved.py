"""Component that reports whether the browser holds unsaved entries of a review list: see unsaved.js."""

import streamlit as st

from presort.desk.components.scripts import script

UNSAVED = st.components.v2.component(
    "presort_unsaved",
    js=script("unsaved"),
    isolate_styles=False,  # invisible, so there is nothing to isolate
)


def has_unsaved_entries(key: str) -> bool:
    """Return True if the browser holds unsaved entries of the `review_list` with this key.

    The browser sends this information after the page is drawn and after each change. Each message redraws the calling
    fragment.
    """
    name = f"unsaved-{key}"
    state = st.session_state.get(name)
    holds = bool(state and state.get("holds"))
    UNSAVED(key=name, data={"list": key, "reported": holds}, on_holds_change=_nothing)
    return holds


def _nothing() -> None:
    """Do nothing. Streamlit keeps the value only if there is a callback."""
