"""Processes that tests can kill. They are forked quickly from a server process that has imported all modules.

Run as a module, this is the server process. It reads requests of one line and answers each with one line.
"""

import atexit
import json
import os
import subprocess
import sys
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

ROOT = Path(__file__).parents[2]
NEEDED = (
    *(
        "presort.data.demo",
        "presort.data.editing.publications",
        "presort.data.importers.listings",
        "presort.data.intake.commit_import",
    ),
    *(
        "presort.data.learning.rankings",
        "presort.data.learning.tokens",
        "presort.data.mail.mailings",
        "presort.data.running.backups",
    ),
)


class Ended(NamedTuple):
    """Exit code of a process, negative for a signal, and its output."""

    code: int
    output: str
    errors: str


def run(code: str, *arguments: object) -> Ended:
    """Run code in its own process, with the arguments in `sys.argv`, and wait for its end."""
    (ended,) = run_together([code, *arguments])
    return ended


def run_together(*commands: list[object]) -> list[Ended]:
    """Run several processes in parallel, each with its code and arguments, and wait for the end of all."""
    server = _server()
    server.stdin.write(json.dumps([[str(part) for part in command] for command in commands]) + "\n")
    server.stdin.flush()
    return [Ended(*ended) for ended in json.loads(server.stdout.readline())]


@cache
def _server() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.data.forks"]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)  # the server process ends when its standard input is closed
    return server


def _serve() -> None:
    for name in NEEDED:
        import_module(name)
    for line in sys.stdin:
        started = [_start(*command) for command in json.loads(line)]
        print(json.dumps([_end(*one) for one in started]), flush=True)  # noqa: T201


def _start(code: str, *arguments: str) -> tuple[int, IO[bytes], IO[bytes]]:
    output, errors = (TemporaryFile() for _ in range(2))  # noqa: SIM115
    process = os.fork()
    if process == 0:
        try:
            for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), output.fileno(), errors.fileno())):
                os.dup2(descriptor, number)
            sys.argv = ["-c", *arguments]
            exec(code, {"__name__": "__main__"})
            sys.stdout.flush()
            os._exit(0)
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
            os._exit(1)
    return process, output, errors


def _end(process: int, output: IO[bytes], errors: IO[bytes]) -> Ended:
    _, status = os.waitpid(process, 0)
    texts = []
    for file in (output, errors):
        with file:
            file.seek(0)
            texts.append(file.read().decode())
    return Ended(os.waitstatus_to_exitcode(status), *texts)


if __name__ == "__main__":
    _serve()
