"""The commands `presort rank` and `presort learn`."""

from datetime import datetime
from typing import Annotated

import typer

from presort.data.errors import BrokenRankerError, raise_ranker_errors
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, Reports
from presort.desk.console.printing import out
from presort.desk.console.progress import follow, print_summary
from presort.desk.console.ranker_options import JOBS, Dask, Jobs, Rankers, connect_dask, find_recipes
from presort.desk.service import workflow
from presort.desk.service.past_lists import rank_past
from presort.desk.service.pending import rank_pending
from presort.desk.text import count_text


def rank(
    context: typer.Context,
    rankers: Rankers = None,
    reports: Reports = None,
    issue: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="Issue to rank. Defaults to the newest.")
    ] = None,
    is_pending: Annotated[
        bool, typer.Option("--pending", help="Re-rank all pending issues with the newest decisions.")
    ] = False,
    jobs: Jobs = JOBS,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Rank the newest issue for all reports or for the given reports.

    Uses the active ranker and its shadows unless --ranker is given. With --pending, re-ranks each issue with the
    rankers that ranked it before.
    """
    if is_pending and issue:
        raise typer.BadParameter("choose either --issue or --pending", param_hint="--pending")
    recipes = find_recipes(rankers or ())
    broken: list[BrokenRankerError] = []
    with open_workspace(context) as store, connect_dask(dask, jobs) as n_jobs:
        if is_pending:
            work = rank_pending(store, recipes, reports=reports or (), n_jobs=n_jobs)
        else:
            day = issue.date() if issue else None
            work = workflow.rank(store, recipes, issue=day, reports=reports or (), n_jobs=n_jobs)
        steps = follow("Ranking", work, broken=broken)
    if steps or as_json or not broken:  # without steps, "up to date" would be wrong if a ranker failed
        print_summary(steps, as_json=as_json)
    raise_ranker_errors(broken)


def learn(context: typer.Context, jobs: Jobs = JOBS) -> None:
    """Train the models of the active ranker and its shadows ahead of time, if they are due. Best run at night.

    Also ranks past issues with a newly chosen ranker, because its stop advice is based on past lists.
    The command is optional: 'presort rank' works without it.
    Example for cron: 'presort harvest && presort learn && presort rank'.
    """
    with open_workspace(context) as store:
        names = workflow.learn(store, n_jobs=jobs)
        steps = follow("Ranking past issues", rank_past(store, n_jobs=jobs))
    if names:
        out.print(f"Trained ahead of time: {', '.join(names)}.")
    if steps:
        n_made = count_text(steps[-1].done, "ranking")
        out.print(f"Past issues ranked by {steps[-1].ranker} for stop advice: {n_made}.")
    if not (names or steps):
        out.print("All models are up to date.")
