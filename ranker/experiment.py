"""Krichel's experiment: hold out papers at random, train on the others, and rank the held-out papers.

The split ignores time, so a ranking may use decisions that the editor made later. This is the protocol of Krichel's
paper, for comparison with its results. It doesn't predict performance in weekly use; replays with
`presort.ranker.train` do.

References
----------
Krichel, IP&M 2007.
"""

import zlib
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date

import numpy as np

from presort.data.records import History, Paper, Positions, Rows, Vectors
from presort.ranker.gather import MIN_RELEVANT, can_train, training_rows
from presort.ranker.parallel import run_in_processes
from presort.ranker.plugin_guard import is_plugin
from presort.ranker.recipe import Labels, MemoryModelStore, Recipe, Task, TrainingLabels

# Maximum number of draws per run. Even if only 1 % of draws hold out a relevant paper, 1,000 draws without a valid one
# are expected in only 1 of 20,000 runs.
MOST_DRAWS = 1000


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Papers held out in each of a report's runs.

    Attributes
    ----------
    report : str
        Code of the report.
    decided : TrainingLabels
        All papers with a decision. Each paper occurs once.
    held_out : tuple of array, each of shape (n_held_out,)
        Ascending indexes into ``decided.rows`` of the papers held out in each run.
    why_left_out : str
        Reason why the report has no runs. Empty if it has runs.
    """

    report: str
    decided: TrainingLabels
    held_out: tuple[Rows, ...] = ()
    why_left_out: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """Result of one run: how the held-out papers were ranked.

    Attributes
    ----------
    report : str
        Code of the report.
    number : int
        1-based number of the run for this report.
    positions : array of shape (n_relevant,)
        Ascending 1-based positions of the relevant papers in the ranking. There is at least one relevant paper.
    n_papers : int
        Number of held-out papers.
    n_trained_on, n_trained_relevant : int
        Number of training papers, and number of relevant training papers.
    note : str
        Message for the user. Usually empty.
    """

    report: str
    number: int
    positions: Positions
    n_papers: int
    n_trained_on: int
    n_trained_relevant: int
    note: str = ""


def plan_runs(history: History, report: str, *, n_runs: int = 10, n_held_out: int = 300, seed: int = 1) -> Plan:
    """Draw random papers for each run to hold out, from all papers on which the report's editor has decided.

    The papers with a decision are the report's relevant papers and the other papers of their issues, as in
    `presort.ranker.gather.training_rows`. A paper that was listed in several issues is included once, so that no run
    trains on a paper that it ranks. It is relevant if it was relevant in any of these issues. A run's draw is repeated
    until it holds out a relevant paper and leaves enough papers for training.

    Parameters
    ----------
    history : History
        Issues, papers and decisions.
    report : str
        Code of the report.
    n_runs, n_held_out : int
        Number of runs, and number of papers held out in each. At least 1.
    seed : int
        Random seed, 0 or more. A run depends only on the seed, the report and the run's number.

    Returns
    -------
    Plan
        Plan for the runs. If the report has too few decisions, it has no runs and states the reason.

    Raises
    ------
    ValueError
        If `n_runs` or `n_held_out` is less than 1, or if `seed` is negative.
    """
    for name, value, least in (("n_runs", n_runs, 1), ("n_held_out", n_held_out, 1), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")
    decided = _each_paper_once(history, training_rows(history, report, len(history.issues)))
    if reason := _too_little(decided.y, n_held_out):
        return Plan(report, decided, why_left_out=reason)
    held_out = []
    for number in range(1, n_runs + 1):
        drawn = _draw(decided.y, n_held_out, np.random.default_rng([seed, number, zlib.crc32(report.encode())]))
        if drawn is None:
            reason = (
                f"no valid split in {MOST_DRAWS:,} draws: none held out a relevant paper and left enough for training"
            )
            return Plan(report, decided, why_left_out=reason)
        held_out.append(drawn)
    return Plan(report, decided, tuple(held_out))


def make_runs(recipe: Recipe, history: History, plans: Sequence[Plan], *, n_jobs: int = 1) -> Generator[Run]:
    """Train and rank for every run in the plans.

    Each run computes everything from scratch, including the features, and uses only its training papers. This follows
    Krichel's protocol and is slow. Even a recipe that normally learns from several reports sees only the decisions for
    the report of the run.

    Parameters
    ----------
    recipe : Recipe
        Recipe of the ranker.
    history : History
        History from which the plans were drawn.
    plans : sequence of Plan
        One plan per report.
    n_jobs : int
        Number of processes, each of which does one run at a time. If it is 1, everything runs in this process. The
        number affects only the order of the results.

    Yields
    ------
    Run
        Result of each run as soon as it has finished.
    """
    shared = (recipe, history.papers, history.vectors)
    calls = ((plan, number) for plan in plans for number in range(1, len(plan.held_out) + 1))
    with closing(run_in_processes(_run, shared, calls, n_jobs, stays=is_plugin(recipe))) as ready:
        yield from ready


def _run(recipe: Recipe, papers: Sequence[Paper], vectors: Vectors | None, plan: Plan, number: int) -> Run:
    is_held_out = np.zeros(len(plan.decided.rows), dtype=np.bool_)
    is_held_out[plan.held_out[number - 1]] = True
    past_rows, new_rows = (plan.decided.rows[part] for part in (~is_held_out, is_held_out))
    past, new = ([papers[row] for row in rows] for rows in (past_rows, new_rows))
    y, y_new = plan.decided.y[~is_held_out], plan.decided.y[is_held_out]
    task = Task(
        ranker=recipe.name,
        issues=[date.min, date.max],
        starts=np.array([0, len(past)]),
        papers=[*past, *new],
        kept_tokens=None,
        n_past=len(past),
        n_listed=len(new),
        decided={plan.report: TrainingLabels(np.arange(len(past)), y)},
        models=MemoryModelStore(),
        vectors=None if vectors is None else vectors[np.concatenate([past_rows, new_rows])],
        has_readers=False,
    )
    [(_, scores, note, _)] = recipe.method.score(task, [plan.report], 1)
    # A stable sort keeps tied papers in list order.
    order = np.arange(len(new)) if scores is None else np.argsort(-scores, kind="stable")
    positions = np.flatnonzero(y_new[order]).astype(np.int32) + 1
    return Run(plan.report, number, positions, len(new), len(past), int(y.sum()), note)


def _each_paper_once(history: History, decided: TrainingLabels) -> TrainingLabels:
    ids = np.array([history.papers[row].paper_id for row in decided.rows])
    relevant_first = np.argsort(-decided.y, kind="stable")
    _, first = np.unique(ids[relevant_first], return_index=True)
    kept = np.sort(relevant_first[first])
    return TrainingLabels(decided.rows[kept], decided.y[kept])


def _too_little(y: Labels, n_held_out: int) -> str:
    n_relevant, least = int(y.sum()), n_held_out + MIN_RELEVANT + 1
    if len(y) < least:
        return f"{len(y):,} papers with a decision, but at least {least:,} are required to hold out {n_held_out:,}"
    if n_relevant <= MIN_RELEVANT:
        return (
            f"{n_relevant} relevant papers, but at least {MIN_RELEVANT + 1} are required: one to hold out, and the "
            "others for training"
        )
    return "" if n_relevant < len(y) else "all papers with a decision are relevant"


def _draw(y: Labels, n_held_out: int, random: np.random.Generator) -> Rows | None:
    """Draw the indexes of held-out papers until the split is valid. Returns None if no draw is valid."""
    for _ in range(MOST_DRAWS):
        places = np.sort(random.choice(len(y), n_held_out, replace=False))
        if y[places].any() and can_train(np.delete(y, places)):
            return places
    return None
