"""Mail to the director: the weekly summary, and a second email once steps that it reported as failed have succeeded.

A notice is identified by its kind and a day (`presort.data.mail.notices`). For each kind of notice to the director, the
day is a fixed weekday (see `MailKind`), so that the notice is sent only once per week.
"""

from datetime import timedelta
from enum import IntEnum

from presort.data import catalogue
from presort.data.editing.pending import pending
from presort.data.mail import notices
from presort.data.records import Notice, WeeklyStep
from presort.data.running import weekly
from presort.data.store import Store
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import comparison_scores, scores
from presort.desk.sending.mail import Recipient
from presort.desk.service.weekly_job import has_succeeded, sort_steps
from presort.desk.settings import MailServer
from presort.desk.summary import figures, headlines
from presort.desk.weekly import mail_texts
from presort.desk.weekly.job import SkipStep, WeeklyRun
from presort.desk.weekly.notices import Mail, send, server_of

NO_ADDRESS = "No email address is configured for the director."
NAME = "summary"


class MailKind(IntEnum):
    """Subject of a notice to the director. Its value is the weekday in the key of the notice, counted from Monday."""

    WEEK = 0
    FAILURES = 1  # the summary reported failed steps
    MENDED = 2


def notify_director(job: WeeklyRun) -> str:
    """Email the weekly summary to the director. If it was already sent, report that the failed steps have succeeded."""
    server = server_of(job)
    if not job.week.director:
        raise SkipStep(NO_ADDRESS)
    mail = _summary(job) if _is_new(job, MailKind.WEEK) else _recovery_mail(job)
    if mail is None:
        return "The summary was already sent."
    send(job.store, server, [mail])
    return f"Sent to {job.week.director}."


def is_due(job: WeeklyRun, _last: WeeklyStep) -> bool:
    """Return True if the director must be notified that the failed steps in the summary have since succeeded."""
    return isinstance(job.server, MailServer) and bool(job.week.director) and _recovery_mail(job) is not None


def plan(job: WeeklyRun) -> str:
    """Describe who would receive the summary."""
    if isinstance(job.server, str):
        return job.server
    return f"Would send the summary to {job.week.director}." if job.week.director else NO_ADDRESS


def headline_figures(store: Store) -> list[str]:
    """Return the verdict on the newest quarter, and one line for each headline figure over all rankings for editors.

    Empty if no scored report issue has a relevant paper.
    """
    scored = scores(store)
    material = figures.material(comparison_scores(store, scored), rows_of(store, scored, SORTED))
    if material.mine.empty:
        return []
    reports = headlines.add_names(store, figures.reading_by_report(material.mine))
    saved = headlines.compute_savings(store, material.mine)
    found = headlines.headlines(material, reports, saved)
    return [headlines.verdict(material), *map(str, found)]


def _summary(job: WeeklyRun) -> Mail:
    steps = _other_steps(job)
    codes = [report.code for report in catalogue.reports(job.store)]
    is_late = mail_texts.late_reports(pending(job.store, codes, today=job.today), len(codes))
    mail_text = mail_texts.weekly_summary(job.day, [is_late, *headline_figures(job.store)], steps, job.week.desk_url)
    about = [_notice(job, MailKind.WEEK)] + ([] if has_succeeded(steps) else [_notice(job, MailKind.FAILURES)])
    return Mail(Recipient(job.week.director), f"Week of {job.day}", mail_text, about)


def _recovery_mail(job: WeeklyRun) -> Mail | None:
    """Return the email that says that failed steps have succeeded.

    Returns None if the summary reported no failures, if a step still fails, or if the email was already sent.
    """
    steps = _other_steps(job)
    if _is_new(job, MailKind.FAILURES) or not has_succeeded(steps) or not _is_new(job, MailKind.MENDED):
        return None
    text = mail_texts.recovery_text(job.day, steps, job.week.desk_url)
    return Mail(
        Recipient(job.week.director),
        mail_texts.recovery_subject(job.day),
        text,
        [_notice(job, MailKind.MENDED)],
    )


def _other_steps(job: WeeklyRun) -> list[WeeklyStep]:
    return sort_steps(one for one in weekly.steps_of(job.store, job.day) if one.step != NAME)


def _is_new(job: WeeklyRun, about: MailKind) -> bool:
    return bool(notices.unsent_notices(job.store, [_notice(job, about)]))


def _notice(job: WeeklyRun, about: MailKind) -> Notice:
    # The day is counted from the week's Monday, not from the day of the run. Each kind is therefore sent once per week,
    # even if a wrong clock made the steps run again.
    return Notice("summary", weekly.monday_of(job.day) + timedelta(about))
