"""The command `presort replay`: rank past issues as if they were new, and compare the rankers."""

import json
import math
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from presort.data import catalogue
from presort.data.errors import BrokenRankerError, RefusedError, raise_ranker_errors
from presort.data.learning import rankings
from presort.data.records import Replay
from presort.data.store import Store
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, MinPapers, Reports
from presort.desk.console.printing import out, print_table, table_of
from presort.desk.console.progress import follow, print_summary, summarise_steps
from presort.desk.console.ranker_options import JOBS, Dask, Jobs, Rankers, connect_dask, find_recipes
from presort.desk.replay import figures
from presort.desk.scores.table import keep_comparable, large_reports, scores, side_by_side
from presort.desk.service import workflow
from presort.desk.service.ranking_run import Progress
from presort.desk.text import count_text
from presort.ranker.recipe import Recipe
from presort.ranker.versions import DEFAULT

MOST_ISSUES = 100_000  # more issues than any service has, and within the database's integer range
NOTHING = "Nothing to compare: no report issue with a relevant paper was ranked by all these rankers."
AGAINST_FIRST = ("earlier", "same", "later")
SIDE_BY_SIDE = {
    "ranker": "ranker",
    "mean_relative_last_position": "last",
    "median_relative_last_position": "median",
    "mean_copnori_gap": "1 −\nCopnori",  # noqa: RUF001
    "mean_average_precision": "AP",
    "mean_aselt": "Aselt",
    "mean_nosel": "Nosel",
} | {name: name for name in AGAINST_FIRST}


def _check_figure(path: Path | None) -> Path | None:
    try:
        if path is not None:
            figures.check_path(path)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return path


