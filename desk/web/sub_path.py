"""Middleware for a desk that is served under a path on its host, such as ``https://example.org/presort``.

The proxy passes paths on unchanged. `SubPath` comes first and removes the desk's path, so that the guard, the doors and
the request log see the same paths as for a desk at the root of its host. `FullPath` comes last and adds the path again,
because Streamlit needs it to build addresses for sign-in. Cookies are restricted to the path, because several desks may
share one host.
"""

import logging
import re
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

LOG = logging.getLogger(__name__)
POLICY_VIOLATION = 1008  # websocket close code
OUTSIDE = "The desk is served below {path}/. The proxy must pass paths on without removing {path}.\n"
COOKIE_PATH = re.compile(rb";\s*path=(/[^;]*)", re.IGNORECASE)  # attribute of a Set-Cookie header


class SubPath:
    """Middleware that removes the desk's path from requests, and refuses requests outside this path.

    A request for the path without its final slash is redirected.

    Parameters
    ----------
    app : ASGI app
        Application that receives paths as if the desk were at the root of its host.
    path : str
        Path of the desk, such as ``/presort``. Empty for the root of the host.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on without the desk's path."""
        if scope["type"] not in ("http", "websocket") or not self.path:
            await self.app(scope, receive, send)
        elif scope["path"].startswith(f"{self.path}/"):
            await self.app(
                _drop_repeated_cookies(_replace_path(scope, self._inner_path(scope))),
                receive,
                self._with_cookie_path(send),
            )
        elif scope["type"] == "websocket":
            await WebSocketClose(POLICY_VIOLATION)(scope, receive, send)
        else:
            await self._outside_response(scope)(scope, receive, send)

    def _inner_path(self, scope: Scope) -> str:
        return str(scope["path"]).removeprefix(self.path)

    def _outside_response(self, scope: Scope) -> Response:
        if scope["path"] == self.path:
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"{self.path}/" + (f"?{query}" if query else ""), 308)
        why = OUTSIDE.format(path=self.path)
        LOG.warning("Refused a request for a path outside the desk: %s", why.strip())
        return PlainTextResponse(why, 404)

    def _with_cookie_path(self, send: Send) -> Send:
        async def send_with_path(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    (name, COOKIE_PATH.sub(self._cookie_path, value) if name == b"set-cookie" else value)
                    for name, value in message["headers"]
                ]
            await send(message)

        return send_with_path

    def _cookie_path(self, attribute: re.Match[bytes]) -> bytes:
        """Add the desk's path to a cookie's path attribute, unless the attribute already includes it.

        Streamlit's cookies already include the desk's path.
        """
        path = attribute[1].decode("latin-1").rstrip("/")
        is_own = path == self.path or path.startswith(f"{self.path}/")
        return b"; Path=" + (path if is_own else self.path + path).encode("latin-1")


class FullPath:
    """Middleware that adds the desk's path to requests, because the application's routes contain this path.

    Parameters
    ----------
    app : ASGI app
        Application that receives full paths.
    path : str
        Path of the desk.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the desk's path."""
        is_request = scope["type"] in ("http", "websocket")
        await self.app(_replace_path(scope, self.path + scope["path"]) if is_request else scope, receive, send)


def move_route(path: str, route: Route | Mount) -> Route | Mount:
    """Return a copy of a route that is moved under the desk's path."""
    if isinstance(route, Mount):
        return Mount(path + route.path, app=route.app)
    return Route(path + route.path, route.endpoint, methods=sorted(route.methods or ()))


def _replace_path(scope: Scope, path: str) -> Scope:
    return {**scope, "path": path, "raw_path": quote(path).encode()}


def _drop_repeated_cookies(scope: Scope) -> Scope:
    """Drop cookies that have the same name as an earlier cookie.

    If there is also a Streamlit app at the root of the host, its cookies have the same names as the desk's. Browsers
    send cookies with longer paths first, so the desk's own cookies come first, but Starlette would use the last ones.
    """
    cookies: dict[str, str] = {}
    for one in ";".join(Headers(scope=scope).getlist("cookie")).split(";"):
        cookies.setdefault(one.partition("=")[0].strip(), one.strip())
    others = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
    own = "; ".join(filter(None, cookies.values())).encode("latin-1")
    return {**scope, "headers": [*others, (b"cookie", own)] if own else others}
