"""One answer of a web server, of limited size and in limited time."""

import http.client
import socket
import ssl
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import urljoin

from presort.data.harvest.addresses import checked_url, connected
from presort.data.harvest.errors import CutError, HarvestError

LARGEST = 50_000_000  # bytes of a page, unpacked; arXiv's have some 3 MB
CHUNK = 65_536  # bytes
LONGEST_PAUSE = 60.0  # seconds without a byte
LONGEST_ANSWER = 600.0  # seconds; repositories may think for minutes
MOST_REDIRECTS = 5
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Answer:
    """Response of a server after redirects, with its content decompressed."""

    status: int
    retry_after: str
    content: bytes


def download(url: str, *, allow_private: bool) -> Answer:
    """Fetch a URL.

    Parameters
    ----------
    allow_private : bool
        Allow servers in a private network.

    Raises
    ------
    HarvestError
        If the URL or one that it leads to may not be asked, or the answer is too large or packed in an unknown way.
    CutError
        If the server can't be reached, or the answer ends early or takes too long.
    """
    for _ in range(1 + MOST_REDIRECTS):
        with _response(url, allow_private=allow_private) as response:
            location = response.getheader("Location")
            if response.status not in REDIRECTS or not location:
                return Answer(response.status, response.getheader("Retry-After", ""), _content(url, response))
        try:
            url = urljoin(url, location)
        except ValueError as error:
            raise HarvestError(f"{url}: the server redirects to {location!r}, which is not an address.") from error
    raise HarvestError(f"{url}: the server redirects more than {MOST_REDIRECTS} times.")


class _Connection(http.client.HTTPConnection):
    """A connection, encrypted if there is a context for it, to an address that was checked."""

    def __init__(self, host: str, port: int | None, context: ssl.SSLContext | None, *, allow_private: bool) -> None:
        self.default_port = 443 if context else 80
        super().__init__(host, port or self.default_port)  # of none it would take the end of an IPv6 address
        self.context, self.allow_private = context, allow_private

    def connect(self) -> None:
        """Connect. The TLS handshake follows."""
        self.sock = connected(self.host, self.port, allow_private=self.allow_private, timeout=LONGEST_PAUSE)
        if self.context:
            self.sock = self.context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)


@contextmanager
def _response(url: str, *, allow_private: bool) -> Iterator[http.client.HTTPResponse]:
    parts = checked_url(url)
    context = ssl.create_default_context() if parts.scheme == "https" else None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"User-Agent": f"presort/{version('presort')}", "Accept-Encoding": "gzip"}
    try:
        with closing(_Connection(parts.hostname or "", parts.port, context, allow_private=allow_private)) as connection:
            connection.connect()
            with _cut_off(connection.sock):
                if isinstance(connection.sock, ssl.SSLSocket):
                    connection.sock.do_handshake()  # within the limit: a server may take its time here too
                connection.request("GET", target, headers=headers)
                with connection.getresponse() as response:
                    yield response
    except ssl.SSLCertVerificationError as error:
        raise HarvestError(f"{url}: the server can't prove who it is: {error.verify_message.rstrip('.')}.") from error
    except (OSError, http.client.HTTPException) as error:
        raise CutError(f"{url}: the connection was cut: {error or type(error).__name__}.") from error


@contextmanager
def _cut_off(connection: socket.socket) -> Iterator[None]:
    """End an answer that comes drop by drop; a time-out is about each drop alone."""

    def shut() -> None:
        with suppress(OSError):  # the connection has just been closed
            # The plain socket's way: an encrypted one must not be taken apart while another thread reads from it.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)

    timer = threading.Timer(LONGEST_ANSWER, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _content(url: str, response: http.client.HTTPResponse) -> bytes:
    packing = response.getheader("Content-Encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", ""):
        raise HarvestError(f"{url}: the response is compressed as {packing}, which was not requested.")
    unpacker = zlib.decompressobj(wbits=31) if "gzip" in packing else None
    content, n_packed = bytearray(), 0
    while chunk := _chunk(url, response):
        n_packed += len(chunk)
        try:
            content += unpacker.decompress(chunk, LARGEST + 1 - len(content)) if unpacker else chunk
        except zlib.error as error:
            raise CutError(f"{url}: the answer can't be unpacked: {error}.") from error
        if max(len(content), n_packed) > LARGEST:  # what is packed may unpack to nothing
            raise HarvestError(f"{url}: the answer is larger than {LARGEST:,} bytes.")
        if unpacker and unpacker.unused_data:
            raise CutError(f"{url}: the answer goes on after its end.")
    if response.length or (unpacker and not unpacker.eof):  # http.client says nothing of a body that ends early
        raise CutError(f"{url}: the answer ended early.")
    return bytes(content)


def _chunk(url: str, response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(CHUNK)
    except ValueError as error:  # of a length below 0
        raise CutError(f"{url}: the answer is damaged: {error}.") from error
