"""What opens a page at its top, in one step of the browser's history, and closes the menu: see page_turn.js."""

import streamlit as st

from presort.desk.components.scripts import script

KEY = "page-turn"
PAGE_TURN = st.components.v2.component(
    "presort_page_turn",
    js=script("page_turn"),
    isolate_styles=False,  # it shows nothing that could have a style
)


def turn_to(address: str) -> None:
    """Place what nobody sees on the page of an address, before all that may choose a place on it or write into it."""
    PAGE_TURN(key=KEY, data=address)
