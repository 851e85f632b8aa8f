"""Prometheus metrics at /metrics: counts without personal data, for requests with the bearer token."""

import hmac
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cache
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
from presort.data.editing.pending import LATE, pending
from presort.data.errors import DataError, RefusedError
from presort.data.running.scheduled_backups import find_backups
from presort.data.running.weekly import newest_steps
from presort.data.store import Store, open_store
from presort.desk import settings
from presort.desk.jobs.queue import JobQueue, Kind
from presort.desk.service.weekly_job import is_well
from presort.desk.settings import BackupPlan, backup_plan

ADDRESS = "/metrics"
ERRORS = Counted("presort_errors", "Unexpected errors shown on pages. The log has each with its number.")
SAVED = Histogram(
    "presort_saving_seconds",
    "Seconds to save and answer a request of a review list that contains entries.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
WEEKS = {2: LATE, 4: 2 * LATE}  # lateness in weeks, and the same in days


def may_read(request: HTTPConnection, token: str) -> bool:
    """Return True if a request carries the token. Always False if no token is set."""
    given = request.headers.get("authorization", "")
    return bool(token) and hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def route(workspace: Path) -> Route:
    """Return the route of the metrics. The guard refuses requests without the token."""

    def respond(_: Request) -> Response:
        return Response(generate_latest(REGISTRY) + generate_latest(_of(workspace)), media_type=CONTENT_TYPE_LATEST)

    return Route(ADDRESS, respond)


def refusal() -> Response:
    """Return the response to a request without the token."""
    return PlainTextResponse("Metrics need the bearer token set as metrics.token.\n", 401)


class OfWorkspace(Collector):
    """Metrics of a workspace, read at each request."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics. If the workspace can't be read, yields only ``presort_workspace_up`` with 0."""
        try:
            figures = list(self._figures())
        except DataError:
            figures = []
        yield _gauge("presort_workspace_up", "Whether the workspace can be read.", bool(figures))
        yield from figures

    def _figures(self) -> Iterator[Metric]:
        codes = [report.code for report in catalogue.reports(self.store)]
        waiting = pending(self.store, codes, today=date.today())
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
        kinds = Counter(job.kind for job in JobQueue(self.store.folder).waiting())
        for kind in get_args(Kind):
            queue.add_metric([kind], kinds[kind])
        yield queue
        help_text = "Decisions in the log, including imported ones."
        yield CounterMetricFamily("presort_decisions", help_text, newest_decision(self.store))
        if (plan := _backup_plan()) is not None:
            found = find_backups(self.store, plan.folder, datetime.now(UTC))
            made = found[-1].made_at.timestamp() if found else 0
            yield _gauge(
                "presort_backup_made_seconds", "Time of the newest scheduled backup; 0 if there is none.", made
            )
        if steps := newest_steps(self.store):
            began, is_done = min(one.began_at for one in steps), is_well(steps)
            yield _gauge("presort_weekly_began_seconds", "Start time of the newest weekly job.", began.timestamp())
            yield _gauge("presort_weekly_well", "Whether all steps of the newest weekly job are done.", is_done)


def _backup_plan() -> BackupPlan | None:
    """Return the settings of scheduled backups. Also None if they are invalid, because the workspace is readable."""
    try:
        return backup_plan()
    except RefusedError:
        return None


def _gauge(name: str, says: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, says, float(value))


@cache
def _of(workspace: Path) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(OfWorkspace(open_store(workspace, settings.database())))
    return registry
