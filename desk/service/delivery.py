"""Schedule for mailing published report issues and for writing their public pages."""

from datetime import UTC, datetime, time, timedelta

from presort.data.mail.last_runs import LastRun, last_run
from presort.data.mail.unsent import UnsentMail, publication_state, unsent_mail
from presort.data.running.service import is_demo
from presort.data.store import Store
from presort.desk.settings import Delivery

NEWS = timedelta(days=14)  # report issues that were published longer ago than this are not mailed automatically
DAILY_AT = time(7)  # local time at which daily mail is sent
# Waiting time after the first failure. It doubles after each further failure, because a mail server may be down for
# hours.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=5), timedelta(hours=1)


def mail_time(published_at: datetime, delivery: Delivery) -> datetime | None:
    """Return the time at which a report issue is mailed. None if the next weekly job mails it.

    Examples
    --------
    >>> published = datetime(2026, 11, 27, 14, 32, tzinfo=UTC)
    >>> str(mail_time(published, Delivery("at once", timedelta(minutes=10))))
    '2026-11-27 14:42:00+00:00'
    >>> mail_time(published, Delivery("weekly")) is None
    True
    """
    if delivery.timing == "at once":
        return published_at + delivery.delay
    if delivery.timing == "weekly":
        return None
    local = (published_at + delivery.delay).astimezone()
    day = local.date() if local.time() < DAILY_AT else local.date() + timedelta(days=1)
    return datetime.combine(day, DAILY_AT).astimezone()


def is_mailed_on_schedule(published_at: datetime, now: datetime) -> bool:
    """Return True if a report issue was published recently enough to be mailed automatically.

    Examples
    --------
    >>> published = datetime(2026, 11, 1, tzinfo=UTC)
    >>> is_mailed_on_schedule(published, published), is_mailed_on_schedule(published, published + NEWS)
    (True, False)
    """
    return published_at > now - NEWS


def waiting_mail(store: Store, now: datetime) -> list[UnsentMail]:
    """Return the report issues that still have mail to send, now or later.

    For the demo, the result is always empty, because its readers are fictitious.
    """
    return [] if is_demo(store) else unsent_mail(store, now - NEWS)


def due_mail(store: Store, delivery: Delivery, now: datetime, *, is_weekly: bool = False) -> list[UnsentMail]:
    """Return the report issues whose mail must be sent now.

    If `is_weekly` is True (in the weekly job), report issues scheduled for later are also returned. Even if the mail is
    set to go out at once, it is held back until the publication can no longer be undone.
    """
    ones = waiting_mail(store, now)
    if is_weekly and delivery.timing != "at once":
        return ones
    return [one for one in ones if (at := mail_time(one.published_at, delivery)) is not None and at <= now]


def has_outdated_pages(store: Store, delivery: Delivery, now: datetime) -> bool:
    """Return True if the public pages are outdated, because of a publication, a reopened report issue or a new setting.

    Always returns False for the demo, because the demo's pages would replace the service's.
    """
    if delivery.folder is None or is_demo(store):
        return False
    return last_run(store, "pages").state != pages_state(store, delivery, now)


def pages_state(store: Store, delivery: Delivery, now: datetime) -> str:
    """Return a string that changes when the public pages must be written again.

    It contains the state of the publications, the folder and the web address.
    """
    return f"{publication_state(store, now - delivery.delay)} {delivery.folder} {delivery.url}"


def next_try(run: LastRun) -> datetime:
    """Return the time of the next automatic attempt after a run. If the run didn't fail, this time is in the past.

    Examples
    --------
    >>> noon = datetime(2026, 11, 27, 12, tzinfo=UTC)
    >>> [f"{next_try(LastRun(failed_at=noon, n_failures=n)):%H:%M}" for n in (1, 2, 3, 9)]
    ['12:05', '12:10', '12:20', '13:00']
    """
    if run.failed_at is None:
        return datetime.min.replace(tzinfo=UTC)
    n_doublings = min(run.n_failures - 1, 10)  # limited so that the date stays within the valid range
    pause: timedelta = min(FIRST_PAUSE * 2**n_doublings, LONGEST_PAUSE)
    return run.failed_at + pause


def is_due(store: Store, delivery: Delivery, now: datetime, *, has_mail: bool) -> bool:
    """Return True if the app must send mail or write pages now.

    Between a failure and the next attempt, only mail that has become due since the failure must be sent.
    """
    if has_outdated_pages(store, delivery, now) and not is_paused(last_run(store, "pages"), now):
        return True
    ones, run = due_mail(store, delivery, now) if has_mail else [], last_run(store, "mail")
    return any(not is_mail_paused(one.published_at, delivery, run, now) for one in ones)


def is_paused(run: LastRun, now: datetime) -> bool:
    """Return True if a run failed and it is too early for the next attempt.

    A failure whose date is in the future, because of a wrong clock, is ignored.
    """
    return run.failed_at is not None and run.failed_at <= now < next_try(run)


def is_mail_paused(published_at: datetime, delivery: Delivery, run: LastRun, now: datetime) -> bool:
    """Return True if sending a report issue failed and it is too early for the next attempt.

    Mail that has become due since the failure isn't paused. Otherwise one reader, whose email the mail server
    temporarily rejects, would delay the mail of all reports.
    """
    at = mail_time(published_at, delivery)
    is_new = at is not None and run.failed_at is not None and at > run.failed_at
    return is_paused(run, now) and not is_new
