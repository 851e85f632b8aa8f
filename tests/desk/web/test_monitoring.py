"""Metrics for Prometheus: their values, and the token that they require."""

import time
from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest
from prometheus_client.parser import text_string_to_metric_families

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.pending import pending
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.mail.readers import add_readers
from presort.data.mail.unsent import publication_times
from presort.data.running import weekly
from presort.data.running.scheduled_backups import run_schedule
from presort.desk import settings
from presort.desk.jobs.queue import JobQueue, Kind
from presort.desk.sending import sender
from presort.desk.sending.delivery import write_pages
from presort.desk.service.webhooks import FILE_NAME, WebhookSender
from presort.desk.settings.api import webhooks
from presort.desk.web.monitoring import ERRORS, WorkspaceMetrics
from tests.desk.sending.mail_server import Inbox, running
from tests.desk.service.webhook_receiver import receiver
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


@pytest.fixture
def inbox(monkeypatch):
    inbox = Inbox()
    with running(inbox) as server:
        own = {"HOST": server.host, "PORT": str(server.port), "FROM": server.sender, "STARTTLS": "no"}
        for name, value in own.items():
            monkeypatch.setenv(f"PRESORT_SMTP_{name}", value)
        yield inbox


@pytest.fixture
def read(finished):
    def read():
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in WorkspaceMetrics(lambda: finished).collect()
            for sample in family.samples
        }

    return read


def test_metrics_describe_the_workspace(finished, read, monkeypatch):
    found = read()
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
    assert read()["presort_queue", "rank"] == 2
    jobs.end(names[0], "done")
    assert read()["presort_queue", "rank"] == 1
    weekly.begin(finished, date(2026, 11, 2), "papers")
    assert read()["presort_weekly_well",] == 0
    weekly.end(finished, date(2026, 11, 2), "papers", "done", "")
    assert read()["presort_weekly_well",] == 1
    monkeypatch.setenv("PRESORT_BACKUP_FOLDER", str(finished.folder / "scheduled"))
    assert read()["presort_backup_made_seconds",] == 0
    now, day = datetime(2026, 11, 2, 2, tzinfo=UTC), timedelta(days=1)
    run_schedule(finished.folder, finished.folder / "scheduled", every=day, daily=1, weekly=1, now=now)
    assert read()["presort_backup_made_seconds",] == now.timestamp()
    monkeypatch.setenv("PRESORT_BACKUP_EVERY", "never")
    assert ("presort_backup_made_seconds",) not in read()
    assert read()["presort_workspace_up",] == 1
    finished.database.path.rename(finished.database.path.with_name("away.db"))
    assert read() == {("presort_workspace_up",): 0}


def test_a_database_that_is_down_at_the_first_request_is_reported():
    def find_store():
        raise WorkspaceError("the server is down")

    (family,) = WorkspaceMetrics(find_store).collect()
    assert [(sample.name, sample.value) for sample in family.samples] == [("presort_workspace_up", 0)]


def publish(store, report="lab"):
    """Publish a pending report issue, and return its date."""
    day = pending(store, [report], today=date.today())[0].issue
    n_papers = len(catalogue.papers(store, day))
    publications.publish_report_issue(store, report, day, range(1, n_papers + 1), ranking_id=None, person="Ann")
    return day


def test_mail_is_counted_before_and_after_it_is_sent(finished, read, inbox, monkeypatch):
    add_readers(finished, "lab", [("ann@example.org", ""), ("bo@example.org", "")], person="Dee")
    before = read()
    assert [before["presort_mails_waiting",], before["presort_mails_overdue_seconds",]] == [0, 0]
    day = publish(finished)
    early = read()
    assert [early["presort_mails_waiting",], early["presort_mails_overdue_seconds",]] == [2, 0]  # editors can undo
    monkeypatch.setenv("PRESORT_MAIL_DELAY", "0")
    began, late = publication_times(finished)["lab", day], read()["presort_mails_overdue_seconds",]
    assert 0 < late <= (datetime.now(UTC) - began).total_seconds()
    inbox.refuses = {"bo@example.org": "550 No such reader"}
    sender.send(finished, "lab", day, settings.mail_server())
    after = read()
    assert after["presort_mails_sent_total",] == before["presort_mails_sent_total",] + 1
    assert [after["presort_mails_failed", state] for state in ("refused", "unsure")] == [1, 0]
    assert [after["presort_mails_waiting",], after["presort_mails_overdue_seconds",]] == [0, 0]


def test_public_pages_are_outdated_until_they_are_written(finished, read, tmp_path, monkeypatch):
    monkeypatch.setenv("PRESORT_SITE_FOLDER", str(tmp_path / "site"))
    assert (read()["presort_pages_written_seconds",], read()["presort_pages_outdated",]) == (0, 1)
    write_pages(finished, settings.delivery())
    written_at = read()["presort_pages_written_seconds",]
    assert time.time() - 60 < written_at <= time.time()
    publish(finished)
    assert read()["presort_pages_outdated",] == 0  # editors can undo
    monkeypatch.setenv("PRESORT_MAIL_DELAY", "0")
    assert read()["presort_pages_outdated",] == 1
    write_pages(finished, settings.delivery())
    assert read()["presort_pages_outdated",] == 0


def test_messages_to_webhooks_are_counted_by_state(finished, read, tmp_path, monkeypatch):
    with receiver() as there:
        path = tmp_path / "presort.toml"
        path.write_text(f'[[webhook]]\nurl = "{there.url}"\nsecret = "whsec_{"a" * 32}"\nprivate = true\n')
        monkeypatch.setenv("PRESORT_CONFIG", str(path))
        states = ("delivered", "waiting", "failed")

        def counts():
            return [read()["presort_webhook_messages", state] for state in states]

        hooks = WebhookSender(finished, webhooks())
        hooks.send_due()
        codes = [report.code for report in catalogue.reports(finished)]
        publish(finished, codes[0])
        assert counts() == [0, 1, 0]  # also before the sender has seen it
        hooks.send_due()
        assert counts() == [1, 0, 0]
        there.statuses = [500]
        publish(finished, codes[1])
        hooks.send_due()
        assert counts() == [1, 1, 0]
        there.statuses = [410]  # gone, which ends the attempts
        publish(finished, codes[2])
        hooks.send_due()
        assert counts() == [1, 1, 1]
    (finished.folder / FILE_NAME).write_text("{")
    assert ("presort_webhook_messages", "waiting") not in read()
    assert read()["presort_workspace_up",] == 1


def test_parts_that_are_not_set_up_have_no_metrics(finished, read):
    optional = ("presort_mails", "presort_pages", "presort_webhook")
    assert not [name for name, *_ in read() if name.startswith(optional)]


def test_labels_contain_no_addresses_or_reports(finished, read, inbox, tmp_path, monkeypatch):
    add_readers(finished, "lab", [("ann@example.org", "")], person="Dee")
    monkeypatch.setenv("PRESORT_SITE_FOLDER", str(tmp_path / "site"))
    publish(finished)
    labels = {label for _, *labels in read() for label in labels}
    assert labels == {"2", "4", *get_args(Kind), "refused", "unsure"}


def test_a_short_token_is_refused(monkeypatch):
    monkeypatch.setenv("PRESORT_METRICS_TOKEN", "hunter2")
    with pytest.raises(RefusedError, match="PRESORT_METRICS_TOKEN is too short") as refused:
        settings.metrics_token()
    assert "hunter2" not in str(refused.value)


def test_errors_are_counted():
    assert ERRORS.collect()[0].name == "presort_errors"
