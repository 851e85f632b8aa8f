"""Learn on top of a model what was decided since, and learn a report's machine anew where something was taken back."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows
from presort.ranker.presort_1 import moved
from presort.ranker.presort_1.laid_out import laid_out
from presort.ranker.presort_1.learned import Learned
from presort.ranker.presort_1.learning import Judged, judged_by_halves
from presort.ranker.presort_1.machines import Machines
from presort.ranker.recipe import BLOCK, NO_WORD, Labels, Task
from presort.ranker.tokens import some

MOST_OTHERS = 10_000  # irrelevant papers, the newest, that a report by itself is learned from: less than a second


def learned_on(machines: Machines, learned: Learned, task: Task, rows: Rows, y: Labels) -> Learned:
    """Bring a model to what is decided now.

    What a report has decided since is learned on top. A report that has taken back or turned a word that the model
    learned gets a machine learned from scratch: nothing of that word is left in it.

    Parameters
    ----------
    rows : array of shape (n_learned,)
        Where the papers of the model stand among the past ones.
    y : array of shape (n_past, n_read)
        What is decided now, by the reports of the model: 1 for relevant, 0 for not, -1 where a report says nothing.
    """
    others = np.delete(np.arange(task.n_past), rows)
    new, since, has_turned = _since(learned.y, rows, others, y)
    read = np.union1d(new, others)  # mostly the same papers: their terms are looked up once
    X = learned.fields.rows(some(task.tokens, read))
    X_new, kept = X[np.searchsorted(read, new)], np.asarray(learned.weights)
    weights = moved.learned_on(machines, X_new, since, kept, machines.balanced(y))
    of_others = learned.topics.of(X[np.searchsorted(read, others)]).astype(np.float32)
    topics = laid_out(np.asarray(learned.past_topics), rows, of_others, others)
    later = replace(learned, weights=weights, past_topics=topics)
    return _with_machines_anew(machines, later, task, y, np.flatnonzero(has_turned))


def _since(known: Labels, rows: Rows, others: Rows, y: Labels) -> tuple[Rows, Labels, NDArray[np.bool_]]:
    """Return the papers on which reports said more since, what they said, and which reports took back or turned a word.

    Parameters
    ----------
    known : array of shape (n_learned, n_read)
        What the model learned of the papers in `rows`.
    others : array of shape (n_others,)
        The rows of all other past papers.
    """
    parts = (slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK))
    is_other = np.concatenate([[False], *((y[rows[part]] != known[part]).any(axis=1) for part in parts)])[1:]
    differ = np.concatenate([rows[is_other], others])
    order = np.argsort(differ)
    before = np.vstack([known[is_other], np.full((len(others), y.shape[1]), NO_WORD, dtype=np.int8)])[order]
    new, now = differ[order], y[differ[order]]
    has_turned: NDArray[np.bool_] = ((before != NO_WORD) & (now != before)).any(axis=0)
    since = np.where((now != before) & ~has_turned, now, np.int8(NO_WORD))
    says = (since != NO_WORD).any(axis=1)
    return new[says], since[says], has_turned


def learned_alone(machines: Machines, learned: Learned, task: Task, y: Labels) -> tuple[Rows, Labels, Any, Judged]:
    """Learn machines from scratch, each from all relevant papers of its report and the newest of the others.

    Parameters
    ----------
    y : array of shape (n_past, n_columns)

    Returns
    -------
    rows : array of shape (n_rows,)
        Past papers that were learned from.
    y : array of shape (n_rows, n_columns)
        What was learned of them.
    X : CSR array of shape (n_rows, n_terms)
    judged : Judged
    """
    chosen = with_newest_others(y, MOST_OTHERS)
    rows = np.flatnonzero((chosen != NO_WORD).any(axis=1))
    X = learned.fields.rows(some(task.tokens, rows))
    return rows, chosen[rows], X, judged_by_halves(machines.trained_apart, X, chosen[rows], task.numbers_of(rows))


def with_newest_others(y: Labels, most: int) -> Labels:
    """Keep, of the words of each report, all that are relevant and the last of the others, at `most` so many.

    Examples
    --------
    >>> with_newest_others(np.array([[1], [0], [0], [1], [0]], dtype=np.int8), 2).ravel().tolist()
    [1, -1, 0, 1, 0]
    """
    chosen = np.where(y == 1, y, np.int8(NO_WORD))
    for column in range(y.shape[1]):
        chosen[np.flatnonzero(y[:, column] == 0)[-most:], column] = 0
    return chosen


def _with_machines_anew(
    machines: Machines, learned: Learned, task: Task, y: Labels, columns: NDArray[np.intp]
) -> Learned:
    if not len(columns):
        return learned
    rows, words, _, judged = learned_alone(machines, learned, task, y[:, columns])
    weights, mean, spread = np.array(learned.weights), learned.mean.copy(), learned.spread.copy()
    weights[:, columns], mean[columns], spread[columns] = judged.weights, judged.mean, judged.spread
    meaning = learned.meaning.with_reports_anew(task.vectors, rows, words, task.numbers_of(rows), columns)
    return replace(learned, weights=weights, mean=mean, spread=spread, meaning=meaning)
