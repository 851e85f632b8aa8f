"""Middleware that checks the host and the origin of each request.

A page on another site, a server on another port of this computer, or a frame around the desk must not act on an
editor's behalf. Every request, including websockets and uploads, must therefore name one of the desk's addresses as its
host and must not have a foreign origin. A `Door` then authenticates it. Health checks skip the door. Requests for
`/metrics` are authorised only by their token.

Requests that could be repeated to guess a secret or exhaust memory are rate-limited per client address. Behind a
proxy on this computer, uvicorn reads the client address from the proxy's headers.

The page for one-click unsubscribe accepts any origin and has no door, because it can only end the subscription that its
token names.

Without sign-in, requests through a proxy are refused, because a proxy would give other people access.
"""

import logging
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Protocol

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from presort.data.records import Identity
from presort.desk.api.door import ApiDoor, is_api, rate_limit_response
from presort.desk.api.problems import problem
from presort.desk.limits import Limit, Rate, network_of
from presort.desk.text import count_text
from presort.desk.ui.entrance import INVITATION
from presort.desk.web import monitoring, unsubscribe
from presort.desk.web.health import LIVES
from presort.desk.web.sign_in_door import OPEN
from presort.desk.web.token_door import TOKEN

REFUSED = 1008  # websocket close code for a policy violation

HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOG = logging.getLogger(__name__)
NOT_HERE = "The desk is not available at this address. If sign-in is set up, use the address in desk.url.\n"
# Headers added by proxies: standard headers, and headers from nginx, Apache, Envoy, Squid and tunnels.
FORWARDED = ("forwarded", "via", "x-real-ip", "x-client-ip", "x-original-host", "cf-connecting-ip", "true-client-ip")
FORWARDED_AS = "x-forwarded-"
HANDED_ON = (
    "This request came through a proxy. Without sign-in, the desk is available only on its own computer. To open it to "
    "others, set up sign-in as described in docs/install.md.\n"
)
FOREIGN = "The desk accepts requests only from its own pages.\n"
TOO_OFTEN = "Too many requests from your {who}. Try again in {time}.\n"
UPLOADS = "/_stcore/upload_file/"
# Limits per client address, which fifty editors in one office may share.
RATES: Mapping[str, Rate] = {
    "door": Rate(at_once=300, seconds=0.2),  # a sign-in takes three requests
    "upload": Rate(at_once=100, seconds=1),
    "figures": Rate(at_once=60, seconds=1),
    "api": Rate(at_once=300, seconds=0.2),  # limits attempts to guess tokens; each client has its own limit
    "unsubscribe": Rate(at_once=100, seconds=1),  # a mail provider sends requests on behalf of many readers
}


class Door(Protocol):
    """Interface of a door, which authenticates requests."""

    def answer(self, request: HTTPConnection, own: str) -> Response | None:
        """Return None if the request is allowed, or else the response: a refusal or a redirect.

        `own` is the desk's address.
        """

    def identity(self, request: HTTPConnection) -> Identity | None:
        """Return the account that sent the request. None without sign-in, or if the user is signed out."""


