"""Delivery after publication: its timing, exactly once, and again after a failure."""

import json
import os
import signal
import threading
from datetime import UTC, date, datetime, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import UNDONE, publication_log, reopen, undo
from presort.data.errors import DataError, RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.mail import mailings
from presort.data.mail.last_runs import LastRun, last_run, record_failure
from presort.data.mail.readers import add_readers, remove_reader
from presort.data.mail.unsent import publication_times, unsent_mail
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.data.running.audit import audit
from presort.data.running.service import DEMO
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.jobs.delivery_timer import DeliveryTimer
from presort.desk.process import Terminated, stoppable
from presort.desk.sending import delivery, sender, site
from presort.desk.sending.commands import BUSY_CODE
from presort.desk.service.delivery import DAILY_AT, FIRST_PAUSE, due_mail, is_due, mail_time, next_try
from presort.desk.settings import Delivery, MailServer, Settings
from tests import forked
from tests.desk.command_line import invoke
from tests.desk.web.test_guard import served

DAY = date(2026, 11, 16)
ANN, BO = "ann@example.org", "bo@example.org"
CODES = ("lab", "his")
AT_ONCE = Delivery(delay=timedelta())


@pytest.fixture
def store(tmp_path):
    """A workspace with two reports, each with one relevant paper and a reader."""
    store = open_store(tmp_path / "workspace")
    commit_import(store, [ListedPaper(Paper(f"p{n}", f"Wages {n}"), DAY) for n in (1, 2)], person="import")
    catalogue.add_reports(store, [Report(code, code.title()) for code in CODES])
    for code, address in zip(CODES, (ANN, BO), strict=True):
        decisions.decide(store, [Decision(code, DAY, "p1", "yes", "Ann")])
        add_readers(store, code, [(address, "")], person="Dee")
    yield store
    store.close()


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setenv(settings.MAIL_DELAY, "0")


@pytest.fixture
def presort(tmp_path):
    return lambda *words: invoke(["--workspace", str(tmp_path / "workspace"), *map(str, words)])


def publish(store, *codes):
    for code in codes or ("lab",):
        publications.publish_report_issue(store, code, DAY, [1, 2], ranking_id=None, person="Ann")


def published_at(store, code="lab"):
    return publication_times(store)[code, DAY]


def due(store, wanted, after, **options):
    return [one.report for one in due_mail(store, wanted, published_at(store) + after, **options)]


def now():
    return datetime.now(UTC)


def send(store, server, wanted=AT_ONCE):
    return delivery.send_mail(store, due_mail(store, wanted, now()), server)


def test_mail_is_due_after_the_delay_in_the_morning_or_with_the_weekly_job(store):
    publish(store)
    minute = timedelta(minutes=1)
    assert due(store, Delivery(), 9 * minute) == []
    assert due(store, Delivery(), 10 * minute) == ["lab"]
    assert due(store, Delivery("daily"), timedelta(hours=25)) == ["lab"]
    assert due(store, Delivery("weekly"), timedelta(days=10)) == []
    assert due(store, Delivery("weekly"), timedelta(), is_weekly=True) == ["lab"]
    assert due(store, Delivery(), 9 * minute, is_weekly=True) == [], "it can still be undone"
    assert due(store, Delivery(), timedelta(days=14)) == [], "old news"


@pytest.mark.parametrize(("hour", "days"), [(6, 0), (8, 1)])
def test_daily_mail_is_sent_the_next_morning(hour, days):
    published = datetime(2026, 11, 27, hour, 0).astimezone()  # local time
    at = mail_time(published, Delivery("daily")).astimezone()
    assert (at.date() - published.date(), at.time()) == (timedelta(days), DAILY_AT)


def test_daily_mail_is_postponed_a_day_if_the_undo_time_has_not_ended():
    published = datetime(2026, 11, 27, 6, 55).astimezone()
    assert mail_time(published, Delivery("daily")).astimezone().day == 28


