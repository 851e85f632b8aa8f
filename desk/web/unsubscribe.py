"""Page where readers unsubscribe from a report through the link in an email (one-click unsubscribe, RFC 8058).

A mail program unsubscribes with one POST request, without cookies and from any origin, so it is authorised only by the
token in the address. A GET request only shows a button, because virus scanners and previews follow links.
"""

import re
from functools import cache
from html import escape
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from presort.data.errors import DataError
from presort.data.mail import unsubscribe
from presort.data.mail.unsubscribe import FORM, Subscription
from presort.data.store import Store, open_store
from presort.desk import settings

ADDRESS = f"{settings.UNSUBSCRIBE_PATH}/"
VALID = re.compile(re.escape(ADDRESS) + FORM.pattern)
LARGEST = 10_000  # maximum number of bytes in a request; mail programs send fewer than 200
ONE_CLICK = re.compile(
    rb"List-Unsubscribe\W+One-Click"
)  # sent as a web form (=) or as multipart form data (quote, newlines)
HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Unsubscribe</title><style>
:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 26rem; margin: 18vh auto 0; padding: 0 1rem; overflow-wrap: anywhere; }}
button {{ font: inherit; padding: .5rem 1.2rem; border: 0; border-radius: .5rem; background: #0B6B4F; color: #fff; }}
</style></head><body><main>
<h1>{title}</h1>
<p>{text}</p>
{form}</main></body></html>
"""
FORM_PART = """<form method="post"><button name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>
"""
ASKS = "Stop receiving this report by email?"
ENDED = "You no longer receive this report by email."
INVALID = "This link is not valid. Copy the whole link from the email, or reply to the email to unsubscribe."
BUSY = "The service is not available at the moment. Try again in a few minutes."


def route(workspace: Path) -> Route:
    """Return the page's route. The guard passes on only requests whose token has a valid form."""

    async def respond(request: Request) -> Response:
        token = request.path_params["token"]
        if request.method == "POST":
            if (body := await _body(request)) is None:
                return page("Unsubscribe", INVALID, 413)
            if not ONE_CLICK.search(body):
                return page("Unsubscribe", INVALID, 400)
        try:
            return await run_in_threadpool(_answer, workspace, token, ends=request.method == "POST")
        except DataError:
            return page("Unsubscribe", BUSY, 503)

    return Route(f"{ADDRESS}{{token}}", respond, methods=["GET", "POST"])


def page(title: str, text: str, status: int = 200, form: str = "") -> Response:
    """Return a page with a title, a text and optionally a form. `form` is HTML and not escaped."""
    return HTMLResponse(PAGE.format(title=escape(title), text=escape(text), form=form), status, headers=HEADERS)


def invalid() -> Response:
    """Return the response to an address whose token can't be valid."""
    return page("Unsubscribe", INVALID, 404)


def _answer(workspace: Path, token: str, *, ends: bool) -> Response:
    store = _store(workspace)
    found: Subscription | None = (unsubscribe.unsubscribe if ends else unsubscribe.subscription)(store, token)
    if found is None:
        return invalid()
    return page(found.name, ASKS, form=FORM_PART) if found.is_reading else page(found.name, ENDED)


async def _body(request: Request) -> bytes | None:
    """Return a request's body. If it is too large, the rest is not read and None is returned."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            return None
    return body


@cache
def _store(workspace: Path) -> Store:
    return open_store(workspace, settings.database(), creates=False)
