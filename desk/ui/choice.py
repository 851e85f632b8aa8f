"""Select boxes whose choice is stored in the page address, so that opening a link restores it."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.data.records import Report
from presort.desk.text import report_option, shorten
from presort.desk.ui import cache, visitor
from presort.desk.ui.unknown import stop_at_unknown

T = TypeVar("T")
LONGEST_NUMBER = 9  # limit on the number of digits that are read from an address
RANKING = "ranking"  # query parameter of *Review* with the id of the ranking to show


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
    """Draw a select box. The choice is stored in the session and in the address, as ``?name=option``.

    Parameters
    ----------
    place : DeltaGenerator
        Container of the box.
    label : str
        Label of the box.
    options : sequence
        At least one option. ``str(option)`` is the option's value in the address. An empty value is left out.
    name : str
        Key of the box. Pages that use the same name share the choice.
    named : callable
        Function that returns an option's label.
    default : int
        Index of the option that is chosen if neither the address nor the session contains a choice.
    help : str, optional
        Tooltip.
    on_change : callable, optional
        Called when the user chooses another option.
    has_label : bool
        True if the label is shown. Screen readers read it in any case.

    Returns
    -------
    object
        Chosen option.
    """
    # Set in every run, because Streamlit discards a box's state when another page is opened.
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
    else:  # an empty value isn't written, because each change of the address adds an entry to the browser history
        st.query_params.pop(name, None)
    return chosen


def current(options: Sequence[T], *, name: str, default: int = 0) -> T:
    """Return the option that the `choice` with this name will show. Use it in widgets drawn before that `choice`."""
    linked = [option for option in options if str(option) == st.query_params.get(name)]
    followed = linked if _is_followed(name, st.query_params.get(name)) else []
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
    """Draw a box for selecting several options. They are stored like a `choice`, as ``?name=one&name=other``.

    Parameters
    ----------
    place, label, options, name, named, help
        See `choice`.
    default : sequence
        Options that are selected if neither the address nor the session contains a choice. Defaults to none.
    placeholder : str, optional
        Placeholder that is shown while nothing is selected.

    Returns
    -------
    list
        Selected options, in the order of selection.
    """
    by_name = {str(option): option for option in options}
    texts = st.query_params.get_all(name)
    linked = [by_name[text] for text in texts if text in by_name] or None
    followed = linked if _is_followed(name, texts) else None
    held = [followed, st.session_state.get(name), linked, st.session_state.get(f"kept-{name}"), default]
    initial = next(each for each in held if each is not None)
    # An empty selection is a valid choice. The default applies only if none of the selected options exists any more.
    st.session_state[name] = [option for option in initial if option in options] or (
        [] if not initial else list(default)
    )
    chosen = place.multiselect(label, options, format_func=named, key=name, placeholder=placeholder, help=help)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = st.session_state[f"written-{name}"] = [str(option) for option in chosen]
    return chosen


def pills(
    label: str, options: Sequence[str], *, name: str, named: Callable[[str], str], default: str | None = None
) -> str:
    """Draw pills and return the selected option. The option is stored like a `choice`, as ``?name=option``.

    `default` is the option selected at first. It defaults to the first option. Only screen readers read the label.
    """
    linked = st.query_params.get(name)
    held = [
        *([linked] if _is_followed(name, linked) else []),
        st.session_state.get(name),
        st.session_state.get(f"kept-{name}"),
    ]
    first = default or options[0]
    st.session_state[name] = next((option for option in held if option in options), first)
    chosen = st.pills(label, options, format_func=named, key=name, required=True, label_visibility="collapsed")
    found = chosen or first
    st.session_state[f"kept-{name}"] = st.session_state[f"written-{name}"] = st.query_params[name] = found
    return found


def number(place: DeltaGenerator, label: str, low: int, high: int, *, name: str, default: int) -> int:
    """Draw a slider for integers and return the selected number. The number is stored like a `choice`, as ``?name=4``.

    A stored number that is outside the range is clipped to it.
    """
    text = st.query_params.get(name, "")
    linked = [int(text)] if text.isdecimal() and len(text) <= LONGEST_NUMBER else []
    followed = linked if _is_followed(name, text) else []
    held = [*followed, st.session_state.get(name), *linked, st.session_state.get(f"kept-{name}"), default]
    st.session_state[name] = max(low, min(next(each for each in held if each is not None), high))
    chosen = place.slider(label, low, high, key=name)
    st.session_state[f"kept-{name}"] = chosen
    st.query_params[name] = st.session_state[f"written-{name}"] = str(chosen)
    return chosen


def _is_followed(name: str, address: str | list[str] | None) -> bool:
    """Return True if the address takes precedence over the widget, because the user followed a link that changed it.

    If the widget was changed in this run, the widget takes precedence. The browser may have sent this change before it
    received the address that was written in the previous run.
    """
    written, held = st.session_state.get(f"written-{name}"), st.session_state.get(name)
    text = list(map(str, held)) if isinstance(held, list) else str(held)
    return address != written and (held is None or text == written)


def keep_report() -> None:
    """Store the report that the address names, in case the user leaves the page before the select box is drawn."""
    if code := st.query_params.get("report"):
        st.session_state["kept-report"] = code


def report_choice(
    place: DeltaGenerator, reports: Sequence[Report], *, first: str | None = None, has_label: bool = True
) -> str:
    """Draw the select box for reports and return the chosen report's code. All pages share this choice.

    Choosing another report resets the issue and the ranking. If the address names an unknown report, a message is shown
    and the page stops.

    Parameters
    ----------
    place : DeltaGenerator
        Container of the box.
    reports : sequence of Report
        Reports to choose from.
    first : str, optional
        Code of the report that is chosen if neither the address nor the session contains a choice. Defaults to the
        first report.
    has_label : bool
        See `choice`.
    """
    names = {report.code: report_option(report) for report in reports}
    stop_at_unknown(
        place,
        "Report",
        list(names),
        name="report",
        named=names.__getitem__,
        has_label=has_label,
        says=_missing_report_text,
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


def _missing_report_text(code: str) -> str:
    is_retired = code in {report.code for report in catalogue.reports(cache.store(), retired=True)}
    if is_retired:
        return f"Report {code} is retired."
    return f"There is no report {shorten(code)}{'' if visitor.may_manage() else ' that you can view'}."


def _forget_issue() -> None:
    for key in ("issue", "kept-issue"):
        st.session_state.pop(key, None)
    if "issue" in st.query_params:
        del st.query_params["issue"]
    forget_ranking()


def forget_ranking() -> None:
    """Remove the ranking from the address, because another report, issue or ranker was chosen."""
    st.query_params.pop(RANKING, None)
