"""One linear classifier a report, each by itself."""

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from data.records import Paper
from ranker.parallel import in_processes
from ranker.recipe import DECIMALS, Classifier, Decided, Features, Scored

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

    def score(
        self,
        past: Sequence[Paper],
        decided: Mapping[str, Decided],
        new: Sequence[Paper],
        reports: Sequence[str],
        n_jobs: int,
    ) -> Generator[Scored]:
        """Make the features once, then train report after report."""
        features = self.make_features()
        X, X_new = features.fit_transform(past), features.transform(new)
        del features  # the vocabulary is large, the workers need none of it
        calls = ((report, self.make_classifier(), X, X_new, decided[report]) for report in reports)
        with closing(in_processes(_score, calls, n_jobs)) as ready:
            yield from ready


def _score(report: str, classifier: Classifier, X: Any, X_new: Any, decided: Decided) -> Scored:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # told by the note instead
        classifier.fit(X[decided.rows], decided.y)
    is_converged = classifier.n_iter_ < classifier.max_iter
    scores = classifier.decision_function(X_new).round(DECIMALS)
    return Scored(report, scores, "" if is_converged else NOT_CONVERGED)
