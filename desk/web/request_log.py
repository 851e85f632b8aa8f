"""Request log: one line per request with path, status and duration.

Paths may contain codes, tokens and file names. Therefore only known, general parts are logged.
"""

import logging
import time

import streamlit.logger
import uvicorn.config
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from presort.desk import pages
from presort.desk.settings.api import API
from presort.desk.web import unsubscribe
from presort.desk.web.health import LIVES
from presort.desk.web.monitoring import ADDRESS
from presort.desk.web.sign_in_door import OPEN

LOG = logging.getLogger(__name__)
FAILED = 500  # lowest status of a server error; 0 means that there was no response
WHOLE = {"/", ADDRESS, *OPEN, "/_stcore/stream"}
BEGINNINGS = (
    *("/_stcore/upload_file/", "/_stcore/", "/media/", "/component/", "/channels/", "/static/"),
    *(f"{API}/", unsubscribe.ADDRESS),
)
OFTEN = ("/static/", "/channels/", LIVES)  # requested every second; logged only if the server fails


class RequestLog:
    """Middleware that logs requests."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and log it when it has ended."""
        if scope["type"] not in ("http", "websocket") or not LOG.isEnabledFor(logging.INFO):
            await self.app(scope, receive, send)
            return
        method, path = scope.get("method", "WEBSOCKET"), template(scope["path"])
        began, status = time.monotonic(), 0

        async def send_on(message: Message) -> None:
            nonlocal status
            status = status or _status(message)
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        finally:
            fields = {"method": method, "path": path, "status": status, "seconds": round(time.monotonic() - began, 3)}
            if not 0 < status < FAILED or not scope["path"].startswith(OFTEN):
                LOG.info("%s %s", method, path, extra=fields)


def template(path: str) -> str:
    """Return a path without the parts that identify a user or a file.

    Examples
    --------
    >>> template("/review"), template("/_stcore/upload_file/a1/b2"), template("/reset/hunter2")
    ('/review', '/_stcore/upload_file/…', '…')
    """
    if path in WHOLE or path.removeprefix("/") in pages.BY_ADDRESS:
        return path
    return next((f"{beginning}…" for beginning in BEGINNINGS if path.startswith(beginning)), "…")


def take_over() -> None:
    """Route the logs of Streamlit and uvicorn through our log handlers."""
    streamlit.logger.setup_formatter = _forward_logs
    streamlit.logger.update_formatter()
    uvicorn.config.LOGGING_CONFIG.update(handlers={}, loggers={})


def _forward_logs(logger: logging.Logger) -> None:
    logger.handlers.clear()
    logger.propagate = True


def _status(message: Message) -> int:
    """Return the status code in a message, or 0 if it has none.

    A websocket has no status code. It is logged with 101 if it was accepted, and with 403 if it was refused.
    """
    match message["type"]:
        case "http.response.start" | "websocket.http.response.start":
            return int(message["status"])
        case "websocket.accept":
            return 101
        case "websocket.close":
            return 403
    return 0
