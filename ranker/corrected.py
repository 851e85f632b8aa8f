"""Support vector machines, one a report, corrected by a network that sees all reports together."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from data.records import Paper
from ranker.authors import of_their_other_papers
from ranker.network import Network
from ranker.parallel import in_processes
from ranker.recipe import Classifier, Decided, Features, Labels, Scored

Table = NDArray[np.float64]

N_TOPICS = 128  # dimensions that stand for what a paper is about
TOPIC_TERMS = 20_000  # the most widespread terms, from which they are made
LENGTH = np.sqrt(20.0)  # of a paper's topic vector: inputs of the network then are of about one size
EXPECTED_PAPERS = 2.0  # with which an author's record starts, at the report's mean
DECIMALS = 6  # of a score: a network sums in an order that differs from machine to machine
NO_WORD = -1


@dataclass(frozen=True)
class CorrectedMachines:
    """A linear support vector machine a report, and a network that corrects their margins.

    Each machine is trained twice, on one half of the papers and on the other. A past paper gets its margins from the
    half it was not in, so that the network learns from margins as they will be; a new paper gets the mean of both.

    Attributes
    ----------
    make_features : callable
        Makes what turns papers into rows of terms.
    make_authors : callable
        Makes what turns papers into rows of 1 for each author.
    make_classifier : callable
        Makes a machine.
    network : Network
    """

    make_features: Callable[[], Features]
    make_authors: Callable[[], Features]
    make_classifier: Callable[[], Classifier]
    network: Network

    def score(
        self,
        past: Sequence[Paper],
        decided: Mapping[str, Decided],
        new: Sequence[Paper],
        reports: Sequence[str],
        n_jobs: int,
    ) -> Generator[Scored]:
        """Train for all reports that have decided enough, as they learn from each other."""
        features, authors = self.make_features(), self.make_authors()
        X, X_new = features.fit_transform(past), features.transform(new)
        written, written_new = authors.fit_transform(past), authors.transform(new)
        del features, authors
        y = _labels(decided, len(past))
        margins, new_margins = self._margins(X, X_new, y, n_jobs)
        seen = _evidence(X, X_new, written, written_new, y)
        inputs = np.hstack([np.vstack([margins, new_margins]), seen])
        n_past = len(past)
        scores = self.network.corrected(inputs[:n_past], margins, y, inputs[n_past:], new_margins, n_jobs)
        column = {report: place for place, report in enumerate(decided)}
        for report in reports:
            yield Scored(report, scores[:, column[report]].round(DECIMALS))

    def _margins(self, X: Any, X_new: Any, y: Labels, n_jobs: int) -> tuple[Table, Table]:
        """Give the margins of past and new papers, each report's at mean 0 and deviation 1."""
        margins, new_margins = np.zeros(y.shape), np.zeros((X_new.shape[0], y.shape[1]))
        halves = np.random.default_rng(0).integers(0, 2, len(y))
        calls = ((column, self.make_classifier(), X, X_new, y[:, column], halves) for column in range(y.shape[1]))
        with closing(in_processes(_margins_of_report, calls, n_jobs)) as ready:
            for column, of_past, of_new in ready:
                spread = of_past.std() or 1.0
                margins[:, column] = (of_past - of_past.mean()) / spread
                new_margins[:, column] = (of_new - of_past.mean()) / spread
        return margins, new_margins


def _labels(decided: Mapping[str, Decided], n_papers: int) -> Labels:
    """Give 1 for relevant, 0 for not and -1 for no word, shape (n_papers, n_reports)."""
    y = np.full((n_papers, len(decided)), NO_WORD, dtype=np.int8)
    for column, (rows, words) in enumerate(decided.values()):
        y[rows, column] = words
    return y


def _margins_of_report(
    column: int, classifier: Classifier, X: Any, X_new: Any, y: Labels, halves: NDArray[np.int64]
) -> tuple[int, Table, Table]:
    """Train on either half of the papers; give margins of past papers by the other half, and of new ones by both."""
    halves = halves.copy()
    relevant = np.flatnonzero(y == 1)
    halves[relevant] = np.arange(len(relevant)) % 2  # both halves have some
    margins, new_margins = np.zeros(len(y)), np.zeros(X_new.shape[0])
    for half in (0, 1):
        rows = np.flatnonzero((halves == half) & (y != NO_WORD))
        if len(np.unique(y[rows])) == 2:
            classifier.fit(X[rows], y[rows])
            others = halves != half
            margins[others] = classifier.decision_function(X[others])
            new_margins += classifier.decision_function(X_new) / 2
    return column, margins, new_margins


def _evidence(X: Any, X_new: Any, written: Any, written_new: Any, y: Labels) -> Table:
    """Give what the network sees beside the margins, shape (n_past + n_new, n_inputs), past papers first."""
    topics, new_topics = _topics(X, X_new)
    profiles = of_their_other_papers(written, written_new, topics)
    n_relevant = of_their_other_papers(written, written_new, csr_array(y == 1, dtype=np.float64))
    n_decided = of_their_other_papers(written, written_new, csr_array(y != NO_WORD, dtype=np.float64))
    n_papers = of_their_other_papers(written, written_new, np.ones((len(y), 1)))
    usual = ((y == 1).sum(axis=0) + 1e-6) / ((y != NO_WORD).sum(axis=0) + 1e-6)
    record = np.log(
        (np.vstack(n_relevant) + EXPECTED_PAPERS * usual) / (np.vstack(n_decided) + EXPECTED_PAPERS) / usual
    )
    n_authors = np.concatenate([np.asarray(side.sum(axis=1)).ravel() for side in (written, written_new)])
    return np.column_stack(
        [
            LENGTH * np.vstack([topics, new_topics]),
            LENGTH * _of_length_1(np.vstack(profiles)),
            record,
            np.log1p(np.vstack(n_papers)),
            np.log1p(n_authors),
        ]
    )


def _topics(X: Any, X_new: Any) -> tuple[Table, Table]:
    """Project papers on the directions in which the past ones differ most, at length 1."""
    spread = np.bincount(X.indices, minlength=X.shape[1])
    terms = np.sort(np.argsort(-spread, kind="stable")[:TOPIC_TERMS])
    X, X_new = X[:, terms], X_new[:, terms]
    n_topics = min(N_TOPICS, *X.shape)
    *_, directions = randomized_svd(X, n_topics, n_iter=2, power_iteration_normalizer="QR", random_state=0)
    return _of_length_1(X @ directions.T), _of_length_1(X_new @ directions.T)


def _of_length_1(rows: Table) -> Table:
    scaled: Table = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6)
    return scaled
