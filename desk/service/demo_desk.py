"""Second server process, which runs the demo's desk. It ends when the process that started it ends.

The child process reads from a pipe, which the operating system closes when this process ends, even if it crashes.
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
_BEGUN: dict[str, subprocess.Popen[str]] = {}  # by address; kept here so that the pipes are not closed


def begin(folder: Path, environment: Mapping[str, str]) -> str:
    """Start a desk on this computer for a workspace. Returns its URL, including the access token.

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
    """Return True if the desk that `begin` started at this address is still running."""
    return address in _BEGUN and _BEGUN[address].poll() is None


def _free_port() -> int:
    with socket() as probe:
        probe.bind((LOCALHOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _run(command: Sequence[str]) -> None:
    """Run a server until it exits or the pipe is closed."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    # From here on, only the server writes to stdout, so that stdout is closed when the server exits.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    Thread(target=_end_with_pipe, args=(server,), daemon=True).start()
    server.wait()


def _end_with_pipe(server: "subprocess.Popen[bytes]") -> None:
    os.read(sys.stdin.fileno(), 1)  # blocks until the pipe is closed, because nothing is ever written to it
    server.terminate()


if __name__ == "__main__":
    _run(sys.argv[1:])
