"""Servers of the desk for tests: forked from a process that has loaded all there is to load, which takes seconds."""

import os
import sys
from multiprocessing import get_context
from pathlib import Path

from desk import settings
from desk.serving import launch, server, token_file
from desk.week import again
from tests.idle_queue import IdleQueue

TOKEN = "of-all-desks-in-tests-3f9a21c07be84d55e1a76"
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["tests.browser.servers", "tests.browser.loaded"])


class Server:
    """A running server, to be used as a `subprocess.Popen` whose output is text."""

    def __init__(self, folder, port, script=None, *, sorts=False, **variables):
        """Start the server of a workspace which browsers of these tests may enter; few need what it sorts beside."""
        file = Path(folder) / token_file.FILE_NAME
        file.parent.mkdir(exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(TOKEN)
        environment = {**settings.to_environment(settings.Settings(folder)), **variables}
        _, _, _, *arguments = launch.command(launch.LOCALHOST, port, script=script)
        output, end = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=_serve, args=(dict(environment), arguments, end, sorts))
        self._process.start()
        end.close()
        self.stdout = os.fdopen(os.dup(output.fileno()), encoding="utf-8")
        output.close()

    def terminate(self):
        self._process.terminate()

    def kill(self):
        self._process.kill()

    def communicate(self):
        """Return what was written meanwhile, once the server has ended."""
        with self.stdout:
            written = self.stdout.read()
        self._process.join()
        return written, None


def _serve(environment, arguments, end, sorts):
    os.environ.clear()
    os.environ.update(environment)
    for descriptor in (1, 2):
        os.dup2(end.fileno(), descriptor)
    end.close()
    sys.stdout, sys.stderr = (os.fdopen(n, "w", buffering=1, encoding="utf-8", closefd=False) for n in (1, 2))
    sys.argv = ["desk.serving.server", *arguments]
    if not sorts:
        again.Queue = IdleQueue
    server.main()
