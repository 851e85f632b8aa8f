"""Delivery of published report issues by mail and on public pages.

It runs in the weekly job and in the command `presort send --due`, which the app and a timer start. A lock ensures that
only one delivery runs at a time. A delivery can be repeated safely: each reader gets each email at most once, and pages
are written only if report issues were published or reopened.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from presort.data.errors import DataError, RefusedError
from presort.data.mail import mailings
from presort.data.mail.last_runs import last_run, record_failure, record_success
from presort.data.mail.unsent import UnsentMail, publication_times
from presort.data.running.service import is_demo
from presort.data.store import Store
from presort.desk.sending import sender
from presort.desk.sending.mail import MailServerError
from presort.desk.sending.site import write_site
from presort.desk.sending.texts import mask_addresses
from presort.desk.service.delivery import has_outdated_pages, pages_state
from presort.desk.settings import Delivery, MailServer
from presort.desk.text import count_text

LOCK = "delivery"
BUSY = "Another process is sending mail or writing the public pages of this workspace. Wait until it has finished."
NOTHING = "No mail was due."


class BusyError(RefusedError):
    """Another process is already sending. This isn't a failure, because that process sends the same emails."""


@dataclass
class MailingResult:
    """Result of sending mail: the number of emails in each state, and the errors."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[DataError] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """Errors, followed by a line with the number of emails that were not delivered."""
        left = self.counts["refused"] + self.counts["pending"]
        lost = f"Not delivered: {count_text(left, 'email')}. See Readers on the Manage page."
        return [*map(str, self.errors), *([lost] if left else [])]

    def __str__(self) -> str:
        """Describe how many emails were sent. Empty if there were only problems, because `problems` describes them."""
        if self.counts["sent"]:
            return f"{count_text(self.counts['sent'], 'email')} sent."
        return "" if self.problems else NOTHING


def delivery_lock(store: Store) -> AbstractContextManager[None]:
    """Lock the delivery so that only one process runs it at a time.

    Raises
    ------
    RefusedError
        If another process is running a delivery.
    """
    return store.lock(LOCK, BUSY)


def send_mail(store: Store, ones: Sequence[UnsentMail], server: MailServer) -> MailingResult:
    """Send the pending mail for report issues, and record success or failure.

    If sending a report issue fails, the remaining ones are still sent, unless the mail server can't be used. Report
    issues that have been reopened in the meantime are skipped.

    Raises
    ------
    BusyError
        If another process is sending.
    """
    store.end_snapshot()  # without this, a report issue reopened in the meantime would still be sent
    done = MailingResult()
    for one in ones:
        try:
            done.counts += sender.send(store, one.report, one.issue, server)
        except DataError as error:
            if str(error) == mailings.BUSY:
                raise BusyError(str(error)) from error
            if publication_times(store).get((one.report, one.issue)) == one.published_at:
                done.errors.append(error)
            if isinstance(error, MailServerError):
                break
    # Permanently refused mail is not treated as a failure, because it is never retried and must not delay other mail.
    if done.errors or done.counts["pending"]:
        record_failure(store, "mail", mask_addresses(" ".join(done.problems), server.sender))
    elif ones or last_run(store, "mail").n_failures:
        record_success(store, "mail")
    return done


def write_pages(store: Store, delivery: Delivery, *, is_full: bool = False) -> int | None:
    """Write the public pages, and record success or failure.

    Returns
    -------
    int or None
        Number of report issues with a page. None if no folder is configured, if the workspace is the demo, or if the
        pages are up to date and `is_full` is False.

    Raises
    ------
    DataError
        If the pages can't be written.
    """
    store.end_snapshot()
    now = datetime.now(UTC)
    if delivery.folder is None or is_demo(store) or not (is_full or has_outdated_pages(store, delivery, now)):
        return None
    until = now - delivery.delay
    state = pages_state(store, delivery, now)  # read before the pages, so that the next call adds later publications
    try:
        n_issues = write_site(store, delivery.folder, url=delivery.url, until=until, is_full=is_full)
    except DataError as error:
        record_failure(store, "pages", str(error))
        raise
    record_success(store, "pages", state=state)
    return n_issues
