"""Ranking, mailing and training steps of the weekly job, and the list of all its steps."""

from presort.data.editing.pending import pending
from presort.data.errors import BrokenRankerError, DataError, raise_ranker_errors
from presort.data.mail.unsent import UnsentMail
from presort.data.records import WeeklyStep
from presort.data.running import service
from presort.desk.sending import delivery
from presort.desk.service import workflow
from presort.desk.service.delivery import due_mail
from presort.desk.service.past_lists import rank_past
from presort.desk.service.pending import rank_pending
from presort.desk.service.rankers import active_ranker, known_rankers_of
from presort.desk.text import count_text
from presort.desk.weekly import director_mail, notices, papers
from presort.desk.weekly.job import SkipStep, Step, WeeklyRun
from presort.desk.weekly.notices import server_of

NO_FOLDER = "No folder is configured for public pages."


def rank(job: WeeklyRun) -> str:
    """Rank the newest issue for all reports, and all pending issues without an up-to-date ranking."""
    n_ranked = 0
    broken: list[BrokenRankerError] = []
    for work in (workflow.rank(job.store, n_jobs=job.n_jobs), rank_pending(job.store, n_jobs=job.n_jobs)):
        try:
            before = n_ranked
            for progress in work:
                n_ranked = before + progress.done
        except BrokenRankerError as error:
            broken.append(error)
        except workflow.NothingToRankError as error:
            raise SkipStep(str(error)) from error
    if any(active_ranker(job.store) in error.rankers for error in broken):
        raise_ranker_errors(broken)
    parts = [f"{count_text(n_ranked, 'list')} ranked."] if n_ranked else []
    return " ".join([*parts, *dict.fromkeys(map(str, broken))]) or "All rankings are up to date."


def is_due(job: WeeklyRun, last: WeeklyStep) -> bool:
    """Return True if papers were imported since the last ranking, by another command or on the *Import* page."""
    return any(one.summary.new_listings and one.made_at > last.began_at for one in service.imports(job.store))


def plan_rank(job: WeeklyRun) -> str:
    """Describe the lists that would be ranked."""
    if reason := workflow.why_nothing_to_rank(job.store):
        return reason
    pending_issues = pending(job.store, workflow.known_reports(job.store), today=job.today)
    n_unsorted = sum(not by for by in known_rankers_of(job.store, pending_issues).values())
    return (
        f"Would rank new papers: {count_text(len(pending_issues), 'list')} pending, {n_unsorted:,} without a ranking."
    )


def learn(job: WeeklyRun) -> str:
    """Train the models for the coming weeks, and rank past lists for stop advice."""
    try:
        names = workflow.learn(job.store, n_jobs=job.n_jobs)
    except workflow.NothingToRankError as error:
        raise SkipStep(str(error)) from error
    steps = list(rank_past(job.store, n_jobs=job.n_jobs))
    parts = [f"Trained ahead of time: {', '.join(names)}."] if names else []
    if steps:
        parts.append(f"{count_text(steps[-1].done, 'past list')} ranked by {steps[-1].ranker} for stop advice.")
    return " ".join(parts) or "All models are up to date."


def plan_learn(job: WeeklyRun) -> str:
    """Describe the planned training."""
    return workflow.why_nothing_to_rank(job.store) or "Would train the models that are due."


def send_reports(job: WeeklyRun) -> str:
    """Send recently published report issues to the readers who don't have them yet."""
    server = server_of(job)
    with delivery.delivery_lock(job.store):
        sent = delivery.send_mail(job.store, reports_due(job), server)
    if sent.problems:
        cause = next(iter(sent.errors), None)  # the log names this error's class
        raise DataError(" ".join(filter(None, [*sent.problems, str(sent)]))) from cause
    return str(sent)


def plan_reports(job: WeeklyRun) -> str:
    """List the report issues that would be sent."""
    if isinstance(job.server, str):
        return job.server
    named = ", ".join(f"{one.report} {one.issue}" for one in reports_due(job))
    return f"Would send {named}." if named else "No report issue to send."


def reports_due(job: WeeklyRun) -> list[UnsentMail]:
    """Return the report issues that were recently published at the desk and have a pending mailing."""
    return due_mail(job.store, job.week.delivery, job.clock.now(), is_weekly=True)


def write_pages(job: WeeklyRun) -> str:
    """Write all public pages, including those whose papers, names or templates have changed."""
    if job.week.delivery.folder is None:
        raise SkipStep(NO_FOLDER)
    with delivery.delivery_lock(job.store):
        n_issues = delivery.write_pages(job.store, job.week.delivery, is_full=True)
    if n_issues is None:
        raise SkipStep("The demo has no public pages.")
    return f"Pages of {count_text(n_issues, 'report issue')} written."


def plan_pages(job: WeeklyRun) -> str:
    """Name the folder to which the pages would be written."""
    folder = job.week.delivery.folder
    return NO_FOLDER if folder is None else f"Would write public pages to {folder}."


STEPS = (
    Step("papers", papers.import_papers, papers.plan),
    Step("rank", rank, plan_rank, is_due=is_due),
    Step("tell", notices.notify_editors, notices.plan, needs="rank"),
    Step("send", send_reports, plan_reports),
    Step("pages", write_pages, plan_pages),
    Step("learn", learn, plan_learn),
    Step(director_mail.NAME, director_mail.notify_director, director_mail.plan, is_due=director_mail.is_due),
)
