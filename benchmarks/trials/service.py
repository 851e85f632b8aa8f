"""Server of a trial, which can be killed and restarted at the same address."""

from contextlib import closing
from pathlib import Path
from socket import socket
from subprocess import DEVNULL, PIPE, Popen
from types import TracebackType

from presort.data.store import open_store
from presort.desk import settings
from presort.desk.web import launch, token_door


class Service:
    """Desk with its own workspace. Use `store` to read the data that the pages have saved."""

    def __init__(self, folder: Path) -> None:
        with closing(socket()) as probe:
            probe.bind((launch.LOCALHOST, 0))
            self._port = probe.getsockname()[1]
        self._folder = folder
        self.store = open_store(folder)
        self._process = self._start()

    @property
    def address(self) -> str:
        """Address that contains the token, for a new browser."""
        return f"{self.base}/?{token_door.TOKEN}={token_door.read_token(self._folder)}"

    @property
    def base(self) -> str:
        """Address without the token, for a browser that already has the cookie."""
        return f"http://{launch.LOCALHOST}:{self._port}"

    def kill(self) -> None:
        """Kill the server, as in a power failure."""
        self._process.kill()
        self._process.communicate()

    def restart(self) -> None:
        """Restart the server, and wait until it responds."""
        self._process = self._start()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.terminate()
        self._process.communicate()
        self.store.close()

    def _start(self) -> Popen[str]:
        environment = settings.to_environment(settings.Settings(self._folder))
        process = Popen(
            launch.command(launch.LOCALHOST, self._port), env=environment, stdout=PIPE, stderr=DEVNULL, text=True
        )
        next(line for line in process.stdout or () if "URL:" in line)
        return process
