"""Start the web server of the desk, and where browsers find it."""

import os
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from desk.settings import Settings, to_environment

LOCALHOST = "127.0.0.1"
LOCAL = (LOCALHOST, "localhost", "::1")
# All addresses of this computer: none that a browser could name. Nothing listens there unless somebody says so.
WILDCARDS = ("0.0.0.0", "::")  # noqa: S104

ADDRESS = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?/?", re.IGNORECASE)
PORTS = {"http": 80, "https": 443}


def serve(settings: Settings, *, host: str = LOCALHOST, port: int = 8501, addresses: Sequence[str] = ()) -> None:
    """Become the server of `app.py`; returns only if the server can't be started."""
    os.execve(sys.executable, command(host, port, addresses), to_environment(settings))  # noqa: S606  (our own)


def command(host: str, port: int, addresses: Sequence[str] = (), *, script: str | None = None) -> list[str]:
    """Return the command that serves the app, or another script of Streamlit."""
    told = [part for address in addresses for part in ("--address", address)]
    return [sys.executable, "-m", "desk.serving.server", script or _app(), "--host", host, "--port", str(port), *told]


def origin(address: str) -> str:
    """Return the origin of an address as browsers name it.

    Raises
    ------
    ValueError
        If it is more or less than ``http`` or ``https``, a host, and perhaps a port.

    Examples
    --------
    >>> origin("https://Desk.Example.org:443/"), origin("http://[::1]:8501")
    ('https://desk.example.org', 'http://[::1]:8501')
    """
    found = ADDRESS.fullmatch(address)
    if not found:
        raise ValueError(f"an address such as https://desk.example.org was expected, got {address!r}")
    scheme, host, port = found[1].lower(), found[2].lower(), found[3]
    return f"{scheme}://{host}" if port is None or int(port) == PORTS[scheme] else f"{scheme}://{host}:{int(port)}"


def origins(host: str, port: int, addresses: Sequence[str] = ()) -> list[str]:
    """Return the origins of the desk's own pages: those of this computer, and those it was told of.

    Examples
    --------
    >>> origins("0.0.0.0", 8501, ["https://desk.example.org/"])[2:]
    ['http://[::1]:8501', 'https://desk.example.org']
    """
    hosts = dict.fromkeys([*LOCAL, *([] if host in WILDCARDS else [host])])
    return [*(_origin(one, port) for one in hosts), *(origin(one) for one in addresses)]


def url(host: str, port: int, addresses: Sequence[str] = ()) -> str:
    """Return the address to print: the first that was told, else where the server listens.

    Examples
    --------
    >>> url("0.0.0.0", 8501), url("::1", 80), url("0.0.0.0", 8501, ["https://desk.example.org/"])
    ('http://127.0.0.1:8501', 'http://[::1]', 'https://desk.example.org')
    """
    return origin(addresses[0]) if addresses else _origin(LOCALHOST if host in WILDCARDS else host, port)


def _origin(host: str, port: int) -> str:
    return origin(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")


def _app() -> str:
    spec = find_spec("app")
    if spec is None or spec.origin is None:
        raise RuntimeError("app.py is not installed beside the package desk")
    return spec.origin
