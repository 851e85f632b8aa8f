"""Papers put in order in the browser: dragged, moved by keys or by buttons."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import streamlit as st

from presort.data.records import Paper
from presort.desk.components.scripts import script, style
from presort.desk.text import shortened

LOG = logging.getLogger(__name__)
LARGEST = 2**53 - 1  # the last whole number that the browser counts exactly


class Moved(NamedTuple):
    """Message of the browser: the list positions in their new order, and a unique number of the message."""

    number: int
    order: tuple[int, ...]


LIST = st.components.v2.component("presort_order_list", css=style("order_list"), js=script("order_list"))


def order_list(papers: Mapping[int, Paper], *, key: str, on_order: Callable[[Sequence[int]], None]) -> None:
    """Draw a list of papers that can be reordered. Call it in a fragment.

    Parameters
    ----------
    papers : mapping from int to Paper
        By list position, in list order.
    key : str
        Names the list.
    on_order : callable
        Called after each move with the list positions in their new order. They come from the browser, and may be
        positions of papers shown a moment ago.
    """
    answered = f"{key}-answered"

    def take() -> None:
        try:
            moved = read(st.session_state[key].get("moved"))
        except ValueError as error:
            LOG.warning("Message of an order list passed over: %s", error)
            return
        on_order(moved.order)
        st.session_state[answered] = moved.number

    rows = [
        {"position": position, "title": shortened(paper.title), "authors": shortened("; ".join(paper.authors))}
        for position, paper in papers.items()
    ]
    LIST(key=key, data={"papers": rows, "answered": st.session_state.get(answered)}, on_moved_change=take)


def read(value: object) -> Moved:
    """Read a message of the browser.

    Raises
    ------
    ValueError
        If it is not valid.

    Examples
    --------
    >>> read({"number": 7, "order": [3, 1, 2]})
    Moved(number=7, order=(3, 1, 2))
    """
    message: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    number, order = message.get("number"), message.get("order")
    if not _is_count(number) or not isinstance(order, list) or not all(_is_count(one) for one in order):
        raise ValueError(f"a number and an order of whole numbers were expected, got {value!r:.200}")
    return Moved(number, tuple(order))


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= LARGEST
