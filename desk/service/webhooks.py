"""Webhooks: signed messages sent to other programs when a report issue is published or reopened (Standard Webhooks).

Events are derived from the publication log, and a file in the workspace records which events were delivered. If Presort
stops between publication and delivery, no event is therefore lost. If it stops during delivery, the event is sent again
with the same id.
"""

import hmac
import json
import logging
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from uuid import UUID, uuid5

from presort.data import catalogue
from presort.data.editing.publication_events import PublicationEvent, publication_events
from presort.data.errors import WorkspaceError
from presort.data.harvest.download import post
from presort.data.harvest.errors import CutError, HarvestError
from presort.data.store import Store
from presort.data.workspace.file_copy import sync
from presort.data.workspace.folder import PRIVATE_FILE
from presort.desk.settings.api import Webhook, report_issue_url

LOG = logging.getLogger(__name__)
FILE_NAME = "webhooks.json"
NEWS = timedelta(days=14)  # age at which events are deleted; it must exceed the sum of the pauses
# Pauses after failed attempts: 5 s to 8 h, together about a day.
PAUSES = tuple(timedelta(seconds=n) for n in (5, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800))
SECONDS = 10.0  # time limit for receiving the whole response
GONE = 410  # HTTP status with which a receiver asks for no further attempts
REFUSED = "the certificate is not valid, or the host is in a private network and 'private' is not set"
SILENT = f"no connection, or no response within {SECONDS:.0f} seconds"

State = Literal["delivered", "waiting", "failed", "skipped"]


@dataclass(frozen=True)
class Delivery:
    """Delivery of one event to one webhook.

    Attributes
    ----------
    about : str
        Report and issue, used in messages.
    n_tries : int
        Number of failed attempts.
    tried_at : str
        Time of the last attempt in ISO format. Empty if there was none.
    is_over : bool
        True if no further attempt will be made: the event was delivered or skipped, or the last attempt failed.
    error : str
        Reason for the last failure. Empty if the event was delivered.
    """

    about: str
    n_tries: int = 0
    tried_at: str = ""
    is_over: bool = False
    error: str = ""

    @property
    def state(self) -> State:
        """State of the delivery: "failed" if it was given up, and "skipped" if the event is older than the webhook."""
        if not self.is_over:
            return "waiting"
        if self.error:
            return "failed"
        return "delivered" if self.tried_at else "skipped"

    def is_due(self, now: datetime) -> bool:
        """Return True if it is time for the next attempt.

        If the last attempt is dated in the future, because the clock was wrong, it is ignored.
        """
        if self.is_over or not self.tried_at:
            return not self.is_over
        tried_at = datetime.fromisoformat(self.tried_at)
        return not tried_at <= now < tried_at + PAUSES[self.n_tries - 1]

    def with_attempt(self, error: str, now: datetime, *, is_final: bool) -> "Delivery":
        """Return an updated copy of the delivery after an attempt. `error` is empty if the attempt succeeded."""
        n_tries = self.n_tries + bool(error)
        is_over = not error or is_final or n_tries > len(PAUSES)
        return replace(self, n_tries=n_tries, tried_at=now.isoformat(), is_over=is_over, error=error)


Deliveries = dict[str, dict[str, Delivery]]  # by the webhook's key and the event's id