def test_without_readers_and_for_imports_and_the_demo_no_mail_is_due(store):
    publish(store, *CODES)
    remove_reader(store, "his", BO, person="Dee")
    assert [(one.report, one.n_readers) for one in unsent_mail(store, now() - timedelta(1))] == [("lab", 1)]
    catalogue.set_setting(store, DEMO, "1")
    store.end_snapshot()
    with open_store(store.folder).snapshot() as demo:
        assert due_mail(demo, AT_ONCE, now()) == []
        assert not is_due(demo, AT_ONCE, now(), has_mail=True)


def test_the_demo_mails_no_reader_and_writes_no_pages_of_the_service(
    store, inbox, presort, at_once, monkeypatch, tmp_path
):
    publish(store)
    catalogue.set_setting(store, DEMO, "1")
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    assert presort("send", "--due").exit_code == 0
    refused = presort("send", "lab", DAY)
    assert (refused.exit_code, refused.stderr) == (1, f"presort: {sender.OF_DEMO}\n")
    assert (inbox.got, (tmp_path / "site").exists()) == ({}, False)


def test_each_reader_gets_due_mail_once(store, inbox):
    publish(store, *CODES)
    assert send(store, inbox.server).counts == {"sent": 2}
    assert send(store, inbox.server).counts == {}
    assert {address: len(mails) for address, mails in inbox.got.items()} == {ANN: 1, BO: 1}
    assert last_run(store, "mail").error == ""
    assert last_run(store, "mail").succeeded_at


def test_after_republication_only_readers_without_the_mail_get_it_after_the_delay(store, inbox):
    publish(store)
    reopen(store, "lab", DAY, "A paper was missing.", person="Ann")
    assert due_mail(store, AT_ONCE, now()) == []
    publish(store)
    assert due(store, Delivery(), timedelta(minutes=9)) == []
    assert send(store, inbox.server).counts == {"sent": 1}
    reopen(store, "lab", DAY, "Another one.", person="Ann")
    publish(store)
    assert send(store, inbox.server).counts == {}


def test_an_undo_stops_the_mail_and_is_refused_after_sending(store, inbox):
    publish(store)
    undo(store, "lab", DAY, person="Ann")
    assert [one.reopened.reason for one in publication_log(store, "lab", DAY)] == [UNDONE]
    assert send(store, inbox.server).counts == {}
    publish(store)
    send(store, inbox.server)
    with pytest.raises(RefusedError, match="has already begun"):
        undo(store, "lab", DAY, person="Ann")
    reopen(store, "lab", DAY, "Wrong order.", person="Ann")
    publish(store)
    undo(store, "lab", DAY, person="Ann")  # this publication sent nothing
    with pytest.raises(RefusedError, match="is not published"):
        undo(store, "lab", DAY, person="Ann")


def test_a_report_issue_reopened_during_delivery_is_skipped(store, inbox):
    publish(store, *CODES)
    ones = due_mail(store, AT_ONCE, now())
    inbox.on_data = lambda: "his" in publications_of(store) and reopen(store, "his", DAY, "Wait.", person="Ann")
    sent = delivery.send_mail(store, sorted(ones, key=lambda one: one.report != "lab"), inbox.server)
    assert (sent.counts, sent.problems) == ({"sent": 1}, [])
    assert set(inbox.got) == {ANN}


def publications_of(store):
    return [code for code in CODES if publications.published(store, code)]


def test_an_unreachable_mail_server_is_tried_once_a_run_and_again_after_a_pause(store, inbox, monkeypatch):
    publish(store, *CODES)
    down = MailServer("127.0.0.1", "reports@example.org", 9, has_starttls=False)
    sent = send(store, down)
    assert len(sent.problems) == 1, "not once for each report"
    failed = last_run(store, "mail")
    assert (failed.n_failures, failed.succeeded_at) == (1, None)
    assert "can't be reached" in failed.error
    assert not is_due(store, AT_ONCE, now(), has_mail=True)
    assert is_due(store, AT_ONCE, next_try(failed), has_mail=True)
    assert is_due(store, AT_ONCE, failed.failed_at - timedelta(days=1), has_mail=True) is False  # nothing due yet
    send(store, down)
    assert next_try(last_run(store, "mail")) - last_run(store, "mail").failed_at == 2 * FIRST_PAUSE
    assert send(store, inbox.server).counts == {"sent": 2}
    assert last_run(store, "mail").n_failures == 0


