"""Training and ranking in blocks of issues, and replays that rank past issues as if each were new."""

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Hints, History
from presort.ranker.gather import RankingTask, gather
from presort.ranker.parallel import run_in_processes
from presort.ranker.recipe import PERIOD, MemoryModelStore, ModelStore, Recipe, ReportScores, Table, Task

TOO_FEW = "too few decisions to train on, so the papers are in list order"


@dataclass(frozen=True, eq=False, slots=True)
class RankedIssue:
    """Ranking of one issue for one report.

    Attributes
    ----------
    report : str
        Code of the report.
    ranker : str
        Name of the recipe.
    issue_index : int
        0-based index of the issue in the history.
    trained_before : int
        Index of an issue. The ranker was trained on decisions in earlier issues.
    order : array of shape (n_papers,)
        0-based indexes of the papers in the issue, most likely relevant first.
    scores : array of shape (n_papers,) or (0,)
        Scores of the papers in `order`, in non-increasing order. Empty if the issue is left in list order.
    n_relevant, n_trained_on : int
        Number of relevant papers in the training data, and number of training papers. The latter is 0 if the ranker
        wasn't trained.
    note : str
        Message for the user. Usually empty.
    words : tuple of str
        Words from titles and abstracts with the highest weights for the report, best first. They are spelled as in the
        block's issues. Empty if the ranker wasn't trained.
    """

    report: str
    ranker: str
    issue_index: int
    trained_before: int
    order: NDArray[np.int32]
    scores: NDArray[np.float64]
    n_relevant: int
    n_trained_on: int
    note: str = ""
    words: tuple[str, ...] = ()


def rank_block(
    recipe: Recipe,
    history: History,
    first: int,
    last: int,
    reports: Sequence[str],
    *,
    hints: Mapping[str, Hints] | None = None,
    models: ModelStore | None = None,
    n_jobs: int = 1,
    has_readers: bool = True,
) -> Iterator[RankedIssue]:
    """Train once on the issues before `first`, and rank the issues from `first` up to, but not including, `last`.

    Parameters
    ----------
    recipe : Recipe
        Recipe of the ranker.
    history : History
        Issues, papers and decisions. Decisions on issue `first` and later issues are ignored. All examples are used.
    first, last : int
        Indexes of issues, from 0.
    reports : sequence of str
        Codes of the reports to rank for.
    hints : mapping from report code to Hints, optional
        Muted and boosted terms.
    models : ModelStore, optional
        Store of trained models. Defaults to a temporary store in memory.
    n_jobs : int
        Number of processes. If it is 1, everything runs in this process. The number affects only the order of the
        results.
    has_readers : bool
        True to find the words with the highest weights for each report, which are highlighted for editors.

    Returns
    -------
    iterator of RankedIssue
        Rankings, which are yielded as soon as a report is finished. A report's rankings are consecutive, oldest issue
        first.

    Raises
    ------
    ValueError
        Unless 0 <= first < last <= number of issues.
    """
    if not 0 <= first < last <= len(history.issues):
        raise ValueError(
            f"first and last must satisfy 0 <= first < last <= {len(history.issues)}, got {first} and {last}"
        )
    kept = models or MemoryModelStore()
    gathered = gather(recipe.name, history, first, last, reports, hints or {}, kept, has_readers=has_readers)
    return _rank_block(recipe, history, gathered, first, last, reports, n_jobs)


def learn_ahead(
    recipe: Recipe, history: History, reports: Sequence[str], *, models: ModelStore, before: int, n_jobs: int = 1
) -> bool:
    """Train and store a model for the coming weeks if a new one is due. Returns True if a model was trained.

    Ranking starts from the newest stored model, regardless of its age. Training takes ten times as long as ranking, so
    call this function when nobody is waiting.

    Parameters
    ----------
    recipe, history, reports, models, n_jobs
        As in `rank_block`.
    before : int
        0-based index of an issue. The model is trained only on earlier issues.
    """
    gathered = gather(recipe.name, history, before, before + 1, reports, {}, models)
    return recipe.method.learn(gathered.task, n_jobs)


def _rank_block(
    recipe: Recipe, history: History, gathered: RankingTask, first: int, last: int, reports: Sequence[str], n_jobs: int
) -> Iterator[RankedIssue]:
    trainable = [report for report in reports if report in gathered.task.decided]
    untrained = (ReportScores(report, None, TOO_FEW) for report in reports if report not in gathered.task.decided)
    with closing(_score(recipe, gathered.task, trainable, n_jobs)) as trained:
        for report, all_scores, note, words in chain(untrained, trained):
            scores_of_block = None if all_scores is None else gathered.apply_hints(report, all_scores)
            known = gathered.known[report]
            n_trained_on = len(known.rows) if report in gathered.task.decided else 0
            for index in range(first, last):
                start, end = history.starts[index : index + 2] - history.starts[first]
                order, scores = _sort(scores_of_block, start, end)
                yield RankedIssue(
                    report=report,
                    ranker=recipe.name,
                    issue_index=index,
                    trained_before=first,
                    order=order,
                    scores=scores,
                    n_relevant=int(known.y.sum()),
                    n_trained_on=n_trained_on,
                    note=note,
                    words=gathered.drop_muted(report, words),
                )


