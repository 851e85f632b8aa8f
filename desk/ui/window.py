"""Dialogs over a page: some are requested by a fragment, and some stay open across reruns.

A fragment must not draw a dialog itself. If it runs again before the dialog is sent, for example after a double click,
Streamlit 1.67 sends the dialog's content without its frame, and the browser fails to draw the rest of the page. A
fragment therefore only requests a dialog, and the page draws it.
"""

from collections.abc import Callable
from typing import NoReturn

import streamlit as st

ASKED = "window"  # session key for a dialog that is drawn once
OPEN = "open-window"  # session key for a dialog that is drawn in every run until it is closed


def ask(title: str, draw: Callable[..., None], *args: object) -> NoReturn:
    """Request a dialog, and rerun the whole page to draw it."""
    st.session_state[ASKED] = (title, draw, args)
    st.rerun()


def show() -> None:
    """Draw the requested dialog if there is one. Call this function outside fragments."""
    if window := st.session_state.pop(ASKED, None):
        title, draw, args = window
        st.dialog(title)(draw)(*args)


def keep_open(title: str, draw: Callable[..., None], *args: object) -> None:
    """Draw a dialog in every run of the page until it is closed. Reruns for other reasons don't close it."""
    st.session_state[OPEN] = (title, draw, args)


def close() -> None:
    """Close the open dialog."""
    st.session_state.pop(OPEN, None)


def show_open_dialog() -> None:
    """Draw the open dialog if there is one. Call this function outside fragments."""
    if window := st.session_state.get(OPEN):
        title, draw, args = window
        st.dialog(title, width="medium", on_dismiss=close)(draw)(*args)
