"""Timer in the app that sends webhooks from a background thread.

The job queue isn't used, because a message would wait behind other jobs and its retries would block the queue.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

from presort.data.errors import DataError
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.service.webhooks import WebhookSender
from presort.desk.settings.api import Webhook

LOG = logging.getLogger(__name__)
EVERY = 5.0  # seconds between checks


class WebhookTimer:
    """Timer that regularly sends the webhook messages that are due, until this process ends."""

    def __init__(self, workspace: Path, hooks: Sequence[Webhook]) -> None:
        self._workspace, self._hooks = workspace, hooks
        self._sender: WebhookSender | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread. Does nothing if no webhooks are configured."""
        if self._hooks:
            self._thread = Thread(target=self._run, name="webhooks", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop the thread after the current check, and close the workspace."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._sender is not None:
            self._sender.store.close()

    def check(self) -> None:
        """Send the messages that are due.

        If the workspace can't be read or another process is sending, waits for the next check.
        """
        try:
            if self._sender is None:
                store = open_store(self._workspace, settings.database(), creates=False)
                self._sender = WebhookSender(store, self._hooks)
            self._sender.send_due()
        except DataError as error:
            LOG.debug("%s", error)

    def _run(self) -> None:
        self.check()  # send messages that became due while the app wasn't running
        while not self._stop.wait(EVERY):
            self.check()
