"""Message for an address with an unknown value, with the existing values to choose from."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.text import plain, shortened

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
    """Stop the page if its address names an unknown option: show a message, and a box with the options.

    The address stays as it came until somebody chooses; `presort.desk.ui.choice.choice`, which takes the same
    arguments, then follows it.

    Parameters
    ----------
    says : callable, optional
        Message for a value of the address. Defaults to "There is no ...".
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
        on_change=_ask_for,
        args=(name, key),
        label_visibility="visible" if has_label else "collapsed",
    )
    message = says(value) if says else f"There is no {label.lower()} {shortened(value)}."
    st.warning(plain(message), icon=":material/link_off:")
    st.stop()


def _ask_for(name: str, key: str) -> None:
    st.query_params[name] = str(st.session_state[key])