def run_replay(
    context: typer.Context,
    first: Annotated[datetime, typer.Option("--from", formats=DAY, metavar="DATE", help="First issue.")],
    last: Annotated[datetime, typer.Option("--to", formats=DAY, metavar="DATE", help="Last issue.")],
    rankers: Rankers = None,
    reports: Reports = None,
    retrain_every: Annotated[
        int, typer.Option(min=1, max=MOST_ISSUES, metavar="K", help="Train before every K-th issue.")
    ] = 1,
    min_papers: MinPapers = 0,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", callback=_check_figure, help=f"Write a chart of the rankers ({', '.join(figures.ENDINGS)})."
        ),
    ] = None,
    jobs: Jobs = JOBS,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Rank past issues as if they were new, score them, and compare the rankers.

    An interrupted replay resumes where it stopped. For a finished replay, the table is printed at once.
    The other rankers are compared with the first one.
    --min-papers applies to the table and the figure only: all reports are replayed.
    """
    recipes = find_recipes(rankers or [DEFAULT])
    if last < first:
        raise typer.BadParameter(f"{last:%Y-%m-%d} is before {first:%Y-%m-%d}", param_hint="--to")
    broken: list[BrokenRankerError] = []
    with open_workspace(context) as store:
        with connect_dask(dask, jobs) as n_jobs:
            steps, replay = replay_issues(
                store,
                recipes,
                first.date(),
                last.date(),
                retrain_every,
                reports=reports or (),
                n_jobs=n_jobs,
                broken=broken,
            )
        failed = {name for error in broken for name in error.rankers}
        names = [recipe.name for recipe in recipes if recipe.name not in failed]
        scored = replayed_scores(store, replay, names, reports=reports or (), min_papers=min_papers)
    if not names:
        raise_ranker_errors(broken)
    if as_json:
        typer.echo(json.dumps(summarise_steps(steps) | _object(scored, names, replay)))
    else:
        if steps or not broken:
            print_summary(steps)
        show(scored, names, replay)
    if figure is not None:
        draw(scored, names, replay, figure)
        if not as_json:
            out.print(f"Wrote {figure}.", soft_wrap=True)
    raise_ranker_errors(broken)


def replay_issues(
    store: Store,
    recipes: Sequence[Recipe],
    first: date,
    last: date,
    retrain_every: int,
    *,
    reports: Sequence[str] = (),
    n_jobs: int = 1,
    broken: list[BrokenRankerError] | None = None,
) -> tuple[list[Progress], Replay]:
    """Run `workflow.replay` with a progress bar. Returns the steps that were run and the replay."""
    if days := [issue.date for issue in catalogue.issues(store) if first <= issue.date <= last]:
        first, last = days[0], days[-1]  # passed as dates, so that issues imported in the meantime are not included
    work = workflow.replay(
        store, recipes, first=first, last=last, retrain_every=retrain_every, reports=reports, n_jobs=n_jobs
    )
    steps = follow("Replaying", work, broken=broken)
    return steps, Replay(rankings.find_replay(store, first, last, retrain_every), first, last, retrain_every)


def replayed_scores(
    store: Store, replay: Replay, rankers: Sequence[str], *, reports: Sequence[str] = (), min_papers: int = 0
) -> pd.DataFrame:
    """Return the replay's scores for these rankers and reports.

    Reports with fewer than `min_papers` relevant papers are left out. `reports` defaults to all reports.
    """
    scored = scores(store, replay=replay.id)
    is_asked = scored["ranker"].isin(rankers) & scored["report"].isin(large_reports(store, min_papers))
    return scored[is_asked & scored["report"].isin(reports)] if reports else scored[is_asked]


def show(scored: pd.DataFrame, rankers: Sequence[str], replay: Replay) -> None:
    """Print a comparison of the rankers."""
    fair = keep_comparable(scored, rankers)
    span = f"Replay {replay.id}, {replay.first_issue} to {replay.last_issue}"
    if fair.empty:
        out.print(f"{span}: {NOTHING}")
        return
    table = side_by_side(fair, rankers)
    n_report_issues, n_reports = int(table["report_issues"].iloc[0]), fair["report"].nunique()
    out.print(f"\n{span}: {count_text(n_report_issues, 'report issue')} of {count_text(n_reports, 'report')}")
    show_side_by_side(table, n_left_out=_n_report_issues(scored) - n_report_issues)


def draw(scored: pd.DataFrame, rankers: Sequence[str], replay: Replay, path: Path) -> None:
    """Draw `figures.replay_figure` and write it to a file.

    Raises
    ------
    DataError
        If there is nothing to plot, or the file can't be written.
    """
    fair = keep_comparable(scored, rankers)
    if fair.empty:
        raise RefusedError(f"{path} was not written. {NOTHING}")
    figures.save(figures.replay_figure(fair, rankers, replay), path)


def _n_report_issues(scored: pd.DataFrame) -> int:
    return len(scored[["report", "issue"]].drop_duplicates())


def _object(scored: pd.DataFrame, rankers: Sequence[str], replay: Replay) -> dict[str, Any]:
    """Return the figures that `show` prints as a JSON-serialisable object. NaN becomes null."""
    fair = keep_comparable(scored, rankers)
    table = pd.DataFrame() if fair.empty else side_by_side(fair, rankers)
    return {
        "replay": replay.id,
        "report_issues": _n_report_issues(fair),
        "left_out": _n_report_issues(scored) - _n_report_issues(fair),
        "rankers": table.astype(object).where(table.notna(), None).to_dict(orient="records"),
    }


def show_side_by_side(table: pd.DataFrame, *, n_left_out: int) -> None:
    """Print the table returned by `side_by_side`, notes on its columns, and the number of report issues left out."""
    texts = {"mean_copnori_gap": table["mean_copnori_gap"].map(_format_small)}
    texts |= {name: table[name].map(_percent) for name in AGAINST_FIRST}
    heads = list(SIDE_BY_SIDE.values())
    print_table(table_of(table.assign(**texts)[list(SIDE_BY_SIDE)], heads=heads, figures=texts))
    first = table["ranker"].iloc[0]
    out.print(
        "last, median: mean and median relative last position. Lower is better for both and for 1 − Copnori. "  # noqa: RUF001
        "AP, Aselt, Nosel: means. Higher is better."
    )
    if len(table) > 1:
        out.print(
            "earlier, same, later: percentage of report issues in which the last relevant paper is earlier, in the "
            f"same position or later than with {first}. If it is in the same position, the relevant paper before it "
            "decides, and so on."
        )
    for ranker, n_untrained in zip(table["ranker"], table["list_order"], strict=True):
        if n_untrained:
            out.print(
                f"{ranker}: {count_text(n_untrained, 'report issue')} in list order because there were too "
                "few decisions."
            )
    if n_all := table["all_relevant"].iloc[0]:
        everything = count_text(n_all, "report issue")
        out.print(f"Left out of 1 − Copnori, Aselt and Nosel because every paper is relevant: {everything}.")  # noqa: RUF001
    if n_left_out:
        left = count_text(n_left_out, "report issue")
        out.print(f"Left out because no paper is relevant or a ranker did not rank the issue: {left}.")


def _format_small(value: float) -> str:
    if math.isnan(value):
        return "-"
    text = f"{value:.4f}"
    return f"{value:.1e}" if value and text == "0.0000" else text


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"
