"""Training from scratch on past papers: terms, SVMs, topics, and the network that corrects the SVMs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows, Tokens, Vectors
from presort.ranker.recipe import Labels, Table
from presort.ranker.stacked.cross_fit import CrossFitResult, cross_fit
from presort.ranker.stacked.features import Topics, authorship_matrix, learn_topics, past_features
from presort.ranker.stacked.fields import Field, LearnedFields, learn_fields
from presort.ranker.stacked.model import FittedModel
from presort.ranker.stacked.network import Network, Weights
from presort.ranker.stacked.svms import Svms
from presort.ranker.stacked.vectors import NO_VECTORS_READ, VectorModel, VectorSettings


class Decisions(NamedTuple):
    """Past papers and the decisions on them.

    Attributes
    ----------
    tokens : Tokens
        Tokens of the past papers.
    y : array of shape (n_past, n_reports)
        Labels: 1 for relevant, 0 for not relevant, -1 for no decision.
    reports : sequence of str
        Report code of each column.
    keys, papers : arrays of shape (n_past,)
        Keys and numbers of the past papers, as in `Task.keys` and `Task.numbers_of`.
    vectors : Vectors or None
        Sentence vectors of the past papers, if they are used.
    """

    tokens: Tokens
    y: Labels
    reports: Sequence[str]
    keys: NDArray[np.uint64]
    papers: Rows
    vectors: Vectors | None


@dataclass(frozen=True, eq=False)
class TrainingInputs:
    """Parts that are fitted before the network, and the network's inputs.

    Attributes
    ----------
    fields : LearnedFields
        Terms of each field.
    fitted : CrossFitResult
        SVMs, and their margins for the past papers.
    topics : Topics
        Directions onto which papers are projected.
    past_topics : array of shape (n_past, n_topics)
        Topics of the past papers.
    inputs : array of shape (n_past, n_inputs)
        Inputs of the network for the past papers.
    vector_model : VectorModel
        Model of sentence vectors. Empty if they are not used.
    """

    fields: LearnedFields
    fitted: CrossFitResult
    topics: Topics
    past_topics: NDArray[np.float32]
    inputs: Table
    vector_model: VectorModel

    @property
    def projected(self) -> Table:
        """Last columns of the inputs, which contain the principal components of sentence vectors."""
        return self.inputs[:, self.inputs.shape[1] - self.vector_model.directions.shape[1] :]

    def fitted_model(self, past: Decisions, networks: list[Weights]) -> FittedModel:
        """Combine these parts with trained networks into a model."""
        return FittedModel(
            reports=past.reports,
            n_read=len(past.reports),
            keys=past.keys,
            fields=self.fields,
            weights=self.fitted.weights,
            mean=self.fitted.mean,
            spread=self.fitted.spread,
            past_margins=self.fitted.margins.astype(np.float32),
            topics=self.topics,
            past_topics=self.past_topics,
            y=past.y,
            networks=networks,
            vector_model=self.vector_model,
        )


def learn(settings: Mapping[str, Field], svms: Svms, network: Network, past: Decisions, n_jobs: int) -> FittedModel:
    """Train a model from scratch.

    Parameters
    ----------
    settings, svms, network
        Settings of the recipe.
    past : Decisions
        Past papers and the decisions on them.
    n_jobs : int
        Number of processes. It doesn't affect the result.
    """
    training = prepare_training(settings, svms, past, n_jobs)[1]
    return training.fitted_model(past, network.train(training.inputs, training.fitted.margins, past.y, n_jobs))


def prepare_training(
    settings: Mapping[str, Field],
    svms: Svms,
    past: Decisions,
    n_jobs: int,
    vectored: VectorSettings = NO_VECTORS_READ,
) -> tuple[Any, TrainingInputs]:
    """Compute the network's training data. Also return the term matrix, a CSR array of shape (n_past, n_terms)."""
    tokens, y = past.tokens, past.y
    fields, X = learn_fields(settings, tokens)
    fitted = cross_fit(svms.train, X, y, past.papers, n_jobs)
    topics = learn_topics(X)
    past_topics = topics.of(X).astype(np.float32)
    written = authorship_matrix(tokens.authors, np.unique(tokens.authors.values))
    features = past_features(past_topics, written, y, past.papers)
    vector_model, of_past = vectored.fit(past.vectors, y, fitted.folds)
    inputs = np.hstack([fitted.margins.astype(np.float32), features, of_past], dtype=np.float32)
    return X, TrainingInputs(fields, fitted, topics, past_topics, inputs, vector_model)
