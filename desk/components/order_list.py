"""Reorderable list of papers. The user drags papers, or moves them with keys or buttons."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import streamlit as st

from presort.data.records import Paper
from presort.desk.components.scripts import script, style
from presort.desk.text import shorten

LOG = logging.getLogger(__name__)
LARGEST = 2**53 - 1  # largest integer that JavaScript represents exactly


class Move(NamedTuple):
    """Message from the browser: a unique number, and the papers' list positions in their new order."""

    number: int
    order: tuple[int, ...]


LIST = st.components.v2.component("presort_order_list", css=style("order_list"), js=script("order_list"))


def order_list(papers: Mapping[int, Paper], *, key: str, on_order: Callable[[Sequence[int]], None]) -> None:
    """Draw a reorderable list of papers. Call it in a fragment.

    Parameters
    ----------
    papers : mapping from int to Paper
        Papers by list position, in list order.
    key : str
        Widget key.
    on_order : callable
        Function called after each move with the list positions in their new order. The positions come from the browser
        and may be out of date.
    """
    answered = f"{key}-answered"

    def take() -> None:
        try:
            moved = parse_move(st.session_state[key].get("moved"))
        except ValueError as error:
            LOG.warning("Ignored an invalid message from an order list: %s", error)
            return
        on_order(moved.order)
        st.session_state[answered] = moved.number

    rows = [
        {"position": position, "title": shorten(paper.title), "authors": shorten("; ".join(paper.authors))}
        for position, paper in papers.items()
    ]
    LIST(key=key, data={"papers": rows, "answered": st.session_state.get(answered)}, on_moved_change=take)


def parse_move(value: object) -> Move:
    """Parse a message from the browser.

    Raises
    ------
    ValueError
        If the message is invalid.

    Examples
    --------
    >>> parse_move({"number": 7, "order": [3, 1, 2]})
    Move(number=7, order=(3, 1, 2))
    """
    message: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    number, order = message.get("number"), message.get("order")
    if not _is_count(number) or not isinstance(order, list) or not all(_is_count(one) for one in order):
        raise ValueError(f"expected a message number and a list of positions, got {value!r:.200}")
    return Move(number, tuple(order))


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= LARGEST
