"""Component that opens pages at the top, with one entry in the history, and closes the menu: see page_turn.js."""

import streamlit as st

from presort.desk.components.scripts import script

KEY = "page-turn"
PAGE_TURN = st.components.v2.component(
    "presort_page_turn",
    js=script("page_turn"),
    isolate_styles=False,  # it shows nothing that could have a style
)


def turn_to(address: str) -> None:
    """Place the invisible component on a page, before all elements that may scroll it or change its address."""
    PAGE_TURN(key=KEY, data=address)
