"""Programs that tests run beside them, forked from a process that has loaded the desk; to load it takes seconds."""

import os
import sys
from multiprocessing import get_context
from pathlib import Path

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.browser.servers", "tests.browser.loaded"])


class Forked:
    """A program, to be used as a `subprocess.Popen` whose output is text; its errors are part of its output."""

    def __init__(self, begin, *arguments, folder=None, environment):
        """Call a function in a folder, with such an environment."""
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
        """Return what was written since it was last read, once the program has ended."""
        with self.stdout:
            written = self.stdout.read()
        self._process.join()
        return written, None


class Program(Forked):
    """A program as `python -c` would run it."""

    def __init__(self, program, *words, folder=None, **variables):
        """Start a program in a folder, with its arguments and with variables beside those of this process."""
        super().__init__(_run, program, list(map(str, words)), folder=folder, environment={**os.environ, **variables})


def run(program, *words, **how):
    """Run a program to its end; return its exit code, the number of a signal below zero, and what it wrote."""
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
