"""Programs that tests run beside them, forked from a process that has loaded the desk; to load it takes seconds."""

import os
import sys
from pathlib import Path

from tests.browser.servers import FORKS


class Forked:
    """A program as `python -c` would run it, to be used as a `subprocess.Popen`; its errors are part of its output."""

    def __init__(self, program, *words, folder=None, **variables):
        """Start a program in a folder, with its arguments and with variables beside those of this process."""
        output, end = FORKS.Pipe(duplex=False)
        place, environment = str(folder or Path.cwd()), {**os.environ, **variables}
        self._process = FORKS.Process(target=_run, args=(program, list(map(str, words)), place, environment, end))
        self._process.start()
        end.close()
        self.stdout = os.fdopen(os.dup(output.fileno()), encoding="utf-8")
        output.close()

    @property
    def returncode(self):
        return self._process.exitcode

    def terminate(self):
        self._process.terminate()

    def communicate(self):
        """Return what was written since it was last read, once the program has ended."""
        with self.stdout:
            written = self.stdout.read()
        self._process.join()
        return written, None


def run(program, *words, **how):
    """Run a program to its end; return its exit code, the number of a signal below zero, and what it wrote."""
    forked = Forked(program, *words, **how)
    written, _ = forked.communicate()
    return forked.returncode, written


def _run(program, words, folder, environment, end):
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for descriptor in (1, 2):
        os.dup2(end.fileno(), descriptor)
    end.close()
    sys.stdout, sys.stderr = (os.fdopen(n, "w", buffering=1, encoding="utf-8", closefd=False) for n in (1, 2))
    sys.argv = ["-c", *words]
    exec(program, {"__name__": "__main__"})
