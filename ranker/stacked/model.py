"""Trained model as arrays, for scoring new papers and for later updates, and validation of stored models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Model, Rows
from presort.ranker.recipe import NO_WORD, Labels, Table, label_counts
from presort.ranker.stacked.features import JoinedRows, Topics
from presort.ranker.stacked.fields import Field, LearnedFields, fields_from
from presort.ranker.stacked.network import Weights, hidden_layer, mean_outputs, slopes
from presort.ranker.stacked.similarity import Similarity
from presort.ranker.stacked.svms import WeightDelta, margins_by
from presort.ranker.stacked.vectors import N_FOLDS, NO_VECTOR_MODEL, VectorModel, vector_model_from

LAYOUT = 3

# NumPy dtype kind and named axes of each array. Axes with the same name must have the same size.
SHAPES = {
    "keys": ("u", "papers"),
    "weights": ("f", "weights", "reports"),
    "mean": ("f", "reports"),
    "spread": ("f", "reports"),
    "past margins": ("f", "papers", "reports"),
    "topic terms": ("i", "topic terms"),
    "topic directions": ("f", "topic terms", "topics"),
    "past topics": ("f", "papers", "topics"),
    "y": ("i", "papers", "reports"),
}
FIELD: dict[str, tuple[str, ...]] = {
    "words": ("u", "{} letters"),
    "codes": ("i", "{} terms"),
    "idf": ("f", "{} columns"),  # may differ from "{} terms", because an empty field has a column without a term
}
NOTHING_MORE: Mapping[str, tuple[str, ...]] = {}
LAYERS: dict[str, tuple[str, ...]] = {  # the keys are the fields of `Weights`
    "into": ("f", "inputs", "units {}"),
    "bias": ("f", "units {}"),
    "out_of": ("f", "units {}", "reports"),
    "bias_of_reports": ("f", "reports"),
    "weight_of_margins": ("f", "reports"),
}


class Average(NamedTuple):
    """Two scores that are averaged for a report that was added by a cold start.

    Attributes
    ----------
    cold_start_column : int
        Column of the cold start's score.
    tree_column : int
        Column of the trees' score. If it is the same column, the trees use the cold start's outputs.
    weight : float
        Weight of the cold start's score, from 0 to 1.
    """

    cold_start_column: int
    tree_column: int
    weight: float


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Model fitted to past papers.

    Attributes
    ----------
    reports : sequence of str
        Codes of the reports in column order. A report that was added by a cold start may also have an earlier column.
    n_read : int
        Number of reports whose margins and author records the networks read. These reports come first.
    keys : array of shape (n_past,)
        Keys of the training papers, as in `Task.keys`.
    fields : LearnedFields
        Terms of each field.
    weights : array of shape (n_terms + 1, n_reports), or WeightDelta
        Weights of the SVMs. The last row is the intercept.
    mean, spread : arrays of shape (n_reports,)
        Mean and standard deviation of each SVM's margins over the training papers.
    past_margins : array of shape (n_past, n_read)
        Standardised margins of the training papers, each by SVMs that were not trained on the paper.
    topics : Topics
        Directions onto which papers are projected.
    past_topics : array of shape (n_past, n_topics), or JoinedRows
        Topics of the training papers.
    y : array of shape (n_past, n_read)
        Labels of the training papers: 1 for relevant, 0 for not relevant, -1 for no decision.
    networks : list of Weights
        One network per seed, each with outputs for all reports.
    vector_model : VectorModel
        Model of sentence vectors. Empty if they are not used.
    similarities : sequence of Similarity
        Similarity to the relevant papers of reports, one for each cold start. They are not stored.
    averages : sequence of Average
        Averages that are the final scores of these reports. They are not stored. A report without an average has the
        networks' score.
    """

    reports: Sequence[str]
    n_read: int
    keys: NDArray[np.uint64]
    fields: LearnedFields
    weights: NDArray[np.float32] | WeightDelta
    mean: Table
    spread: Table
    past_margins: NDArray[np.float32]
    topics: Topics
    past_topics: NDArray[np.float32] | JoinedRows
    y: Labels
    networks: list[Weights]
    vector_model: VectorModel = field(default=NO_VECTOR_MODEL, kw_only=True)
    similarities: Sequence[Similarity] = field(default=(), kw_only=True)
    averages: Sequence[Average] = field(default=(), kw_only=True)

    @property
    def inputs_of_authors(self) -> slice:
        """Columns of the networks' inputs that depend on the paper's authors, as in `past_features`."""
        first = self.n_read + self.topics.directions.shape[1]
        return slice(first, first + self.topics.directions.shape[1] + self.n_read + 2)

    @property
    def inputs_of_directions(self) -> slice:
        """Last columns of the networks' inputs, which contain the principal components of sentence vectors."""
        n_directions = self.vector_model.directions.shape[1]
        end = self.inputs_of_authors.stop + len(self.vector_model)
        return slice(end - n_directions, end)

    def has_known_authors(self, inputs: Table) -> NDArray[np.bool_]:
        """Return True for each paper whose authors wrote another past paper, as recorded in its network inputs."""
        n_papers: Table = inputs[:, self.inputs_of_authors.stop - 2]  # logarithm of 1 plus the number of papers
        return n_papers > 0

    @cached_property
    def n_relevant(self) -> Mapping[str, int]:
        """Number of relevant papers of each report in the training data."""
        return dict(zip(self.reports[: self.n_read], label_counts(self.y)[1].tolist(), strict=True))

    def column(self, report: str) -> int:
        """Return the index of a report's column. If a cold start has added a second column, that column is used."""
        return len(self.reports) - 1 - list(reversed(self.reports)).index(report)

    def margins(self, X: Any) -> Table:
        """Return the margins of papers, shape (n_papers, n_reports), standardised by `mean` and `spread`."""
        margins: Table = (margins_by(X, self.weights) - self.mean) / self.spread
        return margins

    def hidden(self, inputs: Table) -> Table:
        """Return the outputs of all networks' hidden units for papers, shape (n_papers, n_hidden)."""
        return np.hstack([hidden_layer(network, inputs) for network in self.networks])

    def outputs(self, inputs: Table, margins: Table) -> Table:
        """Compute the papers' scores for all reports from their inputs and margins, shape (n_papers, n_reports)."""
        outputs = mean_outputs(self.networks, inputs, margins)
        for similarity in self.similarities:
            outputs[:, similarity.columns] += similarity.of(self.hidden(inputs), inputs)
        return outputs

    def slopes(self, inputs: Table, column: int) -> tuple[Table, float]:
        """Return the derivatives of one paper's score with respect to each input and to the report's own margin."""
        of_inputs, of_margin = slopes(self.networks, inputs, column)
        for similarity in self.similarities:
            hidden = self.hidden(inputs)
            of_hidden, directly = similarity.slopes(hidden, inputs, column)
            of_inputs += directly
            of_hidden = of_hidden * (hidden > 0)
            for network, part in zip(self.networks, np.split(of_hidden, len(self.networks)), strict=True):
                of_inputs += network.into @ part
        return of_inputs, of_margin

    def rows_in(self, keys: NDArray[np.uint64]) -> Rows | None:
        """Find the rows of the training papers by their keys. Returns None if a training paper has been removed."""
        if np.array_equal(keys[: len(self.keys)], self.keys):  # usual case; comparing is 100 times faster than sorting
            return np.arange(len(self.keys))
        order = np.argsort(keys, kind="stable")
        places = np.minimum(np.searchsorted(keys, self.keys, sorter=order), max(len(keys) - 1, 0))
        rows: Rows = order[places] if len(keys) else np.empty(0, dtype=np.intp)
        return rows if len(rows) == len(self.keys) and bool((keys[rows] == self.keys).all()) else None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything except the report codes as arrays, for storage."""
        found = {
            **self.fields.arrays(),
            "keys": self.keys,
            "weights": np.asarray(self.weights),
            "mean": self.mean,
            "spread": self.spread,
            "past margins": self.past_margins,
            "topic terms": self.topics.terms,
            "topic directions": self.topics.directions,
            "past topics": np.asarray(self.past_topics),
            "y": self.y,
        }
        for number, network in enumerate(self.networks):
            found |= {_name(number, layer): weight for layer, weight in network._asdict().items()}
        return found | self.vector_model.arrays()


def fitted_model_from(
    arrays: Mapping[str, NDArray[Any]], reports: Sequence[str], fields: Mapping[str, Field], n_networks: int
) -> FittedModel:
    """Restore a model from the arrays returned by `FittedModel.arrays`."""
    return FittedModel(
        reports=reports,
        n_read=len(reports),
        keys=arrays["keys"],
        fields=fields_from(fields, arrays),
        weights=arrays["weights"],
        mean=arrays["mean"],
        spread=arrays["spread"],
        past_margins=arrays["past margins"],
        topics=Topics(arrays["topic terms"], arrays["topic directions"]),
        past_topics=arrays["past topics"],
        y=arrays["y"],
        networks=[Weights(**{layer: arrays[_name(number, layer)] for layer in LAYERS}) for number in range(n_networks)],
        vector_model=vector_model_from(arrays),
    )


def fault_of(
    model: Model, fields: Mapping[str, Field], n_networks: int, more: Mapping[str, tuple[str, ...]] = NOTHING_MORE
) -> str:
    """Describe why stored arrays can't come from `FittedModel.arrays`. Returns "" if they are valid.

    Parameters
    ----------
    model : Model
        Stored model.
    fields : mapping from str to Field
        Fields of the recipe.
    n_networks : int
        Number of networks in the recipe.
    more : mapping from str to tuple of str
        Dtype kind and axes of additional arrays, as in `SHAPES`.
    """
    sizes: dict[str, int] = {}
    for name, (kind, *axes) in {**_expected_arrays(fields, n_networks), **more}.items():
        array = model.arrays.get(name)
        if array is None:
            return f"lacks the array {name!r}"
        if array.dtype.kind != kind or array.ndim != len(axes):
            return f"has an array {name!r} of the wrong type or dimension"
        if any(sizes.setdefault(axis, size) != size for axis, size in zip(axes, array.shape, strict=True)):
            return f"has an array {name!r} of the wrong size"
        if kind == "f" and not _are_all_between(array, -np.inf, np.inf):
            return f"has an array {name!r} with values that aren't finite"
    return _fault_of_values(model, list(fields), sizes)


def _expected_arrays(fields: Mapping[str, Field], n_networks: int) -> dict[str, tuple[str, ...]]:
    """Return the NumPy dtype kind and the axes of each expected array."""
    parts = {f"{field} {name}": (field, axes) for field in fields for name, axes in FIELD.items()}
    parts |= {_name(n, layer): (str(n), axes) for n in range(n_networks) for layer, axes in LAYERS.items()}
    return SHAPES | {name: tuple(axis.format(part) for axis in axes) for name, (part, axes) in parts.items()}


def _name(number: int, layer: str) -> str:
    """Return the name of a network layer's array in a stored model."""
    return f"network {number} {layer.replace('_', ' ')}"


