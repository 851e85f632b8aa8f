"""The server of the desk, with the pages loaded before it listens: else its first visitor waits for them."""

import logging
import sys
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
import typer
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from data.errors import DataError
from desk import pages, settings
from desk.serving import problems
from desk.serving.guard import TOKEN, Guard
from desk.serving.launch import LOCALHOST, WILDCARDS, origins, url
from desk.serving.token_file import read_token

OPTIONS: Mapping[str, Any] = {
    "server.headless": True,
    "server.fileWatcherType": "none",
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",  # `desk.serving.problems` says what is to be said
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
        token = read_token(settings.from_environment().workspace.resolve())
    except DataError as error:
        sys.exit(f"presort: {error}")
    load_pages()
    app = make_app(given.script, token, origins(given.host, given.port, given.address), _welcome(given, token))
    sys.argv = [given.script]  # whose folder Streamlit puts before all others that modules are sought in
    app.run(config={**OPTIONS, "server.address": given.host, "server.port": given.port})


def make_app(script: str, token: str, own: list[str], welcome: str) -> st.App:
    """Return the desk behind its guard; the welcome is printed once it takes requests."""

    @asynccontextmanager
    async def greet(_app: st.App) -> AsyncIterator[None]:
        typer.echo(welcome)
        yield

    return st.App(
        script,
        lifespan=greet,
        routes=[Route(f"/{address}", _lead_on) for address in MOVED],
        middleware=[Middleware(Guard, token=token, origins=own)],
        on_script_error=problems.show,
    )


async def _lead_on(request: Request) -> RedirectResponse:
    """Lead on to where a page is now."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/{MOVED[request.url.path.strip('/')]}{query}")


def _arguments() -> Any:
    parser = ArgumentParser(prog="desk.serving.server")
    parser.add_argument("script", type=lambda text: str(Path(text).resolve()))
    parser.add_argument("--host", default=LOCALHOST)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--address", action="append", default=[])
    return parser.parse_args()


def _welcome(given: Any, token: str) -> str:
    address = url(given.host, given.port, given.address)
    lines = ["", "  The desk is open, to whoever has this address:", "", f"  URL: {address}/?{TOKEN}={token}", ""]
    if given.host in WILDCARDS and not given.address:
        lines += ["  From other computers it answers to the addresses that --address names, and to no others.", ""]
    return "\n".join(lines)


def load_pages() -> None:
    """Import every page, which takes seconds."""
    logging.disable(logging.WARNING)  # each page warns that no server runs yet
    pages.menu()
    logging.disable(logging.NOTSET)


if __name__ == "__main__":
    main()