def _score(recipe: Recipe, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[ReportScores]:
    if reports and task.new:
        yield from recipe.method.score(task, reports, n_jobs)
    else:
        yield from (ReportScores(report, np.empty(0)) for report in reports)


def _sort(scores: Table | None, start: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    if scores is None:
        return np.arange(end - start, dtype=np.int32), np.empty(0)
    order = np.argsort(-scores[start:end], kind="stable")  # stable, so tied papers keep list order
    return order.astype(np.int32), scores[start:end][order].astype(np.float64)


Block = tuple[int, int]  # indexes of a block's first issue, and of the issue after its last


def blocks(first: int, last: int, retrain_every: int) -> list[Block]:
    """Divide the issues from `first` up to, but not including, `last` into blocks that each need only one training.

    Raises
    ------
    ValueError
        If `retrain_every` is less than one issue.

    Examples
    --------
    >>> blocks(3, 8, 2)
    [(3, 5), (5, 7), (7, 8)]
    """
    if retrain_every < 1:
        raise ValueError(f"retrain_every must be at least 1 issue, got {retrain_every}")
    return [(start, min(start + retrain_every, last)) for start in range(first, last, retrain_every)]


def replay(
    recipe: Recipe,
    history: History,
    first: int,
    last: int,
    *,
    reports: Sequence[str],
    retrain_every: int = 1,
    hints: Mapping[str, Hints] | None = None,
    models: ModelStore | None = None,
    n_jobs: int = 1,
    skip: Container[tuple[Block, str]] = frozenset(),
    has_readers: bool = False,
) -> Iterator[RankedIssue]:
    """Rank the issues from `first` up to, but not including, `last`, and train before each block.

    Parameters
    ----------
    recipe, history, first, last, reports, hints, models, n_jobs
        As in `rank_block`.
    retrain_every : int
        Number of issues per block. If it is 1, the ranker is trained before every issue.
    skip : container of (block, report)
        Rankings to skip, for example those finished by an interrupted replay. A block in which all rankings are skipped
        takes no time.
    has_readers : bool
        True if editors will read the lists. Each block then starts from the stored model, and words to highlight are
        found. If False, a new model is trained before each block for which one is due.

    Returns
    -------
    iterator of RankedIssue
        Rankings, one block after another. Within a block, the order is that of `rank_block`. ``trained_before``
        identifies the block.
    """
    models = models or MemoryModelStore()
    for block in blocks(first, last, retrain_every):
        if left := [report for report in reports if (block, report) not in skip]:
            if not has_readers:
                learn_ahead(recipe, history, reports, models=models, before=block[0], n_jobs=n_jobs)
            yield from rank_block(
                recipe, history, *block, left, hints=hints, models=models, n_jobs=n_jobs, has_readers=has_readers
            )


def replay_apart(
    recipes: Sequence[Recipe],
    history: History,
    first: int,
    last: int,
    *,
    reports: Sequence[str],
    retrain_every: int,
    n_jobs: int,
    skip: Mapping[str, Container[tuple[Block, str]]],
) -> Generator[RankedIssue]:
    """Replay several recipes in parallel, in groups of consecutive blocks. The groups are finished in any order.

    Each process needs the whole history in memory, so this function is intended for dedicated workers. On one machine,
    processes for single reports, as in `replay`, use less memory.

    Parameters
    ----------
    recipes, history, first, last, reports, retrain_every, n_jobs
        As in `replay`.
    skip : mapping from name of recipe to container of (block, report)
        Rankings to skip for each recipe, as in `replay`.

    Yields
    ------
    RankedIssue
        Rankings. Those with the same recipe, block and report are consecutive, oldest issue first.
    """
    calls = []
    for recipe in recipes:
        for part in _parts(recipe, blocks(first, last, retrain_every)):
            asked = {(block, report) for block in part for report in reports}
            done = {one for one in asked if one in skip[recipe.name]}
            if done != asked:
                calls.append((recipe, part[0][0], part[-1][1], done))
    if not calls:
        return
    # Longest calls first, so that all processes finish at about the same time.
    calls.sort(key=lambda call: (call[0].method.learns_together, call[2] - call[1], call[1]), reverse=True)
    with closing(run_in_processes(_replay_part, (history, reports, retrain_every), calls, n_jobs)) as ready:
        yield from chain.from_iterable(ready)


def _parts(recipe: Recipe, whole: Sequence[Block]) -> list[list[Block]]:
    """Group blocks that start from the same stored model. Otherwise, several processes would train the same model."""
    span = PERIOD if recipe.method.learns_together else 1
    return [list(part) for _, part in groupby(whole, key=lambda block: block[0] // span)]


def _replay_part(
    history: History,
    reports: Sequence[str],
    retrain_every: int,
    recipe: Recipe,
    first: int,
    last: int,
    skip: Container[tuple[Block, str]],
) -> list[RankedIssue]:
    return list(replay(recipe, history, first, last, reports=reports, retrain_every=retrain_every, skip=skip))
