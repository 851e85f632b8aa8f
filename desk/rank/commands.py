"""The commands `presort rank` and `presort learn`."""

from datetime import datetime
from typing import Annotated

import typer

from presort.data.errors import BrokenRankerError, raise_broken
from presort.desk.console.opening import opened
from presort.desk.console.options import DAY, AsJson, Reports
from presort.desk.console.printing import out
from presort.desk.console.progress import follow, say_made
from presort.desk.console.ranker_options import JOBS, Dask, Jobs, Rankers, recipes_named, working_on
from presort.desk.service import workflow
from presort.desk.service.past_lists import rank_past
from presort.desk.service.pending import rank_pending
from presort.desk.text import counted


def rank(
    context: typer.Context,
    rankers: Rankers = None,
    reports: Reports = None,
    issue: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="Issue to rank; default the newest.")
    ] = None,
    is_pending: Annotated[
        bool, typer.Option("--pending", help="Re-rank all pending issues with the newest decisions.")
    ] = False,
    jobs: Jobs = JOBS,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Rank the newest issue for every report or for the given reports. Defaults to the rankers in use.

    With --pending, each issue is ranked by the rankers that ranked it before, unless --ranker is given.
    """
    if is_pending and issue:
        raise typer.BadParameter("choose one of --issue and --pending", param_hint="--pending")
    recipes = recipes_named(rankers or ())
    broken: list[BrokenRankerError] = []
    with opened(context) as store, working_on(dask, jobs) as n_jobs:
        if is_pending:
            work = rank_pending(store, recipes, reports=reports or (), n_jobs=n_jobs)
        else:
            day = issue.date() if issue else None
            work = workflow.rank(store, recipes, issue=day, reports=reports or (), n_jobs=n_jobs)
        say_made(follow("Ranking", work, broken=broken), as_json=as_json)
    raise_broken(broken)


def learn(context: typer.Context, jobs: Jobs = JOBS) -> None:
    """Train the models of the rankers in use for the coming weeks, if they are due. Meant for the night.

    Past issues are ranked by a newly chosen ranker, so that its first list has stop advice.
    Ranking works without it. From cron, for example: 'presort harvest && presort learn && presort rank'.
    """
    with opened(context) as store:
        names = workflow.learn(store, n_jobs=jobs)
        steps = follow("Sorting past issues", rank_past(store, n_jobs=jobs))
    if names:
        out.print(f"Learned ahead: {', '.join(names)}.")
    if steps:
        n_made = counted(steps[-1].done, "ranking")
        out.print(f"Past issues ranked by {steps[-1].ranker} for stop advice: {n_made} made.")
    if not (names or steps):
        out.print("Nothing is due: all models are up to date.")
