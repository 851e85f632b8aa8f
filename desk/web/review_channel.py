"""The channel between the review list in the browser and the workspace: it takes decisions and returns what changed.

A page opens a channel for its list and gives its address to the browser (`sync`). Requests to that address are
answered without a run of the page (`route`). A channel is closed when nobody holds it any more: with the window, or
when the page is drawn again.
"""

import json
import logging
import time
from collections.abc import Callable, MutableMapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from secrets import token_urlsafe
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from presort.data.records import Identity
from presort.desk.components import messages
from presort.desk.components.messages import ReviewRequest
from presort.desk.components.response import ReviewResponse, SpotCheckShown, StopAdviceShown
from presort.desk.components.scripts import script
from presort.desk.text import counted
from presort.desk.web.guard import TOO_OFTEN, Door
from presort.desk.web.limits import Limit, Rate
from presort.desk.web.monitoring import SAVED

LOG = logging.getLogger(__name__)
RATE = Rate(at_once=200, seconds=0.1)  # of an account; a list asks at most 2.5 times a second
LARGEST = 4_000_000  # bytes of a message: many long notes
SYNC = st.components.v2.component("presort_sync", js=script("sync"))


@dataclass(eq=False)
class ReviewChannel:
    """Connection of one review list to the server: handles one request after the other.

    Attributes
    ----------
    receive : callable
        Saves the entries of a request and returns the response. Once it returns, all entries that it does not refuse
        count as saved, unless there is `trouble`. What it raises is not caught, and the browser keeps the entries and
        sends them again.
    owner : Identity or None
        By which account its reader signed in, who alone may send; None where nobody signs in.
    name : str
        Known to the page of the list alone.
    """

    receive: Callable[[ReviewRequest], ReviewResponse]
    owner: Identity | None = None
    name: str = field(default_factory=token_urlsafe)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        CHANNELS[self.name] = self

    def respond(self, value: object) -> dict[str, Any]:
        """Handle a request as the browser sent it, None for no request, and return the response.

        Raises
        ------
        ValueError
            If it is none of the list's messages.
        """
        request = ReviewRequest() if value is None else messages.read(value)
        for entry_id, why in request.refused.items():
            LOG.warning("Entry %s of a review list refused: %s", entry_id, why)
        with self._turn, SAVED.time() if request.entries else nullcontext():
            return _payload(request, self.receive(request))


CHANNELS: MutableMapping[str, ReviewChannel] = WeakValueDictionary()  # of this server, by name


def route(door: Door, clock: Callable[[], float] = time.monotonic) -> Route:
    """Return the route of review channels; only the account that opened a channel may use it."""
    limit = Limit(RATE, clock)

    async def respond(request: Request) -> Response:
        who = door.identity(request)
        if seconds := limit.wait(repr(who)):
            message = TOO_OFTEN.format(who="account", time=counted(seconds, "second"))
            return PlainTextResponse(message, 429, headers={"Retry-After": str(seconds)})
        channel = CHANNELS.get(request.path_params["channel"])
        if channel is not None and channel.owner != who:
            LOG.warning("Refused what came to a list from another account than the one that opened it.")
        if channel is None or channel.owner != who:
            return PlainTextResponse("This list is not open.\n", 404)
        try:
            body = await _body(request)
        except ClientDisconnect:  # the browser sends it again
            return Response(status_code=400)
        if body is None:
            return PlainTextResponse("A message is smaller than this.\n", 413)
        try:
            return JSONResponse(await run_in_threadpool(lambda: channel.respond(json.loads(body))))
        except (ValueError, RecursionError) as error:  # the second of what is nested too deep
            LOG.warning("Message of a review list passed over: %s", error)
            return PlainTextResponse("This is no message of a list.\n", 400)

    return Route("/channels/{channel}", respond, methods=["POST"])


def sync(receive: Callable[[ReviewRequest], ReviewResponse], *, key: str, owner: Identity | None = None) -> None:
    """Open the channel of a review list on its page and give its address to the browser. Call it in a fragment.

    It is an element of its own, apart from the list, so that the papers are not sent again. Requests that the address
    can't answer come by the fragment, such as to go on and publish.

    Parameters
    ----------
    receive : callable
        As of `ReviewChannel`; the same one until the page is drawn again.
    key : str
        That of the `review_list`.
    owner : Identity or None
        By which account the reader signed in.
    """
    name = f"{key}-sync"
    channel = _channel(receive, owner, key)
    state = st.session_state.get(name)
    SYNC(key=name, data={"list": key, "channel": channel.name, **_response(channel, state)}, on_request_change=_nothing)


async def _body(request: Request) -> bytes | None:
    """Return the body of a request. None if it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
    return b"".join(parts)


def _channel(receive: Callable[[ReviewRequest], ReviewResponse], owner: Identity | None, key: str) -> ReviewChannel:
    """Return the open channel, which the window's session holds."""
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
    """Do nothing. Streamlit keeps a component's value only if there is a callback."""


def _payload(request: ReviewRequest, response: ReviewResponse) -> dict[str, Any]:
    refused = {**request.refused, **response.refused}
    saved = [] if response.trouble else [entry.entry_id for entry in request.entries if entry.entry_id not in refused]
    return {
        "n": request.number,
        "since": request.seen,
        "acknowledged": saved,
        "refused": refused,
        "trouble": response.trouble,
        "upTo": response.up_to,
        "labels": dict(response.labels),
        "tags": {paper: list(tags) for paper, tags in response.tags.items()},
        "notes": dict(response.notes),
        "rule": None if response.rule is None else response.rule._asdict(),
        "read": [list(run) for run in response.read],
        "answers": {paper: [part._asdict() for part in parts] for paper, parts in response.answers.items()},
        "stopAdvice": None if response.stop_advice is None else _stop_advice(response.stop_advice),
        "targetRecall": response.target_recall,
        "minutes": response.minutes,
        "drawn": list(response.drawn),
        "spotCheck": None if response.spot_check is None else _spot_check(response.spot_check),
        "reranking": None if response.reranking is None else response.reranking.payload(),
        "rerankedBy": response.reranked_by,
    }


def _stop_advice(advice: StopAdviceShown) -> dict[str, Any]:
    return {
        "mayStop": advice.may_stop,
        "verdict": advice.verdict,
        "says": advice.says,
        "left": advice.left,
        "stopAt": advice.stop_at,
        "targetRecall": advice.target_recall,
        "basis": advice.basis,
        "stops": [{"targetRecall": target_recall, "says": says} for target_recall, says in advice.stops],
    }


def _spot_check(check: SpotCheckShown) -> dict[str, Any]:
    return {"offer": check.offer, "says": check.says, "left": check.n_left, "detail": check.detail}
