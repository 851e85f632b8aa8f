"""Ranking by SVMs and networks, whose outputs are combined by boosted trees."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Model, Rows
from presort.ranker.recipe import Labels, Table, Task
from presort.ranker.stacked.cross_fit import split_folds
from presort.ranker.stacked.explain import ForestExplainer
from presort.ranker.stacked.fields import Field
from presort.ranker.stacked.forest import (
    NO_TREES,
    SHAPES,
    Forest,
    Trees,
    columns,
    fault_of_forest,
    forest_from,
    n_columns,
    pair_features,
    parts_of,
    reports_of,
    term_counts,
)
from presort.ranker.stacked.method import CorrectedSvms
from presort.ranker.stacked.model import FittedModel, fault_of
from presort.ranker.stacked.network import Network, mean_outputs
from presort.ranker.stacked.svms import Svms
from presort.ranker.stacked.term_network import SHAPES as OF_TERMS
from presort.ranker.stacked.term_network import (
    TermNetwork,
    TermNetworks,
    fault_of_term_networks,
    no_term_networks,
    term_networks_from,
)
from presort.ranker.stacked.training import Decisions, TrainingInputs, prepare_training
from presort.ranker.stacked.vectors import NO_VECTORS_READ, VectorSettings
from presort.ranker.stacked.vectors import SHAPES as OF_MEANING

OTHERS = 5  # number of irrelevant paper-report pairs per relevant pair in the trees' training data


@dataclass(frozen=True, eq=False)
class FittedForestModel(FittedModel):
    """Model fitted to past papers, with term networks and trees."""

    term_networks: TermNetworks
    forest: Forest

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything except the report codes as arrays, for storage."""
        return super().arrays() | self.term_networks.arrays() | self.forest.arrays()


def add_forest(learned: FittedModel, term_networks: TermNetworks, forest: Forest) -> FittedForestModel:
    """Add term networks and trees to a trained model."""
    of_presort_1 = {one.name: getattr(learned, one.name) for one in fields(learned)}
    return FittedForestModel(**of_presort_1, term_networks=term_networks, forest=forest)


def learn(
    settings: Mapping[str, Field],
    svms: Svms,
    network: Network,
    term_network: TermNetwork,
    trees: Trees,
    few: int,
    vectored: VectorSettings,
    past: Decisions,
    n_jobs: int,
) -> FittedForestModel:
    """Train a model from scratch.

    Parameters
    ----------
    settings, svms, network, term_network, trees
        Settings of the recipe.
    few : int
        Minimum number of relevant paper-report pairs for training the term networks and trees.
    vectored : VectorSettings
        Settings for sentence vectors.
    past : Decisions
        Past papers and the decisions on them.
    n_jobs : int
        Number of processes. It doesn't affect the result.
    """
    X, training = prepare_training(settings, svms, past, n_jobs, vectored)
    y = past.y
    is_enough = np.count_nonzero(y == 1) >= few and y.shape[1] > 1
    parts = _parts_of_past(X, training) if is_enough else []
    term_networks = no_term_networks(y.shape[1])
    if is_enough:
        folds = split_folds(training.fitted.folds, y, past.papers)
        projected = training.projected
        term_networks = term_network.fit(X, projected, y, folds, n_jobs)
        by_terms = term_networks.of_past(X, projected, folds)
        n_terms = term_counts(X, training.fields)
    del X
    learned = training.fitted_model(past, network.train(training.inputs, training.fitted.margins, y, n_jobs))
    forest = NO_TREES
    if is_enough:
        outputs = network_outputs(network, training, y)
        known = pair_features(
            training.fitted.margins, parts, training.inputs, outputs, by_terms, n_terms, len(training.vector_model)
        )
        papers, of_reports = pairs_to_learn_from(y)
        forest = trees.train(columns(known, reports_of(y), papers, of_reports), y[papers, of_reports])
    return add_forest(learned, term_networks, forest)


def network_outputs(network: Network, training: TrainingInputs, y: Labels) -> Table:
    """Return each past paper's outputs from a network trained on the other fold, shape (n_past, n_reports)."""
    outputs = np.empty(y.shape)
    for fold in (0, 1):
        is_in = training.fitted.folds == fold
        own = replace(network, seeds=(fold,)).train(training.inputs[is_in], training.fitted.margins[is_in], y[is_in])
        outputs[~is_in] = mean_outputs(own, training.inputs[~is_in], training.fitted.margins[~is_in])
    return outputs