def test_a_failure_dated_ahead_by_a_wrong_clock_doesnt_stop_the_mail(store):
    publish(store)
    record_failure(store, "mail", "down")
    assert is_due(store, AT_ONCE, last_run(store, "mail").failed_at - timedelta(microseconds=1), has_mail=True)


def test_only_temporary_rejections_are_retried_and_no_error_names_the_reader(store, inbox):
    publish(store, *CODES)
    inbox.refuses = {ANN: f"451 <{ANN}> try later", BO: f"550 no <{BO}> here"}
    assert len(send(store, inbox.server).problems) == 1
    failed = last_run(store, "mail")
    assert failed.n_failures == 1
    assert "example.org" not in failed.error
    inbox.refuses = {BO: "550 unknown"}
    assert send(store, inbox.server).counts == {"sent": 1}
    assert last_run(store, "mail").n_failures == 0


def test_a_permanent_rejection_alone_fails_the_command_once(store, inbox, presort, at_once):
    publish(store)
    inbox.refuses = {ANN: "550 unknown"}
    assert presort("send", "--due").exit_code == 1
    assert last_run(store, "mail").n_failures == 0
    assert presort("send", "--due").exit_code == 0


def test_the_command_sends_due_mail_once_and_can_be_repeated(store, inbox, presort, at_once, monkeypatch, tmp_path):
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    publish(store)
    assert json.loads(presort("send", "--due", "--dry-run", "--json").stdout) == [f"lab {DAY}: 1 reader"]
    assert not inbox.got
    first = presort("send", "--due")
    assert (first.exit_code, first.stdout.splitlines()) == (
        0,
        ["Public pages: 1 report issue.", "Mail to readers: 1 email sent."],
    )
    again = json.loads(presort("send", "--due", "--json").stdout)
    assert again == {"Public pages": "No change.", "Mail to readers": delivery.NOTHING, "errors": []}
    assert len(inbox.got[ANN]) == 1
    assert (tmp_path / "site" / "lab" / f"{DAY}.html").is_file()
    store.end_snapshot()
    assert [entry.action for entry in audit(store, 50, person="presort")] == [f"Mailed {DAY} to 1 readers"]


@pytest.mark.whole
def test_a_timers_log_is_json_with_a_line_for_pages_and_mail_and_names_nobody(store, inbox, tmp_path):
    publish(store)
    inbox.refuses = {ANN: f"451 <{ANN}> try later"}
    program, words = "from presort.desk.cli import app; app()", ["--workspace", store.folder, "send", "--due"]
    of_all = {"PRESORT_LOG_FORMAT": "json", settings.MAIL_DELAY: "0", settings.SITE_FOLDER: str(tmp_path / "site")}

    def run(*words, **variables):
        code, written = forked.run(program, *words, folder=tmp_path, **of_all, **variables)
        assert "example.org" not in written
        lines = [json.loads(line) for line in written.splitlines()]
        return code, [(line["level"], line.get("step"), line.get("state"), line.get("reason")) for line in lines]

    assert run(*words) == (1, [("info", "pages", "done", None), ("error", "send", "failed", None)])
    inbox.refuses = {}
    assert run(*words) == (0, [("info", "pages", "done", None), ("info", "send", "done", None)])
    publish(store, "his")
    (tmp_path / "site").rename(tmp_path / "away")
    (tmp_path / "site").write_text("not a folder")
    code, lines = run(*words, PRESORT_SMTP_PORT="9")
    assert (code, lines[1]) == (1, ("error", "send", "failed", "ConnectionRefusedError"))
    assert lines[0][:3] == ("error", "pages", "failed")
    assert run(*words, PRESORT_SMTP_PORT="0") == (1, [("error", None, None, "RefusedError")])  # a wrong setting
    # A person who runs the command for one report issue reads the error in the terminal.
    code, written = forked.run(program, *words[:3], "his", "2026-01-01", folder=tmp_path, **of_all)
    assert (code, written.startswith("presort: ")) == (1, True)


