"""Timer in the app that sends mail and writes public pages at the scheduled time.

It starts `presort send --due` as a separate process. In the job queue, mail could wait for hours behind training, and
an import could wait behind a slow mail server. If the app stops, nothing is lost, because the schedule is derived from
the database. Overdue mail and pages are delivered when the app next starts, or by the systemd timer or the weekly job.
"""

import atexit
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from threading import Event, Thread

from presort.data.errors import DataError
from presort.data.store import Store, open_store
from presort.desk import settings
from presort.desk.service.delivery import FIRST_PAUSE, is_due
from presort.desk.settings import Settings

LOG = logging.getLogger(__name__)
EVERY = 15.0  # seconds between checks
PATIENCE = 30.0  # seconds between terminating and killing the process, so that it can finish sending an email
EXPECTED = (0, 75)  # exit codes: 0 for success, 75 if another process is sending
COMMAND = ("-m", "presort.desk", "send", "--due")


class DeliveryTimer:
    """Timer that regularly checks whether mail or pages are due, and then starts their delivery.

    Parameters
    ----------
    own : Settings
        Settings that contain the app's workspace.
    deliver : callable, optional
        Function that delivers mail and pages and returns an exit code. Defaults to running the command in a child
        process.
    clock : callable
        Monotonic clock in seconds.
    """

    def __init__(
        self,
        own: Settings,
        deliver: Callable[[], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._own, self._clock = own, clock
        self._deliver = deliver or self._run_command
        self._store: Store | None = None
        self._paused_until = 0.0
        self._stop = Event()
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start a background thread that repeats the check until this process ends."""
        Thread(target=self._run, name="delivery", daemon=True).start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Stop the checks. A delivery in progress stops after the current email."""
        self._stop.set()
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._child.kill()

    def check(self) -> None:
        """Deliver mail and pages if they are due. If the workspace can't be read, wait for the next check."""
        if self._clock() < self._paused_until:
            return
        try:
            if not self._is_due() or (code := self._deliver()) in EXPECTED:
                return
            LOG.error("Delivery of mail and public pages failed with exit code %d.", code)
            # After most failures, the command records when to try again. This pause is needed if the command crashed.
            if self._is_due():
                self._paused_until = self._clock() + FIRST_PAUSE.total_seconds()
        except DataError as error:  # no workspace, no database or an invalid setting, which `presort doctor` reports
            LOG.debug("%s", error)
            return

    def _is_due(self) -> bool:
        if self._store is None:
            self._store = open_store(self._own.workspace, settings.database(), creates=False)
        return is_due(self._store, settings.delivery(), datetime.now(UTC), has_mail=settings.has_mail())

    def _run(self) -> None:
        self.check()  # mail may have become due while the app was not running
        while not self._stop.wait(EVERY):
            self.check()

    def _run_command(self) -> int:
        command = [sys.executable, *COMMAND]
        with suppress(OSError):  # if no process can be started, the next check tries again
            self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=settings.to_environment(self._own))
            return self._child.wait()
        return os.EX_OSERR
