"""The door of a desk where nobody signs in: it opens to a browser that once came by the address with the token.

Another user of this computer must not read, so every request must carry the cookie that this address gives.

Cookies know no ports: a server of somebody else on this computer would get the cookie of whoever opens it. It is worth
as much as the token; don't open what strangers serve on the computer that serves the desk.
"""

import hmac
from hashlib import sha256
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from presort.data.records import Identity

TOKEN = "token"  # noqa: S105  (what it is called in an address)
HALF_A_YEAR = 180 * 24 * 60 * 60  # seconds that a browser keeps the cookie
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


class TokenDoor:
    """Lets in who has the token, and tells the others how to get in."""

    def __init__(self, token: str) -> None:
        self.token = token.encode()
        self.cookie = cookie_name(token)

    def answer(self, asked: HTTPConnection, own: str) -> Response | None:
        """Return what to answer instead; None for what may come in."""
        is_page = asked.scope["type"] == "http"
        if is_page and asked.scope["method"] == "GET" and self._is_token(asked.query_params.get(TOKEN, "")):
            return self._let_in(asked.scope, own)
        if self._is_token(asked.cookies.get(self.cookie, "")):
            return None
        return HTMLResponse(CLOSED, 403, headers={"Cache-Control": "no-store"})

    def identity(self, asked: HTTPConnection) -> Identity | None:
        """Return nobody: who has the token has no account."""
        return None

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
