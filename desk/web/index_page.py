"""Add the styles of all pages to Streamlit's HTML page.

A style sent by a page's script would be applied after other elements are on the screen, and would move them. A page's
styles are therefore in a file ``style.css`` in its folder, and the browser loads all these files with the HTML page.
"""

from importlib.resources import files

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from presort.desk.api.door import is_api

DESK = files("presort.desk")
FIRST = "ui"  # folder whose styles come first, so that pages can override them
FILE = "style.css"
CONTENT = b'<div id="root">'  # the styles are inserted before this element of Streamlit's page
# Request headers to remove, because Streamlit would compress the page, or respond that its page is unchanged.
IGNORED = (b"if-none-match", b"if-modified-since", b"accept-encoding", b"range")


def style() -> str:
    """Return the styles of all pages as a single string."""
    folders = sorted(
        (folder for folder in DESK.iterdir() if folder.is_dir()), key=lambda one: (one.name != FIRST, one.name)
    )
    return "\n".join((folder / FILE).read_text(encoding="utf-8") for folder in folders if (folder / FILE).is_file())


class StyledIndexPage:
    """Middleware that adds the styles of all pages to Streamlit's HTML page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        # Inserted in the body, because our styles override Streamlit's, which are in the head, only if they come later.
        self.content = f"<style>\n{style()}</style>\n    ".encode() + CONTENT

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the styles if the response is an HTML page."""
        if scope["type"] != "http" or scope["method"] != "GET" or "." in scope["path"] or is_api(scope):
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
            del headers["etag"], headers["last-modified"]  # these headers describe the page without the added styles
            await send(start)
            await send({"type": "http.response.body", "body": body})

        return send_with_style


def _is_html(start: Message) -> bool:
    return MutableHeaders(scope=start).get("content-type", "").startswith("text/html")
