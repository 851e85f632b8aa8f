"""Krichel's own experiment: hold out papers at random, train on the others, rank those held out.

The split is random in time as well: a paper may be ranked by what the editor decided later. This is the protocol of
the paper, for figures comparable with its own. They don't predict weekly work; `presort.ranker.train` does.

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
from presort.ranker.parallel import in_processes
from presort.ranker.plugin_guard import is_plugin
from presort.ranker.recipe import Decided, Labels, MemoryModelStore, Recipe, Task

MOST_DRAWS = 1000  # for one run; a paper that 1 % of the draws hold out is then missed once in 20,000 runs


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Held-out papers of a report, run by run.

    Attributes
    ----------
    report : str
        Code of the report.
    decided : Decided
        All papers that it has decided on, each once.
    held_out : tuple of array, each of shape (n_held_out,)
        Places in ``decided.rows`` of the papers held out in each run, ascending.
    why_left_out : str
        Why there is no run; empty if there are runs.
    """

    report: str
    decided: Decided
    held_out: tuple[Rows, ...] = ()
    why_left_out: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """One training, and the ranking of the papers held out from it.

    Attributes
    ----------
    report : str
        Code of the report.
    number : int
        Number of the report's run, from 1.
    positions : array of shape (n_relevant,)
        Positions of the relevant papers in the ranking, from 1, ascending; there is at least one.
    n_papers : int
        Papers held out and ranked.
    n_trained_on, n_trained_relevant : int
        Papers trained on, and the relevant ones among them.
    note : str
        Message for the user; mostly empty.
    """

    report: str
    number: int
    positions: Positions
    n_papers: int
    n_trained_on: int
    n_trained_relevant: int
    note: str = ""


def plan_runs(history: History, report: str, *, n_runs: int = 10, n_held_out: int = 300, seed: int = 1) -> Plan:
    """Draw which papers each run holds out, at random from all that a report has decided on.

    These are its relevant papers and the others of their issues, by `presort.ranker.gather.training_rows`. A paper
    listed in several issues is one paper, relevant if it was in any, so that no run trains on what it ranks. A run
    draws again until a relevant paper is held out and enough is left to train on.

    Parameters
    ----------
    history : History
        Issues, papers and decisions.
    report : str
        Code of the report.
    n_runs, n_held_out : int
        Runs, and papers held out in each; at least 1.
    seed : int
        Not negative. A run depends on it, the report and the run's number alone, not on what else is asked for.

    Returns
    -------
    Plan
        Without runs, and with the reason, if too little was decided.

    Raises
    ------
    ValueError
        If `n_runs` or `n_held_out` is less than 1, or `seed` negative.
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
            reason = f"in {MOST_DRAWS:,} draws never a relevant paper held out and enough left to train on"
            return Plan(report, decided, why_left_out=reason)
        held_out.append(drawn)
    return Plan(report, decided, tuple(held_out))


def make_runs(recipe: Recipe, history: History, plans: Sequence[Plan], *, n_jobs: int = 1) -> Generator[Run]:
    """Train and rank for every run of the plans.

    Each run computes everything from scratch, including the features, from only the papers that it trains on. This
    follows the paper and is equally slow. A recipe in which reports learn from each other sees only this report.

    Parameters
    ----------
    recipe : Recipe
        The way to rank.
    history : History
        The one that the plans were made from.
    plans : sequence of Plan
        One a report.
    n_jobs : int
        Processes, each with a run of its own; 1 starts none. The result does not depend on it, its order does.

    Yields
    ------
    Run
        As soon as it is ready.
    """
    shared = (recipe, history.papers, history.vectors)
    calls = ((plan, number) for plan in plans for number in range(1, len(plan.held_out) + 1))
    with closing(in_processes(_run, shared, calls, n_jobs, stays=is_plugin(recipe))) as ready:
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
        decided={plan.report: Decided(np.arange(len(past)), y)},
        models=MemoryModelStore(),
        vectors=None if vectors is None else vectors[np.concatenate([past_rows, new_rows])],
        has_readers=False,
    )
    [(_, scores, note, _)] = recipe.method.score(task, [plan.report], 1)
    order = np.arange(len(new)) if scores is None else np.argsort(-scores, kind="stable")  # ties keep list order
    positions = np.flatnonzero(y_new[order]).astype(np.int32) + 1
    return Run(plan.report, number, positions, len(new), len(past), int(y.sum()), note)


def _each_paper_once(history: History, decided: Decided) -> Decided:
    ids = np.array([history.papers[row].paper_id for row in decided.rows])
    relevant_first = np.argsort(-decided.y, kind="stable")
    _, first = np.unique(ids[relevant_first], return_index=True)
    kept = np.sort(relevant_first[first])
    return Decided(decided.rows[kept], decided.y[kept])


def _too_little(y: Labels, n_held_out: int) -> str:
    n_relevant, least = int(y.sum()), n_held_out + MIN_RELEVANT + 1
    if len(y) < least:
        return f"{len(y):,} papers decided, at least {least:,} are needed to hold out {n_held_out:,}"
    if n_relevant <= MIN_RELEVANT:
        return (
            f"{n_relevant} relevant, at least {MIN_RELEVANT + 1} are needed: one to hold out, the others to learn from"
        )
    return "" if n_relevant < len(y) else "every paper decided is relevant"


def _draw(y: Labels, n_held_out: int, random: np.random.Generator) -> Rows | None:
    """Draw places until the rule holds; None if it never did."""
    for _ in range(MOST_DRAWS):
        places = np.sort(random.choice(len(y), n_held_out, replace=False))
        if y[places].any() and can_train(np.delete(y, places)):
            return places
    return None
