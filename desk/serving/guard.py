"""The door of the desk: by which address it may be asked, from which page, and by whom.

A page of another site, another port of this computer or a frame around the desk must not decide in an editor's name,
and another user of this computer must not read. So every request, those of websockets and uploads too, must name an
address of the desk, must not come from a page of another origin, and must carry the cookie that the address with the
token gives. What a proxy asks to learn whether the desk lives needs no cookie.

What a proxy hands on under a name of this computer is refused: others would come in where only this computer is meant.
A proxy that is meant keeps the host's name, which `--address` has told the desk.

Cookies know no ports: a server of somebody else on this computer would get the cookie of whoever opens it. It is worth
as much as the token; don't open what strangers serve on the computer that serves the desk.
"""

import hmac
import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from desk.serving.launch import LOCAL

TOKEN = "token"  # noqa: S105  (what it is called in an address)
HALF_A_YEAR = 180 * 24 * 60 * 60  # seconds that a browser keeps the cookie
LIVES = "/_stcore/health"
REFUSED = 1008  # as websockets say that something is not allowed

HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
NOT_HERE = "The desk does not answer to this address. Whoever runs it can add it by the option --address.\n"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
HANDED_ON = (
    "A proxy hands this on under a name of this computer. Let it keep the host's name, and start the desk with "
    "--address and the address by which browsers find it.\n"
)
FOREIGN = "The desk answers to its own pages alone.\n"
CLOSED = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Presort</title></head><body>
<h1>This desk is closed to others</h1>
<p>Open it once by the address that <code>presort app</code> printed, with its token. This browser is known then.</p>
<p>You came by a link from elsewhere? <a href="">Open the page</a>.</p>
</body></html>
"""


def cookie_name(token: str) -> str:
    """Return the name of the cookie that holds a token: desks on other ports of this computer have others."""
    return f"presort-{sha256(token.encode()).hexdigest()[:8]}"


class Guard:
    """Refuses what did not come from the desk's own pages, and tells browsers to keep others out of them.

    The token opens the desk; origins are where browsers find it.
    """

    def __init__(self, app: ASGIApp, token: str, origins: Iterable[str]) -> None:
        self.app = app
        self.token = token.encode()
        self.cookie = cookie_name(token)
        self.origins = {one.partition("://")[2]: one for one in origins}
        self.local = {host for host, one in self.origins.items() if urlsplit(one).hostname in LOCAL}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] not in ("http", "websocket"):  # the server itself, as it starts and ends
            await self.app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        host = asked.headers.get("host", "").lower()
        own = self.origins.get(host)
        if own is None:
            refusal: Response | None = PlainTextResponse(NOT_HERE, 403)
        elif host in self.local and any(name in asked.headers for name in FORWARDED):
            refusal = PlainTextResponse(HANDED_ON, 403)
        else:
            refusal = self._refusal(asked, own)
        if scope["type"] == "websocket":
            await (self.app if refusal is None else WebSocketClose(REFUSED))(scope, receive, send)
        else:
            await (refusal or self.app)(scope, receive, _with_headers(send, own))

    def _refusal(self, asked: HTTPConnection, own: str) -> Response | None:
        """Return what to answer instead; None for what may come in."""
        is_page = asked.scope["type"] == "http"
        from_page = asked.headers.get("origin")
        if from_page != own and not (is_page and from_page is None):
            return PlainTextResponse(FOREIGN, 403)
        if is_page and asked.scope["path"] == LIVES:
            return None
        if is_page and asked.scope["method"] == "GET" and self._is_token(asked.query_params.get(TOKEN, "")):
            return self._let_in(asked.scope, own)
        if self._is_token(asked.cookies.get(self.cookie, "")):
            return None
        return HTMLResponse(CLOSED, 403, headers={"Cache-Control": "no-store"})

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token)

    def _let_in(self, scope: Scope, own: str) -> Response:
        """Set the cookie, and lead on to the same address without the token."""
        rest = [one for one in parse_qsl(scope["query_string"].decode("latin-1"), True) if one[0] != TOKEN]
        address = own + quote(scope["path"]) + (f"?{urlencode(rest)}" if rest else "")
        response = RedirectResponse(address, 303, headers={"Cache-Control": "no-store"})
        response.set_cookie(
            self.cookie,
            self.token.decode(),
            max_age=HALF_A_YEAR,
            httponly=True,
            samesite="strict",
            secure=own.startswith("https:"),
        )
        return response


def _with_headers(send: Send, own: str | None) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update({**HEADERS, "Content-Security-Policy": _policy(own)})
        await send(message)

    return send_with_headers


def _policy(own: str | None) -> str:
    """Return what a page may load: only what is served from here, and no script of a page's own text.

    Streamlit hands components' scripts over as blobs, and its styles within the page; charts need no `eval`.
    """
    socket = "" if own is None else own.replace("http", "ws", 1)  # older browsers don't count it as 'self'
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
    """Return the hashes of the scripts within Streamlit's page, by which a policy allows them and no others."""
    page = (files("streamlit") / "static" / "index.html").read_bytes()
    return [
        f"'sha256-{b64encode(sha256(one).digest()).decode()}'"
        for one in re.findall(rb"<script>(.*?)</script>", page, re.S)
    ]


INLINE = _hashes_of_scripts()
