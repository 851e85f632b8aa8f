"""Settings for the web server: its address, its log, and the token for its metrics."""

import re
from dataclasses import dataclass
from typing import cast, get_args

from presort.data.errors import RefusedError
from presort.desk.process import LogFormat
from presort.desk.settings.sources import (
    API_CLIENTS,
    DATABASE,
    DESK_URL,
    LOG_FORMAT,
    METRICS_TOKEN,
    SIGN_IN,
    SMTP,
    WEBHOOKS,
    name_of,
    tables_of,
    value_of,
)

# Printable ASCII except quotes and angle brackets, which would end the address in a mail header or in HTML.
WEB_ADDRESS = re.compile(r"https?://[!#-;=?-~]{1,500}")
# Scheme, host, port and path. Each part of the path begins with a letter or digit, so ".." can't occur.
ADDRESS = re.compile(
    r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?((?:/[a-z0-9][a-z0-9._~-]*)*)/?", re.IGNORECASE
)
PORTS = {"http": 80, "https": 443}
# Addresses that can't be intercepted: encrypted, or on this computer.
SECRET_ADDRESS = re.compile(r"https://|http://(localhost|127\.0\.0\.1|\[::1\])[:/]", re.IGNORECASE)
SHORTEST = 20  # minimum number of characters in a token


@dataclass(frozen=True)
class DeskUrl:
    """Address of the desk in browsers. As a string, it has no trailing slash, so that a path can be appended.

    Attributes
    ----------
    origin : str
        Scheme, host and port in the form that browsers send.
    path : str
        Path under which a proxy serves the desk, such as ``/presort``. Empty for the root of the host.
    """

    origin: str
    path: str = ""

    def __str__(self) -> str:
        """Return the address as a string."""
        return f"{self.origin}{self.path}"


def desk_url() -> DeskUrl | None:
    """Read the desk's address. None if it isn't configured.

    Raises
    ------
    RefusedError
        If it contains anything but scheme, host, port and path, or if the path contains characters other than letters,
        digits and ``._~-``.
    """
    address = value_of(DESK_URL)
    found = parse_desk_url(address)
    if address and found is None:
        raise RefusedError(
            f"{name_of(DESK_URL)} is {address!r}. It must be an address without a query, such as "
            "https://desk.example.org or https://example.org/presort."
        )
    return found


def parse_desk_url(address: str) -> DeskUrl | None:
    """Split a desk's address into origin and path. None if the address is invalid.

    Examples
    --------
    >>> parse_desk_url("https://Desk.Example.org:443/"), parse_desk_url("http://[::1]:8501/Presort/")
    (DeskUrl(origin='https://desk.example.org', path=''), DeskUrl(origin='http://[::1]:8501', path='/Presort'))
    >>> parse_desk_url("https://example.org/../presort")
    """
    found = ADDRESS.fullmatch(address)
    if not found:
        return None
    scheme, host, port = found[1].lower(), found[2].lower(), found[3]
    is_usual = port is None or int(port) == PORTS[scheme]
    return DeskUrl(f"{scheme}://{host}" if is_usual else f"{scheme}://{host}:{int(port)}", found[4])


def invitation_link(code: str) -> str:
    """Return the link that accepts an invitation code. Returns the bare code if the desk has no address."""
    desk = desk_url()
    return code if desk is None else f"{desk}/?invitation={code}"


def is_link(invitation: str) -> bool:
    """Return True if an invitation is a link, and False if it is a bare code."""
    return WEB_ADDRESS.fullmatch(invitation) is not None


def log_format() -> LogFormat:
    """Read the log format. Defaults to text.

    Raises
    ------
    RefusedError
        If the format is unknown.
    """
    form = value_of(LOG_FORMAT) or "text"
    if form not in get_args(LogFormat):
        raise RefusedError(f"{name_of(LOG_FORMAT)} is {form!r}. It must be {' or '.join(get_args(LogFormat))}.")
    return cast("LogFormat", form)


def metrics_token() -> str:
    """Read the bearer token for `/metrics`. Empty if the endpoint is disabled.

    Raises
    ------
    RefusedError
        If the token is short enough to be guessed.
    """
    token = value_of(METRICS_TOKEN)
    if token and len(token) < SHORTEST:
        raise RefusedError(f"{name_of(METRICS_TOKEN)} is too short. Use at least {SHORTEST} random characters.")
    return token


def has_password() -> bool:
    """Return True if any setting that may contain a secret is set, such as a database URL, a token or a webhook."""
    texts = (DATABASE, f"{SMTP}PASSWORD", f"{SIGN_IN}SECRET")
    return bool(any(map(value_of, texts)) or metrics_token() or tables_of(API_CLIENTS) or tables_of(WEBHOOKS))
