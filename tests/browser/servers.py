"""Servers of the desk for browser tests."""

import sys
from pathlib import Path

from presort.desk import settings
from presort.desk.ui import reranking
from presort.desk.web import launch, server, token_door
from tests.forked import Forked
from tests.idle_queue import IdleQueue

TOKEN = "of-all-desks-in-tests-3f9a21c07be84d55e1a76"


class Server(Forked):
    """Running server."""

    def __init__(self, folder, port, script=None, *, sorts=False, **variables):
        """Start the server of a workspace, accessible to these tests' browsers.

        Few tests need its background ranking.
        """
        file = Path(folder) / token_door.FILE_NAME
        file.parent.mkdir(exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(TOKEN)
        environment = {**settings.to_environment(settings.Settings(folder)), **variables}
        _, _, _, *arguments = launch.command(launch.LOCALHOST, port, script=script)
        super().__init__(_serve, arguments, sorts, environment=environment)


def _serve(arguments, sorts):
    sys.argv = ["presort.desk.web.server", *arguments]
    if not sorts:
        reranking.BackgroundJobs = IdleQueue
    server.main()
