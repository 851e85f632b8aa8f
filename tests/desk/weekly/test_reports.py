"""Report issues that the weekly job sends to readers."""

import time
from dataclasses import replace
from datetime import date, timedelta

import pytest

from presort.data.editing import publications
from presort.data.errors import DataError
from presort.data.harvest.polite import Clock
from presort.data.mail.last_runs import last_run
from presort.data.mail.readers import add_readers
from presort.desk.sending import delivery
from presort.desk.settings import Delivery
from presort.desk.weekly.job import SkipStep, run
from presort.desk.weekly.steps import STEPS, plan_pages, plan_reports, reports_due, send_reports, write_pages

CAT = "cat@example.org"


@pytest.fixture
def published(weekly):
    """Service in which lab has a reader and published the newest issue today."""
    publications.publish_report_issue(weekly.store, "lab", weekly.newest, [1], ranking_id=None, person="Ann")
    add_readers(weekly.store, "lab", [(CAT, "Cat")], person="Dee")
    weekly.newest = date.today()  # the jobs run from today on
    return weekly


def test_a_published_report_issue_is_sent_once_to_its_readers(published, inbox):
    job = published.job(0)
    assert [one.report for one in reports_due(job)] == ["lab"]
    assert plan_reports(job).startswith("Would send lab ")
    assert send_reports(job) == "1 email sent."
    assert (send_reports(job), plan_reports(job)) == ("No mail was due.", "No report issue to send.")
    assert len(inbox.got[CAT]) == 1


@pytest.mark.parametrize("zone", ["UTC", "AAA-14", "BBB+12"])
def test_mail_is_due_at_the_same_time_in_every_time_zone(weekly, zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        publications.publish_report_issue(weekly.store, "lab", weekly.newest, [1], ranking_id=None, person="Ann")
        add_readers(weekly.store, "lab", [(CAT, "Cat")], person="Dee")
        weekly.newest = date.today()
        assert [one.report for one in reports_due(weekly.job(0, clock=Clock()))] == ["lab"]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_mail_is_due_although_the_job_began_before_midnight(published):
    assert [one.report for one in reports_due(published.job(-1, clock=Clock()))] == ["lab"]


def test_old_and_imported_report_issues_are_not_sent(published):
    assert reports_due(published.job(13))
    assert reports_due(published.job(14)) == []
    add_readers(published.store, "mac", [(CAT, "Cat")], person="Dee")  # the past of mac was imported from files
    assert [one.report for one in reports_due(published.job(0))] == ["lab"]


def test_a_rejected_mail_fails_the_step(published, inbox):
    inbox.refuses[CAT] = "550 unknown"
    with pytest.raises(DataError, match="Not delivered: 1 email") as failed:
        send_reports(published.job(0))
    assert delivery.NOTHING not in str(failed.value)


def test_during_the_undo_time_only_later_timings_are_mailed(published):
    published.week = replace(published.week, delivery=Delivery())
    assert reports_due(published.job(0)) == []
    published.week = replace(published.week, delivery=Delivery("daily"))
    assert [one.report for one in reports_due(published.job(0))] == ["lab"]


def test_the_job_writes_all_pages_if_a_folder_is_configured(published, tmp_path):
    with pytest.raises(SkipStep):
        write_pages(published.job(0))
    folder = tmp_path / "site"
    published.week = replace(published.week, delivery=Delivery(delay=timedelta(), folder=folder))
    assert str(folder) in plan_pages(published.job(0))
    write_pages(published.job(0))
    page = folder / "lab" / "index.html"
    page.unlink()
    write_pages(published.job(0))
    assert page.is_file()
    assert last_run(published.store, "pages").succeeded_at


def test_the_job_sends_nothing_while_another_process_sends(published):
    with delivery.delivery_lock(published.store), pytest.raises(DataError):
        send_reports(published.job(0))


def test_the_reason_of_a_failure_is_the_class_of_its_first_cause(published):
    unreachable = replace(published.server, port=9)
    (failed,) = run(published.job(0, server=unreachable), [one for one in STEPS if one.name == "send"])
    assert (failed.state, failed.reason) == ("failed", "ConnectionRefusedError")
