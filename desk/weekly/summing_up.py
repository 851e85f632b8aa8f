"""Weekly summary by mail to the director."""

from presort.data import catalogue
from presort.data.editing.pending import pending
from presort.data.mail import notices
from presort.data.records import Notice
from presort.data.running import weekly
from presort.data.store import Store
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import for_comparison, scores
from presort.desk.sending.mail import Recipient
from presort.desk.service.weekly_job import in_order
from presort.desk.summary import figures, headlines
from presort.desk.weekly import mail_texts
from presort.desk.weekly.job import PassedOver, WeeklyRun
from presort.desk.weekly.notices import Mail, send, server_of

NO_ADDRESS = "No mail address of the director is set."
NAME = "summary"


def tell_director(job: WeeklyRun) -> str:
    """Mail the director the steps of the job and the headline figures."""
    server = server_of(job)
    if not job.week.director:
        raise PassedOver(NO_ADDRESS)
    mail = _mail(job)
    if not notices.untold(job.store, mail.about):
        return "The summary was sent before."
    send(job.store, server, [mail])
    return f"Sent to {job.week.director}."


def plan(job: WeeklyRun) -> str:
    """Describe the recipient of the summary that would be sent."""
    if isinstance(job.server, str):
        return job.server
    return f"Would send the summary to {job.week.director}." if job.week.director else NO_ADDRESS


def headline_figures(store: Store) -> list[str]:
    """Return the headline figures of all rankings for editors, as lines of text. Empty if nothing is scored yet."""
    scored = scores(store)
    material = figures.material(for_comparison(store, scored), rows_of(store, scored, SORTED))
    if material.mine.empty:
        return []
    reports = headlines.with_names(store, figures.reading_by_report(material.mine))
    saved = headlines.saved(store, material.mine)
    found = headlines.headlines(material, reports, saved)
    return [headlines.verdict(material), *map(str, found)]


def _mail(job: WeeklyRun) -> Mail:
    steps = in_order(one for one in weekly.steps_of(job.store, job.day) if one.step != NAME)
    codes = [report.code for report in catalogue.reports(job.store)]
    is_late = mail_texts.late_reports(pending(job.store, codes, today=job.today), len(codes))
    mail_text = mail_texts.weekly_summary(job.day, [is_late, *headline_figures(job.store)], steps, job.week.desk_url)
    # Identified by the Monday, so that only one is sent per week even if a wrong clock made the steps run again.
    about = [Notice("summary", weekly.monday_of(job.day))]
    return Mail(Recipient(job.week.director), f"Week of {job.day}", mail_text, about)
