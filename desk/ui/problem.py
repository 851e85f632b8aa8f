"""Errors from changes that could not be saved. After the page is redrawn, they are shown once next to the widget."""

from collections.abc import Callable

import streamlit as st

from presort.data.errors import DataError
from presort.desk.text import escape

NOT_SAVED = "Not saved: {}"


def try_save(save: Callable[[], object], place: str, says: str = "{}") -> bool:
    """Call a function that saves a change, and return True if it succeeded.

    Parameters
    ----------
    save : callable
        Function that saves the change. A `DataError` is stored and displayed by `show`.
    place : str
        Name of the place on the page where the error is shown.
    says : str
        Template of the message, with ``{}`` for the error.
    """
    try:
        save()
    except DataError as error:
        note(place, says.format(error))
        return False
    return True


def note(place: str, problem: str) -> None:
    """Store an error that will be shown at a place."""
    st.session_state[_key(place)] = problem


def has_error(place: str) -> bool:
    """Return True if a stored error for a place has not been shown yet."""
    return _key(place) in st.session_state


def show(place: str) -> None:
    """Show the stored error for a place once."""
    if text := st.session_state.pop(_key(place), None):
        st.error(escape(text))


def _key(place: str) -> str:
    return f"problem-{place}"
