"""Choices on a page that are stored in its address, so that a link restores them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.data.records import Report
from presort.desk.text import report_to_choose, shortened
from presort.desk.ui import cache, visitor
from presort.desk.ui.unknown import stop_at_unknown

T = TypeVar("T")
LONGEST_NUMBER = 9  # digits taken from an address
RANKING = "ranking"  # in an address of Review: the number of the ranking to show


def choice(
    place: DeltaGenerator,
    label: str,
    options: Sequence[T],
    *,
    name: str,
    named: Callable[[T], str] = str,
    default: int = 0,
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
    has_label: bool = True,
) -> T:
    """Draw a select box, and keep what is chosen through the session and in the address, as ``?name=option``.

    Parameters
    ----------
    options : sequence
        At least one. ``str`` of the chosen one is its value in the address, unless that is empty.
    name : str
        Key of the box; pages that share a name share the choice.
    named : callable
        Function from an option to its label.
    default : int
        Index of the option chosen unless the address or the session says otherwise.
    on_change : callable, optional
        Called when somebody chooses another.
    has_label : bool
        Show the label. Screen readers read it in any case.
    """
    # Set in every run: Streamlit forgets a box when another page is opened, also one with the same key.
    st.session_state[name] = current(options, name=name, default=default)
    chosen = place.selectbox(
        label,
        options,
        format_func=named,
        key=name,
        help=help,
        on_change=on_change,
        label_visibility="visible" if has_label else "collapsed",
    )
    st.session_state[f"kept-{name}"] = chosen
    written = st.session_state[f"written-{name}"] = str(chosen)
    if written:
        st.query_params[name] = written
    else:  # each change of the address is one more step back in the browser
        st.query_params.pop(name, None)
    return chosen


def current(options: Sequence[T], *, name: str, default: int = 0) -> T:
    """Return the option that `choice` of this name shows, for widgets drawn before its box."""
    linked = [option for option in options if str(option) == st.query_params.get(name)]
    # The address differs from the one written here after a link from a page with the same box, not after a choice.
    followed = linked if st.query_params.get(name) != st.session_state.get(f"written-{name}") else []
    held: list[Any] = [
        *followed,
        st.session_state.get(name),
        *linked,
        st.session_state.get(f"kept-{name}"),
        options[default],
    ]
    found: T = next(option for option in held if option in options)
    return found


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
        Options chosen if neither the address nor the session names any. Defaults to none.
    placeholder : str, optional
        Placeholder while nothing is chosen.

    Returns
    -------
    list
        In the order in which they were chosen.
    """
    by_name = {str(option): option for option in options}
    linked = [by_name[text] for text in st.query_params.get_all(name) if text in by_name]
    held = [st.session_state.get(name), linked or None, st.session_state.get(f"kept-{name}"), default]
    initial = next(each for each in held if each is not None)
    # An empty selection is a choice too. But if none of the chosen options exists any more, the default applies.
    st.session_state[name] = [option for option in initial if option in options] or (
        [] if not initial else list(default)
    )
    chosen = place.multiselect(label, options, format_func=named, key=name, placeholder=placeholder, help=help)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = [str(option) for option in chosen]
    return chosen


def pills(
    label: str, options: Sequence[str], *, name: str, named: Callable[[str], str], default: str | None = None
) -> str:
    """Draw pills, of which one is chosen, and keep it as `choice` does, as ``?name=option``.

    Defaults to the first option. The label is read aloud only.
    """
    linked = st.query_params.get(name)
    is_followed = linked != st.session_state.get(f"written-{name}")  # a link has changed the address
    held = [*([linked] if is_followed else []), st.session_state.get(name), st.session_state.get(f"kept-{name}")]
    first = default or options[0]
    st.session_state[name] = next((option for option in held if option in options), first)
    chosen = st.pills(label, options, format_func=named, key=name, required=True, label_visibility="collapsed")
    found = chosen or first
    st.session_state[f"kept-{name}"] = st.session_state[f"written-{name}"] = st.query_params[name] = found
    return found


def number(place: DeltaGenerator, label: str, low: int, high: int, *, name: str, default: int) -> int:
    """Draw a slider of whole numbers, and keep the one chosen as `choice` does, as ``?name=4``.

    A chosen number above `high`, which may have become smaller, is reduced to `high`.
    """
    text = st.query_params.get(name, "")
    linked = [int(text)] if text.isdecimal() and len(text) < LONGEST_NUMBER else []
    held = [st.session_state.get(name), *linked, st.session_state.get(f"kept-{name}"), default]
    st.session_state[name] = max(low, min(next(each for each in held if each is not None), high))
    chosen = place.slider(label, low, high, key=name)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = str(chosen)
    return chosen


def keep_report() -> None:
    """Keep the report that an address asks for, also if its page is left before the box of reports is drawn."""
    if code := st.query_params.get("report"):
        st.session_state["kept-report"] = code


def report_choice(
    place: DeltaGenerator, reports: Sequence[Report], *, first: str | None = None, has_label: bool = True
) -> str:
    """Draw the box of reports, the same on every page, and return the code of the one chosen: at first `first`.

    Another report begins at an issue of its own, so that the one chosen for the report before is forgotten. A report
    that the address asks for and that is not there ends the page.
    """
    names = {report.code: report_to_choose(report) for report in reports}
    stop_at_unknown(
        place, "Report", list(names), name="report", named=names.__getitem__, has_label=has_label, says=_says_no_report
    )
    return choice(
        place,
        "Report",
        list(names),
        name="report",
        named=names.__getitem__,
        default=list(names).index(first) if first in names else 0,
        on_change=_forget_issue,
        has_label=has_label,
    )


def _says_no_report(code: str) -> str:
    is_retired = code in {report.code for report in catalogue.reports(cache.store(), retired=True)}
    if is_retired:
        return f"{code} is no longer edited."
    return f"There is no report {shortened(code)}{'' if visitor.may_manage() else ' that you may look at'}."


def _forget_issue() -> None:
    for key in ("issue", "kept-issue"):
        st.session_state.pop(key, None)
    if "issue" in st.query_params:
        del st.query_params["issue"]
    forget_ranking()


def forget_ranking() -> None:
    """Take the ranking that a link asked for out of the address: another report issue or ranker is chosen."""
    st.query_params.pop(RANKING, None)
