"""Text fields that are cleared once their text has been saved.

Clearing the session state is not enough. If another run of the page overtakes the run that clears it, the browser still
shows the text and sends it again with the next click. The field is therefore replaced by a new field with another key.
"""

import streamlit as st


def key_of(field: str) -> str:
    """Return the current widget key of a field. It changes each time the field is cleared."""
    times = st.session_state.get(_counter_key(field), 0)
    return f"{field}-{times}" if times else field


def text_of(field: str) -> str:
    """Return the text in a field."""
    return st.session_state[key_of(field)] or ""


def empty(field: str) -> None:
    """Clear a field by replacing it with a new field."""
    st.session_state[_counter_key(field)] = st.session_state.get(_counter_key(field), 0) + 1


def _counter_key(field: str) -> str:
    return f"times-emptied-{field}"