class WebhookSender:
    """Sender of webhook messages about a workspace's events.

    Parameters
    ----------
    store : Store
    hooks : sequence of Webhook
    now : callable, optional
        Clock. Defaults to the system time.
    """

    def __init__(
        self, store: Store, hooks: Sequence[Webhook], now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.store, self.hooks, self.now = store, hooks, now
        self._started_at = now()
        self._checked = -1  # the workspace's revision at the last check

    def send_due(self) -> None:
        """Send all events whose next attempt is due. Only one process can send at a time.

        Raises
        ------
        DataError
            If the workspace can't be read, or another process is sending.
        """
        revision = catalogue.revision(self.store)
        known = read_deliveries(self.store.folder)
        is_pending = any(one.is_due(self.now()) for found in known.values() for one in found.values())
        if revision == self._checked and not is_pending:
            return
        with self.store.lock("webhooks", "Another process is sending webhooks."):
            # The file is read again, because another process may have sent messages in the meantime.
            known = read_deliveries(self.store.folder)
            events = self._events()
            for hook in self.hooks:
                known[hook.key] = self._update_deliveries(known.get(hook.key), events)
            known = {hook.key: known[hook.key] for hook in self.hooks}
            write_deliveries(self.store.folder, known)
            for hook in self.hooks:
                self._send(hook, events, known)
        self._checked = revision

    def counts(self) -> Counter[State]:
        """Count the last two weeks' messages by state, without sending any.

        Raises
        ------
        DataError
            If the workspace can't be read.
        """
        known, events = read_deliveries(self.store.folder), self._events()
        return Counter(
            one.state for hook in self.hooks for one in self._update_deliveries(known.get(hook.key), events).values()
        )

    def _events(self) -> dict[str, PublicationEvent]:
        """Return the recent events by id, oldest first."""
        workspace = UUID(catalogue.workspace_id(self.store))
        found = publication_events(self.store, self.now() - NEWS)
        return {event_id(workspace, event): event for event in found}

    def _update_deliveries(
        self, known: dict[str, Delivery] | None, events: dict[str, PublicationEvent]
    ) -> dict[str, Delivery]:
        """Add new events and delete old ones. A new webhook does not receive earlier events."""
        found = {}
        for number, event in events.items():
            new = Delivery(f"{event.report} {event.issue}", is_over=known is None and event.at < self._started_at)
            found[number] = (known or {}).get(number, new)
        return found

    def _send(self, hook: Webhook, events: dict[str, PublicationEvent], known: Deliveries) -> None:
        """Send one webhook the events whose next attempt is due. Stops when an attempt fails."""
        for number, delivery in known[hook.key].items():
            if not delivery.is_due(self.now()):
                continue
            status, error = send(hook, number, content(number, events[number]), self.now())
            after = delivery.with_attempt(error, self.now(), is_final=status == GONE)
            known[hook.key][number] = after
            write_deliveries(self.store.folder, known)
            if error:
                LOG.warning("%s", describe_failure(hook, after))
                return  # this webhook's other events wait for the next check, so that they don't delay other webhooks


def event_id(workspace: UUID, event: PublicationEvent) -> str:
    """Return an event's id. It is the same in each attempt, so that receivers can recognise a repeated message."""
    return str(uuid5(workspace, f"{event.type}/{event.report}/{event.issue}/{event.at.astimezone(UTC).isoformat()}"))


def content(number: str, event: PublicationEvent) -> bytes:
    """Return the body of the message that announces an event."""
    at = event.at.astimezone(UTC).isoformat(timespec="seconds")
    time = event.type.removeprefix("report_issue.") + "_at"
    url = report_issue_url(event.report, event.issue)
    data = {"report": event.report, "issue": str(event.issue), time: at, "url": url}
    return json.dumps({"id": number, "type": event.type, "timestamp": at, "data": data}).encode()


def send(hook: Webhook, number: str, body: bytes, now: datetime) -> tuple[int, str]:
    """Send a signed message. Returns the HTTP status (0 if there was no response) and the error (empty on success)."""
    headers = {"Content-Type": "application/json", **signature(hook.secret, number, body, now)}
    try:
        status = post(hook.url, body, headers, allow_private=hook.is_private, seconds=SECONDS)
    except CutError:
        return 0, SILENT
    except HarvestError:
        return 0, REFUSED
    return status, "" if 200 <= status < 300 else f"status {status}"


def signature(secret: bytes, number: str, body: bytes, now: datetime) -> dict[str, str]:
    """Return the headers that contain a message's signature."""
    time = str(int(now.timestamp()))
    digest = hmac.digest(secret, b".".join((number.encode(), time.encode(), body)), sha256)
    return {
        "webhook-id": number,
        "webhook-timestamp": time,
        "webhook-signature": f"v1,{b64encode(digest).decode()}",
    }


def failure_lines(folder: Path, hooks: Sequence[Webhook]) -> Iterator[str]:
    """Yield a line for each webhook that had failed deliveries in the last two weeks, including those to be retried."""
    known = read_deliveries(folder)
    for hook in hooks:
        if failed := [one for one in known.get(hook.key, {}).values() if one.error]:
            others = f" Other failed messages: {len(failed) - 1:,}." if len(failed) > 1 else ""
            yield f"{describe_failure(hook, failed[-1])}{others}"


def describe_failure(hook: Webhook, delivery: Delivery) -> str:
    """Describe a failed delivery. Only the webhook's host is named, because its address may contain a secret."""
    end = "Given up" if delivery.is_over else "It will be retried"
    return f"Webhook {hook.host}: {delivery.about} was not delivered ({delivery.error}). {end}."


def read_deliveries(folder: Path) -> Deliveries:
    """Read the recorded deliveries. Returns an empty result if there is no file.

    Raises
    ------
    WorkspaceError
        If the file can't be read or is damaged.
    """
    path = folder / FILE_NAME
    try:
        found: dict[str, dict[str, Any]] = json.loads(path.read_bytes())
        return {hook: {number: Delivery(**one) for number, one in events.items()} for hook, events in found.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise WorkspaceError(f"{path} can't be read: {error.strerror}.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise WorkspaceError(f"{path} is damaged. Delete it; earlier events will not be sent again.") from error


def write_deliveries(folder: Path, known: Deliveries) -> None:
    """Replace the file of recorded deliveries atomically, so that a crash leaves either the old or the new file.

    Raises
    ------
    WorkspaceError
        If the file can't be written.
    """
    path = folder / FILE_NAME
    unfinished = path.with_suffix(".unfinished")
    text = json.dumps({hook: {number: asdict(one) for number, one in found.items()} for hook, found in known.items()})
    try:
        with open(unfinished, "w", opener=lambda name, flags: os.open(name, flags, PRIVATE_FILE)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        sync(folder)
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written: {error.strerror}.") from error
