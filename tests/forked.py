"""Programs that run in parallel with tests.

They are forked from a process that has loaded the desk, because loading takes seconds.
"""

import os
import sys
from multiprocessing import get_context
from pathlib import Path

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.browser.servers", "tests.browser.loaded"])


class Forked:
    """Program with the interface of a `subprocess.Popen` with text output. Its output includes errors."""

    def __init__(self, begin, *arguments, folder=None, environment):
        """Call a function in a folder, with the given environment."""
        output, end = FORKS.Pipe(duplex=False)
        place = str(folder or Path.cwd())
        self._process = FORKS.Process(target=_take_over, args=(begin, arguments, place, dict(environment), end))
        self._process.start()
        end.close()
        self.stdout = os.fdopen(os.dup(output.fileno()), encoding="utf-8")
        output.close()

    @property
    def returncode(self):
        return self._process.exitcode

    def terminate(self):
        self._process.terminate()

    def kill(self):
        self._process.kill()

    def communicate(self):
        """Return the output since the last read, after the program has ended."""
        with self.stdout:
            written = self.stdout.read()
        self._process.join()
        return written, None


class Program(Forked):
    """Program run like `python -c`."""

    def __init__(self, program, *words, folder=None, **variables):
        """Start a program in a folder, with arguments and additional environment variables."""
        super().__init__(_run, program, list(map(str, words)), folder=folder, environment={**os.environ, **variables})


def run(program, *words, **how):
    """Run a program to its end. Returns the exit code, negative for a signal, and the output."""
    forked = Program(program, *words, **how)
    written, _ = forked.communicate()
    return forked.returncode, written


def _run(program, words):
    sys.argv = ["-c", *words]
    exec(program, {"__name__": "__main__"})


def _take_over(begin, arguments, folder, environment, end):
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for descriptor in (1, 2):
        os.dup2(end.fileno(), descriptor)
    end.close()
    sys.stdout, sys.stderr = (os.fdopen(n, "w", buffering=1, encoding="utf-8", closefd=False) for n in (1, 2))
    begin(*arguments)
