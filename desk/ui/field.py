"""Text fields that are emptied once their text is saved.

A text emptied in the session alone may stay in the browser: where another run of the page overtakes the one that
empties it, the browser never hears of it, and sends the text again with the next click. So a new field takes its place.
"""

import streamlit as st

CODE_HELP = "Short, and for good: letters, digits, '.', '-' and '_', at most 64."


def key_of(field: str) -> str:
    """Return the current key of a field: its name, until it was emptied."""
    times = st.session_state.get(_times_emptied(field), 0)
    return f"{field}-{times}" if times else field


def text_of(field: str) -> str:
    """Return the text in a field."""
    return st.session_state[key_of(field)] or ""


def empty(field: str) -> None:
    """Replace a field by a new, empty one, after its text was saved."""
    st.session_state[_times_emptied(field)] = st.session_state.get(_times_emptied(field), 0) + 1


def _times_emptied(field: str) -> str:
    return f"times-emptied-{field}"
