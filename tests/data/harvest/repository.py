"""Small local OAI-PMH repository that can return faulty responses."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

from presort.data.harvest.polite import Clock

Asked = dict[str, str]
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/">{}</oai_dc:dc>'
)


@dataclass(frozen=True)
class Reply:
    """Response. `length` may promise more bytes than are sent."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None


@dataclass
class Repository:
    """Running repository, with its requests and the function that answers them."""

    url: str
    answer: Callable[[Asked], Reply]
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def repository(answer: Callable[[Asked], Reply]) -> Iterator[Repository]:
    """Run a repository on a free local port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = dict(parse_qsl(urlsplit(self.path).query))
            running.asked.append(asked)
            reply = running.answer(asked)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.content) if reply.length is None else reply.length))
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running = Repository(f"http://127.0.0.1:{server.server_port}/oai", answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def paged(records: list[str], size: int = 2, answered: str = "2026-11-16T10:00:00Z") -> Callable[[Asked], Reply]:
    """Return a page of records. The resumption token is the number of records before it."""

    def answer(asked: Asked) -> Reply:
        start = int(asked.get("resumptionToken", 0))
        token = str(start + size) if start + size < len(records) else ""
        return page(records[start : start + size], token=token, total=len(records), answered=answered)

    return answer


def page(records: list[str], *, token: str = "", total: int = 0, answered: str = "2026-11-16T10:00:00Z") -> Reply:
    """Return a page of records."""
    ending = f'<resumptionToken completeListSize="{total}">{token}</resumptionToken>'
    return envelope(f"<ListRecords>{''.join(records)}{ending}</ListRecords>", answered)


def refusing(code: str, words: str = "") -> Reply:
    """Return a protocol error."""
    return envelope(f'<error code="{code}">{words}</error>')


def envelope(content: str, answered: str = "2026-11-16T10:00:00Z") -> Reply:
    """Return a response with the common elements of the protocol."""
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">\n'
        f"<responseDate>{answered}</responseDate>\n{content}\n</OAI-PMH>"
    )
    return Reply(text.encode(), headers={"Content-Type": "text/xml"})


def record(name: str, content: str, *, stamp: str = "2026-11-10", status: str = "") -> str:
    """Return a record. Without content it has no metadata."""
    metadata = f"<metadata>{content}</metadata>" if content else ""
    header = f"<identifier>{name}</identifier><datestamp>{stamp}</datestamp>"
    return f"<record><header{f' status={status!r}' if status else ''}>{header}</header>{metadata}</record>\n"


def dc_record(name: str, title: str = "Wages", *, stamp: str = "2026-11-10", more: str = "") -> str:
    """Return a record in Dublin Core."""
    return record(name, DC.format(f"<dc:title>{escape(title)}</dc:title>{more}"), stamp=stamp)


class FakeTime:
    """Clock that only advances while somebody sleeps."""

    def __init__(self, start: datetime = datetime(2026, 11, 16, 12, tzinfo=UTC)) -> None:
        self.time, self.slept = start, list[float]()
        self.clock = Clock(now=lambda: self.time, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)
