"""Windows over a page: those that are asked for within a fragment, and those that stay open until they are closed.

Of a window that a fragment draws, Streamlit 1.67 drops the frame and sends the content, if the fragment runs again
before both are sent, as after a double click: the browser can't draw that, nor anything after it. So a fragment only
asks for a window, and the page draws it.
"""

from collections.abc import Callable
from typing import NoReturn

import streamlit as st

ASKED = "window"  # in the session: what is to be drawn, once
OPEN = "open-window"  # in the session: what is drawn in every run until it is closed


def ask(title: str, draw: Callable[..., None], *args: object) -> NoReturn:
    """Have the page draw a window; it runs anew as a whole."""
    st.session_state[ASKED] = (title, draw, args)
    st.rerun()


def show() -> None:
    """Draw the window that was asked for, if any; called by the page, outside its fragments."""
    if window := st.session_state.pop(ASKED, None):
        title, draw, args = window
        st.dialog(title)(draw)(*args)


def keep_open(title: str, draw: Callable[..., None], *args: object) -> None:
    """Have the page draw a window in every run until somebody closes it: other reruns of the page don't close it."""
    st.session_state[OPEN] = (title, draw, args)


def close() -> None:
    """Close the window that is kept open."""
    st.session_state.pop(OPEN, None)


def show_open() -> None:
    """Draw the window that is kept open, if any; called by the page, outside its fragments."""
    if window := st.session_state.get(OPEN):
        title, draw, args = window
        st.dialog(title, width="medium", on_dismiss=close)(draw)(*args)