def test_without_a_mail_server_pages_are_written_and_nothing_fails(store, presort, at_once, monkeypatch, tmp_path):
    monkeypatch.delenv("PRESORT_SMTP_HOST", raising=False)
    publish(store)
    assert presort("send", "--due").exit_code == 0
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    assert presort("send", "--due").exit_code == 0
    assert (tmp_path / "site" / "index.html").is_file()
    assert not is_due(store, Delivery(delay=timedelta(), folder=tmp_path / "site"), now(), has_mail=False)


@pytest.mark.parametrize("lock", [delivery.delivery_lock, mailings.sending])
def test_the_command_sends_nothing_while_another_process_sends(store, inbox, presort, at_once, lock):
    publish(store)
    with lock(store):
        busy = presort("send", "--due")
    assert busy.exit_code == BUSY_CODE
    assert last_run(store, "mail") == LastRun()
    assert presort("send", "--due").exit_code == 0
    assert len(inbox.got[ANN]) == 1


def test_mail_is_sent_even_if_pages_cant_be_written(store, inbox, presort, at_once, monkeypatch, tmp_path):
    (tmp_path / "site").write_text("a file")
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    publish(store)
    ended = presort("send", "--due")
    assert (ended.exit_code, set(inbox.got)) == (1, {ANN})
    assert "Can't write" in last_run(store, "pages").error
    (tmp_path / "site").unlink()
    assert presort("send", "--due").exit_code == 0
    assert last_run(store, "pages").error == ""


def test_pages_are_written_once_for_all_publications_and_only_if_changed(store, tmp_path, monkeypatch):
    wanted = Delivery(delay=timedelta(), folder=tmp_path / "site")
    publish(store, "lab")
    assert delivery.write_pages(store, wanted) == 1
    page = tmp_path / "site" / "lab" / f"{DAY}.html"
    before = page.stat().st_ino
    assert delivery.write_pages(store, wanted) is None
    publish(store, "his")
    rendered = []
    render = site.Templates.page
    monkeypatch.setattr(
        site.Templates, "page", lambda self, letter: rendered.append(letter.code) or render(self, letter)
    )
    assert delivery.write_pages(store, wanted) == 2
    assert rendered == ["his"]
    assert page.stat().st_ino == before
    assert (tmp_path / "site" / "his" / "atom.xml").is_file()
    reopen(store, "lab", DAY, "Wait.", person="Ann")
    assert delivery.write_pages(store, wanted) == 1
    assert not page.exists()
    assert str(DAY) not in (tmp_path / "site" / "lab" / "atom.xml").read_text()


def test_pages_appear_after_the_delay_and_disappear_at_once(store, tmp_path):
    wanted = Delivery(folder=tmp_path / "site")
    publish(store)
    assert delivery.write_pages(store, wanted) == 0
    assert not is_due(store, wanted, now(), has_mail=False)
    assert is_due(store, wanted, published_at(store) + wanted.delay, has_mail=False)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"basis": 1, "pages": [["lab", "no date", "", 1]]}', b"\xff"])
def test_a_damaged_list_of_pages_is_rebuilt(store, tmp_path, content):
    wanted = Delivery(delay=timedelta(), folder=tmp_path / "site")
    publish(store)
    delivery.write_pages(store, wanted)
    (tmp_path / "site" / site.LIST).write_bytes(content)
    publish(store, "his")
    assert delivery.write_pages(store, wanted) == 2
    assert {path.name for path in (tmp_path / "site").iterdir()} == {site.LIST, "index.html", *CODES}


def test_renaming_a_report_changes_all_its_pages(store, tmp_path):
    wanted = Delivery(delay=timedelta(), folder=tmp_path / "site")
    publish(store)
    delivery.write_pages(store, wanted)
    catalogue.rename_report(store, "lab", "Labour & Wages")
    publish(store, "his")
    delivery.write_pages(store, wanted)
    assert "Labour &amp; Wages" in (tmp_path / "site" / "lab" / f"{DAY}.html").read_text()


