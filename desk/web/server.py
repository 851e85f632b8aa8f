"""Server of the desk. It loads all pages before it starts to listen, so that the first user doesn't have to wait."""

import gc
import logging
import math
import sys
import time
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import streamlit as st
import typer
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileMetadata
from streamlit.runtime.media_file_storage import MediaFileKind

from presort.data.errors import DataError
from presort.data.store import Store, open_store
from presort.desk import pages, process, settings
from presort.desk.api import routes as api
from presort.desk.api.door import ApiDoor
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.jobs.delivery_timer import DeliveryTimer
from presort.desk.jobs.webhook_timer import WebhookTimer
from presort.desk.limits import LARGEST_UPLOAD
from presort.desk.settings import Provider
from presort.desk.settings.api import api_clients, webhooks
from presort.desk.text import escape
from presort.desk.ui import visitor
from presort.desk.web import launch, monitoring, request_log, review_channel, sign_in, unsubscribe
from presort.desk.web.guard import Door, Guard
from presort.desk.web.index_page import StyledIndexPage
from presort.desk.web.launch import LOCALHOST
from presort.desk.web.request_log import RequestLog
from presort.desk.web.sign_in_door import SignInDoor
from presort.desk.web.sub_path import FullPath, SubPath, move_route
from presort.desk.web.token_door import TOKEN, TokenDoor, read_token

LOG = logging.getLogger("presort.desk.web.server")  # explicit name, because this module runs as __main__
OPTIONS: Mapping[str, Any] = {
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": LARGEST_UPLOAD,
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",  # `show_error` draws the message instead
    "client.toolbarMode": "minimal",
    "logger.hideWelcomeMessage": True,  # its URL lacks the token, and it asks an external host for our address
    "runner.postScriptGC": False,  # a full garbage collection after every saved decision takes 45 ms
    "theme.light.primaryColor": "#0B6B4F",
    "theme.dark.primaryColor": "#4CC29B",
    "theme.headingFontSizes": ["1.75rem", "1.25rem", "1.125rem"],
}
KEPT = 60.0  # seconds for which a generated download is kept after Streamlit would have deleted it
BUG = (
    "Presort had an unexpected error. Your saved work is safe. Reload the page to continue. "
    "If it happens again, report problem **{number}** to the administrator, who can find the details in the log."
)
MOVED: Mapping[str, str] = {
    "pending": "week",
    "finish": "publish",
    "quality": "report",
}  # former addresses of pages; each redirects to the current address


def main() -> None:
    """Serve a Streamlit script until the server is stopped."""
    given = _arguments()
    try:
        process.configure_log(settings.log_format())
        if process.is_json():
            request_log.take_over()
        token = read_token(settings.from_environment().workspace.resolve())
        provider, figures, clients = settings.sign_in(), settings.metrics_token(), ApiDoor(api_clients())
        hooks = webhooks()
    except DataError as error:
        process.exit_with_error(error)
    load_pages()
    BackgroundJobs(settings.from_environment().workspace.resolve()).resume()
    DeliveryTimer(settings.from_environment()).start()
    WebhookTimer(settings.from_environment().workspace.resolve(), hooks).start()
    desk = _local_desk(given, token) if provider is None else _sign_in_desk(provider, token)
    guard = Middleware(
        Guard,
        door=desk.door,
        origins=desk.origins,
        path=desk.path,
        is_local=provider is None,
        metrics_token=figures,
        api=clients,
    )
    app = make_app(given.script, desk, guard)
    sys.argv = [given.script]  # Streamlit adds the folder of this script to the module search path
    own = {
        "server.address": given.host,
        "server.port": given.port,
        "server.baseUrlPath": desk.path,
        "logger.enableRich": not process.is_json(),
    }
    app.run(config={**OPTIONS, **own})


class Desk(NamedTuple):
    """Parts in which a local desk and a desk with sign-in differ.

    `welcome` is printed when the server is ready. `routes` can be used without signing in.
    """

    door: Door
    origins: list[str]
    welcome: list[str]
    path: str = ""
    secrets: Mapping[str, Any] | None = None
    routes: Sequence[Route] = ()


def _local_desk(given: Any, token: str) -> Desk:
    """Return a local desk without sign-in. A user with the token has all rights."""
    own = launch.local_origins(given.port)
    lines = [
        "",
        "  The desk is open. Anyone with this address has full access:",
        "",
        f"  URL: {own[0]}/?{TOKEN}={token}",
        "",
    ]
    return Desk(TokenDoor(token), own, lines)


