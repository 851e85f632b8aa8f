"""One linear classifier a report, each by itself."""

import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from data.records import Rows
from ranker.explain import most_similar, shares, spelled_out, terms_of
from ranker.parallel import in_processes
from ranker.recipe import DECIMALS, Classifier, Decided, Features, Reason, Scored, Similar, Table, Task
from ranker.words import IssueTerms, terms_of_issue

NOT_CONVERGED = "training stopped before it converged"


@dataclass(frozen=True)
class SeparateReports:
    """Features of all past papers, and a classifier a report that knows of no other report.

    Attributes
    ----------
    make_features, make_classifier : callable
        Make a new, unfitted estimator, with a fixed seed if it needs one.
    """

    make_features: Callable[[], Features]
    make_classifier: Callable[[], Classifier]

    @property
    def learns_together(self) -> bool:
        """Each report knows of itself alone."""
        return False

    @property
    def needs_past_texts(self) -> bool:
        """Each recipe takes texts apart in its own way."""
        return True

    @property
    def reads_vectors(self) -> bool:
        """Terms are enough."""
        return False

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Keep nothing: a report is trained anew each time."""
        return False

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[Scored]:
        """Make the features once, then train report after report."""
        features = self.make_features()
        X, X_new = features.fit_transform(task.past), features.transform(task.new)
        terms = _terms(features, task, X_new)
        del features  # the vocabulary is large, the workers need none of it
        calls = ((report, self.make_classifier(), X, X_new, task.decided[report], terms.columns) for report in reports)
        with closing(in_processes(_score, calls, n_jobs)) as ready:
            for scored, weights in ready:
                yield scored._replace(words=terms.words(weights, len(task.relevant(scored.report))))

    def explainer(self, task: Task) -> "LinearExplainer":
        """Make the features; a report is trained when it is first asked about."""
        features = self.make_features()
        X, X_new = features.fit_transform(task.past), features.transform(task.new)
        names = [("text", term) for term in features.get_feature_names_out()]
        return LinearExplainer(task, names, X, X_new, self.make_classifier)


@dataclass(frozen=True)
class LinearExplainer:
    """Takes a score apart: it is the sum over the terms of a paper of what stands there times its weight."""

    task: Task
    names: Sequence[tuple[str, str]]
    X: Any
    X_new: Any
    make_classifier: Callable[[], Classifier]
    trained: dict[str, Classifier] = field(default_factory=dict)

    def scores(self, report: str) -> Table:
        """Return the scores of the new papers."""
        return self._trained(report).decision_function(self.X_new).round(DECIMALS)

    def reasons(self, report: str, row: int) -> list[Reason]:
        """Return what moved the score of a paper."""
        amounts = terms_of(self._of(row), self.names, self._trained(report).coef_[0])
        return shares(spelled_out(self.task.papers[row], amounts))

    def similar(self, report: str, row: int, n: int) -> list[Similar]:
        """Return the report's relevant past papers that a paper is most like."""
        relevant = self.task.relevant(report)
        return most_similar(self._of(row), self.X[relevant], relevant.tolist(), n)

    def _trained(self, report: str) -> Classifier:
        if report not in self.trained:
            classifier = self.make_classifier()
            _fit(classifier, self.X, self.task.decided[report])
            self.trained[report] = classifier
        return self.trained[report]

    def _of(self, row: int) -> Any:
        return self.X_new[[row - self.task.n_past]]


def _terms(features: Features, task: Task, X_new: Any) -> IssueTerms:
    return terms_of_issue(
        task.listed, X_new[: task.n_listed], lambda columns: features.get_feature_names_out()[columns].tolist()
    )


def _score(
    report: str, classifier: Classifier, X: Any, X_new: Any, decided: Decided, columns: Rows
) -> tuple[Scored, Table]:
    """Score the new papers for a report; give the weights of some terms as well."""
    _fit(classifier, X, decided)
    is_converged = classifier.n_iter_ < classifier.max_iter
    scores = classifier.decision_function(X_new).round(DECIMALS)
    return Scored(report, scores, "" if is_converged else NOT_CONVERGED), classifier.coef_[0, columns]


def _fit(classifier: Classifier, X: Any, decided: Decided) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # told by the note instead
        classifier.fit(X[decided.rows], decided.y)
