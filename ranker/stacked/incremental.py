"""Incremental updates: apply decisions made after a model was trained, and add new reports (cold start)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from presort.data.records import Rows
from presort.ranker.recipe import BLOCK, NO_WORD, Labels, Table, Task, labels
from presort.ranker.stacked.cross_fit import CrossFitted, cross_fit
from presort.ranker.stacked.features import join_rows, past_features, written_by
from presort.ranker.stacked.model import FittedModel
from presort.ranker.stacked.network import Weights, hidden_layer, importance
from presort.ranker.stacked.svms import Svms, update_weights
from presort.ranker.tokens import some

MOST_OTHERS = 10_000  # newest irrelevant papers for training one report, to limit it to less than a second


def update_model(svms: Svms, learned: FittedModel, task: Task, rows: Rows, y: Labels) -> FittedModel:
    """Update a model with the decisions made since it was trained.

    Training of the SVMs continues with the new decisions. If the editor of a report has changed or withdrawn a decision
    in the training data, the report's SVM is retrained from scratch, so that the old decision has no effect.

    Parameters
    ----------
    svms : Svms
        Settings of the SVMs.
    learned : FittedModel
        Model to update.
    task : Task
        Past and new papers.
    rows : array of shape (n_learned,)
        Indexes of the model's papers among the past papers.
    y : array of shape (n_past, n_read)
        Current labels of the model's reports: 1 for relevant, 0 for not relevant, -1 for no decision.
    """
    others = np.delete(np.arange(task.n_past), rows)
    new, since, has_turned = _delta_of_labels(learned.y, rows, others, y)
    read = np.union1d(new, others)  # both sets overlap, so look up the terms of each paper only once
    X = learned.fields.rows(some(task.tokens, read))
    X_new, kept = X[np.searchsorted(read, new)], np.asarray(learned.weights)
    weights = update_weights(svms, X_new, since, kept, svms.balanced(y))
    of_others = learned.topics.of(X[np.searchsorted(read, others)]).astype(np.float32)
    topics = join_rows(np.asarray(learned.past_topics), rows, of_others, others)
    later = replace(learned, weights=weights, past_topics=topics)
    return _retrained(svms, later, task, y, np.flatnonzero(has_turned))


def _delta_of_labels(known: Labels, rows: Rows, others: Rows, y: Labels) -> tuple[Rows, Labels, NDArray[np.bool_]]:
    """Return papers with new decisions, these decisions, and a flag per report with a changed or withdrawn decision.

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


def train_separately(svms: Svms, learned: FittedModel, task: Task, y: Labels) -> tuple[Rows, Labels, Any, CrossFitted]:
    """Train SVMs from scratch, each on its report's relevant papers and newest irrelevant papers.

    Parameters
    ----------
    svms : Svms
        Settings of the SVMs.
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
    fitted : CrossFitted
        Trained SVMs.
    """
    chosen = with_newest_others(y, MOST_OTHERS)
    rows = np.flatnonzero((chosen != NO_WORD).any(axis=1))
    X = learned.fields.rows(some(task.tokens, rows))
    return rows, chosen[rows], X, cross_fit(svms.trained_apart, X, chosen[rows], task.numbers_of(rows))


def with_newest_others(y: Labels, most: int) -> Labels:
    """Mask labels: keep each report's relevant papers and its newest `most` irrelevant ones.

    Examples
    --------
    >>> with_newest_others(np.array([[1], [0], [0], [1], [0]], dtype=np.int8), 2).ravel().tolist()
    [1, -1, 0, 1, 0]
    """
    chosen = np.where(y == 1, y, np.int8(NO_WORD))
    for column in range(y.shape[1]):
        chosen[np.flatnonzero(y[:, column] == 0)[-most:], column] = 0
    return chosen


def _retrained(svms: Svms, learned: FittedModel, task: Task, y: Labels, columns: NDArray[np.intp]) -> FittedModel:
    if not len(columns):
        return learned
    rows, words, _, fitted = train_separately(svms, learned, task, y[:, columns])
    weights, mean, spread = np.array(learned.weights), learned.mean.copy(), learned.spread.copy()
    weights[:, columns], mean[columns], spread[columns] = fitted.weights, fitted.mean, fitted.spread
    vector_model = learned.vector_model.with_reports_retrained(
        task.vectors, rows, words, task.numbers_of(rows), columns
    )
    return replace(learned, weights=weights, mean=mean, spread=spread, vector_model=vector_model)


COST = 0.01  # C of the regression, tuned on the arXiv (docs/experiments.md)
MOST_READ = 5_000  # newest irrelevant papers for the regression; twice as many hardly improve it
SIZE = 0.5  # root mean square to which hidden outputs are scaled, so that regularisation spreads weight over many units


