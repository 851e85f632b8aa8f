"""Krichel's experiment on the data of a workspace: its runs, their scores, and the tables in the paper's appendix."""

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from presort.data import catalogue
from presort.data.errors import RefusedError
from presort.data.learning.history import read_history
from presort.data.records import History
from presort.data.store import Store
from presort.desk.scores.registry import MEASURES
from presort.desk.service.ranking_run import Progress
from presort.desk.service.vectors import complete_vectors
from presort.metrics import Outcome, score
from presort.metrics.loss import loss_deviation, losses
from presort.ranker.experiment import Plan, Run, make_runs, plan_runs
from presort.ranker.recipe import Recipe

TABLED = ("aselt", "lofop", "nosel", "copnori", "ponori")
EXACT = tuple(name for name in TABLED if MEASURES[name].loss)  # values close to the best value may round to 1


def plan(
    store: Store, recipe: Recipe, *, reports: Sequence[str] = (), n_runs: int = 10, n_held_out: int = 300, seed: int = 1
) -> tuple[History, list[Plan]]:
    """Read the whole history and draw the held-out papers of each run.

    Parameters
    ----------
    recipe : Recipe
        Recipe that every run uses. Vectors are loaded only if the recipe uses them.
    reports : sequence of str
        Report codes. Defaults to all reports that are not retired.
    n_runs, n_held_out, seed
        See `presort.ranker.experiment.plan_runs`.

    Raises
    ------
    RefusedError
        If a report does not exist, the workspace is empty, or the recipe uses vectors and there are none.
    """
    with store.reading() as connection:
        for code in reports:
            catalogue.report_id(connection, code)  # raises RefusedError if the report does not exist
    codes = list(dict.fromkeys(reports)) or [report.code for report in catalogue.reports(store)]
    issues = catalogue.issues(store)
    if not issues or not codes:
        raise RefusedError("No training data. Import issues with past selections first.")
    history = read_history(store, issues[-1].date, has_vectors=complete_vectors(store, [recipe]))
    return history, [plan_runs(history, code, n_runs=n_runs, n_held_out=n_held_out, seed=seed) for code in codes]


def follow_runs(
    recipe: Recipe, history: History, plans: Sequence[Plan], into: list[Run], *, n_jobs: int = 1
) -> Iterator[Progress]:
    """Run the experiment, append each run to `into`, and yield the number of completed runs as progress."""
    total = sum(len(one.held_out) for one in plans)
    for run in make_runs(recipe, history, plans, n_jobs=n_jobs):
        into.append(run)
        yield Progress(len(into), total, recipe.name, run.report, run.note)


def score_runs(runs: Iterable[Run]) -> pd.DataFrame:
    """Score the runs. Returns one row per run, sorted by report and run number.

    Columns: ``report``, ``run``, ``n_papers``, ``n_relevant``, ``n_trained_on``, ``n_trained_relevant``, ``note``,
    ``outcome``, one for each of `TABLED` (NaN if all held-out papers were relevant), and ``copnori_gap`` and
    ``ponori_gap``, the losses of Copnori and 2-Ponori.
    """
    ordered = sorted(runs, key=lambda run: (run.report, run.number))
    outcomes = [Outcome(run.positions, run.n_papers) for run in ordered]
    columns: dict[str, list[Any]] = {
        "report": [run.report for run in ordered],
        "run": [run.number for run in ordered],
        "n_papers": [run.n_papers for run in ordered],
        "n_relevant": [outcome.r for outcome in outcomes],
        "n_trained_on": [run.n_trained_on for run in ordered],
        "n_trained_relevant": [run.n_trained_relevant for run in ordered],
        "note": [run.note for run in ordered],
        "outcome": outcomes,
    }
    table = pd.concat([pd.DataFrame(columns), score(outcomes, TABLED)], axis="columns")
    return table.assign(**{f"{name}_gap": losses(name, outcomes) for name in EXACT})


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Summarise the result of `score_runs` by report, like the tables in the paper's appendix.

    Returns one row per report and measure: ``report``, ``measure``, ``runs`` (number of runs in which the measure is
    defined), and the ``mean``, ``median``, ``min``, ``max`` and ``deviation`` over these runs. ``deviation`` is the
    sample standard deviation (NaN for a single run). For measures in `EXACT`, it is computed from exact losses.
    """
    rows = [
        {"report": report, "measure": name, **_figures(name, runs)}
        for name in TABLED
        for report, runs in table.groupby("report", sort=True)
    ]
    return pd.DataFrame(rows)


def _figures(name: str, runs: pd.DataFrame) -> dict[str, float]:
    values = runs[name]
    defined = values.dropna().to_list()
    exact = loss_deviation(name, runs["outcome"]) if name in EXACT else math.nan
    return {
        "runs": len(defined),
        "mean": values.mean(),
        "median": values.median(),
        "min": values.min(),
        "max": values.max(),
        "deviation": exact if name in EXACT or len(defined) < 2 else float(statistics.stdev(defined)),
    }
