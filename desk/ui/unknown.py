"""Message about an unknown value in the page address, with a select box that offers valid values."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.text import escape, shorten

T = TypeVar("T")


def stop_at_unknown(
    place: DeltaGenerator,
    label: str,
    options: Sequence[T],
    *,
    name: str,
    named: Callable[[T], str] = str,
    has_label: bool = True,
    says: Callable[[str], str] | None = None,
) -> None:
    """Stop the page if the address names an unknown option. Shows a message and a select box with valid options.

    The address is not changed until the user chooses an option. Call this function before
    `presort.desk.ui.choice.choice`, with the same values for the parameters that both have.

    Parameters
    ----------
    says : callable, optional
        Function that takes the unknown value and returns the message. Defaults to "There is no ...".
    """
    value = st.query_params.get(name)
    if not value or value in map(str, options):
        return
    key = f"instead-of-{name}"
    place.selectbox(
        label,
        options,
        index=None,
        format_func=named,
        placeholder=f"Choose the {label.lower()}",
        key=key,
        on_change=_set_parameter,
        args=(name, key),
        label_visibility="visible" if has_label else "collapsed",
    )
    message = says(value) if says else f"There is no {label.lower()} {shorten(value)}."
    st.warning(escape(message), icon=":material/link_off:")
    st.stop()


def _set_parameter(name: str, key: str) -> None:
    st.query_params[name] = str(st.session_state[key])
