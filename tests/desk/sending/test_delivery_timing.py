"""When mail is due: its settings, the timer of the app, and mail that became due before a restart."""

import threading
from datetime import datetime, timedelta

import pytest

from presort.data.errors import RefusedError
from presort.desk import settings
from presort.desk.jobs.delivery_timer import DeliveryTimer
from presort.desk.sending.commands import BUSY_CODE
from presort.desk.service.delivery import DAILY_AT, FIRST_PAUSE, mail_time
from presort.desk.settings import Delivery, Settings
from tests.desk.sending.deliveries import ANN, DAY, at_once, due, publish, store
from tests.desk.web.test_guard import served

__all__ = ["at_once", "store"]  # fixtures


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
