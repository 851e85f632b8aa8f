"""Text fields that are cleared after their text is saved.

Clearing the session state is not enough: if another run of the page overtakes the one that clears it, the browser
still shows the text and sends it again with the next click. So the field is replaced by a new one with another key.
"""

import streamlit as st


def key_of(field: str) -> str:
    """Return the current widget key of a field. It changes each time the field is cleared."""
    times = st.session_state.get(_counter_key(field), 0)
    return f"{field}-{times}" if times else field


def text_of(field: str) -> str:
    """Return the text of a field."""
    return st.session_state[key_of(field)] or ""


def empty(field: str) -> None:
    """Clear a field by replacing it with a new one."""
    st.session_state[_counter_key(field)] = st.session_state.get(_counter_key(field), 0) + 1


def _counter_key(field: str) -> str:
    return f"times-emptied-{field}"
