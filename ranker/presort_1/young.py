"""Reports that a model does not know yet, each learned by itself on top of what is kept for all.

The machine of such a report is trained as all are. The network stays; what its hidden layers make of a paper, by the
margins of all other reports and the topics, is read for the new report by a logistic regression of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from presort.data.records import Rows
from presort.ranker.presort_1.authors import written_by
from presort.ranker.presort_1.evidence import evidence_of_past
from presort.ranker.presort_1.learned import Learned
from presort.ranker.presort_1.learning_on import learned_alone, with_newest_others
from presort.ranker.presort_1.machines import Machines
from presort.ranker.presort_1.network import Weights, hidden_layer, importance
from presort.ranker.recipe import NO_WORD, Labels, Table, Task, labels
from presort.ranker.tokens import some

COST = 0.01  # of a paper in the regression, chosen on the arXiv as docs/ranker.md says
MOST_READ = 5_000  # irrelevant papers, the newest, that the regression learns from: as many more bring next to nothing
SIZE = 0.5  # root mean square of what a hidden unit says: many units, each by itself to count for little


class _Column(NamedTuple):
    """How a report reads the hidden layer of a network: weights of the units, constant, weight of its margin."""

    out_of: Table
    bias: float
    weight_of_margin: float


def with_young(
    machines: Machines, model: Learned, learned: Learned, task: Task, rows: Rows, y: Labels, young: Sequence[str]
) -> Learned:
    """Add a column for each report that a model does not know, or knew with less than half of its relevant papers.

    Parameters
    ----------
    model, learned : Learned
        As it is kept, and with what was decided since.
    rows : array of shape (n_learned,)
        Where the papers of the model stand among the past ones.
    y : array of shape (n_past, n_read)
        What is decided now by the reports of the model.
    young : sequence of str
        Codes of the reports.
    """
    if not young:
        return learned
    used, words, X, judged = learned_alone(machines, learned, task, labels(task, young))
    words = with_newest_others(words, MOST_READ)
    seen = np.flatnonzero((words != NO_WORD).any(axis=1))
    inputs = _inputs_of_past(model, learned, task, X[seen], used[seen], rows, y)
    layers = [hidden_layer(network, inputs) for network in learned.networks]
    read = [_read(layers, judged.margins[seen, column], words[seen, column]) for column in range(len(young))]
    return replace(
        learned,
        reports=[*learned.reports, *young],
        weights=np.hstack([learned.weights, judged.weights]),
        mean=np.concatenate([learned.mean, judged.mean]),
        spread=np.concatenate([learned.spread, judged.spread]),
        networks=[
            _with_columns(network, [one[number] for one in read]) for number, network in enumerate(learned.networks)
        ],
    )


def _inputs_of_past(model: Learned, learned: Learned, task: Task, X: Any, used: Rows, rows: Rows, y: Labels) -> Table:
    """Return what the networks see of past papers, whose terms are in `X`: each by machines that have not seen it."""
    place = np.full(task.n_past, -1)
    place[rows] = np.arange(len(rows))
    is_known = place[used] >= 0
    of_past = np.empty((len(used), model.n_read))
    of_past[is_known] = model.past_margins[place[used][is_known]]
    of_past[~is_known] = model.margins(X[np.flatnonzero(~is_known)])
    authors = task.tokens[: task.n_past].authors
    written = written_by(authors, np.unique(some(task.tokens, used).authors.values))
    seen = evidence_of_past(np.asarray(learned.past_topics), written, y, task.numbers_of(slice(None)), used)
    return np.hstack([of_past, seen, learned.meaning.of_past(task.vectors, used, place[used])])


def _read(layers: Sequence[Table], margins: Table, words: Labels) -> list[_Column]:
    """Learn how a report reads the hidden layer of each network.

    Parameters
    ----------
    layers : sequence of array of shape (n_rows, n_hidden)
    margins, words : arrays of shape (n_rows,)
        Of the report's own machine, and 1 for relevant, 0 for not, -1 where it says nothing.
    """
    own = np.flatnonzero(words != NO_WORD)
    sizes = [SIZE / (np.sqrt((layer[own] ** 2).mean()) + 1e-9) for layer in layers]
    scaled = [layer[own] * size for layer, size in zip(layers, sizes, strict=True)]
    weights = importance(words[own, None])[words[own], 0]
    reader = LogisticRegression(C=COST, tol=1e-8, max_iter=10_000)
    reader.fit(np.column_stack([*scaled, margins[own]]), words[own], sample_weight=weights)
    of_margin = 1 + reader.coef_[0, -1]  # beside what is read: the margin itself, from which all reports start
    parts = np.split(reader.coef_[0, :-1] * len(layers), len(layers))  # the mean of the networks is taken
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
