"""Send HTTP GET and POST requests with limits on size, time and redirects. Private networks can be blocked."""

import http.client
import socket
import ssl
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import urljoin

from presort.data.harvest.addresses import open_connection, split_url
from presort.data.harvest.errors import CutError, HarvestError

LARGEST = 50_000_000  # maximum size of a decompressed page in bytes; arXiv's pages have about 3 MB
CHUNK = 65_536  # number of bytes to read at a time
LONGEST_PAUSE = 60.0  # maximum number of seconds without receiving a byte
LONGEST_ANSWER = 600.0  # maximum number of seconds for a whole response; some repositories need minutes
MOST_REDIRECTS = 5
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Answer:
    """A server's response, after following any redirects, with its content decompressed."""

    status: int
    retry_after: str
    content: bytes


def download(url: str, *, allow_private: bool) -> Answer:
    """Fetch a URL and return the response.

    Parameters
    ----------
    allow_private : bool
        True if the server may be in a private network.

    Raises
    ------
    HarvestError
        If the URL or a redirect is not allowed, the server's certificate is invalid, or the response is too large or
        uses an unknown compression.
    CutError
        If the server can't be reached, or the response is truncated, damaged or takes too long.
    """
    for _ in range(1 + MOST_REDIRECTS):
        with _open_response(url, allow_private=allow_private) as response:
            location = response.getheader("Location")
            if response.status not in REDIRECTS or not location:
                return Answer(response.status, response.getheader("Retry-After", ""), _read_content(url, response))
        try:
            url = urljoin(url, location)
        except ValueError as error:
            raise HarvestError(f"{url}: the server redirects to {location!r}, which is not a web address.") from error
    raise HarvestError(f"{url}: the server redirects more than {MOST_REDIRECTS} times.")


def post(url: str, body: bytes, headers: Mapping[str, str], *, allow_private: bool, seconds: float) -> int:
    """Send a POST request and return the HTTP status. Redirects are not followed, and the response body is ignored.

    Parameters
    ----------
    allow_private : bool
        True if the server may be in a private network.
    seconds : float
        Time limit in seconds, which applies separately to connecting and to the response.

    Raises
    ------
    HarvestError
        If the URL is not allowed, or the server's certificate is invalid.
    CutError
        If the server can't be reached, or doesn't respond in time.
    """
    with _open_response(url, allow_private=allow_private, body=body, headers=headers, seconds=seconds) as response:
        return response.status


class _Connection(http.client.HTTPConnection):
    """HTTP connection that checks the host's IP address. It uses TLS if an SSL context is given."""

    def __init__(
        self, host: str, port: int | None, context: ssl.SSLContext | None, *, allow_private: bool, pause: float
    ) -> None:
        self.default_port = 443 if context else 80
        # If no port is given, http.client would mistake the end of an IPv6 address for the port.
        super().__init__(host, port or self.default_port)
        self.context, self.allow_private, self.pause = context, allow_private, pause

    def connect(self) -> None:
        """Open the connection. The caller must perform the TLS handshake, so that it can limit the time."""
        self.sock = open_connection(self.host, self.port, allow_private=self.allow_private, timeout=self.pause)
        if self.context:
            self.sock = self.context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)


@contextmanager
def _open_response(
    url: str,
    *,
    allow_private: bool,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Iterator[http.client.HTTPResponse]:
    """Send a GET request, or a POST request if there is a body, and yield the response."""
    limit = LONGEST_ANSWER if seconds is None else seconds
    pause = min(limit, LONGEST_PAUSE)
    parts = split_url(url)
    context = ssl.create_default_context() if parts.scheme == "https" else None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {"User-Agent": f"presort/{version('presort')}", "Accept-Encoding": "gzip", **(headers or {})}
    try:
        host, port = parts.hostname or "", parts.port
        with closing(_Connection(host, port, context, allow_private=allow_private, pause=pause)) as connection:
            connection.connect()
            with _limit_time(connection.sock, limit):
                if isinstance(connection.sock, ssl.SSLSocket):
                    connection.sock.do_handshake()  # inside the time limit, because a server may stall the handshake
                connection.request("GET" if body is None else "POST", target, body, sent)
                with connection.getresponse() as response:
                    yield response
    except ssl.SSLCertVerificationError as error:
        raise HarvestError(
            f"{url}: the server's certificate is not valid: {error.verify_message.rstrip('.')}."
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise CutError(f"{url}: the connection failed: {error or type(error).__name__}.") from error


@contextmanager
def _limit_time(connection: socket.socket, seconds: float) -> Iterator[None]:
    """Limit the total time of a response, because the socket's timeout applies to each read separately."""

    def shut() -> None:
        with suppress(OSError):  # the connection may already have been closed
            # Call the base class's method, because SSLSocket's own method would discard the TLS state while another
            # thread is still reading.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _read_content(url: str, response: http.client.HTTPResponse) -> bytes:
    packing = response.getheader("Content-Encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", ""):
        raise HarvestError(f"{url}: the response is compressed as {packing}, which was not requested.")
    unpacker = zlib.decompressobj(wbits=31) if "gzip" in packing else None
    content, n_packed = bytearray(), 0
    while chunk := _read_chunk(url, response):
        n_packed += len(chunk)
        try:
            content += unpacker.decompress(chunk, LARGEST + 1 - len(content)) if unpacker else chunk
        except zlib.error as error:
            raise CutError(f"{url}: the response can't be decompressed: {error}.") from error
        if max(len(content), n_packed) > LARGEST:  # limit both, because compressed data may decompress to nothing
            raise HarvestError(f"{url}: the response is larger than {LARGEST:,} bytes.")
        if unpacker and unpacker.unused_data:
            raise CutError(f"{url}: the response has data after its end.")
    if response.length or (unpacker and not unpacker.eof):  # http.client doesn't report that a body is truncated
        raise CutError(f"{url}: the response is truncated.")
    return bytes(content)


def _read_chunk(url: str, response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(CHUNK)
    except ValueError as error:  # raised for a negative chunk length
        raise CutError(f"{url}: the response is damaged: {error}.") from error
