"""Invisible components that every page contains: see page_turn.js and connection.js."""

import streamlit as st

from presort.desk.components.scripts import script

PAGE_TURN = st.components.v2.component("presort_page_turn", js=script("page_turn"), isolate_styles=False)
CONNECTION = st.components.v2.component("presort_connection", js=script("connection"), isolate_styles=False)


def turn_page(address: str) -> None:
    """Scroll a newly opened page to the top, close the menu, and limit the page to one entry in the browser history.

    Must be called before elements that scroll the page or change its address.

    Parameters
    ----------
    address : str
        Last part of the page's path.
    """
    PAGE_TURN(key="page-turn", data=address)


def redraw_on_reconnect() -> None:
    """Redraw the page when the server is available again.

    Must be called outside fragments, because a component in a fragment redraws only the fragment.
    """
    CONNECTION(key="connection", on_back_change=_nothing)


def _nothing() -> None:
    """Do nothing. Streamlit accepts messages only if there is a callback."""
