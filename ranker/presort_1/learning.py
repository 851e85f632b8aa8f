"""Learn all anew from past papers: terms, machines, topics, and the network that corrects the machines."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows, Tokens, Vectors
from presort.ranker.parallel import in_processes
from presort.ranker.presort_1.authors import written_by
from presort.ranker.presort_1.evidence import evidence_of_past
from presort.ranker.presort_1.fields import Field, LearnedFields, learn_fields
from presort.ranker.presort_1.halves import halves
from presort.ranker.presort_1.learned import Learned
from presort.ranker.presort_1.machines import Machines, margins
from presort.ranker.presort_1.meaning import NO_VECTORS_READ, Meaning, Vectored
from presort.ranker.presort_1.network import Network, Weights
from presort.ranker.presort_1.topics import Topics, learn_topics
from presort.ranker.recipe import Labels, Table

Train = Callable[[Any, Labels], Table]


class Decisions(NamedTuple):
    """Past papers, and what reports decided on them.

    Attributes
    ----------
    tokens : Tokens
        Of all past papers.
    y : array of shape (n_past, n_reports)
        1 for relevant, 0 for not, -1 where the report says nothing.
    reports : sequence of str
        Codes of the reports, column by column.
    keys, papers : arrays of shape (n_past,)
        Of the past papers, as `Task.keys` and `Task.numbers_of`.
    vectors : Vectors or None
        Of the past papers.
    """

    tokens: Tokens
    y: Labels
    reports: Sequence[str]
    keys: NDArray[np.uint64]
    papers: Rows
    vectors: Vectors | None


@dataclass(frozen=True, eq=False)
class Judged:
    """What was learned of papers in two halves, each judged by the machines of the half it is not in.

    Attributes
    ----------
    weights : array of shape (n_terms + 1, n_reports)
        The mean of the machines of both halves.
    mean, spread : arrays of shape (n_reports,)
        Of the margins.
    margins : array of shape (n_papers, n_reports)
        At mean 0 and spread 1.
    halves : array of shape (n_papers,)
        The half, 0 or 1, that each paper is in.
    weights_of_halves : array of shape (2, n_terms + 1, n_reports)
        The machines of either half.
    """

    weights: NDArray[np.float32]
    mean: Table
    spread: Table
    margins: Table
    halves: NDArray[np.int8]
    weights_of_halves: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Seen:
    """What past papers show to a network that is to be trained.

    Attributes
    ----------
    fields : LearnedFields
    judged : Judged
    topics : Topics
    past_topics : array of shape (n_past, n_topics)
    inputs : array of shape (n_past, n_inputs)
    meaning : Meaning
    """

    fields: LearnedFields
    judged: Judged
    topics: Topics
    past_topics: NDArray[np.float32]
    inputs: Table
    meaning: Meaning

    def learned(self, past: Decisions, networks: list[Weights]) -> Learned:
        """Put together what stands once networks are trained."""
        return Learned(
            reports=past.reports,
            n_read=len(past.reports),
            keys=past.keys,
            fields=self.fields,
            weights=self.judged.weights,
            mean=self.judged.mean,
            spread=self.judged.spread,
            past_margins=self.judged.margins.astype(np.float32),
            topics=self.topics,
            past_topics=self.past_topics,
            y=past.y,
            networks=networks,
            meaning=self.meaning,
        )


def learn(settings: Mapping[str, Field], machines: Machines, network: Network, past: Decisions, n_jobs: int) -> Learned:
    """Learn from past papers.

    Parameters
    ----------
    settings, machines, network
        Those of a recipe.
    past : Decisions
    n_jobs : int
        Processes; the result does not depend on it.
    """
    seen = look(settings, machines, past, n_jobs)[1]
    return seen.learned(past, network.trained(seen.inputs, seen.judged.margins, past.y, n_jobs))


def look(
    settings: Mapping[str, Field],
    machines: Machines,
    past: Decisions,
    n_jobs: int,
    vectored: Vectored = NO_VECTORS_READ,
) -> tuple[Any, Seen]:
    """Return the terms of past papers, a CSR array of shape (n_past, n_terms), and what the papers show."""
    tokens, y = past.tokens, past.y
    fields, X = learn_fields(settings, tokens)
    judged = judged_by_halves(machines.trained, X, y, past.papers, n_jobs)
    topics = learn_topics(X)
    past_topics = topics.of(X).astype(np.float32)
    written = written_by(tokens.authors, np.unique(tokens.authors.values))
    evidence = evidence_of_past(past_topics, written, y, past.papers)
    meaning, of_past = vectored.learned(past.vectors, y, judged.halves)
    inputs = np.hstack([judged.margins.astype(np.float32), evidence, of_past], dtype=np.float32)
    return X, Seen(fields, judged, topics, past_topics, inputs, meaning)


def judged_by_halves(train: Train, X: Any, y: Labels, papers: Rows, n_jobs: int = 1) -> Judged:
    """Train on either half of the papers, and judge each paper by the half that it is not in.

    Parameters
    ----------
    train : callable
        `Machines.trained` or `Machines.trained_apart`.
    """
    of_rows = halves(y, papers)
    of_past = np.zeros(y.shape)
    weights = np.zeros((2, X.shape[1] + 1, y.shape[1]), dtype=np.float32)
    calls = ((half,) for half in (0, 1))
    with closing(in_processes(_train_half, (train, X, y, of_rows), calls, n_jobs)) as ready:
        for half, of_half, of_others in ready:
            weights[half] = of_half
            of_past[of_rows != half] = of_others
    mean, spread = (of_past.mean(axis=0), of_past.std(axis=0)) if len(y) else np.zeros((2, y.shape[1]))
    spread[spread == 0] = 1.0  # also where a report has taken back all it said
    return Judged(weights[0] / 2 + weights[1] / 2, mean, spread, (of_past - mean) / spread, of_rows, weights)


def _train_half(train: Train, X: Any, y: Labels, of_rows: Labels, half: int) -> tuple[int, Table, Table]:
    """Return the weights of the machines of a half, and the margins of the others' papers."""
    rows = np.flatnonzero(of_rows == half)
    weights = train(X[rows], y[rows])
    return half, weights.astype(np.float32), margins(X[np.flatnonzero(of_rows != half)], weights)
