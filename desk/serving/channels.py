"""Route of the review channels, behind the guard: a list sends requests to the channel that its page opened."""

import json
import logging
import time
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from presort.desk.components.channel import CHANNELS
from presort.desk.operation.limits import Limit, Rate
from presort.desk.serving.guard import TOO_OFTEN, Door
from presort.desk.text import counted

RATE = Rate(at_once=200, seconds=0.1)  # of an account; a list asks at most 2.5 times a second
LARGEST = 4_000_000  # bytes of a message: many long notes
LOG = logging.getLogger(__name__)


def route(door: Door, clock: Callable[[], float] = time.monotonic) -> Route:
    """Return the route of review channels; only the account that opened a channel may use it."""
    limit = Limit(RATE, clock)

    async def respond(request: Request) -> Response:
        who = door.identity(request)
        if seconds := limit.wait(repr(who)):
            said = TOO_OFTEN.format(who="account", time=counted(seconds, "second"))
            return PlainTextResponse(said, 429, headers={"Retry-After": str(seconds)})
        channel = CHANNELS.get(request.path_params["channel"])
        if channel is not None and channel.owner != who:
            LOG.warning("Refused what came to a list from another account than the one that opened it.")
        if channel is None or channel.owner != who:
            return PlainTextResponse("This list is not open.\n", 404)
        try:
            body = await _body(request)
        except ClientDisconnect:  # whoever sent it sends it again
            return Response(status_code=400)
        if body is None:
            return PlainTextResponse("A message is smaller than this.\n", 413)
        try:
            return JSONResponse(await run_in_threadpool(lambda: channel.respond(json.loads(body))))
        except (ValueError, RecursionError) as error:  # the second of what is nested too deep
            LOG.warning("Message of a review list passed over: %s", error)
            return PlainTextResponse("This is no message of a list.\n", 400)

    return Route("/channels/{channel}", respond, methods=["POST"])


async def _body(request: Request) -> bytes | None:
    """Return what was sent; None once it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
    return b"".join(parts)
