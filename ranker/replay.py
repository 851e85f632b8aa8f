"""Walk through past issues as if each were new: train on the earlier ones, rank, go on."""

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, groupby

from presort.data.records import Hints, History
from presort.ranker.parallel import in_processes
from presort.ranker.recipe import PERIOD, KeptInMemory, Recipe, Shelf
from presort.ranker.train import RankedIssue, learn_ahead, rank_block

Block = tuple[int, int]  # first issue, and the one after the last


def blocks(first: int, last: int, retrain_every: int) -> list[Block]:
    """Cut the issues from `first` up to, not including, `last` into blocks that share one training.

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
    shelf: Shelf | None = None,
    n_jobs: int = 1,
    skip: Container[tuple[Block, str]] = frozenset(),
    has_readers: bool = False,
) -> Iterator[RankedIssue]:
    """Rank the issues from `first` up to, not including, `last`, training anew before each block.

    Parameters
    ----------
    recipe, history, first, last, reports, hints, shelf, n_jobs
        As for `presort.ranker.train.rank_block`.
    retrain_every : int
        Issues a block: 1 trains before every issue.
    skip : container of (block, report)
        What an interrupted replay has done already. A block with nothing left to do costs nothing.
    has_readers : bool
        Whether somebody waits for the lists, to read them. Then a block starts from what is there, and words are found
        to be marked; else what the recipe keeps is learned before each block in which it is due.

    Returns
    -------
    iterator of RankedIssue
        Block after block; within a block as `presort.ranker.train.rank_block` gives them. ``trained_before`` tells the
        block.
    """
    shelf = shelf or KeptInMemory()
    for block in blocks(first, last, retrain_every):
        if left := [report for report in reports if (block, report) not in skip]:
            if not has_readers:
                learn_ahead(recipe, history, reports, shelf=shelf, before=block[0], n_jobs=n_jobs)
            yield from rank_block(
                recipe, history, *block, left, hints=hints, shelf=shelf, n_jobs=n_jobs, has_readers=has_readers
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
    """Do what `replay` does for each recipe, part by part in processes, in whatever order they get ready.

    A process that has a part needs the whole history. So this is for workers that do nothing else: on one machine
    the memory is better used by a process for each report.

    Parameters
    ----------
    recipes, history, first, last, reports, retrain_every, n_jobs
        As for `replay`.
    skip : mapping from name of recipe to container of (block, report)

    Yields
    ------
    RankedIssue
        Those of one recipe, block and report follow each other, oldest first.
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
    # What takes longest first, so that in the end nobody waits for it alone.
    calls.sort(key=lambda call: (call[0].method.learns_together, call[2] - call[1], call[1]), reverse=True)
    with closing(in_processes(_replay_part, (history, reports, retrain_every), calls, n_jobs)) as ready:
        yield from chain.from_iterable(ready)


def _parts(recipe: Recipe, whole: Sequence[Block]) -> list[list[Block]]:
    """Part blocks as far as they don't start from the same model, which would be learned for each."""
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