def test_the_web_server_can_read_the_pages_whatever_the_umask(store, tmp_path):
    before = os.umask(0o077)
    try:
        publish(store)
        delivery.write_pages(store, Delivery(delay=timedelta(), folder=tmp_path / "site"))
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in [tmp_path / "site", *(tmp_path / "site").rglob("*")]}
    assert modes == {0o755, 0o644}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (settings.MAIL_READERS, "hourly"),
        *((settings.MAIL_DELAY, value) for value in ("-1", "1441", "ten", "1.5", "99999999999", "٣")),
    ],
)
def test_an_invalid_setting_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(RefusedError, match=name):
        settings.delivery()


def test_settings_are_read(monkeypatch, tmp_path):
    (tmp_path / "presort.toml").write_text('[mail]\nreaders = "daily"\ndelay = 0\n[site]\nfolder = "/srv/site"\n')
    monkeypatch.setenv(settings.FILE, str(tmp_path / "presort.toml"))
    wanted = settings.delivery()
    assert (wanted.timing, wanted.delay, str(wanted.folder)) == ("daily", timedelta(), "/srv/site")


class Timed:
    """Timer that counts its deliveries, each of which returns a given exit code."""

    def __init__(self, folder, code=0):
        self.n, self.time, self.code = 0, 0.0, code
        self.timer = DeliveryTimer(Settings(folder), self.deliver, clock=lambda: self.time)

    def deliver(self):
        self.n += 1
        return self.code


def test_the_timer_delivers_only_what_is_due(store, inbox, at_once):
    timed = Timed(store.folder)
    timed.timer.check()
    assert timed.n == 0
    publish(store)
    timed.timer.check()
    assert timed.n == 1


@pytest.mark.parametrize(("code", "n"), [(0, 2), (BUSY_CODE, 2), (1, 1), (-9, 1)])
def test_the_timer_pauses_after_a_failure(store, inbox, at_once, code, n):
    publish(store)
    timed = Timed(store.folder, code)
    timed.timer.check()
    timed.timer.check()
    assert timed.n == n
    timed.time = FIRST_PAUSE.total_seconds()
    timed.timer.check()
    assert timed.n == n + 1


def test_the_timer_does_nothing_without_a_workspace_or_valid_settings(tmp_path, store, monkeypatch, inbox):
    Timed(tmp_path / "none").timer.check()
    monkeypatch.setenv(settings.MAIL_DELAY, "ten")
    publish(store)
    timed = Timed(store.folder)
    timed.timer.check()
    monkeypatch.setenv(settings.MAIL_DELAY, "0")
    timed.timer.check()
    assert timed.n == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '"x"', "{", '{"n_failures": 1}', '{"succeeded_at": 3, "failed_at": 1}']
)
def test_an_unreadable_result_is_ignored(store, text):
    catalogue.set_setting(store, "last-mail-run", text)
    assert last_run(store, "mail") == LastRun()


def test_an_error_writing_pages_is_raised_and_recorded(store, tmp_path):
    (tmp_path / "site").write_text("")
    publish(store)
    with pytest.raises(DataError):
        delivery.write_pages(store, Delivery(delay=timedelta(), folder=tmp_path / "site"))
    assert last_run(store, "pages").n_failures == 1


def test_a_stopped_process_finishes_the_current_mail(store, inbox):
    add_readers(store, "lab", [(BO, "")], person="Dee")
    publish(store)
    inbox.on_data = lambda: os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(Terminated), stoppable():
        send(store, inbox.server)
    assert [one.state for one in mailings.mailings(store)] == ["sent", "pending"]
    assert mailings.unsure(store) == []
    inbox.on_data = lambda: None
    assert send(store, inbox.server).counts == {"sent": 1}
    assert {address: len(mails) for address, mails in inbox.got.items()} == {ANN: 1, BO: 1}


@pytest.mark.whole
@pytest.mark.usefixtures("at_once")
def test_after_a_restart_the_app_sends_mail_that_became_due(store, inbox, monkeypatch, tmp_path):
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    publish(store)
    is_sent = threading.Event()
    inbox.on_data = is_sent.set
    with served(store.folder):
        assert is_sent.wait(120)
    assert (tmp_path / "site" / "lab" / f"{DAY}.html").is_file()  # pages are written before mail is sent
    assert len(inbox.got[ANN]) == 1
