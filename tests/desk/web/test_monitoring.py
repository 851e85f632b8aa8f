"""Metrics for Prometheus: their values, and the token that they require."""

from datetime import UTC, date, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from presort.data.editing.pending import pending
from presort.data.errors import RefusedError
from presort.data.running import weekly
from presort.data.running.scheduled_backups import run_schedule
from presort.desk import settings
from presort.desk.jobs.queue import JobQueue
from presort.desk.web.monitoring import ERRORS, OfWorkspace
from tests.desk.web.test_guard import ask, served

pytestmark = pytest.mark.whole

TOKEN = "drawn-at-random-8f3c"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    with served(folder, PRESORT_METRICS_TOKEN=TOKEN, PRESORT_WORKSPACE=str(folder / "workspace")) as (port, _):
        yield port


def figures(text):
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_require_the_token(port):
    status, headers, text = ask(port, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain")
    found = figures(text.decode())
    assert found["presort_workspace_up",] == 1
    assert found["presort_pending_issues",] == 0
    assert found["presort_errors_total",] == 0
    assert ("presort_saving_seconds_count",) in found
    for given in ("", "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN):
        assert ask(port, "/metrics", Authorization=given)[0] == 401
    # Prometheus may request the desk by its address.
    assert ask(port, "/metrics", host="10.0.0.7:8501", Authorization=f"Bearer {TOKEN}")[0] == 200
    assert ask(port, "/metrics", "POST", Authorization=f"Bearer {TOKEN}")[0] == 405


def test_without_a_configured_token_metrics_are_refused(tmp_path):
    with served(tmp_path) as (port, _):
        assert ask(port, "/metrics", Authorization="Bearer ")[0] == 401


def test_metrics_describe_the_workspace(finished, monkeypatch):
    def figures():
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in OfWorkspace(finished).collect()
            for sample in family.samples
        }

    found = figures()
    codes = ["lab", "mac"]
    assert found["presort_pending_issues",] >= len(pending(finished, codes, today=date.today())) > 0
    assert found["presort_late_issues", "4"] <= found["presort_late_issues", "2"] <= found["presort_pending_issues",]
    assert found["presort_decisions_total",] > 0
    assert ("presort_weekly_well",) not in found
    assert ("presort_backup_made_seconds",) not in found
    assert [found["presort_queue", kind] for kind in ("import", "rank", "demo", "learn")] == [0, 0, 0, 0]
    jobs = JobQueue(finished.folder)
    names = [jobs.put("rank", {"reports": [code]}, person="Ann") for code in codes]
    jobs.begin(names[0], "a worker")
    assert figures()["presort_queue", "rank"] == 2
    jobs.end(names[0], "done")
    assert figures()["presort_queue", "rank"] == 1
    weekly.begin(finished, date(2026, 11, 2), "papers")
    assert figures()["presort_weekly_well",] == 0
    weekly.end(finished, date(2026, 11, 2), "papers", "done", "")
    assert figures()["presort_weekly_well",] == 1
    monkeypatch.setenv("PRESORT_BACKUP_FOLDER", str(finished.folder / "scheduled"))
    assert figures()["presort_backup_made_seconds",] == 0
    now, day = datetime(2026, 11, 2, 2, tzinfo=UTC), timedelta(days=1)
    run_schedule(finished.folder, finished.folder / "scheduled", every=day, daily=1, weekly=1, now=now)
    assert figures()["presort_backup_made_seconds",] == now.timestamp()
    monkeypatch.setenv("PRESORT_BACKUP_EVERY", "never")
    assert ("presort_backup_made_seconds",) not in figures()
    assert figures()["presort_workspace_up",] == 1
    finished.database.path.rename(finished.database.path.with_name("away.db"))
    assert figures() == {("presort_workspace_up",): 0}


def test_a_short_token_is_refused(monkeypatch):
    monkeypatch.setenv("PRESORT_METRICS_TOKEN", "hunter2")
    with pytest.raises(RefusedError, match="PRESORT_METRICS_TOKEN is too short") as refused:
        settings.metrics_token()
    assert "hunter2" not in str(refused.value)


def test_errors_are_counted():
    assert ERRORS.collect()[0].name == "presort_errors"
