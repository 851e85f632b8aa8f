"""Prometheus metrics at /metrics: counts without personal data, available with the bearer token."""

import hmac
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache, partial
from pathlib import Path
from typing import get_args

from prometheus_client import REGISTRY, CollectorRegistry, Histogram
from prometheus_client import Counter as Counted
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from presort.data import catalogue
from presort.data.editing.decisions import newest_decision
from presort.data.editing.pending import LATE, VERY_LATE, pending
from presort.data.errors import DataError
from presort.data.mail.last_runs import last_run
from presort.data.mail.mailings import count_by_state
from presort.data.records import MailingState
from presort.data.running.scheduled_backups import find_backups
from presort.data.running.weekly import newest_steps
from presort.data.store import Store, open_store
from presort.desk import settings
from presort.desk.jobs.queue import JobQueue, Kind
from presort.desk.service.delivery import due_mail, has_outdated_pages, mail_time, waiting_mail
from presort.desk.service.webhooks import State, WebhookSender
from presort.desk.service.weekly_job import has_succeeded
from presort.desk.settings import backup_plan
from presort.desk.settings.api import webhooks

ADDRESS = "/metrics"
ERRORS = Counted("presort_errors", "Unexpected errors shown on pages. The log lists each with its number.")
SAVED = Histogram(
    "presort_saving_seconds",
    "Seconds to save the entries in a request from a review list and to respond.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
WEEKS = {2: LATE, 4: VERY_LATE}  # thresholds for lateness: in weeks (keys) and in days (values)
FAILED: tuple[MailingState, ...] = ("refused", "unsure")  # states of an email that require a director's decision
OF_WEBHOOKS: tuple[State, ...] = ("delivered", "waiting", "failed")


def may_read(request: HTTPConnection, token: str) -> bool:
    """Return True if a request contains the token. Always False if no token is configured."""
    given = request.headers.get("authorization", "")
    return bool(token) and hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def route(workspace: Path) -> Route:
    """Return the route for the metrics. The guard refuses requests without the token."""

    def respond(_: Request) -> Response:
        return Response(
            generate_latest(REGISTRY) + generate_latest(_registry_of(workspace)), media_type=CONTENT_TYPE_LATEST
        )

    return Route(ADDRESS, respond)


def refusal() -> Response:
    """Return the response to a request without the token."""
    return PlainTextResponse("Metrics need the bearer token set as metrics.token.\n", 401)


class WorkspaceMetrics(Collector):
    """Metrics for a workspace. The values are read from the workspace on each request."""

    def __init__(self, find_store: Callable[[], Store]) -> None:
        self.find_store = find_store

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics.

        If the workspace can't be read, only ``presort_workspace_up`` is yielded, with the value 0.
        """
        try:
            figures = list(_figures(self.find_store()))
        except DataError:
            figures = []
        yield _gauge("presort_workspace_up", "Whether the workspace can be read.", bool(figures))
        yield from figures


def _figures(store: Store) -> Iterator[Metric]:
    codes = [report.code for report in catalogue.reports(store)]
    waiting = pending(store, codes, today=date.today())
    yield _gauge("presort_pending_issues", "Pending report issues.", len(waiting))
    late = GaugeMetricFamily(
        "presort_late_issues",
        "Pending issues late by at least this many weeks, not counting holidays.",
        labels=["weeks"],
    )
    for weeks, days in WEEKS.items():
        late.add_metric([str(weeks)], sum(one.days_counted >= days for one in waiting))
    yield late
    queue = GaugeMetricFamily("presort_queue", "Background jobs that are queued or running.", labels=["kind"])
    kinds = Counter(job.kind for job in JobQueue(store.folder).active_jobs())
    for kind in get_args(Kind):
        queue.add_metric([kind], kinds[kind])
    yield queue
    help_text = "Decisions in the log, including imported ones."
    yield CounterMetricFamily("presort_decisions", help_text, newest_decision(store))
    if steps := newest_steps(store):
        began, is_done = min(one.began_at for one in steps), has_succeeded(steps)
        yield _gauge("presort_weekly_began_seconds", "Start time of the newest weekly job.", began.timestamp())
        yield _gauge("presort_weekly_well", "Whether all steps of the newest weekly job are done.", is_done)
    for part in (_backups, _mail, _pages, _webhooks):
        with suppress(DataError):  # an invalid setting or a damaged file must not hide the other metrics
            yield from list(part(store))


def _backups(store: Store) -> Iterator[Metric]:
    if (plan := backup_plan()) is not None:
        found = find_backups(store, plan.folder, datetime.now(UTC))
        made = found[-1].made_at.timestamp() if found else 0
        yield _gauge("presort_backup_made_seconds", "Time of the newest scheduled backup; 0 if there is none.", made)


def _mail(store: Store) -> Iterator[Metric]:
    if not settings.has_mail():
        return
    now, delivery, counts = datetime.now(UTC), settings.delivery(), count_by_state(store)
    yield CounterMetricFamily("presort_mails_sent", "Emails sent to readers.", counts["sent"])
    failed = GaugeMetricFamily(
        "presort_mails_failed",
        "Emails to readers that were refused permanently, or may not have arrived (unsure).",
        labels=["state"],
    )
    for state in FAILED:
        failed.add_metric([state], counts[state])
    yield failed
    n_waiting = sum(one.n_readers for one in waiting_mail(store, now))
    yield _gauge("presort_mails_waiting", "Emails for published report issues that have not been sent yet.", n_waiting)
    times = (mail_time(one.published_at, delivery) for one in due_mail(store, delivery, now))
    overdue = max(((now - time).total_seconds() for time in times if time is not None), default=0)
    yield _gauge("presort_mails_overdue_seconds", "Seconds since the oldest unsent mail was due.", overdue)


def _pages(store: Store) -> Iterator[Metric]:
    if (delivery := settings.delivery()).folder is None:
        return
    written_at = last_run(store, "pages").succeeded_at
    seconds = 0 if written_at is None else written_at.timestamp()
    help_text = "Time at which the public pages were last written; 0 if never."
    yield _gauge("presort_pages_written_seconds", help_text, seconds)
    is_outdated = has_outdated_pages(store, delivery, datetime.now(UTC))
    yield _gauge("presort_pages_outdated", "Whether the public pages must be written again.", is_outdated)


def _webhooks(store: Store) -> Iterator[Metric]:
    if not (hooks := webhooks()):
        return
    messages = GaugeMetricFamily(
        "presort_webhook_messages",
        "Messages to webhooks in the last two weeks: delivered, waiting for an attempt, or given up (failed).",
        labels=["state"],
    )
    counts = WebhookSender(store, hooks).counts()
    for state in OF_WEBHOOKS:
        messages.add_metric([state], counts[state])
    yield messages


def _gauge(name: str, says: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, says, float(value))


@cache
def _registry_of(workspace: Path) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(WorkspaceMetrics(partial(_store_of, workspace)))
    return registry


@cache
def _store_of(workspace: Path) -> Store:
    return open_store(workspace, settings.database())