class Guard:
    """Middleware that refuses requests from pages other than the desk's own, and sets security headers.

    Parameters
    ----------
    app : ASGI app
        Application behind the guard.
    door : Door
        Door that authenticates requests.
    origins : iterable of str
        Origins of the desk in browsers.
    path : str
        The desk's path on its host, such as ``/presort``. `SubPath` has already removed it from the requests.
    is_local : bool
        True if requests through a proxy are refused.
    metrics_token : str
        Bearer token for `/metrics`. It is checked instead of the host name. If it is empty, the endpoint is disabled.
    api : ApiDoor
        Door that authenticates API requests instead of `door`. By default, the API is disabled.
    clock : callable
        Monotonic clock in seconds, used for rate limits.
    """

    def __init__(
        self,
        app: ASGIApp,
        door: Door,
        origins: Iterable[str],
        *,
        path: str = "",
        is_local: bool,
        metrics_token: str = "",
        api: ApiDoor | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self.door = door
        self.metrics_token = metrics_token
        self.api = api or ApiDoor([])
        self.origins = {one.partition("://")[2]: one for one in origins}
        self.path = path
        self.is_local = is_local
        self.limits = {kind: Limit(rate, clock) for kind, rate in RATES.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or respond to it instead."""
        if scope["type"] not in ("http", "websocket"):  # messages about the start and the shutdown of the server
            await self.app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        own = self.origins.get(request.headers.get("host", "").lower())
        refusal = self._refusal(request, own)
        if scope["type"] == "websocket":
            await (self.app if refusal is None else WebSocketClose(REFUSED))(scope, receive, send)
        else:
            await (refusal or self.app)(scope, receive, _with_headers(send, own))

    def _refusal(self, request: HTTPConnection, own: str | None) -> Response | None:
        """Return None if the request is allowed, or else the response: a refusal, or a redirect from the door."""
        if (kind := _kind(request)) and (seconds := self.limits[kind].wait(_client(request))):
            if kind == "api":
                return rate_limit_response("your address", seconds)
            message = TOO_OFTEN.format(who="address", time=count_text(seconds, "second"))
            return PlainTextResponse(message, 429, headers={"Retry-After": str(seconds)})
        if request.scope["type"] == "http" and request.scope["path"] == monitoring.ADDRESS:
            return None if monitoring.may_read(request, self.metrics_token) else monitoring.refusal()
        if own is None:
            return self._log_refusal(request, NOT_HERE)
        if self.is_local and any(name in FORWARDED or name.startswith(FORWARDED_AS) for name in request.headers):
            return self._log_refusal(request, HANDED_ON)
        is_page = request.scope["type"] == "http"
        if is_page and not self.is_local and request.scope["path"].startswith(unsubscribe.ADDRESS):
            # Mail providers send no cookie and any origin, so only the token in the path authorises the request.
            return None if unsubscribe.VALID.fullmatch(request.scope["path"]) else unsubscribe.invalid()
        from_page = request.headers.get("origin")
        if from_page != own and not (is_page and from_page is None):
            return self._log_refusal(request, FOREIGN)
        if is_page and request.scope["path"] == LIVES:
            return None
        return (self.api if is_api(request.scope) else self.door).answer(request, own + self.path)

    def _log_refusal(self, request: HTTPConnection, why: str) -> Response:
        """Refuse a request and log the refusal. Headers are quoted, because they are untrusted."""
        named = {name: request.headers.get(name, "")[:200] for name in ("host", "origin")}
        LOG.warning("Refused %s %r: %s", request.scope["type"], named, why.splitlines()[0])
        return problem(403, why.strip()) if is_api(request.scope) else PlainTextResponse(why, 403)


def _kind(request: HTTPConnection) -> str:
    """Return the name of the rate limit for a request. Empty if none applies."""
    if request.scope["type"] != "http":
        return ""
    path = request.scope["path"]
    if path == monitoring.ADDRESS:
        return "figures"
    if path.startswith(UPLOADS):
        return "upload"
    if is_api(request.scope):
        return "api"
    if path.startswith(unsubscribe.ADDRESS):
        return "unsubscribe"
    is_try = path in OPEN or TOKEN in request.query_params or INVITATION in request.query_params
    return "door" if is_try else ""


def _client(request: HTTPConnection) -> str:
    return network_of(request.client.host) if request.client else ""


def _with_headers(send: Send, own: str | None) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update({**HEADERS, "Content-Security-Policy": _policy(own)})
            if own is not None and own.startswith("https:"):
                _secure(message)
        await send(message)

    return send_with_headers


def _secure(message: Message) -> None:
    """Mark cookies as secure, so that browsers send them only over encrypted connections."""
    message["headers"] = [
        (name, value + b"; Secure" if name == b"set-cookie" and b"; secure" not in value.lower() else value)
        for name, value in message["headers"]
    ]


def _policy(own: str | None) -> str:
    """Return the content security policy: only content from the desk, and no inline scripts except Streamlit's.

    Streamlit loads components' scripts as blobs and writes its styles into the page. Charts don't need `eval`.
    """
    socket = "" if own is None else own.replace("http", "ws", 1)  # in older browsers, 'self' doesn't cover websockets
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: {' '.join(INLINE)}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' blob:",
            "worker-src 'self' blob:",
            f"connect-src 'self' {socket}",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def _hashes_of_scripts() -> list[str]:
    """Return the hashes of the inline scripts in Streamlit's page, so that only these are allowed."""
    page = (files("streamlit") / "static" / "index.html").read_bytes()
    return [
        f"'sha256-{b64encode(sha256(one).digest()).decode()}'"
        for one in re.findall(rb"<script>(.*?)</script>", page, re.S)
    ]


INLINE = _hashes_of_scripts()
