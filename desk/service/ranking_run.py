"""Carry out a ranking plan: read the training data, train, rank, and store the rankings."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from presort.data.errors import BrokenRankerError
from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.learning.models import model_store
from presort.data.learning.rankings import TrainingWatermark
from presort.data.records import Cutoff, History, Ranking
from presort.data.store import Store
from presort.desk.service.ranking_plan import RankingPlan
from presort.desk.service.vectors import complete_vectors
from presort.ranker.parallel import has_workers
from presort.ranker.plugin_guard import is_plugin
from presort.ranker.recipe import MemoryModelStore, ModelStore, Recipe
from presort.ranker.tokens import TOKENISATION
from presort.ranker.train import RankedIssue, replay, replay_apart


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a long-running task.

    Attributes
    ----------
    done, total : int
        Number of finished rankings, and number of all rankings to compute.
    ranker, report : str
        Ranker and report of the newest ranking.
    note : str
        Note to the user. It may be empty.
    """

    done: int
    total: int
    ranker: str
    report: str
    note: str


def run_plan(store: Store, plan: RankingPlan, broken: list[BrokenRankerError]) -> Iterator[Progress]:
    """Train, rank and store the rankings, in one transaction per training. Rankers' errors are appended to `broken`."""
    request, done = plan.request, 0
    notes: list[str] = []
    history = training_history(store, request.recipes, request.first, request.last, request.cutoff)
    store.end_snapshot()  # training takes minutes, and an open read transaction would make the write-ahead log grow
    if request.replay is not None:  # a replay uses no examples, because they are newer than its issues
        history = dataclasses.replace(history, seeds={})
    # For replays and for rankings with a cutoff, stored models are not used, because they may know later decisions.
    is_late = request.replay is not None or request.cutoff is not None
    models: ModelStore = MemoryModelStore() if is_late else model_store(store, notes.append)
    for results in _results(plan, history, models):
        try:
            for (name, report, start), group in groupby(results, key=_training_of):
                new = list(group)
                known = plan.watermark(name, start, report)
                rankings.add_rankings(store, [_ranking(ranked, history, known, request.replay) for ranked in new])
                done += len(new)
                yield Progress(done, plan.n_rankings, name, report, new[0].note)
                yield from (Progress(done, plan.n_rankings, name, report, note) for note in notes)
                notes.clear()
        except BrokenRankerError as error:  # continue with the other rankers
            broken.append(error)


def training_history(
    store: Store, recipes: Sequence[Recipe], first_day: date, last_day: date, cutoff: Cutoff | None = None
) -> History:
    """Read the training data and the papers to rank. Past papers' texts are omitted if all recipes need only tokens."""
    needs_texts = any(recipe.method.needs_past_texts for recipe in recipes)
    return read_history(
        store,
        last_day,
        tokens=TOKENISATION,
        texts_from=date.min if needs_texts else first_day,
        has_vectors=complete_vectors(store, recipes),
        cutoff=cutoff,
    )


def _results(plan: RankingPlan, history: History, models: ModelStore) -> Iterator[Iterator[RankedIssue]]:
    """Yield the results of each run. Recipes that can use the cluster run together first, and the others one by one."""
    request, skip = plan.request, plan.skip
    span = (history, plan.start, plan.stop)
    how: Any = {"reports": request.reports, "retrain_every": request.retrain_every, "n_jobs": request.n_jobs}
    is_replay = request.replay is not None
    apart = [one for one in request.recipes if is_replay and has_workers() and not is_plugin(one)]
    if apart:
        yield replay_apart(apart, *span, skip=skip, **how)
    for recipe in request.recipes:
        if recipe not in apart:
            yield replay(
                *(recipe, *span),
                hints=plan.watermarks.hints,
                models=models,
                skip=skip[recipe.name],
                has_readers=not is_replay,
                **how,
            )


def _training_of(ranked: RankedIssue) -> tuple[str, str, int]:
    return ranked.ranker, ranked.report, ranked.trained_before


def _ranking(ranked: RankedIssue, history: History, watermark: TrainingWatermark, replay: int | None) -> Ranking:
    return Ranking(
        report=ranked.report,
        issue=history.issues[ranked.issue_index],
        ranker=ranked.ranker,
        trained_before=history.issues[ranked.trained_before],
        decisions_up_to=watermark.decisions_up_to,
        n_relevant=ranked.n_relevant,
        positions=ranked.order + 1,
        scores=ranked.scores,
        hints_up_to=watermark.hints_up_to,
        n_past=watermark.n_past,
        replay=replay,
        words=ranked.words if replay is None else (),  # words are only for highlighting, and editors don't read replays
    )
