"""Common interface to classifiers of scikit-learn: fit, score, and read the weights of terms."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline

from presort.ranker.recipe import Decided, Table


def can_score(estimator: Any) -> bool:
    """Return whether an estimator, fitted or not, has scores by which papers can be sorted.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> can_score(RidgeClassifier()), can_score(MaxAbsScaler())
    (True, False)
    """
    return hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba") or is_regressor(estimator)


def fit(classifier: Any, X: Any, decided: Decided) -> bool:
    """Learn from the rows of `X` on which a report decided, and return whether training converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        classifier.fit(X[decided.rows], decided.y)
    others = [warning for warning in caught if not issubclass(warning.category, ConvergenceWarning)]
    for warning in others:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return len(others) == len(caught)


def scores_of(classifier: Any, X: Any) -> Table:
    """Score rows by a fitted estimator, shape (n_rows,); higher is likelier relevant.

    By what it has of: log odds of naive Bayes, a decision function, probabilities, what a regressor predicts.
    """
    last = classifier[-1] if isinstance(classifier, Pipeline) else classifier
    if hasattr(last, "predict_joint_log_proba"):  # probabilities of long texts are all 0 or 1
        X = classifier[:-1].transform(X) if isinstance(classifier, Pipeline) else X
        return _of_relevant(last, last.predict_joint_log_proba(X), minus_other=True)
    if hasattr(classifier, "decision_function"):
        values = np.asarray(classifier.decision_function(X))
        return values if values.ndim == 1 else _of_relevant(classifier, values)
    if hasattr(classifier, "predict_proba"):
        return _of_relevant(classifier, classifier.predict_proba(X))
    return np.asarray(classifier.predict(X), dtype=np.float64)


def weights_of(classifier: Any) -> Table | None:
    """Return the weight of each column in a fitted estimator, shape (n_columns,). None if it isn't linear.

    A pipeline is linear if it is one that is, behind steps that choose columns.
    """
    if isinstance(classifier, Pipeline):
        weights = weights_of(classifier[-1])
        for _, step in reversed(classifier.steps[:-1]):
            if weights is None or not isinstance(step, SelectorMixin):
                return None
            weights = np.asarray(step.inverse_transform(weights.reshape(1, -1)), dtype=np.float64).ravel()
        return weights
    if isinstance(classifier, MultinomialNB | ComplementNB):
        return _of_relevant(classifier, classifier.feature_log_prob_.T, minus_other=True)
    weights = getattr(classifier, "coef_", None)
    if weights is None:
        return None
    rows: Table = np.atleast_2d(weights.toarray() if issparse(weights) else weights)
    return rows.ravel() if len(rows) == 1 else None


def _of_relevant(classifier: Any, columns: Any, *, minus_other: bool = False) -> Table:
    """Return the column of the class that is relevant, the label 1."""
    table: Table = np.asarray(columns, dtype=np.float64)
    place = list(classifier.classes_).index(1)
    relevant: Table = table[:, place]
    return relevant - table[:, 1 - place] if minus_other else relevant