def _fault_of_values(model: Model, fields: Sequence[str], sizes: Mapping[str, int]) -> str:
    """Describe invalid values in arrays whose shapes are correct. Returns "" if all values are valid."""
    arrays, reports = model.arrays, model.trained_on.get("reports")
    n_terms = sum(sizes[f"{field} columns"] for field in fields)
    is_whole = all(sizes[f"{field} columns"] == max(1, sizes[f"{field} terms"]) for field in fields)
    n_inputs = 2 * sizes["reports"] + 2 * sizes["topics"] + 2  # margins, and the columns of `past_features`
    has_meaning = "meaning mean" in arrays
    n_inputs += sizes["reports"] + sizes["directions"] if has_meaning else 0
    is_whole &= not has_meaning or sizes["meaning folds"] == N_FOLDS
    if not is_whole or sizes["weights"] != n_terms + 1 or sizes["inputs"] != n_inputs:
        return "has arrays of inconsistent sizes"
    if not isinstance(reports, list) or (model.trained_on.get("papers"), len(reports)) != arrays["y"].shape:
        return "has labels that don't match its numbers of papers and reports"
    are_words = all(_is_of_words(arrays[f"{field} words"], arrays[f"{field} codes"]) for field in fields)
    are_in_range = _lie_in(arrays["topic terms"], 0, n_terms) and _lie_in(arrays["y"], NO_WORD, 2)
    are_in_range &= not has_meaning or _lie_in(arrays["meaning folds of past"], 0, N_FOLDS)
    have_spread = all((arrays[name] > 0).all() for name in ("spread", "meaning spread") if name in arrays)
    return "" if are_words and are_in_range and have_spread else "has values out of range"


def _is_of_words(words: NDArray[np.uint8], codes: NDArray[np.int64]) -> bool:
    try:
        n_words = len(words.tobytes().decode().split("\n"))
    except UnicodeDecodeError:
        return False
    return _lie_in(codes, 0, n_words * (n_words + 1))


def _lie_in(numbers: NDArray[np.integer[Any]], first: int, end: int) -> bool:
    return _are_all_between(numbers, first - 1, end)


def _are_all_between(numbers: NDArray[Any], low: float, high: float) -> bool:
    """Return True if all numbers are in a range and none is NaN. No array of the same size is allocated."""
    return not numbers.size or bool(low < numbers.min() and numbers.max() < high)
