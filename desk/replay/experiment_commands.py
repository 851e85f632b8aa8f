"""The `presort experiment` command, which follows Krichel's 2007 protocol and prints the paper's appendix tables."""

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

import joblib
import pandas as pd
import typer

from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson
from presort.desk.console.printing import out, print_table, table_of
from presort.desk.console.progress import follow
from presort.desk.console.ranker_options import Dask, connect_dask
from presort.desk.replay import experiment
from presort.desk.scores.registry import MEASURES
from presort.desk.text import count_text, exact_text
from presort.metrics.loss import decimal_losses, median_loss
from presort.ranker.experiment import Plan, Run
from presort.ranker.recipe import Recipe
from presort.ranker.versions import DEFAULT, RECIPES, find_recipe

MOST_RUNS = 10_000
DISTRIBUTION = ("mean", "min", "max", "deviation")
TABLES: list[tuple[str, Sequence[str]]] = [
    *((name, DISTRIBUTION) for name in experiment.TABLED if name != "ponori"),
    ("ponori", ("median", "mean", "deviation")),  # split into two tables, because exact figures are wide
    ("ponori", ("min", "max")),
]
JOBS = joblib.cpu_count()
PROTOCOL = (
    "Protocol of Krichel (2007): papers are held out at random, so the training data may include papers that are newer "
    "than the ranked papers. This does not predict weekly performance; use 'presort replay' for that. Each run "
    "computes everything from scratch, including the features."
)
HOW_TO_READ = (
    "Higher is better; 0 % is a random order. For 2-Ponori, use the median, because one bad run dominates its mean."
)


def run_experiment(
    context: typer.Context,
    ranker: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(RECIPES)}.")] = DEFAULT,
    reports: Annotated[
        list[str] | None, typer.Option("--report", metavar="CODE", help="Only this report. Can be repeated.")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, max=MOST_RUNS, metavar="N", help="Runs per report.")] = 10,
    held_out: Annotated[int, typer.Option(min=1, metavar="N", help="Papers held out in each run.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Random seed for the choice of held-out papers.")] = 1,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Number of processes, each with its own run.")
    ] = JOBS,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Repeat Krichel's experiment of 2007: hold out papers at random, train on the others, and rank the held-out ones.

    Later decisions may influence the rank of a paper. To predict weekly performance, use 'presort replay'.
    Each run of each report trains from scratch, including the features.
    """
    recipe = _recipe(ranker)
    done: list[Run] = []
    with open_workspace(context) as store:
        history, plans = experiment.plan(
            store, recipe, reports=reports or (), n_runs=runs, n_held_out=held_out, seed=seed
        )
        store.end_snapshot()  # training takes hours, and a read transaction of that length would hold up the database
        with connect_dask(dask, jobs) as n_jobs:
            follow("Experiment", experiment.follow_runs(recipe, history, plans, done, n_jobs=n_jobs))
    table = experiment.score_runs(done)
    left_out = {plan.report: plan.why_left_out for plan in plans if plan.why_left_out}
    if as_json:
        options = {"ranker": recipe.name, "runs_a_report": runs, "held_out": held_out, "seed": seed}
        typer.echo(json.dumps({**options, "protocol": PROTOCOL, **_objects(table), "left_out": left_out}))
        return
    n_made = f"{count_text(runs, 'run')} per report, {count_text(held_out, 'paper')} held out in each, seed {seed}"
    out.print(f"{recipe.name}: {n_made}.")
    show(table, plans)


def show(table: pd.DataFrame, plans: Sequence[Plan]) -> None:
    """Print one table per measure, with one row per report, followed by a legend and the reports left out."""
    if not table.empty:
        summary = experiment.summarise(table)
        for name, columns in TABLES:
            texts = _texts(name, summary[summary["measure"] == name], table)
            out.print(f"\n{MEASURES[name].label}")
            print_table(table_of(texts[["report", *columns]]))
        out.print(f"\n{PROTOCOL}\n{HOW_TO_READ}")
    if n_undefined := int(table["aselt"].isna().sum()):
        out.print(f"Not scored because all held-out papers were relevant: {count_text(n_undefined, 'run')}.")
    for note, n_runs in table["note"][table["note"] != ""].value_counts().items():
        out.print(f"{count_text(n_runs, 'run')}: {note}")
    for plan in plans:
        if plan.why_left_out:
            out.print(f"Left out: {plan.report} ({plan.why_left_out}).")


def _texts(name: str, summary: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Format the figures as percentages. If a measure has a loss, its figures are formatted from exact losses."""
    texts = summary.drop(columns=["runs", "measure"]).set_index("report").map(_percent)
    if name in experiment.EXACT:
        for report, outcomes in table.groupby("report")["outcome"]:
            if defined := [loss for loss in decimal_losses(name, outcomes) if not loss.is_nan()]:
                nearest = {"mean": defined, "median": [median_loss(name, outcomes)]}
                nearest |= {"min": [max(defined)], "max": [min(defined)]}
                texts.loc[report, list(nearest)] = [exact_text(each) for each in nearest.values()]
    return texts.reset_index()


def _percent(share: float) -> str:
    if math.isnan(share):
        return "-"
    percent = f"{100 * share:,.2f} %"
    return f"{Decimal(100 * share):.1e} %" if share and percent == "0.00 %" else percent


def _objects(table: pd.DataFrame) -> dict[str, Any]:
    """Return the runs and their summary for JSON, with positions instead of outcomes and null instead of NaN."""
    positions = table["outcome"].map(lambda outcome: outcome.positions.tolist())
    runs = table.drop(columns="outcome").assign(positions=positions)
    return {"runs": _records(runs), "summary": _records(experiment.summarise(table))}


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    nulls = table.astype(object).where(table.notna(), None)
    return [{str(name): cell for name, cell in row.items()} for row in nulls.to_dict(orient="records")]


def _recipe(name: str) -> Recipe:
    try:
        return find_recipe(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--ranker") from error
