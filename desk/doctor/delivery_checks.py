"""Health checks for deliveries after a publication: mail to readers, public pages and webhooks."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from presort.data.mail.last_runs import LastRun, last_run
from presort.data.store import Store
from presort.desk import settings
from presort.desk.doctor.finding import Found
from presort.desk.service.delivery import due_mail, has_outdated_pages
from presort.desk.service.webhooks import failure_lines
from presort.desk.settings.api import webhooks
from presort.desk.text import count_text

OVERDUE = timedelta(hours=1)  # the app delivers within a minute, and presort-send.timer within an hour
MINUTE = "%Y-%m-%d %H:%M"
REMEDY = "Start the app or presort-send.timer. If they are running, check their logs."


def reader_mail(store: Store) -> Found:
    """Check that the last mailing to readers succeeded, and that no mail is overdue."""
    if not settings.has_mail():
        return "missing", "No mail server is configured, so readers get no mail."
    run = last_run(store, "mail")
    if run.failed_at is not None:
        return "wrong", _failure("Mail to readers", run)
    if overdue := due_mail(store, settings.delivery(), datetime.now(UTC) - OVERDUE):
        return (
            "wrong",
            f"Mail for {count_text(len(overdue), 'report issue')} is overdue. {REMEDY}",
        )
    when = "No mail has been sent yet." if run.succeeded_at is None else f"Last sent {run.succeeded_at:{MINUTE}} (UTC)."
    return "ok", f"No mail is overdue. {when}"


def public_pages(store: Store) -> Found:
    """Check that the public pages are up to date, and report when they were last written."""
    delivery, now = settings.delivery(), datetime.now(UTC)
    if delivery.folder is None:
        return (
            "missing",
            "No folder is configured for the public pages (site.folder), so none are written.",
        )
    run = last_run(store, "pages")
    if run.failed_at is not None:
        return "wrong", _failure("Public pages", run)
    is_old = run.succeeded_at is None or run.succeeded_at < now - OVERDUE
    # Pages are overdue only if they were already out of date an hour ago, because pages for recent publications may not
    # have been written yet.
    if is_old and all(has_outdated_pages(store, delivery, time) for time in (now - OVERDUE, now)):
        since = (
            "were never written"
            if run.succeeded_at is None
            else f"are out of date, from {run.succeeded_at:{MINUTE}} (UTC)"
        )
        return "wrong", f"The public pages {since}. {REMEDY}"
    if run.succeeded_at is None:
        return "missing", f"The public pages have not been written to {delivery.folder} yet."
    if not (delivery.folder / "index.html").is_file():
        return "wrong", f"{delivery.folder} has no index.html, so the public pages were deleted. Run 'presort site'."
    place = f"{delivery.folder}, shown at {delivery.url}" if delivery.url else str(delivery.folder)
    return "ok", f"The public pages were last written {run.succeeded_at:{MINUTE}} (UTC) to {place}."


def webhook_messages(folder: Path) -> Found:
    """Check that the webhook settings are valid, and that no message failed in the last two weeks."""
    known = webhooks()
    if not known:
        return "missing", "No webhooks are configured."
    if lines := list(failure_lines(folder, known)):
        return "wrong", " ".join(lines)
    return "ok", f"Messages go to {', '.join(one.host for one in known)}."


def _failure(title: str, run: LastRun) -> str:
    when = "never" if run.succeeded_at is None else f"{run.succeeded_at:{MINUTE}} (UTC)"
    return f"{title} failed {count_text(run.n_failures, 'time')}: {run.error.rstrip('.')}. Last success: {when}."


CHECKS: tuple[tuple[str, Callable[[Store], Found]], ...] = (
    ("Mail to readers", reader_mail),
    ("Public pages", public_pages),
)
