"""Server of the demo's desk, started next to this one. It ends with the process that started it.

It reads from a pipe that closes however this process ends, because nobody else would end it.
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
_BEGUN: dict[str, subprocess.Popen[str]] = {}  # by address; their pipes stay open as long as this process lives


def begin(folder: Path, environment: Mapping[str, str]) -> str:
    """Serve the desk of a folder on this computer; return the address that opens it, with its token.

    Raises
    ------
    WorkspaceError
        If it can't be served.
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
    raise WorkspaceError(f"The desk of {folder} could not be opened; the log of this one says why.")


def is_open(address: str) -> bool:
    """Return whether a desk that was begun here is served still."""
    return address in _BEGUN and _BEGUN[address].poll() is None


def _free_port() -> int:
    with socket() as probe:
        probe.bind((LOCALHOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _run(command: Sequence[str]) -> None:
    """Run a server until it ends, or the pipe closes."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the server's alone: it closes when that ends
    Thread(target=_end_with_pipe, args=(server,), daemon=True).start()
    server.wait()


def _end_with_pipe(server: "subprocess.Popen[bytes]") -> None:
    os.read(sys.stdin.fileno(), 1)  # nothing is ever sent
    server.terminate()


if __name__ == "__main__":
    _run(sys.argv[1:])
