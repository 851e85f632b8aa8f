"""Errors that prevented a change from being saved: kept while the page is redrawn, and shown once at its widget."""

from collections.abc import Callable

import streamlit as st

from presort.data.errors import DataError
from presort.desk.text import plain

NOT_SAVED = "Not saved: {}"


def keep(save: Callable[[], object], place: str, says: str = "{}") -> bool:
    """Save something and return whether that worked. `show` with the same place shows the error.

    A place is any name, one for each at which problems are shown; the sentence has braces where the problem goes.
    """
    try:
        save()
    except DataError as error:
        note(place, says.format(error))
        return False
    return True


def note(place: str, problem: str) -> None:
    """Remember a problem of a place."""
    st.session_state[_key(place)] = problem


def is_noted(place: str) -> bool:
    """Return whether a place has a problem that was not shown yet."""
    return _key(place) in st.session_state


def show(place: str) -> None:
    """Show the problem of a place, once."""
    if text := st.session_state.pop(_key(place), None):
        st.error(plain(text))


def _key(place: str) -> str:
    return f"problem-{place}"
