"""Learn all anew from past papers: terms, machines, topics, and the network that corrects the machines."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.records import Rows, Tokens
from ranker.parallel import in_processes
from ranker.presort_1.authors import written_by
from ranker.presort_1.evidence import evidence_of_past
from ranker.presort_1.fields import Field, learn_fields
from ranker.presort_1.halves import halves
from ranker.presort_1.learned import Learned
from ranker.presort_1.machines import Machines, margins
from ranker.presort_1.network import Network
from ranker.presort_1.topics import learn_topics
from ranker.recipe import Labels, Table

Train = Callable[[Any, Labels], Table]


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
    """

    weights: NDArray[np.float32]
    mean: Table
    spread: Table
    margins: Table


def learn(
    settings: Mapping[str, Field],
    machines: Machines,
    network: Network,
    tokens: Tokens,
    y: Labels,
    reports: Sequence[str],
    keys: NDArray[np.uint64],
    papers: Rows,
    n_jobs: int,
) -> Learned:
    """Learn from past papers.

    Parameters
    ----------
    settings, machines, network
        Those of a recipe.
    tokens : Tokens
        Of all past papers.
    y : array of shape (n_past, n_reports)
        1 for relevant, 0 for not, -1 where the report says nothing.
    reports : sequence of str
        Codes of the reports, column by column.
    keys, papers : arrays of shape (n_past,)
        Of the past papers, as `Task.keys` and `Task.numbers`.
    n_jobs : int
        Processes; the result does not depend on it.
    """
    fields, X = learn_fields(settings, tokens)
    judged = judged_by_halves(machines.trained, X, y, papers, n_jobs)
    topics = learn_topics(X)
    past_topics = topics.of(X).astype(np.float32)
    del X
    written = written_by(tokens.authors, np.unique(tokens.authors.values))
    evidence = evidence_of_past(past_topics, written, y, papers)
    inputs = np.hstack([judged.margins.astype(np.float32), evidence], dtype=np.float32)
    return Learned(
        reports=reports,
        n_read=len(reports),
        keys=keys,
        fields=fields,
        weights=judged.weights,
        mean=judged.mean,
        spread=judged.spread,
        past_margins=judged.margins.astype(np.float32),
        topics=topics,
        past_topics=past_topics,
        y=y,
        networks=network.trained(inputs, judged.margins, y, n_jobs),
    )


def judged_by_halves(train: Train, X: Any, y: Labels, papers: Rows, n_jobs: int = 1) -> Judged:
    """Train on either half of the papers, and judge each paper by the half that it is not in.

    Parameters
    ----------
    train : callable
        `Machines.trained` or `Machines.trained_apart`.
    """
    of_rows = halves(y, papers)
    of_past = np.zeros(y.shape)
    weights = np.zeros((X.shape[1] + 1, y.shape[1]), dtype=np.float32)
    calls = ((train, X, y, of_rows, half) for half in (0, 1))
    with closing(in_processes(_train_half, calls, n_jobs)) as ready:
        for half, of_half, of_others in ready:
            weights += of_half / 2
            of_past[of_rows != half] = of_others
    mean, spread = (of_past.mean(axis=0), of_past.std(axis=0)) if len(y) else np.zeros((2, y.shape[1]))
    spread[spread == 0] = 1.0  # also where a report has taken back all it said
    return Judged(weights, mean, spread, (of_past - mean) / spread)


def _train_half(train: Train, X: Any, y: Labels, of_rows: Labels, half: int) -> tuple[int, Table, Table]:
    """Return the weights of the machines of a half, and the margins of the others' papers."""
    rows = np.flatnonzero(of_rows == half)
    weights = train(X[rows], y[rows])
    return half, weights.astype(np.float32), margins(X[np.flatnonzero(of_rows != half)], weights)
