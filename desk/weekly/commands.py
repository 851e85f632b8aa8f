"""The command `presort weekly`."""

import logging
from contextlib import closing
from datetime import date
from typing import Annotated

import typer

from presort.data.harvest.polite import Clock
from presort.data.records import WeeklyStep
from presort.data.running import weekly as log
from presort.data.running.service import is_demo
from presort.data.running.trials import temporary_copy
from presort.data.store import Store, find_store
from presort.desk import process, settings
from presort.desk.console.opening import open_workspace
from presort.desk.console.printing import err, out
from presort.desk.console.ranker_options import JOBS, Jobs
from presort.desk.service import weekly_job
from presort.desk.settings import MailServer
from presort.desk.weekly.job import WeeklyRun, day_of_week, run
from presort.desk.weekly.steps import STEPS

CLOCK = Clock()
LOG = logging.getLogger(__name__)

OF_DEMO = "The demo sends no mail."
PRESORT = "presort"  # name logged as the author of the job's changes


def weekly(
    context: typer.Context,
    is_trial: Annotated[
        bool, typer.Option("--dry-run", help="Print the planned steps without changing anything.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat all steps, including those already done this week.")
    ] = False,
    jobs: Jobs = JOBS,
) -> None:
    """Run the weekly job: import, rank, notify editors, send reports, write public pages, train, mail a summary.

    Meant for a timer, such as cron. Steps already done this week are skipped, and nobody gets a notice twice. The same
    command resumes failed or interrupted steps. Sources of papers and the director's address are set in presort.toml.
    """
    week, server = settings.week(), _mail_server()
    if is_trial:
        with (
            closing(find_store(context.obj.workspace, settings.database())) as workspace,
            temporary_copy(workspace) as copy,
        ):
            job = _job(copy, week, server, jobs)
            for step in STEPS:
                out.print(f"{weekly_job.TITLES[step.name]}: {step.plan(job)}", soft_wrap=True)
        return
    with open_workspace(context) as store, log.weekly_lock(store):
        store.default_author = PRESORT
        report, news = _log if process.is_json() else _print, list[WeeklyStep]()
        for _ in run(_job(store, week, server, jobs), STEPS, again=again, on_done=lambda one: news.append(report(one))):
            pass
    if not news and not process.is_json():
        out.print("All steps of this week are done. Use --again to repeat them.")
    if any(one.state == "failed" for one in news):
        raise typer.Exit(1)


def _job(store: Store, week: settings.Week, server: MailServer | str, jobs: int) -> WeeklyRun:
    today = date.today()
    if is_demo(store):  # the demo's editors and their addresses are synthetic
        server = OF_DEMO
    return WeeklyRun(store, day_of_week(store, today), today, week, server, CLOCK, jobs)


def _print(step: WeeklyStep) -> WeeklyStep:
    (err if step.state == "failed" else out).print(weekly_job.describe_step(step), soft_wrap=True)
    return step


def _log(step: WeeklyStep) -> WeeklyStep:
    """Log the result of a step without its message, because only *Overview* may show names and addresses."""
    # At least 0, in case the clock was set back in the meantime.
    seconds = None if step.ended_at is None else max((step.ended_at - step.began_at).total_seconds(), 0.0)
    title = weekly_job.TITLES[step.step]
    process.log_result(LOG, title, step.state, step=step.step, seconds=seconds, reason=step.reason)
    return step


def _mail_server() -> MailServer | str:
    """Return the mail server, or a message if none is configured. Raises RefusedError if the settings are invalid."""
    if not settings.has_mail():
        return "No mail server is configured, so no notices are sent."
    return settings.mail_server()