class _Column(NamedTuple):
    """Output weights of a report in a network: weights of the hidden units, bias, and weight of its margin."""

    out_of: Table
    bias: float
    weight_of_margin: float


def add_cold_start(
    svms: Svms, model: FittedModel, learned: FittedModel, task: Task, rows: Rows, y: Labels, new_reports: Sequence[str]
) -> FittedModel:
    """Add an SVM and network outputs for each new report. The hidden layers stay unchanged.

    Parameters
    ----------
    svms : Svms
        Settings of the SVMs.
    model, learned : FittedModel
        Stored model, and the same model updated with later decisions.
    task : Task
        Past and new papers.
    rows : array of shape (n_learned,)
        Indexes of the model's papers among the past papers.
    y : array of shape (n_past, n_read)
        Current labels of the model's reports.
    new_reports : sequence of str
        Codes of the reports to add.
    """
    if not new_reports:
        return learned
    used, words, X, fitted = train_separately(svms, learned, task, labels(task, new_reports))
    words = with_newest_others(words, MOST_READ)
    seen = np.flatnonzero((words != NO_WORD).any(axis=1))
    inputs = _inputs_of_past(model, learned, task, X[seen], used[seen], rows, y)
    layers = [hidden_layer(network, inputs) for network in learned.networks]
    read = [_read(layers, fitted.margins[seen, column], words[seen, column]) for column in range(len(new_reports))]
    return replace(
        learned,
        reports=[*learned.reports, *new_reports],
        weights=np.hstack([learned.weights, fitted.weights]),
        mean=np.concatenate([learned.mean, fitted.mean]),
        spread=np.concatenate([learned.spread, fitted.spread]),
        networks=[
            _with_columns(network, [one[number] for one in read]) for number, network in enumerate(learned.networks)
        ],
    )


def _inputs_of_past(
    model: FittedModel, learned: FittedModel, task: Task, X: Any, used: Rows, rows: Rows, y: Labels
) -> Table:
    """Return the networks' inputs for the past papers in `used`, from SVMs that were not trained on them.

    `X` holds the terms of these papers, `rows` and `y` are those of `add_cold_start`.
    """
    place = np.full(task.n_past, -1)
    place[rows] = np.arange(len(rows))
    is_known = place[used] >= 0
    of_past = np.empty((len(used), model.n_read))
    of_past[is_known] = model.past_margins[place[used][is_known]]
    of_past[~is_known] = model.margins(X[np.flatnonzero(~is_known)])
    authors = task.tokens[: task.n_past].authors
    written = written_by(authors, np.unique(some(task.tokens, used).authors.values))
    seen = past_features(np.asarray(learned.past_topics), written, y, task.numbers_of(slice(None)), used)
    return np.hstack([of_past, seen, learned.vector_model.of_past(task.vectors, used, place[used])])


def _read(layers: Sequence[Table], margins: Table, words: Labels) -> list[_Column]:
    """Fit a report's output weights to the hidden layer of each network by logistic regression.

    Parameters
    ----------
    layers : sequence of array of shape (n_rows, n_hidden)
        Hidden outputs of each network.
    margins : array of shape (n_rows,)
        Margins of the report's own SVM.
    words : array of shape (n_rows,)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
    """
    own = np.flatnonzero(words != NO_WORD)
    sizes = [SIZE / (np.sqrt((layer[own] ** 2).mean()) + 1e-9) for layer in layers]
    scaled = [layer[own] * size for layer, size in zip(layers, sizes, strict=True)]
    weights = importance(words[own, None])[words[own], 0]
    reader = LogisticRegression(C=COST, tol=1e-8, max_iter=10_000)
    reader.fit(np.column_stack([*scaled, margins[own]]), words[own], sample_weight=weights)
    of_margin = 1 + reader.coef_[0, -1]  # trained networks also start from a weight of 1 for the margin
    parts = np.split(reader.coef_[0, :-1] * len(layers), len(layers))  # scaled, because networks are averaged
    return [
        _Column(size * part, float(reader.intercept_[0]), float(of_margin))
        for size, part in zip(sizes, parts, strict=True)
    ]


def _with_columns(network: Weights, read: Sequence[_Column]) -> Weights:
    return network._replace(
        out_of=np.column_stack([network.out_of, *(one.out_of for one in read)]),
        bias_of_reports=np.array([*network.bias_of_reports, *(one.bias for one in read)]),
        weight_of_margins=np.array([*network.weight_of_margins, *(one.weight_of_margin for one in read)]),
    )
