"""A choice on a page that its address carries, so that a link brings back what was seen."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.records import Report

T = TypeVar("T")
LONGEST_NUMBER = 9  # digits taken from an address


def choice(
    place: DeltaGenerator,
    label: str,
    options: Sequence[T],
    *,
    name: str,
    named: Callable[[T], str] = str,
    default: int = 0,
    help: str | None = None,
) -> T:
    """Draw a select box, and keep what is chosen through the session and in the address, as ``?name=option``.

    Parameters
    ----------
    options : sequence
        At least one; ``str`` of each is what stands in the address.
    name : str
        Key of the box; pages that share a name share the choice.
    named : callable
        From an option to the words for a person.
    default : int
        Index of the option chosen unless the address or the session says otherwise.
    """
    asked = [option for option in options if str(option) == st.query_params.get(name)]
    held = [st.session_state.get(name), *asked, st.session_state.get(f"kept-{name}"), options[default]]
    # Said anew in every run: Streamlit forgets a box when another page is opened, also one with the same key.
    st.session_state[name] = next(option for option in held if option in options)
    chosen = place.selectbox(label, options, format_func=named, key=name, help=help)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = str(chosen)
    return chosen


def choices(
    place: DeltaGenerator,
    label: str,
    options: Sequence[T],
    *,
    name: str,
    named: Callable[[T], str] = str,
    default: Sequence[T] = (),
    placeholder: str | None = None,
    help: str | None = None,
) -> list[T]:
    """Draw a box from which several may be chosen, and keep them as `choice` does, as ``?name=one&name=other``.

    Parameters
    ----------
    options, name, named
        As for `choice`.
    default : sequence
        The options chosen unless the address or the session says otherwise; none unless told.
    placeholder : str, optional
        What the box says while nothing is chosen.

    Returns
    -------
    list
        In the order in which they were chosen.
    """
    by_name = {str(option): option for option in options}
    asked = [by_name[text] for text in st.query_params.get_all(name) if text in by_name]
    held = [st.session_state.get(name), asked or None, st.session_state.get(f"kept-{name}"), default]
    told = next(each for each in held if each is not None)
    # Nothing chosen is a choice too; but where none of what was chosen is there any more, the default is.
    st.session_state[name] = [option for option in told if option in options] or ([] if not told else list(default))
    chosen = place.multiselect(label, options, format_func=named, key=name, placeholder=placeholder, help=help)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = [str(option) for option in chosen]
    return chosen


def number(place: DeltaGenerator, label: str, low: int, high: int, *, name: str, default: int) -> int:
    """Draw a slider of whole numbers, and keep the one chosen as `choice` does, as ``?name=4``.

    Where what was chosen lies beyond `high`, there being less to choose from now, it becomes `high`.
    """
    text = st.query_params.get(name, "")
    asked = [int(text)] if text.isdecimal() and len(text) < LONGEST_NUMBER else []
    held = [st.session_state.get(name), *asked, st.session_state.get(f"kept-{name}"), default]
    st.session_state[name] = max(low, min(next(each for each in held if each is not None), high))
    chosen = place.slider(label, low, high, key=name)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = str(chosen)
    return chosen


def report_choice(place: DeltaGenerator, reports: Sequence[Report]) -> str:
    """Draw the box of reports, the same on every page, and give the code of the one chosen."""
    names = {report.code: report.name for report in reports}
    return choice(
        place,
        "Report",
        list(names),
        name="report",
        named=lambda code: code if names[code] == code else f"{code} · {names[code]}",
    )
