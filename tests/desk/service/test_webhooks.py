"""Webhooks: each event is signed and delivered at least once, despite killed processes and faulty receivers."""

import base64
import hashlib
import hmac
import json
import signal
import time
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing.publications import publication_log, reopen
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import Report
from presort.data.store import open_store
from presort.desk.jobs.webhook_timer import WebhookTimer
from presort.desk.service import webhooks
from presort.desk.service.webhooks import FILE_NAME, PAUSES, REFUSED, SILENT, WebhookSender, failure_lines
from presort.desk.settings.api import Webhook
from tests import forked
from tests.data.workspaces import FIRST, SECOND, make_issue, send_out, take_in
from tests.desk.service.webhook_receiver import receiver

KEY = b"0123456789abcdef0123456789abcdef"

PUBLISH = """
import os, signal, sys
from datetime import date
from pathlib import Path
from presort.data.editing.publications import publish_report_issue
from presort.data.store import open_store

store = open_store(Path(sys.argv[1]))
publish_report_issue(store, "lab", date.fromisoformat(sys.argv[2]), [], ranking_id=None, person="Ann")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def lab(tmp_path):
    with closing(open_store(tmp_path / "workspace")) as store:
        take_in(store, make_issue(3), make_issue(3, SECOND))
        catalogue.add_reports(store, [Report("lab", "Labour")])
        yield store


@pytest.fixture
def there():
    with receiver() as running:
        yield running


class Clock:
    """Clock that starts now and moves only on request."""

    def __init__(self):
        self.time = datetime.now(UTC)

    def __call__(self):
        return self.time

    def go(self, by):
        self.time += by


@pytest.fixture
def clock():
    return Clock()


def hook_of(running, **how):
    return Webhook(running.url, KEY, **({"is_private": True} | how))


def begun(store, *hooks, now=lambda: datetime.now(UTC)):
    """Return a sender that has seen the workspace once."""
    sender = WebhookSender(store, hooks, now)
    sender.send_due()
    return sender


def is_signed(headers, body):
    """Check a signature by the specification of Standard Webhooks."""
    signed = b"%s.%s.%s" % (headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body)
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


def test_publishing_and_reopening_are_sent_once_and_signed(lab, there, monkeypatch):
    monkeypatch.setenv("PRESORT_DESK_URL", "https://desk.example.org")
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    sender.send_due()
    sender.send_due()
    reopen(lab, "lab", FIRST, "A wrong paper.", person="Ann")
    sender.send_due()
    (path, headers, body), (_, second, reopened) = there.got
    assert path == "/hook/s3cret-path"
    found = json.loads(body)
    published_at = publication_log(lab, "lab", FIRST)[0].made_at.isoformat(timespec="seconds")
    assert found == {
        "id": headers["webhook-id"],
        "type": "report_issue.published",
        "timestamp": published_at,
        "data": {
            "report": "lab",
            "issue": str(FIRST),
            "published_at": published_at,
            "url": f"https://desk.example.org/api/v1/report-issues/lab/{FIRST}",
        },
    }
    assert headers["content-type"] == "application/json"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    assert is_signed(headers, body)
    assert not is_signed(headers, body + b" ")
    assert json.loads(reopened)["type"] == "report_issue.reopened"
    assert "reopened_at" in json.loads(reopened)["data"]
    assert is_signed(second, reopened)
    assert second["webhook-id"] != headers["webhook-id"]
    assert list(failure_lines(lab.folder, [hook_of(there)])) == []


def test_each_webhook_gets_all_events_after_it_was_added(lab, there):
    send_out(lab, "lab")
    sender = begun(lab, hook_of(there))
    assert there.got == []
    send_out(lab, "lab", SECOND)
    sender.send_due()
    assert len(there.got) == 1
    with receiver() as other:
        second = begun(lab, hook_of(there), hook_of(other))
        reopen(lab, "lab", SECOND, "A wrong paper.", person="Ann")
        second.send_due()
        assert (len(there.got), len(other.got)) == (2, 1)
        assert there.ids[1] == other.ids[0]


@pytest.mark.whole
def test_nothing_is_lost_if_the_app_is_killed_right_after_the_commit(lab, there):
    begun(lab, hook_of(there))
    code, _ = forked.run(PUBLISH, lab.folder, FIRST)
    assert code == -signal.SIGKILL
    assert there.got == []
    begun(lab, hook_of(there))
    begun(lab, hook_of(there))
    assert len(there.got) == 1


def test_a_message_whose_delivery_was_not_recorded_is_repeated_with_its_id(lab, there, monkeypatch):
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    write, n_written = webhooks.write_deliveries, []

    def killed(*given):
        n_written.append(1)
        if len(n_written) == 2:  # after the message was sent
            raise SystemExit
        write(*given)

    monkeypatch.setattr(webhooks, "write_deliveries", killed)
    with pytest.raises(SystemExit):
        sender.send_due()
    begun(lab, hook_of(there))
    assert len(there.ids) == 2
    assert len(set(there.ids)) == 1


def test_an_unreachable_receiver_is_retried_at_growing_intervals_and_across_restarts(lab, clock):
    with receiver() as gone:
        url, port = gone.url, int(gone.url.split(":")[2].partition("/")[0])
    hook = Webhook(url, KEY, is_private=True)
    begun(lab, hook, now=clock)
    send_out(lab, "lab")
    clock.time = datetime.now(UTC)
    for pause in PAUSES[:4]:
        begun(lab, hook, now=clock)  # as after a restart
        (line,) = failure_lines(lab.folder, [hook])
        assert SILENT in line
        assert "s3cret" not in line
        clock.go(pause - timedelta(seconds=1))
        with receiver(port) as back:
            begun(lab, hook, now=clock)
            assert back.got == []  # not yet
        clock.go(timedelta(seconds=1))
    with receiver(port) as back:
        begun(lab, hook, now=clock)
        begun(lab, hook, now=clock)
        assert len(back.got) == 1
    assert list(failure_lines(lab.folder, [hook])) == []


def test_delivery_is_given_up_after_about_a_day_but_later_events_are_sent(lab, there, clock, caplog):
    assert timedelta(hours=20) < sum(PAUSES, timedelta()) < timedelta(hours=28)
    there.statuses = [500]
    sender = begun(lab, hook_of(there), now=clock)
    send_out(lab, "lab")
    clock.time = datetime.now(UTC)
    for pause in (*PAUSES, timedelta(hours=9), timedelta(hours=9)):
        sender.send_due()
        clock.go(pause)
    assert len(there.got) == len(PAUSES) + 1
    assert len(set(there.ids)) == 1
    (line,) = failure_lines(lab.folder, [hook_of(there)])
    assert f"lab {FIRST}" in line
    assert "status 500" in line
    assert line in caplog.text
    assert "s3cret" not in caplog.text
    there.statuses = [200]
    send_out(lab, "lab", SECOND)
    sender.send_due()
    assert json.loads(there.got[-1][2])["data"]["issue"] == str(SECOND)


def test_failed_messages_of_one_webhook_are_one_line(lab, there, clock):
    there.statuses = [500]
    sender = begun(lab, hook_of(there), now=clock)
    for issue in (FIRST, SECOND):
        send_out(lab, "lab", issue)
        sender.send_due()
    (line,) = failure_lines(lab.folder, [hook_of(there)])
    assert f"lab {SECOND}" in line
    assert f"lab {FIRST}" not in line
    assert line.endswith(": 1.")


def test_status_410_ends_the_attempts(lab, there, clock):
    there.statuses = [410]
    sender = begun(lab, hook_of(there), now=clock)
    send_out(lab, "lab")
    clock.time = datetime.now(UTC)
    for _ in range(3):
        sender.send_due()
        clock.go(timedelta(hours=9))
    assert len(there.got) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 400, 401, 429, 503])
def test_redirects_and_other_statuses_are_failures(lab, there, status):
    there.statuses = [status]
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    sender.send_due()
    assert [path for path, _, _ in there.got] == ["/hook/s3cret-path"]
    (line,) = failure_lines(lab.folder, [hook_of(there)])
    assert f"status {status}" in line


@pytest.mark.parametrize("status", ["silent", "dripping"])
def test_a_slow_receiver_times_out_and_delays_no_other(lab, there, monkeypatch, status):
    monkeypatch.setattr(webhooks, "SECONDS", 0.3)
    there.statuses = [status]
    with receiver() as other:
        sender = begun(lab, hook_of(there), hook_of(other))
        send_out(lab, "lab")
        send_out(lab, "lab", SECOND)
        began = time.monotonic()
        sender.send_due()
        assert time.monotonic() - began < 10
        assert (len(there.got), len(other.got)) == (1, 2)
    assert SILENT in next(failure_lines(lab.folder, [hook_of(there)]))


def test_the_content_of_a_response_is_not_read(lab, there):
    there.statuses = ["large"]
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    sender.send_due()
    assert list(failure_lines(lab.folder, [hook_of(there)])) == []


def test_a_host_in_a_private_network_is_refused_unless_allowed(lab, there):
    hook = hook_of(there, is_private=False)
    sender = begun(lab, hook)
    send_out(lab, "lab")
    sender.send_due()
    assert there.got == []
    assert REFUSED in next(failure_lines(lab.folder, [hook]))


def test_a_clock_that_was_set_back_delays_nothing(lab, there, clock):
    there.statuses = [500, 204]
    sender = begun(lab, hook_of(there), now=clock)
    send_out(lab, "lab")
    clock.time = datetime.now(UTC)
    sender.send_due()
    clock.go(-timedelta(days=2))
    sender.send_due()
    assert len(there.got) == 2


def test_events_expire_after_two_weeks(lab, there, clock):
    sender = begun(lab, hook_of(there), now=clock)
    send_out(lab, "lab")
    sender.send_due()
    assert (lab.folder / FILE_NAME).read_text().count("tried_at") == 1
    clock.go(timedelta(days=15))
    send_out(lab, "lab", SECOND)  # a change, so that the log is read again
    sender.send_due()
    assert (lab.folder / FILE_NAME).read_text().count("tried_at") == 0


def test_the_file_is_private_and_contains_no_secrets(lab, there):
    there.statuses = [500]
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    sender.send_due()
    path = lab.folder / FILE_NAME
    assert path.stat().st_mode & 0o777 == 0o600
    for secret in ("s3cret", KEY.decode(), "127.0.0.1"):
        assert secret not in path.read_text()
    assert not list(lab.folder.glob("webhooks*unfinished"))


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"a": {"b": {"c": 1}}}', "\x00"])
def test_a_damaged_file_is_named(lab, there, damage):
    (lab.folder / FILE_NAME).write_text(damage)
    with pytest.raises(WorkspaceError, match=FILE_NAME):
        begun(lab, hook_of(there))
    (lab.folder / FILE_NAME).unlink()
    begun(lab, hook_of(there))


def test_one_process_sends_at_a_time(lab, there):
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    with closing(open_store(lab.folder)) as other, other.lock("webhooks", "busy"), pytest.raises(RefusedError):
        sender.send_due()
    assert there.got == []
    sender.send_due()
    assert len(there.got) == 1


def test_the_timer_of_the_app_sends_and_waits_for_a_workspace(lab, there, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    WebhookTimer(tmp_path / "none", [hook_of(there)]).check()
    assert not (tmp_path / "none").exists()
    timer = WebhookTimer(lab.folder, [hook_of(there)])
    timer.check()
    send_out(lab, "lab")
    timer.check()
    timer.check()
    assert len(there.got) == 1
    timer.close()


def test_ids_depend_on_the_event_alone(lab, there):
    sender = begun(lab, hook_of(there))
    send_out(lab, "lab")
    sender.send_due()
    (lab.folder / FILE_NAME).unlink()
    begun(lab, hook_of(there))  # as a new webhook: nothing is sent again
    assert len(there.got) == 1
    known = webhooks.read_deliveries(lab.folder)
    assert list(known[hook_of(there).key]) == there.ids
    assert date.fromisoformat(json.loads(there.got[0][2])["data"]["issue"]) == FIRST
