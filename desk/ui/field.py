"""Widgets whose value the desk changes, for example text fields that are cleared after their text is saved.

A value that is assigned to the session state reaches the browser only with the run that assigns it. If another run
overtakes that run, the browser keeps showing the old value, and sends it with the next click as if the user had entered
it. The widget is therefore replaced by a new widget with another key, whose default is the new value.
"""

import streamlit as st


def key_of(field: str) -> str:
    """Return the current widget key of a field. It changes each time the field is replaced."""
    times = st.session_state.get(_counter_key(field), 0)
    return f"{field}-{times}" if times else field


def key_showing(field: str, saved: object) -> str:
    """Return the widget key of a field that shows a saved value, which another editor may have changed.

    The field is replaced if its value differs from the saved value. Draw it with the saved value as its default.
    """
    if st.session_state.get(key_of(field), saved) != saved:
        renew(field)
    return key_of(field)


def text_of(field: str) -> str:
    """Return the text in a field."""
    return st.session_state[key_of(field)] or ""


def renew(field: str) -> None:
    """Replace a field with a new field, which shows its default."""
    st.session_state[_counter_key(field)] = st.session_state.get(_counter_key(field), 0) + 1


def _counter_key(field: str) -> str:
    return f"times-replaced-{field}"
