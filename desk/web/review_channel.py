"""Channel between the review list in the browser and the workspace: saves decisions and returns changes.

A page opens a channel for its list and passes its address to the browser (`sync`). Requests to this address are handled
without running the page (`route`). A channel closes when it is no longer referenced: when the window is closed, or when
the page is drawn with a new `ReviewSession`.
"""

import json
import logging
import time
from asyncio import Semaphore
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
from presort.desk.components.messages import ReviewRequest, ViewEntry
from presort.desk.components.response import ReviewResponse, SpotCheckView, StopAdviceView
from presort.desk.components.scripts import script
from presort.desk.limits import Limit, Rate
from presort.desk.settings import path_of_pages
from presort.desk.text import count_text
from presort.desk.web.guard import TOO_OFTEN, Door
from presort.desk.web.monitoring import SAVED

LOG = logging.getLogger(__name__)
AT_ONCE = 2  # requests handled at the same time; more threads would only wait for each other's computations and writes
RATE = Rate(at_once=200, seconds=0.1)  # per account; one list sends at most 2.5 requests a second
ADDRESS = "/channels"
LARGEST = 4_000_000  # bytes per message, enough for many long notes
SYNC = st.components.v2.component("presort_sync", js=script("sync"))


@dataclass(eq=False)
class ReviewChannel:
    """Connection between one review list and the server. It handles one request at a time.

    Attributes
    ----------
    receive : callable
        Function that saves a request's entries and returns the response. When it returns, all entries that it does not
        refuse are treated as saved, unless `trouble` is set. If it raises an exception, the browser sends the entries
        again.
    owner : Identity or None
        Account that opened the list. Only this account may send requests. None without sign-in.
    name : str
        The channel's secret name, known only to the list's page.
    """

    receive: Callable[[ReviewRequest], ReviewResponse]
    owner: Identity | None = None
    name: str = field(default_factory=token_urlsafe)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        CHANNELS[self.name] = self

    def respond(self, value: object) -> dict[str, Any]:
        """Parse and handle a request from the browser, and return the response.

        Parameters
        ----------
        value : object
            The request's decoded JSON. None if the browser didn't send any.

        Raises
        ------
        ValueError
            If the request is invalid.
        """
        request = ReviewRequest() if value is None else messages.parse_request(value)
        for entry_id, why in request.refused.items():
            LOG.warning("Refused entry %s of a review list: %s", entry_id, why)
        with self._turn, SAVED.time() if request.entries else nullcontext():
            return _payload(request, self.receive(request))


CHANNELS: MutableMapping[str, ReviewChannel] = WeakValueDictionary()  # open channels of this server, by name


def route(door: Door, clock: Callable[[], float] = time.monotonic) -> Route:
    """Return the route for review channels. Only the account that opened a channel may use it."""
    limit, places = Limit(RATE, clock), Semaphore(AT_ONCE)

    async def respond(request: Request) -> Response:
        who = door.identity(request)
        if seconds := limit.wait(repr(who)):
            message = TOO_OFTEN.format(who="account", time=count_text(seconds, "second"))
            return PlainTextResponse(message, 429, headers={"Retry-After": str(seconds)})
        channel = CHANNELS.get(request.path_params["channel"])
        if channel is not None and channel.owner != who:
            LOG.warning("Refused a request to a review list from an account other than the one that opened it.")
        if channel is None or channel.owner != who:
            return PlainTextResponse("This list is not open.\n", 404)
        try:
            body = await _body(request)
        except ClientDisconnect:  # the browser will send the request again
            return Response(status_code=400)
        if body is None:
            return PlainTextResponse("The message is too large.\n", 413)
        try:
            async with places:
                if await request.is_disconnected():  # the browser waited too long, and has sent its entries again
                    return Response(status_code=400)
                return JSONResponse(await run_in_threadpool(lambda: channel.respond(json.loads(body))))
        except (ValueError, RecursionError) as error:  # RecursionError if JSON is nested too deeply
            LOG.warning("Ignored an invalid message from a review list: %s", error)
            return PlainTextResponse("The message is invalid.\n", 400)

    return Route(f"{ADDRESS}/{{channel}}", respond, methods=["POST"])


def sync(receive: Callable[[ReviewRequest], ReviewResponse], *, key: str, owner: Identity | None = None) -> None:
    """Open a review list's channel and pass its address to the browser. Call this function in a fragment.

    This component is separate from the list, so that the papers are not sent again. Requests that change the page,
    for example to open *Publish*, arrive through this component instead of the address.

    Parameters
    ----------
    receive : callable
        See `ReviewChannel`. It must not change until the page is drawn again.
    key : str
        Key of the `review_list`.
    owner : Identity or None
        Account of the user. None without sign-in.
    """
    name = f"{key}-sync"
    channel = _channel(receive, owner, key)
    state = st.session_state.get(name)
    address = f"{path_of_pages()}{ADDRESS}/{channel.name}"
    SYNC(key=name, data={"list": key, "address": address, **_response(channel, state)}, on_request_change=_nothing)


async def _body(request: Request) -> bytes | None:
    """Return a request's body, or None if it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
    return b"".join(parts)


def _channel(receive: Callable[[ReviewRequest], ReviewResponse], owner: Identity | None, key: str) -> ReviewChannel:
    """Return this session's open channel, or a new channel if the arguments have changed."""
    held: ReviewChannel | None = st.session_state.get(f"{key}-channel")
    if held is None or (held.receive, held.owner) != (receive, owner):
        held = st.session_state[f"{key}-channel"] = ReviewChannel(receive, owner)
    return held


def _response(channel: ReviewChannel, state: Any) -> dict[str, Any]:
    try:
        return channel.respond(state.get("request") if state else None)
    except ValueError as error:
        LOG.warning("Ignored an invalid message from a review list: %s", error)
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
        "looked": None if response.looked is None else _look(response.looked),
        "isOutdated": response.is_outdated,
    }


def _stop_advice(advice: StopAdviceView) -> dict[str, Any]:
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


def _look(looked: ViewEntry) -> dict[str, Any]:
    return {"order": looked.order, "filter": looked.filter, "query": looked.query, "tag": looked.tag}


def _spot_check(check: SpotCheckView) -> dict[str, Any]:
    return {"offer": check.offer, "says": check.says, "left": check.n_left, "detail": check.detail}
