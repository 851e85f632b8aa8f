"""Ranking by one classifier per report, which is trained without other reports' decisions."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from itertools import dropwhile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import OneToOneFeatureMixin
from sklearn.feature_selection import SelectorMixin

from presort.data.records import Rows
from presort.ranker.classifiers import fit, scores_of, weights_of
from presort.ranker.explain import find_similar, shares, spell_terms, terms_of
from presort.ranker.parallel import run_in_processes
from presort.ranker.recipe import DECIMALS, Features, Reason, ReportScores, Similar, Table, Task, TrainingLabels
from presort.ranker.words import IssueTerms, terms_of_issue

NOT_CONVERGED = "training stopped before it converged"


@dataclass(frozen=True)
class SeparateReports:
    """Method with features fitted to all past papers, and an independent classifier for each report.

    Attributes
    ----------
    make_features, make_classifier : callable
        Functions that create an unfitted estimator, with a fixed seed if the estimator needs a seed. The classifier is
        trained on labels 1 (relevant) and 0 (not relevant). `presort.ranker.classifiers.scores_of` defines its scores.
    """

    make_features: Callable[[], Features]
    make_classifier: Callable[[], Any]

    @property
    def learns_together(self) -> bool:
        """Return False, because each report is trained only on its own decisions."""
        return False

    @property
    def needs_past_texts(self) -> bool:
        """Return True, because each recipe tokenises texts in its own way."""
        return True

    @property
    def reads_vectors(self) -> bool:
        """Return False, because only terms are used."""
        return False

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Do nothing, because each report's classifier is always trained from scratch."""
        return False

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[ReportScores]:
        """Compute the features once, then train a classifier and score the new papers for each report."""
        features = self.make_features()
        X, X_new = _to_rows(features.fit_transform(task.past)), _to_rows(features.transform(task.new))
        terms = _terms(features, task, X_new)
        del features  # free the large vocabulary, which workers don't need
        columns = None if terms is None else terms.columns
        calls = ((report, self.make_classifier(), task.decided[report]) for report in reports)
        with closing(run_in_processes(_score, (X, X_new, columns), calls, n_jobs)) as ready:
            for scored, weights in ready:
                if terms is None or weights is None:
                    yield scored
                else:
                    yield scored._replace(words=terms.words(weights, len(task.relevant(scored.report))))

    def explainer(self, task: Task) -> "SeparateExplainer":
        """Return an explainer. Features are computed now, and each report's classifier is trained on first use."""
        features = self.make_features()
        X, X_new = _to_rows(features.fit_transform(task.past)), _to_rows(features.transform(task.new))
        return SeparateExplainer(task, features, X, X_new, self.make_classifier)


@dataclass(frozen=True)
class SeparateExplainer:
    """Explainer for a linear classifier's score, to which each term contributes its value times its weight.

    For other classifiers, the explainer only finds similar papers.
    """

    task: Task
    features: Features
    X: Any
    X_new: Any
    make_classifier: Callable[[], Any]
    trained: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[tuple[str, str]] | None:
        """Field and name of each column's term, or None if the columns are not terms."""
        return [("text", term) for term in _names(self.features)] if _has_terms(self.features, self.X) else None

    def scores(self, report: str) -> Table:
        """Return the scores of the new papers."""
        return scores_of(self._classifier_of(report), self.X_new).round(DECIMALS)

    def reasons(self, report: str, row: int) -> list[Reason] | None:
        """Return the reasons for a paper's score, or None if the classifier is not linear."""
        weights = weights_of(self._classifier_of(report))
        if weights is None or self.names is None:
            return None
        return shares(spell_terms(self.task.papers[row], terms_of(self._features_of(row), self.names, weights)))

    def similar(self, report: str, row: int, n: int) -> list[Similar]:
        """Return the relevant past papers that are most similar to a paper, or none if the estimator reads strings."""
        if self.X.dtype == object:
            return []
        relevant = self.task.relevant(report)
        return find_similar(csr_array(self._features_of(row)), csr_array(self.X[relevant]), relevant.tolist(), n)

    def _classifier_of(self, report: str) -> Any:
        if report not in self.trained:
            classifier = self.make_classifier()
            fit(classifier, self.X, self.task.decided[report])
            self.trained[report] = classifier
        return self.trained[report]

    def _features_of(self, row: int) -> Any:
        return self.X_new[[row - self.task.n_past]]


def _to_rows(X: Any) -> Any:
    return X.tocsr() if issparse(X) else np.asarray(X)


def _has_terms(features: Features, X: Any) -> bool:
    """Return True if each column is a single term. Terms may be counted, weighted or selected, but not combined."""
    counting = _counting_steps(features)
    if not counting or not issparse(X):
        return False
    return all(isinstance(step, OneToOneFeatureMixin | SelectorMixin) for step in counting[1:])


def _counting_steps(features: Features) -> list[Any]:
    """Return the first pipeline step that counts terms, and all later steps. Earlier steps have no feature names."""
    steps = [step for _, step in getattr(features, "steps", [("alone", features)]) if step != "passthrough"]
    return list(dropwhile(lambda step: not (hasattr(step, "terms_") or hasattr(step, "vocabulary_")), steps))


def _names(features: Features) -> NDArray[np.object_]:
    first, *others = _counting_steps(features)
    names: NDArray[np.object_] = first.get_feature_names_out()
    for step in others:
        names = step.get_feature_names_out(names)
    return names


def _terms(features: Features, task: Task, X_new: Any) -> IssueTerms | None:
    """Return the terms in the papers whose words will be highlighted, or None if no words can be highlighted."""
    if not task.marked or not _has_terms(features, X_new):
        return None
    return terms_of_issue(task.marked, X_new[: len(task.marked)], lambda columns: _names(features)[columns].tolist())


def _score(
    X: Any, X_new: Any, columns: Rows | None, report: str, classifier: Any, decided: TrainingLabels
) -> tuple[ReportScores, Table | None]:
    """Score the new papers for a report. Also return the weights in `columns` if the classifier has weights."""
    is_converged = fit(classifier, X, decided)
    scores = scores_of(classifier, X_new).round(DECIMALS)
    weights = None if columns is None else weights_of(classifier)
    return ReportScores(report, scores, "" if is_converged else NOT_CONVERGED), None if weights is None else weights[
        columns
    ]
