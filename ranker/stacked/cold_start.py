"""Cold start: use a few relevant papers or examples to add a report to a model that was trained without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from presort.data.records import Rows, Vectors
from presort.ranker.recipe import NO_WORD, Labels, Table, Task, labels
from presort.ranker.stacked.features import authorship_matrix, past_features
from presort.ranker.stacked.incremental import mask_older_irrelevant, train_separately
from presort.ranker.stacked.model import Average, FittedModel
from presort.ranker.stacked.network import Weights, hidden_layer, importance
from presort.ranker.stacked.similarity import Part, Scale, Similarity, identity_scale, scale_of
from presort.ranker.stacked.svms import Svms
from presort.ranker.tokens import select_papers

COST = 0.01  # C of the regression, tuned on the arXiv (docs/experiments.md)
MOST_READ = 5_000  # number of newest irrelevant papers for the regression; using twice as many hardly improves it
SIZE = 0.5  # root mean square to which hidden outputs are scaled, so that regularisation spreads weight over many units


@dataclass(frozen=True)
class ColdStart:
    """Settings for scores for a new report: a regression on its decisions, plus similarity to its relevant papers.

    The parts are weighted in units of their standard deviations over the training papers. The sum has the mean and
    standard deviation of the regression.

    Attributes
    ----------
    of_hidden : float
        Weight of the hidden-unit similarity, relative to the regression.
    of_margins : float
        Weight of the similarity between margins for other reports.
    of_vectors : float
        Weight of the similarity between sentence vectors along their principal directions. It has no effect without
        vectors. If it is 0, the examples' vectors aren't used at all.
    few : int
        Number n0 of relevant papers at which these weights are halved. With n relevant papers, they are multiplied by
        n0 / (n + n0), because the regression becomes more reliable as n grows. This factor is also the weight of the
        cold start's score in the average with the trees' score. Examples don't count, because their negatives are only
        assumed.
    fewest : int
        Reports with fewer relevant papers use a cold start even if the model includes them. If it is 0, the default,
        a cold start is used only for reports for which the model is outdated: reports that the model lacks, or that
        had fewer than half of their current relevant papers when the model was trained.
    train_early_from : int
        Minimum number of relevant papers at which a report can trigger early training if the model is outdated for
        it. If it is 0, the default, every model is used for a whole period.
    """

    of_hidden: float = 0.0
    of_margins: float = 0.0
    of_vectors: float = 0.0
    few: int = 20
    fewest: int = 0
    train_early_from: int = 0


REGRESSION_ALONE = ColdStart()


def is_outdated(n_trained_on: int, n_relevant: int) -> bool:
    """Return True if a model was trained on fewer than half of a report's relevant papers."""
    return 2 * n_trained_on < n_relevant


class _Column(NamedTuple):
    """A report's output weights in a network: weights of the hidden units, bias, and weight of the report's margin."""

    out_of: Table
    bias: float
    weight_of_margin: float


def add_cold_start(
    svms: Svms,
    settings: ColdStart,
    model: FittedModel,
    learned: FittedModel,
    task: Task,
    rows: Rows,
    y: Labels,
    new_reports: Sequence[str],
) -> FittedModel:
    """Add an SVM and network outputs for each new report, without changing the hidden layers.

    If there are trees, the final score is a weighted average of the added outputs and the trees' score. The trees use
    the report's column in the model. If the model is outdated for the report, they use the added column. With
    `REGRESSION_ALONE`, scores aren't averaged.

    Parameters
    ----------
    svms : Svms
        Settings for the SVMs.
    settings : ColdStart
        Weights of the score's parts.
    model, learned : FittedModel
        Stored model, and the same model updated with later decisions. It may already include other cold starts.
    task : Task
        Past and new papers.
    rows : array of shape (n_learned,)
        Indexes of the model's papers in the past papers.
    y : array of shape (n_past, n_read)
        Current labels of the model's reports.
    new_reports : sequence of str
        Codes of the reports to add.
    """
    if not new_reports:
        return learned
    used, words, X, fitted = train_separately(svms, learned, task, labels(task, new_reports))
    words = mask_older_irrelevant(words, MOST_READ)
    seen = np.flatnonzero((words != NO_WORD).any(axis=1))
    words = words[seen]
    vectors = task.with_example_vectors() if settings.of_vectors else task.vectors
    inputs = _inputs_of_past(model, learned, task, vectors, X[seen], used[seen], rows, y)
    layers = [hidden_layer(network, inputs) for network in learned.networks]
    read = [_fit_columns(layers, fitted.margins[seen, column], words[:, column]) for column in range(len(new_reports))]
    similarities, averages = learned.similarities, learned.averages
    if settings != REGRESSION_ALONE:
        is_example = used[seen] >= task.starts[-1]
        n_decided = np.count_nonzero((words == 1) & ~is_example[:, None], axis=0)
        fading = settings.few / (settings.few + n_decided)
        similarity = _similarity(settings, fading, learned, inputs, np.hstack(layers), words, is_example)
        read, similarity = _rescale_to_regression(read, similarity, layers, inputs, fitted.margins[seen], words)
        similarities = [*similarities, similarity]
        averages = [*averages, *_averages(model, len(learned.reports), new_reports, n_decided, fading)]
    return replace(
        learned,
        reports=[*learned.reports, *new_reports],
        weights=np.hstack([learned.weights, fitted.weights]),
        mean=np.concatenate([learned.mean, fitted.mean]),
        spread=np.concatenate([learned.spread, fitted.spread]),
        networks=[
            _add_columns(network, [one[number] for one in read]) for number, network in enumerate(learned.networks)
        ],
        similarities=similarities,
        averages=averages,
    )