def _sign_in_desk(provider: Provider, secret: str) -> Desk:
    """Return a desk with sign-in. The secret is used to sign cookies."""
    visitor.close_door()
    lines = ["", f"  The desk is open. Sign in with {provider.name}:", "", f"  URL: {provider.desk}", ""]
    auth = {
        "redirect_uri": f"{provider.desk}/oauth2callback",
        "cookie_secret": secret,
        "client_id": provider.client,
        "client_secret": provider.secret,
        "server_metadata_url": provider.metadata,
    }
    door, routes = SignInDoor(provider.name, secret), sign_in.routes(provider, secret, _whole_store)
    routes.append(unsubscribe.route(settings.from_environment().workspace.resolve()))
    return Desk(door, [provider.desk.origin], lines, provider.desk.path, {"auth": auth}, routes)


@cache
def _whole_store() -> Store:
    """Open the workspace for requests that are not handled by a page. It stays open until the server stops."""
    return open_store(settings.from_environment().workspace.resolve(), settings.database())


def make_app(script: str, desk: Desk, guard: Middleware) -> st.App:
    """Return the desk behind its guard. The welcome is printed when the server is ready for requests."""

    @asynccontextmanager
    async def greet(_app: st.App) -> AsyncIterator[None]:
        if process.is_json():
            LOG.info("The desk is open.")  # without its address, which may contain the token
        else:
            typer.echo("\n".join(desk.welcome))
        yield

    keep_downloads()
    routes: list[Route | Mount] = [
        *(Route(f"/{address}", _redirect) for address in MOVED),
        *desk.routes,  # before Streamlit's routes for sign-in, which they replace
        review_channel.route(desk.door),
        monitoring.route(settings.from_environment().workspace.resolve()),
        api.routes(monitoring.ERRORS.inc),
    ]
    return st.App(
        script,
        lifespan=greet,
        routes=[move_route(desk.path, route) for route in routes],
        middleware=[
            Middleware(SubPath, path=desk.path),
            Middleware(RequestLog),
            guard,
            Middleware(StyledIndexPage),
            Middleware(FullPath, path=desk.path),
        ],
        secrets=desk.secrets,
        on_script_error=show_error,
    )


def show_error(error: Exception) -> bool:
    """Show an error that no page caught, without its traceback. Returns True so that Streamlit treats it as handled.

    A `DataError` is shown as one line. Any other error is a bug: the page shows a number, which the log also contains
    after the traceback.
    """
    if isinstance(error, DataError):
        st.error(escape(str(error)))
        return True
    number = token_hex(3).upper()
    monitoring.ERRORS.inc()
    LOG.error("The error above (%s) was shown to the user as problem %s.", type(error).__name__, number)
    st.error(BUG.format(number=number))
    return True


async def _redirect(request: Request) -> RedirectResponse:
    """Redirect to the new address of a page."""
    path, _, address = request.url.path.rpartition("/")
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path}/{MOVED[address]}{query}")


class KeptFile(MediaFileMetadata):
    """State of a generated file that is deleted `KEPT` seconds after it was first marked for deletion.

    Streamlit deletes a file that no window refers to once two scripts have ended, in any window. It doesn't record
    which window a file belongs to if the file is generated when a download button is clicked. If other windows are
    open, the file could therefore be deleted before the browser requested it.
    """

    def __init__(self, kind: MediaFileKind = MediaFileKind.MEDIA) -> None:
        super().__init__(kind)
        self._marked_at = math.inf

    @property
    def is_marked_for_delete(self) -> bool:
        """Return True if the file can be deleted now."""
        return time.monotonic() - self._marked_at > KEPT

    def mark_for_delete(self) -> None:
        """Mark the file for deletion. Marking it again doesn't keep it longer."""
        self._marked_at = min(self._marked_at, time.monotonic())


def keep_downloads() -> None:
    """Keep generated downloads until the browser has requested them."""
    media_file_manager.MediaFileMetadata = KeptFile  # type: ignore[misc]


def _arguments() -> Any:
    parser = ArgumentParser(prog="presort.desk.web.server")
    parser.add_argument("script", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--host", default=LOCALHOST)
    parser.add_argument("--port", type=int, required=True)
    return parser.parse_args()


def load_pages() -> None:
    """Import all pages, which takes seconds."""
    logging.disable(logging.WARNING)  # without this, each page would warn that no server is running yet
    pages.menu()
    logging.disable(logging.NOTSET)
    gc.freeze()  # excludes modules from garbage collection, which would otherwise spend most of its time on them


if __name__ == "__main__":
    main()
