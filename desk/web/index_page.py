"""Styles of all pages, in the one HTML page that a browser loads: Streamlit's.

Streamlit draws what a script sends as it comes. A style that the script sends is applied only after other elements are
on the screen, and moves them. So each folder with a page has a file ``style.css``, which the browser gets at once.
"""

from importlib.resources import files

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

DESK = files("presort.desk")
FIRST = "ui"  # folder: pages override the style that they share
FILE = "style.css"
CONTENT = b'<div id="root">'  # in Streamlit's page
# Of a request: Streamlit would answer that the page is unchanged, because its own part is, or compress the page.
IGNORED = (b"if-none-match", b"if-modified-since", b"accept-encoding", b"range")


def style() -> str:
    """Return the styles of all pages as one text."""
    folders = sorted(
        (folder for folder in DESK.iterdir() if folder.is_dir()), key=lambda one: (one.name != FIRST, one.name)
    )
    return "\n".join((folder / FILE).read_text(encoding="utf-8") for folder in folders if (folder / FILE).is_file())


class StyledIndexPage:
    """Add the styles of all pages to Streamlit's HTML page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        # In the body: Streamlit adds its styles to the head, and the later of two equal rules applies.
        self.content = f"<style>\n{style()}</style>\n    ".encode() + CONTENT

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "GET" or "." in scope["path"]:
            await self.app(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in IGNORED]
        await self.app({**scope, "headers": headers}, receive, self._with_style(send))

    def _with_style(self, send: Send) -> Send:
        start: Message = {}
        body = b""

        async def send_with_style(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_html(message):
                start = message
                return
            if not start:
                await send(message)
                return
            body += message.get("body", b"")
            if message.get("more_body", False):
                return
            body = body.replace(CONTENT, self.content, 1)
            headers = MutableHeaders(scope=start)
            headers["content-length"] = str(len(body))
            del headers["etag"], headers["last-modified"]  # of Streamlit's page alone
            await send(start)
            await send({"type": "http.response.body", "body": body})

        return send_with_style


def _is_html(start: Message) -> bool:
    return MutableHeaders(scope=start).get("content-type", "").startswith("text/html")
