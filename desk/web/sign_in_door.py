"""Authentication for a desk with sign-in. Only requests from users who signed in with OpenID Connect are allowed.

At sign-in, `presort.desk.web.sign_in` stores the account in a signed cookie. Users without the cookie see a page with a
link to sign in, and return to the requested page afterwards. `presort.desk.access` looks up members and their rights.
"""

import json
from html import escape
from urllib.parse import quote

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from presort.data.records import Identity
from presort.desk.access import SIGNED_IN_FOR

SIGN_IN = "/sign-in"
OPEN = (SIGN_IN, "/auth/login", "/auth/logout", "/oauth2callback")  # paths for signing in and out
WANTED = "presort-wanted"  # cookie that contains the requested page
TEN_MINUTES = 10 * 60  # seconds until that cookie expires
LONGEST = 1_000  # maximum length of the page's address in that cookie, before encoding
SAFE = "/?&=%+,:@!$'()*;~"  # characters in an address that are not percent-encoded
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Presort</title><style>
:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 26rem; margin: 18vh auto 0; padding: 0 1rem; }}
h1 {{ font-size: 1.7rem; }}
a {{ display: inline-block; padding: .5rem 1.2rem; border-radius: .5rem; background: #0B6B4F; color: #fff;
    text-decoration: none; }}
</style></head><body><main><h1>{title}</h1>
<p>{says}</p>
<p><a href="{address}">{label}</a></p>
</main></body></html>
"""


def sign_in_page(own: str, status: int, title: str, says: str, label: str) -> HTMLResponse:
    """Return a page with a link to sign in.

    Parameters
    ----------
    own : str
        Address of the desk.
    status : int
        HTTP status.
    title, says, label : str
        Heading, text, and label of the link. They are escaped, because the provider's name may contain any characters.
    """
    page = PAGE.format(title=escape(title), says=escape(says), label=escape(label), address=own + SIGN_IN)
    return HTMLResponse(page, status, headers={"Cache-Control": "no-store"})


def referring_page(request: HTTPConnection, own: str) -> str:
    """Return the path and query of the page from which the user came.

    Returns an empty string if it isn't one of the desk's pages, or is a page for signing in or out.
    """
    before = request.headers.get("referer", "")
    wanted = before.removeprefix(own)
    is_own = before.startswith(f"{own}/") and wanted.partition("?")[0] not in OPEN
    return wanted if is_own else ""


def remember(response: Response, wanted: str) -> None:
    """Set the cookie with the page that the user wanted, unless it is the start page or its address is too long."""
    if len(wanted) <= LONGEST and wanted != "/":
        response.set_cookie(WANTED, quote(wanted, safe=SAFE), max_age=TEN_MINUTES, httponly=True, samesite="lax")


class SignInDoor:
    """Door that allows requests from signed-in users, and shows other visitors a link to sign in.

    Parameters
    ----------
    name : str
        Display name of the provider.
    secret : str
        Secret that signs the cookies.
    """

    def __init__(self, name: str, secret: str) -> None:
        self.name = name
        self.secret = secret

    def answer(self, request: HTTPConnection, own: str) -> Response | None:
        """Return None if the request is allowed, or else the page for signing in, or a redirect to the wanted page."""
        is_page, path = request.scope["type"] == "http", request.scope["path"]
        if is_page and path in OPEN:
            return None
        if self._cookie(request) is None:
            return self._lead_to_sign_in(request, own)
        wanted = request.cookies.get(WANTED, "")
        if is_page and path == "/" and wanted:
            return self._lead_on(wanted, own)
        return None

    def identity(self, request: HTTPConnection) -> Identity | None:
        """Return the signed-in user's account, or None if the user is signed out."""
        claims = json.loads(self._cookie(request) or "{}")
        issuer, subject = claims.get("iss"), claims.get("sub")
        return Identity(issuer, subject) if isinstance(issuer, str) and isinstance(subject, str) else None

    def _cookie(self, request: HTTPConnection) -> bytes | None:
        """Return the JSON with the account from the signed cookie. None if the cookie is missing or no longer valid."""

        def read(name: str) -> bytes | None:
            value = request.cookies.get(name)
            days = SIGNED_IN_FOR.total_seconds() / 86_400
            return None if value is None else decode_signed_value(self.secret, name, value.encode("latin-1"), days)

        return get_cookie_with_chunks(read, USER_COOKIE_NAME)

    def _lead_to_sign_in(self, request: HTTPConnection, own: str) -> Response:
        response = sign_in_page(own, 401, "Presort", "Sign in to continue.", f"Sign in with {self.name}")
        if request.scope["type"] == "http" and request.scope["method"] == "GET":
            query = request.scope["query_string"].decode("latin-1")
            wanted = request.scope["path"] + (f"?{query}" if query else "")
            if "." not in request.scope["path"] and not wanted.startswith(("/_", "/static", "/media")):
                remember(response, wanted)
        return response

    def _lead_on(self, wanted: str, own: str) -> Response:
        """Redirect to the page named in the cookie. Cookies are untrusted, so the target is always within the desk."""
        there = quote(wanted.lstrip("/"), safe=SAFE)
        response = RedirectResponse(f"{own}/{there}", 303, headers={"Cache-Control": "no-store"})
        response.delete_cookie(WANTED)
        return response
