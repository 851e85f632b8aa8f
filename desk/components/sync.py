"""Open the channel of a review list on its page, and give its address to the browser.

It is an element of its own, apart from the list, and stands in a fragment: what moves the page, such as to go on and
publish, comes by the fragment, and so does what the channel's own address can't answer; the papers are not sent again.
"""

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from presort.data.records import Identity
from presort.desk.components.channel import ReviewChannel
from presort.desk.components.messages import ReviewRequest
from presort.desk.components.response import ReviewResponse
from presort.desk.components.scripts import script

LOG = logging.getLogger(__name__)
SYNC = st.components.v2.component("presort_sync", js=script("sync"))


def sync(receive: Callable[[ReviewRequest], ReviewResponse], *, key: str, owner: Identity | None = None) -> None:
    """Handle a request that came by the page, and give the response; to be called in a fragment.

    Parameters
    ----------
    receive : callable
        As of `ReviewChannel`; the same one while the page is not drawn anew.
    key : str
        That of the `review_list`.
    owner : Identity or None
        By which account the reader signed in.
    """
    name = f"{key}-sync"
    channel = _channel(receive, owner, key)
    state = st.session_state.get(name)
    SYNC(key=name, data={"list": key, "channel": channel.name, **_response(channel, state)}, on_request_change=_nothing)


def _channel(receive: Callable[[ReviewRequest], ReviewResponse], owner: Identity | None, key: str) -> ReviewChannel:
    """Return the open channel; the window holds it."""
    held: ReviewChannel | None = st.session_state.get(f"{key}-channel")
    if held is None or (held.receive, held.owner) != (receive, owner):
        held = st.session_state[f"{key}-channel"] = ReviewChannel(receive, owner)
    return held


def _response(channel: ReviewChannel, state: Any) -> dict[str, Any]:
    try:
        return channel.respond(state.get("request") if state else None)
    except ValueError as error:
        LOG.warning("Message of a review list passed over: %s", error)
        return channel.respond(None)


def _nothing() -> None:
    """Stand for the callback without which Streamlit keeps no value."""
