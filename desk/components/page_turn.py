"""Component that scrolls a new page to the top, closes the menu and keeps one history entry: see page_turn.js."""

import streamlit as st

from presort.desk.components.scripts import script

KEY = "page-turn"
PAGE_TURN = st.components.v2.component(
    "presort_page_turn",
    js=script("page_turn"),
    isolate_styles=False,  # invisible, so there is nothing to isolate
)


def turn_to(address: str) -> None:
    """Add the invisible component to a page. Must come before elements that scroll the page or change its address.

    Parameters
    ----------
    address : str
        Last part of the page's path.
    """
    PAGE_TURN(key=KEY, data=address)