def pairs_to_learn_from(y: Labels) -> tuple[Rows, Rows]:
    """Return the paper-report pairs for training: all relevant pairs, and a random sample of the irrelevant pairs."""
    others = np.flatnonzero(y.ravel() == 0)
    n_drawn = min(len(others), OTHERS * np.count_nonzero(y == 1))
    drawn = np.random.default_rng(0).permutation(others)[:n_drawn]
    chosen = np.sort(np.concatenate([np.flatnonzero(y.ravel() == 1), drawn]))
    papers, reports = np.divmod(chosen, y.shape[1])
    return papers, reports


def _parts_of_past(X: Any, training: TrainingInputs) -> Sequence[Table]:
    fitted = training.fitted
    parts = [np.empty(fitted.margins.shape, dtype=np.float32) for _ in training.fields.fields]
    for fold, weights in enumerate(fitted.weights_of_folds):
        others = np.flatnonzero(fitted.folds != fold)
        for part, of_others in zip(parts, parts_of(X[others], training.fields, weights, fitted.spread), strict=True):
            part[others] = of_others
    return parts


@dataclass(frozen=True)
class ForestSvms(CorrectedSvms):
    """`CorrectedSvms` with boosted trees that combine all outputs into the final score.

    All reports share the trees. The features of a paper-report pair are the margin by field, the outputs of the
    networks and term networks, the same values for other reports, and the authors' record. In training, all features
    come from SVMs and networks that were not trained on the paper. A report that was added by a cold start gets the
    networks' score, or its average with the trees' score.

    Attributes
    ----------
    term_network : TermNetwork
        Settings for the term networks.
    trees : Trees
        Settings for the trees.
    few : int
        Minimum number of relevant paper-report pairs for training the term networks and trees. With fewer pairs, the
        networks' score is the final score.
    vectored : VectorSettings
        Settings for sentence vectors.
    """

    term_network: TermNetwork
    trees: Trees
    few: int
    vectored: VectorSettings = NO_VECTORS_READ

    @property
    def reads_vectors(self) -> bool:
        """Return True if sentence vectors are used."""
        return self.vectored != NO_VECTORS_READ

    def plain(self) -> "ForestSvms":
        """Return a method with the same SVMs and networks but without term networks or trees."""
        return replace(self, few=sys.maxsize)

    def explainer(self, task: Task, n_jobs: int = 1) -> ForestExplainer:
        """Train or update the model for all reports, and return the explainer."""
        explainer = super().explainer(task, n_jobs)
        learned = explainer.learned
        if not isinstance(learned, FittedForestModel):
            raise TypeError(f"learned must be a FittedForestModel, got {type(learned).__name__}")
        return ForestExplainer(
            task, learned, explainer.X, explainer.inputs, explainer.margins, learned.term_networks, learned.forest
        )

    def settings(self) -> dict[str, Any]:
        """Return the settings with which a stored model must have been trained."""
        settings = super().settings()
        settings |= {"term network": asdict(self.term_network), "trees": asdict(self.trees), "few": self.few}
        return settings | ({"vectored": asdict(self.vectored)} if self.reads_vectors else {})

    def fault_of(self, model: Model) -> str:
        """Describe the fault in a stored model. Returns "" if the model is valid."""
        # Even with vectors enabled, a model has no vector arrays if no paper had a vector when it was trained.
        has_meaning = self.reads_vectors and not OF_MEANING.keys().isdisjoint(model.arrays)
        shapes = SHAPES | OF_TERMS | (OF_MEANING if has_meaning else {})
        fault = fault_of(model, self.fields, len(self.network.seeds), shapes)
        n_reports, n_fields = len(model.trained_on["reports"]), len(self.fields)
        fault = fault or fault_of_term_networks(model.arrays)
        return fault or fault_of_forest(model.arrays, n_columns(n_reports, n_fields, n_fields + has_meaning))

    def fitted_model_from(self, model: Model) -> FittedForestModel:
        """Restore the fitted model from a stored model, which must be valid."""
        arrays = model.arrays
        return add_forest(super().fitted_model_from(model), term_networks_from(arrays), forest_from(arrays))

    def fit(self, past: Decisions, n_jobs: int) -> FittedForestModel:
        """Train from scratch on all past papers."""
        svms, network, term_network = self.svms, self.network, self.term_network
        return learn(self.fields, svms, network, term_network, self.trees, self.few, self.vectored, past, n_jobs)
