"""Routes of the API. The guard in front of them lets through only requests with a client's token."""

import json
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from secrets import token_hex
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.store import Store
from presort.desk.api import content
from presort.desk.api.content import Item, Page
from presort.desk.api.description import description
from presort.desk.api.parameters import FILTERS, PAGES, Query, parse_day, read_query
from presort.desk.api.problems import problem
from presort.desk.settings.api import API, api_url
from presort.desk.ui import cache, visitor

LOG = logging.getLogger(__name__)
STARTED = token_hex(4)  # part of every ETag, because content may change with a restart: an update, settings, a backup
BUSY = "The workspace can't be read at the moment. Try again in a minute."
BROKEN = "Presort had an unexpected error. See the server's log for details."
DETAILS = {  # messages for errors raised by Starlette
    404: f"No such resource. {API}/openapi.json lists all resources.",
    405: "The API is read-only. Send GET or HEAD.",
}
NOT_PUBLISHED = "This report has no published issue with this date."


class Resource(NamedTuple):
    """API resource: its path below the prefix, the query parameters it accepts, and a function to read its content."""

    path: str
    parameters: tuple[str, ...]
    read: Callable[[Store, Query, Mapping[str, str]], Page | Item]


def _report_issue(store: Store, _: Query, path: Mapping[str, str]) -> Item:
    issue = parse_day(path["issue"])
    found = content.report_issue(store, path["report"], issue) if issue else None
    if found is None:
        raise HTTPException(404, NOT_PUBLISHED)
    return found


RESOURCES = (
    Resource("/issues", ("from", "to", *PAGES), lambda store, query, _: content.issues(store, query)),
    Resource("/reports", PAGES, lambda store, query, _: content.reports(store, query)),
    Resource("/report-issues", (*FILTERS, *PAGES), lambda store, query, _: content.report_issues(store, query)),
    Resource("/report-issues/{report}/{issue}", (), _report_issue),
    Resource(
        "/quality",
        (*FILTERS, *PAGES),
        lambda store, query, _: content.quality(store, query, cache.whole_scores()),
    ),
    Resource("/openapi.json", (), lambda _store, _query, _path: description()),
)


def routes(count_error: Callable[[], None]) -> Mount:
    """Return the routes of the API. `count_error` is called for each unexpected error."""

    def error_response(_: Request, _error: Exception) -> Response:
        """Return the response after an unexpected error. Starlette then re-raises the error, and the server logs it."""
        count_error()
        return problem(500, BROKEN)

    api = Starlette(
        routes=[Route(one.path, _endpoint(one)) for one in RESOURCES],
        exception_handlers={
            HTTPException: _refusal_response,
            DataError: _unavailable_response,
            Exception: error_response,
        },
    )
    api.router.redirect_slashes = False
    return Mount(API, app=api)


def _endpoint(resource: Resource) -> Callable[[Request], Response]:
    def respond(request: Request) -> Response:
        query = read_query(request.query_params, resource.parameters)
        with visitor.one_snapshot():
            store = visitor.whole_store()
            headers = {"ETag": f'"{STARTED}-{catalogue.revision(store)}"', "Cache-Control": "private, no-cache"}
            if _is_fresh(request.headers.get("if-none-match", ""), headers["ETag"]):
                return Response(status_code=304, headers=headers)
            found = resource.read(store, query, request.path_params)
        return _json_response(
            request, _page_object(request, resource, found) if isinstance(found, Page) else found, headers
        )

    return respond


def _page_object(request: Request, resource: Resource, page: Page) -> Item:
    """Return the JSON object for a page, with the address of the next page."""
    if page.cursor is None:
        return {"items": page.items, "next": None}
    again = {**request.query_params, "cursor": page.cursor}
    return {"items": page.items, "next": f"{api_url()}{resource.path}?{urlencode(again)}"}


def _json_response(request: Request, found: Item, headers: Mapping[str, str]) -> Response:
    body = json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    length = {"Content-Length": str(len(body))}  # also sent in response to HEAD, without a body
    shown = b"" if request.method == "HEAD" else body
    return Response(shown, headers={**headers, **length}, media_type="application/json")


def _is_fresh(known: str, tag: str) -> bool:
    """Return True if the client already has this version. Ignores the prefix W/, which compressing proxies add."""
    return tag in (one.strip().removeprefix("W/") for one in known.split(","))


def _refusal_response(_: Request, error: Exception) -> Response:
    """Return the response to an invalid request or to a request for an unknown resource."""
    if not isinstance(error, HTTPException):
        raise error
    is_plain = error.detail == HTTPStatus(error.status_code).phrase  # raised by Starlette
    return problem(error.status_code, DETAILS[error.status_code] if is_plain else error.detail, error.headers)


def _unavailable_response(_: Request, error: Exception) -> Response:
    """Return the response to use while the workspace can't be read, for example because the database is restarting."""
    LOG.warning("%s", error)
    return problem(503, BUSY, {"Retry-After": "60"})
