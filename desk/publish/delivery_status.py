"""Schedule for a published report issue's mail and public pages, with a button to undo the publication in time."""

from datetime import UTC, datetime, timedelta

import streamlit as st

from presort.data.editing.publications import undo
from presort.data.errors import DataError, RefusedError
from presort.data.mail.last_runs import LastRun, last_run
from presort.data.records import Publication
from presort.desk import settings
from presort.desk.publish.draft import PROBLEM
from presort.desk.sending import box
from presort.desk.service.delivery import is_mail_paused, is_mailed_on_schedule, mail_time, next_try
from presort.desk.settings import Delivery
from presort.desk.text import count_text, escape, time_text
from presort.desk.ui import cache, problem, visitor

LOOKED_AFTER = 5.0  # seconds between updates
UNDO = "Undo"


def announcement(n_readers: int) -> list[str]:
    """Return lines that announce when the mail will be sent and how long publishing can be undone.

    Returns an empty list if there is neither mail nor a public page.
    """
    delivery = _delivery()
    if delivery is None or not (n_readers or delivery.folder):
        return []
    lines = [mail_text(n_readers, datetime.now(UTC), delivery, LastRun(), datetime.now(UTC))] if n_readers else []
    if minutes := round(delivery.delay.total_seconds() / 60):
        until = "" if delivery.timing == "at once" or not n_readers else ", unless the mail is sent earlier"
        lines.append(f"You can undo publishing for {count_text(minutes, 'minute')}{until}.")
    elif n_readers:
        lines.append("Sent mail can't be recalled.")
    return lines


def mail_text(n_readers: int, published_at: datetime, delivery: Delivery, run: LastRun, now: datetime) -> str:
    """Describe when a report issue's mail is sent.

    Parameters
    ----------
    n_readers : int
        Number of readers to whom the mail has not been sent yet.
    published_at : datetime
        Time of the publication.
    delivery : Delivery
        Settings for the delivery of mail and public pages.
    run : LastRun
        Result of the last mailing to readers.
    now : datetime
        Current time.

    Examples
    --------
    >>> now = datetime(2026, 11, 27, 14, 32, tzinfo=UTC)
    >>> mail_text(214, now, Delivery(), LastRun(), now)
    'Mail to 214 readers: 2026-11-27 14:42 UTC, in 10 minutes.'
    >>> mail_text(1, now, Delivery("weekly"), LastRun(), now)
    'Mail to 1 reader: with the next weekly job.'
    >>> mail_text(1, now, Delivery(), LastRun(), now + timedelta(minutes=10))
    'Mail to 1 reader: being sent.'
    >>> failed = LastRun(failed_at=now, n_failures=2)
    >>> mail_text(1, now - timedelta(hours=1), Delivery(), failed, now)
    'Mail to 1 reader: the mail server did not accept it. Next attempt: 2026-11-27 14:42 UTC.'
    """
    to = f"Mail to {count_text(n_readers, 'reader')}"
    at = mail_time(published_at, delivery)
    if at is None:
        return f"{to}: with the next weekly job."
    if at > now:
        minutes = -(-(at - now) // timedelta(minutes=1))  # rounded up
        soon = f", in {count_text(minutes, 'minute')}" if minutes <= 60 else ""
        return f"{to}: {time_text(at.astimezone(UTC))} UTC{soon}."
    if is_mail_paused(published_at, delivery, run, now):
        return f"{to}: the mail server did not accept it. Next attempt: {time_text(next_try(run))} UTC."
    return f"{to}: being sent."


def show(publication: Publication) -> None:
    """Draw the schedule for a report issue's mail and public pages, and a button to undo the publication in time."""
    if publication.report_issue.source == "desk" and (_lines(publication) or _is_undoable(publication)):
        _draw(publication)


@st.fragment(run_every=LOOKED_AFTER)
@visitor.one_snapshot()
def _draw(publication: Publication) -> None:
    """Draw the schedule. Redraw the whole page when nothing is scheduled and publishing can no longer be undone."""
    lines, is_undoable = _lines(publication), _is_undoable(publication)
    if not lines and not is_undoable:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="delivery-status"):
        if lines:
            st.markdown(escape(" ".join(lines)), width="content")
        if is_undoable and st.button(
            UNDO, key="undo-publishing", icon=":material/undo:", on_click=_undo, args=(publication,)
        ):
            st.rerun()  # redraw the whole page, because this fragment draws only the schedule


def _lines(publication: Publication) -> list[str]:
    """Return a line if mail is still scheduled, and a line if public pages are not due yet."""
    delivery = _delivery()
    if delivery is None:
        return []
    now, one = datetime.now(UTC), publication.report_issue
    # Pending mail of an older report issue is sent only by a click on the button that `box` draws.
    is_scheduled = is_mailed_on_schedule(publication.made_at, now)
    n_readers = box.n_readers(one.report, one.issue) if is_scheduled else 0
    run = last_run(cache.store(), "mail")
    lines = [mail_text(n_readers, publication.made_at, delivery, run, now)] if n_readers else []
    if delivery.folder is not None and publication.made_at + delivery.delay > now:
        lines.append(f"Public pages: {time_text(publication.made_at + delivery.delay)} UTC.")
    return lines


def _is_undoable(publication: Publication) -> bool:
    """Return True if publishing can still be undone: the delay is not over, and no mail has been sent."""
    delivery, one = _delivery(), publication.report_issue
    is_over = delivery is None or publication.made_at + delivery.delay <= datetime.now(UTC)
    return not (is_over or (box.is_set_up() and box.has_begun(one.report, one.issue, publication.made_at)))


def _undo(publication: Publication) -> None:
    one = publication.report_issue
    try:
        undo(cache.store(), one.report, one.issue, person=visitor.person())
    except DataError as error:  # for example because mail was sent after the button was drawn
        problem.note(PROBLEM, str(error))


def _delivery() -> Delivery | None:
    """Return the delivery settings. None if they are invalid, because `presort doctor` reports invalid settings."""
    try:
        return settings.delivery()
    except RefusedError:
        return None
