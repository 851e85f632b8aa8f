"""Checks of reader mail and public pages by `presort doctor`: sent, written, failed, overdue or missing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from presort.data.editing import publications
from presort.data.mail.last_runs import record_failure, record_success
from presort.data.mail.readers import add_readers
from presort.data.tables import ReportIssueRow
from presort.desk import settings
from presort.desk.doctor import delivery_checks
from presort.desk.doctor.finding import run_check
from presort.desk.service.delivery import pages_state

HOUR = timedelta(hours=1)


@pytest.fixture
def look(store, tmp_path, monkeypatch):
    """Run a check of a service with a mail server and a folder for public pages."""
    for name, value in {
        "PRESORT_SMTP_HOST": "mail.example.org",
        "PRESORT_SMTP_FROM": "reports@example.org",
        "PRESORT_SITE_FOLDER": str(tmp_path / "site"),
        "PRESORT_SITE_URL": "https://reports.example.org",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").touch()

    def run(check):
        found = run_check("", lambda: check(store))
        return found.state, found.says

    return run


def publish(store, newest, before):
    """Publish a report issue, with a publication time in the past."""
    publications.publish_report_issue(store, "lab", newest, [1], ranking_id=None, person="Ann")
    date_back(store, before)


def date_back(store, before):
    of_desk = ReportIssueRow.__table__.update().where(ReportIssueRow.source == "desk")
    with store.writing() as connection:
        connection.execute(of_desk.values(published_at=datetime.now(UTC) - before))


def written(store):
    at_once = replace(settings.delivery(), delay=timedelta())
    record_success(store, "pages", state=pages_state(store, at_once, datetime.now(UTC)))


def test_without_settings_mail_and_pages_are_missing(store, monkeypatch):
    monkeypatch.setenv("PRESORT_SITE_URL", "https://reports.example.org")
    for check in (delivery_checks.reader_mail, delivery_checks.public_pages):
        assert check(store)[0] == "missing"


def test_sent_failed_and_overdue_mail(store, look, newest):
    assert look(delivery_checks.reader_mail)[0] == "ok"
    add_readers(store, "lab", [("ann@example.org", "")], person="Dee")
    publish(store, newest, timedelta(minutes=5))
    assert look(delivery_checks.reader_mail)[0] == "ok"
    date_back(store, 2 * HOUR)
    assert look(delivery_checks.reader_mail) == (
        "wrong", f"Mail for 1 report issue is overdue. {delivery_checks.REMEDY}"
    )  # fmt: skip
    record_failure(store, "mail", "The mail server can't be reached.")
    state, says = look(delivery_checks.reader_mail)
    assert (state, "can't be reached. Last success: never." in says) == ("wrong", True)


def test_written_outdated_failed_and_missing_pages(store, look, newest, tmp_path, monkeypatch):
    assert look(delivery_checks.public_pages)[0] == "wrong"  # imported report issues are published from the beginning
    written(store)
    state, says = look(delivery_checks.public_pages)
    assert (state, f"{datetime.now(UTC):%Y-%m-%d}" in says, "https://reports.example.org" in says) == ("ok", True, True)
    publish(store, newest, 3 * HOUR)
    assert look(delivery_checks.public_pages)[0] == "ok"  # written within the last hour, so the next run is soon
    with monkeypatch.context() as later:
        later.setattr(delivery_checks, "OVERDUE", timedelta(0))
        state, says = look(delivery_checks.public_pages)
    assert (state, "out of date, from 2" in says) == ("wrong", True)
    record_failure(store, "pages", "No space left on device.")
    assert "No space left on device. Last success: 2" in look(delivery_checks.public_pages)[1]
    written(store)
    (tmp_path / "site" / "index.html").unlink()
    assert look(delivery_checks.public_pages)[0] == "wrong"
