"""Mail after publication: sent exactly once, and again after a failure."""

import json
import os
import signal
from datetime import timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.publications import UNDONE, publication_log, reopen, undo
from presort.data.errors import RefusedError
from presort.data.mail import mailings
from presort.data.mail.last_runs import LastRun, last_run, record_failure
from presort.data.mail.readers import add_readers, remove_reader
from presort.data.mail.unsent import unsent_mail
from presort.data.running.audit import audit
from presort.data.running.service import DEMO
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.jobs.delivery_timer import DeliveryTimer
from presort.desk.process import Termination, raise_on_termination
from presort.desk.sending import delivery, sender
from presort.desk.sending.commands import BUSY_CODE
from presort.desk.service.delivery import FIRST_PAUSE, due_mail, is_due, next_try
from presort.desk.settings import Delivery, MailServer, Settings
from tests import forked
from tests.desk.sending.deliveries import ANN, AT_ONCE, BO, CODES, DAY, at_once, due, now, presort, publish, send, store

__all__ = ["at_once", "presort", "store"]  # fixtures
EVE = "eve@example.org"


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


def test_emails_sent_before_an_interruption_are_logged(store, inbox):
    add_readers(store, "lab", [(EVE, "")], person="Dee")
    publish(store)
    inbox.hangs_up_on = EVE
    assert "after 1 email" in " ".join(send(store, inbox.server).problems)
    assert f"Mailed {DAY} to 1 readers" in {entry.action for entry in audit(store, 50)}


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


def test_a_temporary_rejection_does_not_delay_the_mail_of_other_report_issues(store, inbox, presort, at_once):
    publish(store, "lab")
    inbox.refuses = {ANN: "451 try later"}
    timer = DeliveryTimer(Settings(store.folder), lambda: presort("send", "--due").exit_code)
    timer.check()
    assert last_run(store, "mail").n_failures == 1
    assert not is_due(store, AT_ONCE, now(), has_mail=True)
    publish(store, "his")
    timer.check()
    assert set(inbox.got) == {BO}
    assert not is_due(store, AT_ONCE, now(), has_mail=True), "the rejected email waits for the next attempt"
    inbox.refuses = {}
    assert is_due(store, AT_ONCE, next_try(last_run(store, "mail")), has_mail=True)
    assert send(store, inbox.server).counts == {"sent": 1}


def test_a_permanent_rejection_alone_fails_the_command_once(store, inbox, presort, at_once):
    publish(store)
    inbox.refuses = {ANN: "550 unknown"}
    assert presort("send", "--due").exit_code == 1
    assert last_run(store, "mail").n_failures == 0
    assert presort("send", "--due").exit_code == 0


def test_the_command_sends_due_mail_once_and_can_be_repeated(store, inbox, presort, at_once, monkeypatch, tmp_path):
    monkeypatch.setenv(settings.SITE_FOLDER, str(tmp_path / "site"))
    assert presort("send", "--due", "--dry-run").stdout == "No mail is due.\n"
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


@pytest.mark.parametrize("lock", [delivery.delivery_lock, mailings.sending])
def test_the_command_sends_nothing_while_another_process_sends(store, inbox, presort, at_once, lock):
    publish(store)
    with lock(store):
        busy = presort("send", "--due")
    assert busy.exit_code == BUSY_CODE
    assert last_run(store, "mail") == LastRun()
    assert presort("send", "--due").exit_code == 0
    assert len(inbox.got[ANN]) == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '"x"', "{", '{"n_failures": 1}', '{"succeeded_at": 3, "failed_at": 1}']
)
def test_an_unreadable_result_is_ignored(store, text):
    catalogue.set_setting(store, "last-mail-run", text)
    assert last_run(store, "mail") == LastRun()


def test_a_stopped_process_finishes_the_current_mail(store, inbox):
    add_readers(store, "lab", [(BO, "")], person="Dee")
    publish(store)
    inbox.on_data = lambda: os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(Termination), raise_on_termination():
        send(store, inbox.server)
    assert [one.state for one in mailings.mailings(store)] == ["sent", "pending"]
    assert mailings.unsure_mailings(store) == []
    inbox.on_data = lambda: None
    assert send(store, inbox.server).counts == {"sent": 1}
    assert {address: len(mails) for address, mails in inbox.got.items()} == {ANN: 1, BO: 1}
