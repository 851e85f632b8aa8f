"""Incremental updates, which apply decisions that were made after a model was trained."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows
from presort.ranker.recipe import BLOCK, NO_WORD, Labels, Task
from presort.ranker.stacked.cross_fit import CrossFitResult, cross_fit
from presort.ranker.stacked.features import join_rows
from presort.ranker.stacked.model import FittedModel
from presort.ranker.stacked.svms import Svms, update_weights
from presort.ranker.tokens import select_papers

# An SVM is trained on at most this number of irrelevant papers, the newest ones, so that it takes less than a second.
MOST_OTHERS = 10_000


def update_model(svms: Svms, learned: FittedModel, task: Task, rows: Rows, y: Labels) -> FittedModel:
    """Update a model with the decisions that were made since it was trained.

    Training of the SVMs continues with the new decisions. If a report's editor has changed or withdrawn a decision that
    the model was trained on, the report's SVM is retrained from scratch, so that the old decision has no effect.

    Parameters
    ----------
    svms : Svms
        Settings for the SVMs.
    learned : FittedModel
        Model to update.
    task : Task
        Past and new papers.
    rows : array of shape (n_learned,)
        Indexes of the model's papers in the past papers.
    y : array of shape (n_past, n_read)
        Current labels of the model's reports: 1 for relevant, 0 for not relevant, -1 for no decision.
    """
    others = np.delete(np.arange(task.n_past), rows)
    new, since, has_turned = _delta_of_labels(learned.y, rows, others, y)
    read = np.union1d(new, others)  # the two sets overlap, so look up each paper's terms only once
    X = learned.fields.rows(select_papers(task.tokens, read))
    X_new, kept = X[np.searchsorted(read, new)], np.asarray(learned.weights)
    weights = update_weights(svms, X_new, since, kept, svms.balanced_costs(y))
    of_others = learned.topics.of(X[np.searchsorted(read, others)]).astype(np.float32)
    topics = join_rows(np.asarray(learned.past_topics), rows, of_others, others)
    later = replace(learned, weights=weights, past_topics=topics)
    return _retrain(svms, later, task, y, np.flatnonzero(has_turned))


def _delta_of_labels(known: Labels, rows: Rows, others: Rows, y: Labels) -> tuple[Rows, Labels, NDArray[np.bool_]]:
    """Return papers with new decisions, these decisions, and flags for reports with changed or withdrawn decisions.

    Parameters
    ----------
    known : array of shape (n_learned, n_read)
        Labels that the model was trained on.
    rows : array of shape (n_learned,)
        Indexes of the model's papers among the past papers.
    others : array of shape (n_others,)
        Indexes of all other past papers.
    y : array of shape (n_past, n_read)
        Current labels.
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


def train_separately(
    svms: Svms, learned: FittedModel, task: Task, y: Labels
) -> tuple[Rows, Labels, Any, CrossFitResult]:
    """Train SVMs from scratch, each on a report's relevant papers and its newest irrelevant papers.

    Parameters
    ----------
    svms : Svms
        Settings for the SVMs.
    learned : FittedModel
        Model whose terms are used.
    task : Task
        Past and new papers.
    y : array of shape (n_past, n_columns)
        Labels of the reports to train.

    Returns
    -------
    rows : array of shape (n_rows,)
        Indexes of the training papers among the past papers.
    y : array of shape (n_rows, n_columns)
        Labels of the training papers.
    X : CSR array of shape (n_rows, n_terms)
        Terms of the training papers.
    fitted : CrossFitResult
        Trained SVMs.
    """
    chosen = mask_older_irrelevant(y, MOST_OTHERS)
    rows = np.flatnonzero((chosen != NO_WORD).any(axis=1))
    X = learned.fields.rows(select_papers(task.tokens, rows))
    return rows, chosen[rows], X, cross_fit(svms.train_each, X, chosen[rows], task.numbers_of(rows))


def mask_older_irrelevant(y: Labels, most: int) -> Labels:
    """For each report, mask all labels except those of its relevant papers and its `most` newest irrelevant papers.

    Examples
    --------
    >>> mask_older_irrelevant(np.array([[1], [0], [0], [1], [0]], dtype=np.int8), 2).ravel().tolist()
    [1, -1, 0, 1, 0]
    """
    chosen = np.where(y == 1, y, np.int8(NO_WORD))
    for column in range(y.shape[1]):
        chosen[np.flatnonzero(y[:, column] == 0)[-most:], column] = 0
    return chosen


def _retrain(svms: Svms, learned: FittedModel, task: Task, y: Labels, columns: NDArray[np.intp]) -> FittedModel:
    if not len(columns):
        return learned
    rows, words, _, fitted = train_separately(svms, learned, task, y[:, columns])
    weights, mean, spread = np.array(learned.weights), learned.mean.copy(), learned.spread.copy()
    weights[:, columns], mean[columns], spread[columns] = fitted.weights, fitted.mean, fitted.spread
    vector_model = learned.vector_model.with_reports_retrained(
        task.vectors, rows, words, task.numbers_of(rows), columns
    )
    return replace(learned, weights=weights, mean=mean, spread=spread, vector_model=vector_model)
