"""Second server process for the demo's desk. It ends when the process that started it ends.

The child reads from a pipe that the operating system closes when this process ends, even if it crashes.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from socket import socket
from threading import Thread

from presort.data.errors import WorkspaceError

LOCALHOST = "127.0.0.1"
ADDRESS = re.compile(r"http://\S+")
_BEGUN: dict[str, subprocess.Popen[str]] = {}  # by address; referenced here so that the pipes stay open


def begin(folder: Path, environment: Mapping[str, str]) -> str:
    """Start a desk for a workspace on this computer, and return its URL with the access token.

    Raises
    ------
    WorkspaceError
        If the server doesn't start.
    """
    serve = [sys.executable, "-m", "presort.desk", "--workspace", str(folder), "app", "--port", str(_free_port())]
    command = [sys.executable, "-m", __name__, *serve]
    begun = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    if begun.stdout is not None:
        for line in begun.stdout:
            if found := ADDRESS.search(line):
                _BEGUN[found[0]] = begun
                return found[0]
    begun.communicate()
    raise WorkspaceError(f"Can't start the desk of {folder}. See the log of this desk for the reason.")


def is_running(address: str) -> bool:
    """Return True if a desk that `begin` started is still running."""
    return address in _BEGUN and _BEGUN[address].poll() is None


def _free_port() -> int:
    with socket() as probe:
        probe.bind((LOCALHOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _run(command: Sequence[str]) -> None:
    """Run a server until it exits or the pipe closes."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    # Leave the server as the only writer to stdout, so that stdout closes when it exits.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    Thread(target=_end_with_pipe, args=(server,), daemon=True).start()
    server.wait()


def _end_with_pipe(server: "subprocess.Popen[bytes]") -> None:
    os.read(sys.stdin.fileno(), 1)  # blocks until the pipe closes, because nothing is ever written to it
    server.terminate()


if __name__ == "__main__":
    _run(sys.argv[1:])