def _inputs_of_past(
    model: FittedModel,
    learned: FittedModel,
    task: Task,
    vectors: Vectors | None,
    X: Any,
    used: Rows,
    rows: Rows,
    y: Labels,
) -> Table:
    """Return the networks' inputs for the past papers in `used`, based on SVMs that were not trained on these papers.

    `vectors` are the sentence vectors of all papers, and `X` contains the terms of the papers in `used`. `rows` and `y`
    are as in `add_cold_start`.
    """
    place = np.full(task.n_past, -1)
    place[rows] = np.arange(len(rows))
    is_known = place[used] >= 0
    of_past = np.empty((len(used), model.n_read))
    of_past[is_known] = model.past_margins[place[used][is_known]]
    of_past[~is_known] = model.margins(X[np.flatnonzero(~is_known)])
    authors = task.tokens[: task.n_past].authors
    written = authorship_matrix(authors, np.unique(select_papers(task.tokens, used).authors.values))
    seen = past_features(np.asarray(learned.past_topics), written, y, task.numbers_of(slice(None)), used)
    return np.hstack([of_past, seen, learned.vector_model.of_past(vectors, used, place[used])])


def _fit_columns(layers: Sequence[Table], margins: Table, words: Labels) -> list[_Column]:
    """Fit a report's output weights to the hidden layer of each network by logistic regression.

    Parameters
    ----------
    layers : sequence of array of shape (n_rows, n_hidden)
        Hidden outputs of each network.
    margins : array of shape (n_rows,)
        Margins from the report's own SVM.
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
    # Multiplied by the number of networks, because the networks' outputs are averaged.
    parts = np.split(reader.coef_[0, :-1] * len(layers), len(layers))
    return [
        _Column(size * part, float(reader.intercept_[0]), float(of_margin))
        for size, part in zip(sizes, parts, strict=True)
    ]


def _rescale_to_regression(
    read: Sequence[list[_Column]],
    similarity: Similarity,
    layers: Sequence[Table],
    inputs: Table,
    margins: Table,
    words: Labels,
) -> tuple[list[list[_Column]], Similarity]:
    """Rescale the parts of each new report's score, so that their sum has the regression's mean and standard deviation.

    Forecasts compare scores with those of other reports. If the scores had a larger scale, forecasts would advise
    editors to stop too early.

    Parameters
    ----------
    read : sequence of list of _Column
        Each new report's output weights in each network, from the regression.
    similarity : Similarity
        Similarities in units of the regression's standard deviation.
    layers, inputs : arrays of shape (n_rows, n_hidden) and (n_rows, n_inputs)
        Hidden outputs of each network and the networks' inputs for the training papers.
    margins : array of shape (n_rows, n_new)
        Margins from the reports' own SVMs.
    words : array of shape (n_rows, n_new)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
    """
    similarities = similarity.of(np.hstack(layers), inputs)
    factors, columns_of_all = np.empty(len(read)), []
    for number, columns in enumerate(read):
        own = np.flatnonzero(words[:, number] != NO_WORD)
        regression = np.mean(
            [
                layer[own] @ column.out_of + column.bias + column.weight_of_margin * margins[own, number]
                for layer, column in zip(layers, columns, strict=True)
            ],
            axis=0,
        )
        spread = float(regression.std()) or 1.0
        both = regression + spread * similarities[own, number]
        gain = spread / (float(both.std()) or 1.0)
        shift = float(regression.mean() - gain * both.mean())
        factors[number] = gain * spread
        columns_of_all.append(
            [_Column(gain * one.out_of, gain * one.bias + shift, gain * one.weight_of_margin) for one in columns]
        )
    return columns_of_all, similarity.times(factors)


def _similarity(
    settings: ColdStart,
    fading: Table,
    learned: FittedModel,
    inputs: Table,
    hidden: Table,
    words: Labels,
    is_example: NDArray[np.bool_],
) -> Similarity:
    """Return the similarity between papers and each new report's relevant papers.

    Parameters
    ----------
    settings : ColdStart
        Weights of the parts.
    fading : array of shape (n_new,)
        Factor by which each new report's weights are multiplied.
    learned : FittedModel
        Model without the new reports.
    inputs, hidden : arrays of shape (n_rows, n_inputs) and (n_rows, n_hidden)
        The networks' inputs and hidden units for the training papers.
    words : array of shape (n_rows, n_new)
        Labels of the new reports: 1 for relevant, 0 for not relevant, -1 for no decision.
    is_example : array of shape (n_rows,)
        True for example papers.
    """
    hidden_of_relevant = hidden.copy()
    anonymous = np.flatnonzero(is_example & ~learned.has_known_authors(inputs))
    hidden_of_relevant[anonymous] = _hidden_with_usual_authors(learned, inputs, anonymous)
    of_hidden = _part(scale_of(hidden), hidden, hidden_of_relevant, words, settings.of_hidden * fading)
    columns, margins = slice(learned.n_read), inputs[:, : learned.n_read]
    of_inputs = [(columns, _part(scale_of(margins), margins, margins, words, settings.of_margins * fading))]
    columns = learned.inputs_of_directions
    if settings.of_vectors and columns.start < columns.stop:
        vectors = inputs[:, columns]
        of_inputs.append(
            (columns, _part(identity_scale(vectors), vectors, vectors, words, settings.of_vectors * fading))
        )
    return Similarity(range(len(learned.reports), len(learned.reports) + words.shape[1]), of_hidden, of_inputs)


def _part(scale: Scale, papers: Table, relevant: Table, words: Labels, factors: Table) -> Part:
    """Return the similarity to each new report's relevant papers, as measured by one group of features.

    Parameters
    ----------
    scale : Scale
        Scale of the features.
    papers, relevant : arrays of shape (n_rows, n_features)
        Features of the training papers, and the features to use for papers that are relevant.
    words : array of shape (n_rows, n_new)
        Labels of the new reports, as in `_similarity`.
    factors : array of shape (n_new,)
        Standard deviation that the similarity should have over each report's training papers.
    """
    directions, of_relevant = scale.directions(papers), scale.directions(relevant)
    weights = np.empty((papers.shape[1], words.shape[1]))
    for column, labels_of_report in enumerate(words.T):
        mean = of_relevant[labels_of_report == 1].mean(axis=0)
        spread = float((directions[labels_of_report != NO_WORD] @ mean).std()) or 1.0
        weights[:, column] = factors[column] * mean / spread
    return Part(scale, weights)


def _averages(
    model: FittedModel, first: int, new_reports: Sequence[str], n_decided: NDArray[np.int64], fading: Table
) -> Iterator[Average]:
    """Yield the averages of new reports, whose columns start with `first`. Examples don't count."""
    known = model.n_relevant
    of_each = zip(new_reports, n_decided.tolist(), fading.tolist(), strict=True)
    for column, (report, n, weight) in enumerate(of_each, start=first):
        is_usable = report in known and not is_outdated(known[report], n)
        yield Average(column, model.column(report) if is_usable else column, weight)


def _hidden_with_usual_authors(learned: FittedModel, inputs: Table, rows: Rows) -> Table:
    """Return the hidden units of the papers in `rows`, as if their author features had the mean values.

    Most examples have only a title and an abstract. If their author features were 0, they would resemble papers by
    unknown authors.
    """
    of_authors = learned.inputs_of_authors
    completed = inputs[rows].copy()
    completed[:, of_authors] = inputs[:, of_authors].mean(axis=0)
    return learned.hidden(completed)


def _add_columns(network: Weights, read: Sequence[_Column]) -> Weights:
    return network._replace(
        out_of=np.column_stack([network.out_of, *(one.out_of for one in read)]),
        bias_of_reports=np.array([*network.bias_of_reports, *(one.bias for one in read)]),
        weight_of_margins=np.array([*network.weight_of_margins, *(one.weight_of_margin for one in read)]),
    )
