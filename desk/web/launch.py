"""The command `presort app`, which starts the web server of the desk, and the origins of a local desk."""

import os
import sys
from importlib.util import find_spec
from typing import Annotated

import typer

from presort.data.errors import DataError, OtherVersionError, RefusedError
from presort.data.store import refuse_other_tables
from presort.desk.settings import PORTS, Settings, database, sign_in, to_environment

LOCALHOST = "127.0.0.1"
LOCAL = (LOCALHOST, "localhost", "::1")


def run_app(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the server.")] = 8501,
    host: Annotated[
        str, typer.Option(help="Address to listen on. By default, only this computer can connect.")
    ] = LOCALHOST,
) -> None:
    """Serve the desk and print its address. Without sign-in, the address contains the access token.

    By default, the server listens only on this computer. For a proxy on another computer: presort app --host 0.0.0.0
    """
    serve(context.obj, host=host, port=port)


def serve(settings: Settings, *, host: str = LOCALHOST, port: int = 8501) -> None:
    """Replace this process with the server of `app.py`. This function never returns, but it may raise an exception.

    Raises
    ------
    RefusedError
        If other computers could connect and sign-in is not set up.
    OtherVersionError
        If the workspace was written by another version of Presort, and this version can't read it.
    """
    if host not in LOCAL and sign_in() is None:
        raise RefusedError(
            f"On {host}, other computers can connect without sign-in. Set sign_in in presort.toml first; "
            "see docs/install.md."
        )
    try:
        refuse_other_tables(settings.workspace, database())
    except OtherVersionError:
        raise
    except DataError:
        pass  # no workspace yet, or a temporary error that the pages show, for example if PostgreSQL is down
    os.execve(sys.executable, command(host, port), to_environment(settings))  # noqa: S606  (trusted command)


def command(host: str, port: int, *, script: str | None = None) -> list[str]:
    """Return the command that serves the app, or another Streamlit script."""
    return [sys.executable, "-m", "presort.desk.web.server", script or _app(), "--host", host, "--port", str(port)]


def local_origins(port: int) -> list[str]:
    """Return the origins of the desk's own pages on this computer.

    Examples
    --------
    >>> local_origins(8501)[1:]
    ['http://localhost:8501', 'http://[::1]:8501']
    """
    hosts = (f"[{host}]" if ":" in host else host for host in LOCAL)
    return [f"http://{host}" if port == PORTS["http"] else f"http://{host}:{port}" for host in hosts]


def _app() -> str:
    spec = find_spec("presort.app")
    if spec is None or spec.origin is None:
        raise RuntimeError("app.py is not installed as presort.app")
    return spec.origin
