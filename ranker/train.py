"""Train on what a report's editor decided before, and sort later issues by it."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from data.records import History, Paper, Rows
from ranker.recipe import Decided, Labels, Recipe, Scored

# Mean relative last position on the arXiv corpus (55 reports, January to June 2019) is 88 % in list order; trained on
# the last k = 1, 2, 3, 5, 10, 20 relevant papers before: krichel-2007 81, 77, 73, 69, 62, 55 %, arxiv-sanity 70, 62,
# 57, 51, 42, 35 %. At k = 1 krichel-2007 leaves 15 % of the reports worse off, at k = 2 only 2 %.
MIN_RELEVANT = 2

TOO_FEW = "too few decisions to learn from: list order"


@dataclass(frozen=True, eq=False, slots=True)
class RankedIssue:
    """One issue sorted for one report.

    Attributes
    ----------
    report : str
        Code of the report.
    ranker : str
        Name of the recipe.
    issue_index : int
        Which issue of the history this is, from 0.
    trained_before : int
        Decisions on the issues before this one, counted likewise, were seen.
    order : array of shape (n_papers,)
        Places of the papers in the issue's list, from 0, likeliest relevant first.
    scores : array of shape (n_papers,) or (0,)
        Score of each paper of `order`, falling; empty if the issue was left in list order.
    n_relevant, n_trained_on : int
        Papers found relevant before, and papers trained on: those and the irrelevant ones; 0 if not trained.
    note : str
        What a person should know of this ranking; mostly empty.
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


def training_rows(history: History, report: str, before: int) -> Decided:
    """Choose the papers a report trains on, by Krichel's rule.

    A relevant paper is a positive. The other papers of its issue are negatives; an issue with no relevant paper was
    skipped and says nothing. A paper the editor was unsure about trains nothing.

    Parameters
    ----------
    history : History
        Issues, papers and decisions.
    report : str
        Code of the report; one without decisions has no rows.
    before : int
        Only issues before this one are looked at, counted from 0.

    Returns
    -------
    rows : array of shape (n_rows,)
        Rows of ``history.papers``, ascending.
    y : array of shape (n_rows,)
        1 for relevant, 0 for not.
    """
    starts = history.starts[: before + 1]
    issue_of = np.repeat(np.arange(before), np.diff(starts))
    relevant = _rows_before(history.relevant.get(report), starts[-1])
    is_relevant = np.zeros(len(issue_of), dtype=np.int8)
    is_relevant[relevant] = 1
    is_used = np.isin(issue_of, issue_of[relevant])
    is_used[_rows_before(history.maybe.get(report), starts[-1])] = False
    rows = np.flatnonzero(is_used)
    return Decided(rows, is_relevant[rows])


def rank_block(
    recipe: Recipe, history: History, first: int, last: int, reports: Sequence[str], *, n_jobs: int = 1
) -> Iterator[RankedIssue]:
    """Train once on the issues before `first`, and rank the issues from `first` up to, not including, `last`.

    Parameters
    ----------
    recipe : Recipe
        The way to rank.
    history : History
        Issues, papers and decisions; those from `first` on are not learned from.
    first, last : int
        Issues counted from 0.
    reports : sequence of str
        Codes of the reports to rank for.
    n_jobs : int
        Processes to train in; 1 starts none. The result does not depend on it, its order does.

    Returns
    -------
    iterator of RankedIssue
        Given as soon as a report is ready; the issues of one report follow each other, oldest first.

    Raises
    ------
    ValueError
        If `first` and `last` are not issues of the history in that order.
    """
    if not 0 <= first < last <= len(history.issues):
        raise ValueError(f"first and last must be 0 <= first < last <= {len(history.issues)}, got {first} and {last}")
    return _rank_block(recipe, history, first, last, reports, n_jobs)


def _rank_block(
    recipe: Recipe, history: History, first: int, last: int, reports: Sequence[str], n_jobs: int
) -> Iterator[RankedIssue]:
    n_before, n_all = history.starts[first], history.starts[last]
    past, new = history.papers[:n_before], history.papers[n_before:n_all]
    decided = {report: training_rows(history, report, first) for report in sorted({*history.relevant, *reports})}
    decided = {report: rows for report, rows in decided.items() if can_train(rows.y)}
    untrained = (Scored(report, None, TOO_FEW) for report in reports if report not in decided)
    trainable = [report for report in reports if report in decided]
    with closing(_scored(recipe, past, decided, new, trainable, n_jobs)) as trained:
        for report, all_scores, note in chain(untrained, trained):
            n_relevant = len(_rows_before(history.relevant.get(report), n_before))
            n_trained_on = len(decided[report].rows) if report in decided else 0
            for index in range(first, last):
                start, end = history.starts[index : index + 2] - n_before
                order, scores = _sort(all_scores, start, end)
                yield RankedIssue(report, recipe.name, index, first, order, scores, n_relevant, n_trained_on, note)


def _scored(
    recipe: Recipe,
    past: Sequence[Paper],
    decided: Mapping[str, Decided],
    new: Sequence[Paper],
    reports: Sequence[str],
    n_jobs: int,
) -> Generator[Scored]:
    if reports and new:
        yield from recipe.method.score(past, decided, new, reports, n_jobs)
    else:
        yield from (Scored(report, np.empty(0)) for report in reports)


def can_train(y: Labels) -> bool:
    """Say whether labels of 1 and 0 are enough to learn from.

    Examples
    --------
    >>> can_train(np.array([1, 0, 1])), can_train(np.array([1, 0, 0])), can_train(np.array([1, 1, 1]))
    (True, False, False)
    """
    return bool(y.sum() >= MIN_RELEVANT and not y.all())


def _sort(scores: NDArray[np.float64] | None, start: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    if scores is None:
        return np.arange(end - start, dtype=np.int32), np.empty(0)
    order = np.argsort(-scores[start:end], kind="stable")  # ties keep list order
    return order.astype(np.int32), scores[start:end][order]


def _rows_before(rows: Rows | None, n_papers: int) -> Rows:
    return np.empty(0, dtype=np.intp) if rows is None else rows[: np.searchsorted(rows, n_papers)]
