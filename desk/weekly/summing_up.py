"""The summary that the director gets by mail, once a week."""

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
from presort.desk.summary import figures, text
from presort.desk.weekly import words
from presort.desk.weekly.job import PassedOver, WeeklyRun
from presort.desk.weekly.notices import Mail, send, server_of

NO_ADDRESS = "No mail address of the director is set."
NAME = "summary"


def tell_director(job: WeeklyRun) -> str:
    """Mail the director how the job went, and how good the orders were."""
    server = server_of(job)
    if not job.week.director:
        raise PassedOver(NO_ADDRESS)
    mail = _mail(job)
    if not notices.untold(job.store, mail.about):
        return "The director was told already."
    send(job.store, server, [mail])
    return f"Sent to {job.week.director}."


def plan(job: WeeklyRun) -> str:
    """Return the recipient of the summary that would be sent."""
    if isinstance(job.server, str):
        return job.server
    return f"Would tell {job.week.director} how it went." if job.week.director else NO_ADDRESS


def sentences(store: Store) -> list[str]:
    """Return what the summary says of all that was sorted for editors; nothing before anything was scored."""
    scored = scores(store)
    material = figures.material(for_comparison(store, scored), rows_of(store, scored, SORTED))
    if material.mine.empty:
        return []
    reports = text.with_names(store, figures.reading_by_report(material.mine))
    saved = text.saved(store, material.mine)
    return [one.text for one in text.sentences(material, reports, saved)]


def _mail(job: WeeklyRun) -> Mail:
    steps = in_order(one for one in weekly.steps_of(job.store, job.day) if one.step != NAME)
    codes = [report.code for report in catalogue.reports(job.store)]
    is_late = words.late_reports(pending(job.store, codes, today=job.today), len(codes))
    mail_text = words.summed_up(job.day, [is_late, *sentences(job.store)], steps, job.week.desk_url)
    # One a week, on whatever day it is done: a clock that was ahead or set back has the steps done again.
    about = [Notice("summary", weekly.monday_of(job.day))]
    return Mail(Recipient(job.week.director), f"The week of {job.day}", mail_text, about)
