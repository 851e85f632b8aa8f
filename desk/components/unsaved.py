"""What tells a page whether its browser holds something of a review list that is not saved yet: see unsaved.js."""

import streamlit as st

from presort.desk.components.scripts import script

UNSAVED = st.components.v2.component(
    "presort_unsaved",
    js=script("unsaved"),
    isolate_styles=False,  # it shows nothing that could have a style
)


def holds_unsaved(key: str) -> bool:
    """Return whether the browser holds something unsaved of the `review_list` of that key, as far as it has told.

    It tells once the page is drawn, and whenever that changes; then what calls this is drawn anew.
    """
    name = f"unsaved-{key}"
    state = st.session_state.get(name)
    holds = bool(state and state.get("holds"))
    UNSAVED(key=name, data={"list": key, "reported": holds}, on_holds_change=_nothing)
    return holds


def _nothing() -> None:
    """Stand for the callback without which Streamlit keeps no value."""
