"""What opens the line of a review list on its page, and tells the browser where it is.

It is an element of its own, apart from the list, and stands in a fragment: what moves the page, such as to go on and
publish, comes by the fragment, and so does what the line's own address can't answer; the papers are not sent again.
"""

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from presort.data.records import Identity
from presort.desk.components.line import Line
from presort.desk.components.messages import Sent
from presort.desk.components.reply import Reply
from presort.desk.components.scripts import script

LOG = logging.getLogger(__name__)
SYNC = st.components.v2.component("presort_sync", js=script("sync"))


def sync(receive: Callable[[Sent], Reply], *, key: str, owner: Identity | None = None) -> None:
    """Take what the list in the browser sent by the page, and answer; to be called in a fragment.

    Parameters
    ----------
    receive : callable
        As of `Line`; the same one while the page is not drawn anew.
    key : str
        That of the `review_list`.
    owner : Identity or None
        By which account the reader signed in.
    """
    name = f"{key}-sync"
    line = _line(receive, owner, key)
    state = st.session_state.get(name)
    SYNC(key=name, data={"list": key, "line": line.name, **_answer(line, state)}, on_sent_change=_nothing)


def _line(receive: Callable[[Sent], Reply], owner: Identity | None, key: str) -> Line:
    """Return the open line; the window holds it."""
    held: Line | None = st.session_state.get(f"{key}-line")
    if held is None or (held.receive, held.owner) != (receive, owner):
        held = st.session_state[f"{key}-line"] = Line(receive, owner)
    return held


def _answer(line: Line, state: Any) -> dict[str, Any]:
    try:
        return line.answer(state.get("sent") if state else None)
    except ValueError as error:
        LOG.warning("Message of a review list passed over: %s", error)
        return line.answer(None)


def _nothing() -> None:
    """Stand for the callback without which Streamlit keeps no value."""
