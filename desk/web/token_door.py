"""Authentication for a desk without sign-in: a browser must first open the address that contains the token.

The token is stored in a file in the workspace that only the file's owner can read. Because other users of this computer
must not have access to the desk, each request must carry a cookie, which the browser receives when it opens the address
with the token.

Cookies don't depend on the port: if the browser opens another user's server on this computer, that server receives the
cookie. The cookie grants the same access as the token, so don't open untrusted servers on the computer of the desk.
"""

import hmac
import os
import re
import stat
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from presort.data.errors import WorkspaceError
from presort.data.records import Identity
from presort.data.workspace.folder import make_folder

TOKEN = "token"  # noqa: S105  (name of the query parameter)
FILE_NAME = "desk-token"
BYTES = 32
FORM = re.compile(rb"[A-Za-z0-9_-]{43}")  # 32 bytes in base64
HALF_A_YEAR = 180 * 24 * 60 * 60  # seconds until the cookie expires
CLOSED = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Presort</title></head><body>
<h1>This desk is private</h1>
<p>Open the address that <code>presort app</code> printed, including its token, once in this browser.</p>
<p>If you followed a link from another site, <a href="">open the page</a> again.</p>
</body></html>
"""


def cookie_name(token: str) -> str:
    """Return the name of the cookie for a token.

    Each token has its own cookie. Otherwise, desks with different workspaces on different ports of this computer would
    overwrite each other's cookie.
    """
    return f"presort-{sha256(token.encode()).hexdigest()[:8]}"


class TokenDoor:
    """Door that allows requests from browsers that have the token, and shows instructions to other visitors."""

    def __init__(self, token: str) -> None:
        self.token = token.encode()
        self.cookie = cookie_name(token)

    def answer(self, request: HTTPConnection, own: str) -> Response | None:
        """Return None if the browser has the cookie, or else a page with instructions.

        A request with the token gets the cookie, and is redirected to its address without the token.
        """
        is_page = request.scope["type"] == "http"
        if is_page and request.scope["method"] == "GET" and self._is_token(request.query_params.get(TOKEN, "")):
            return self._let_in(request.scope, own)
        if self._is_token(request.cookies.get(self.cookie, "")):
            return None
        return HTMLResponse(CLOSED, 403, headers={"Cache-Control": "no-store"})

    def identity(self, request: HTTPConnection) -> Identity | None:
        """Return None, because users with the token have no account."""
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token)

    def _let_in(self, scope: Scope, own: str) -> Response:
        """Set the cookie, and redirect to the same address without the token."""
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


def read_token(workspace: Path) -> str:
    """Return a workspace's token. A new token is created if the old one is missing, damaged or readable by other users.

    Raises
    ------
    WorkspaceError
        If the file can't be read or written.
    """
    path = workspace / FILE_NAME
    try:
        return _read_valid_token(path) or _create_token(path)
    except OSError as error:
        what = "Delete it, or choose another folder" if path.exists() else "Make the folder writable, or choose another"
        raise WorkspaceError(f"{path} can't be used: {error.strerror}. {what}.") from error


def _read_valid_token(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            is_secret = not stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077
            token = file.read(100)
    except FileNotFoundError:
        return None
    return token.decode() if is_secret and FORM.fullmatch(token) else None


def _create_token(path: Path) -> str:
    make_folder(path.parent)
    token = token_urlsafe(BYTES)
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:  # readable only by its owner
        file.write(token)
    Path(file.name).replace(path)
    return token
