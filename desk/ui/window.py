"""Dialogs over a page: those requested by a fragment, and those that stay open until they are closed.

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
    """Rerun the whole page, and open a dialog."""
    st.session_state[ASKED] = (title, draw, args)
    st.rerun()


def show() -> None:
    """Draw the requested dialog, if any. Call it outside of fragments."""
    if window := st.session_state.pop(ASKED, None):
        title, draw, args = window
        st.dialog(title)(draw)(*args)


def keep_open(title: str, draw: Callable[..., None], *args: object) -> None:
    """Draw a dialog in every run of the page until it is closed. Other reruns don't close it."""
    st.session_state[OPEN] = (title, draw, args)


def close() -> None:
    """Close the open dialog."""
    st.session_state.pop(OPEN, None)


def show_open() -> None:
    """Draw the open dialog, if any. Call it outside of fragments."""
    if window := st.session_state.get(OPEN):
        title, draw, args = window
        st.dialog(title, width="medium", on_dismiss=close)(draw)(*args)
