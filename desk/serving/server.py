"""The server of the desk, with the pages loaded before it listens: else its first visitor waits for them."""

import gc
import logging
import sys
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
import typer
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from presort.data.errors import DataError
from presort.desk import pages, settings
from presort.desk.importing.choices import LARGEST_FILE
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.operation import logs
from presort.desk.serving import channels, launch, monitoring, problems, request_log
from presort.desk.serving.guard import Door, Guard
from presort.desk.serving.launch import LOCALHOST
from presort.desk.serving.request_log import RequestLog
from presort.desk.serving.sign_in_door import SignInDoor
from presort.desk.serving.token_door import TOKEN, TokenDoor
from presort.desk.serving.token_file import read_token
from presort.desk.settings import Provider
from presort.desk.ui import visitor

LOG = logging.getLogger("presort.desk.serving.server")  # which runs as __main__
OPTIONS: Mapping[str, Any] = {
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.maxUploadSize": LARGEST_FILE,
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",  # `presort.desk.serving.problems` says what is to be said
    "client.toolbarMode": "minimal",
    "logger.hideWelcomeMessage": True,  # it knows no token, and asks a foreign host for our address
    "runner.postScriptGC": False,  # a full garbage collection after every saved decision takes 45 ms
    "theme.light.primaryColor": "#0B6B4F",
    "theme.dark.primaryColor": "#4CC29B",
    "theme.headingFontSizes": ["1.75rem", "1.25rem", "1.125rem"],
}
MOVED: Mapping[str, str] = {
    "pending": "week",
    "finish": "publish",
    "quality": "report",
}  # other addresses of pages


def main() -> None:
    """Serve a script until stopped."""
    given = _arguments()
    try:
        logs.set_up(settings.log_format())
        if logs.is_json():
            request_log.take_over()
        token = read_token(settings.from_environment().workspace.resolve())
        provider, figures = settings.sign_in(), settings.metrics_token()
    except DataError as error:
        logs.end(error)
    load_pages()
    BackgroundJobs(settings.from_environment().workspace.resolve()).go_on()
    door, origins, welcome, secrets = _local(given, token) if provider is None else _behind_sign_in(provider, token)
    guard = Middleware(Guard, door=door, origins=origins, is_local=provider is None, metrics_token=figures)
    app = make_app(given.script, door, guard, welcome, secrets)
    sys.argv = [given.script]  # whose folder Streamlit puts before all others that modules are sought in
    own = {"server.address": given.host, "server.port": given.port, "logger.enableRich": not logs.is_json()}
    app.run(config={**OPTIONS, **own})


class Desk(NamedTuple):
    """What differs between the desk of one computer and that of a service: who comes in, where, and what is printed."""

    door: Door
    origins: list[str]
    welcome: list[str]
    secrets: Mapping[str, Any] | None = None


def _local(given: Any, token: str) -> Desk:
    """Return the desk of one computer, where nobody signs in; whoever has the token may do all."""
    own = launch.local_origins(given.port)
    lines = ["", "  The desk is open, to whoever has this address:", "", f"  URL: {own[0]}/?{TOKEN}={token}", ""]
    return Desk(TokenDoor(token), own, lines)


def _behind_sign_in(provider: Provider, secret: str) -> Desk:
    """Return the desk of a service, where people sign in; cookies are signed with a secret."""
    visitor.close_door()
    lines = ["", f"  The desk is open, to who signs in with {provider.name}:", "", f"  URL: {provider.desk}", ""]
    auth = {
        "redirect_uri": f"{provider.desk}/oauth2callback",
        "cookie_secret": secret,
        "client_id": provider.client,
        "client_secret": provider.secret,
        "server_metadata_url": provider.metadata,
    }
    return Desk(SignInDoor(provider.name, secret), [provider.desk], lines, {"auth": auth})


def make_app(
    script: str, door: Door, guard: Middleware, welcome: list[str], secrets: Mapping[str, Any] | None = None
) -> st.App:
    """Return the desk behind its guard; the welcome is printed once it takes requests."""

    @asynccontextmanager
    async def greet(_app: st.App) -> AsyncIterator[None]:
        if logs.is_json():
            LOG.info("The desk is open.")  # its address may hold the token
        else:
            typer.echo("\n".join(welcome))
        yield

    return st.App(
        script,
        lifespan=greet,
        routes=[
            *(Route(f"/{address}", _lead_on) for address in MOVED),
            channels.route(door),
            monitoring.route(settings.from_environment().workspace.resolve()),
        ],
        middleware=[Middleware(RequestLog), guard],
        secrets=secrets,
        on_script_error=problems.show,
    )


async def _lead_on(request: Request) -> RedirectResponse:
    """Lead on to where a page is now."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{MOVED[request.url.path.strip('/')]}{query}")


def _arguments() -> Any:
    parser = ArgumentParser(prog="presort.desk.serving.server")
    parser.add_argument("script", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--host", default=LOCALHOST)
    parser.add_argument("--port", type=int, required=True)
    return parser.parse_args()


def load_pages() -> None:
    """Import every page, which takes seconds."""
    logging.disable(logging.WARNING)  # each page warns that no server runs yet
    pages.menu()
    logging.disable(logging.NOTSET)
    gc.freeze()  # modules stay: where a page makes many objects, looking through these each time takes longest


if __name__ == "__main__":
    main()
