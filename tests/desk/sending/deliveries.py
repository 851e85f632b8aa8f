"""A workspace with two reports that have readers, and deliveries of their mail."""

from datetime import UTC, date, datetime, timedelta

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.intake.commit_import import commit_import
from presort.data.mail.readers import add_readers
from presort.data.mail.unsent import publication_times
from presort.data.records import Decision, ListedPaper, Paper, Report
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.sending import delivery
from presort.desk.service.delivery import due_mail
from presort.desk.settings import Delivery
from tests.desk.command_line import invoke

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
