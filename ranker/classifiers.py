"""Common interface to scikit-learn estimators: fit an estimator, compute its scores, and read its term weights."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from presort.ranker.recipe import Table, TrainingLabels

MOST_DENSE = 250_000_000  # maximum number of values in a dense matrix (2 GB)


def can_score(estimator: Any) -> bool:
    """Return True if an estimator can rank papers, that is, if it is a classifier or regressor or computes scores.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> can_score(RidgeClassifier()), can_score(MaxAbsScaler())
    (True, False)
    """
    has_scores = hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")
    return has_scores or is_classifier(estimator) or is_regressor(estimator)


def fit(classifier: Any, X: Any, decided: TrainingLabels) -> bool:
    """Fit a classifier to those rows of `X` that have a decision. Returns True if training converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        classifier.fit(_densify_if_needed(classifier, X[decided.rows]), decided.y)
    others = [warning for warning in caught if not issubclass(warning.category, ConvergenceWarning)]
    for warning in others:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return len(others) == len(caught)


def scores_of(classifier: Any, X: Any) -> Table:
    """Return a fitted estimator's scores for rows, shape (n_rows,). Higher means more likely relevant.

    The scores are the first of the following that the estimator provides: naive Bayes log odds, decision function,
    probabilities, predictions. A parameter search uses its best estimator.

    Raises
    ------
    ValueError
        If the estimator needs a dense matrix and `X` is too large for one.
    """
    if hasattr(classifier, "best_estimator_"):
        return scores_of(classifier.best_estimator_, X)
    X = _densify_if_needed(classifier, X)
    last = classifier[-1] if isinstance(classifier, Pipeline) else classifier
    if hasattr(last, "predict_joint_log_proba"):  # log odds, because probabilities of long texts are all 0 or 1
        X = classifier[:-1].transform(X) if isinstance(classifier, Pipeline) else X
        return _relevant_column(last, last.predict_joint_log_proba(X), minus_other=True)
    if hasattr(classifier, "decision_function"):
        values = np.asarray(classifier.decision_function(X))
        return values if values.ndim == 1 else _relevant_column(classifier, values)
    if hasattr(classifier, "predict_proba"):
        return _relevant_column(classifier, classifier.predict_proba(X))
    return np.asarray(classifier.predict(X), dtype=np.float64)


def weights_of(classifier: Any) -> Table | None:
    """Return a fitted estimator's weight for each column, shape (n_columns,), or None if it isn't linear.

    A pipeline is linear if its last step is linear and all other steps select columns. A parameter search is linear if
    its best estimator is.
    """
    if hasattr(classifier, "best_estimator_"):
        return weights_of(classifier.best_estimator_)
    if isinstance(classifier, Pipeline):
        weights = weights_of(classifier[-1])
        for _, step in reversed(classifier.steps[:-1]):
            if weights is None or not isinstance(step, SelectorMixin):
                return None
            weights = np.asarray(step.inverse_transform(weights.reshape(1, -1)), dtype=np.float64).ravel()
        return weights
    if isinstance(classifier, MultinomialNB | ComplementNB):
        return _relevant_column(classifier, classifier.feature_log_prob_.T, minus_other=True)
    weights = getattr(classifier, "coef_", None)
    if weights is None:
        return None
    rows: Table = np.atleast_2d(weights.toarray() if issparse(weights) else weights)
    return rows.ravel() if len(rows) == 1 else None


def _densify_if_needed(estimator: Any, X: Any) -> Any:
    """Convert a sparse matrix to a dense one if the estimator doesn't accept sparse matrices."""
    if not issparse(X) or get_tags(estimator).input_tags.sparse:
        return X
    n_rows, n_columns = X.shape
    if n_rows * n_columns > MOST_DENSE:
        raise ValueError(
            f"{type(estimator).__name__} needs a dense matrix, but a dense matrix of {n_rows:,} papers and "
            f"{n_columns:,} terms would be too large; put TruncatedSVD before the estimator in a pipeline"
        )
    return X.toarray()


def _relevant_column(classifier: Any, columns: Any, *, minus_other: bool = False) -> Table:
    """Return the column for the class "relevant" (label 1), optionally minus the other class's column."""
    table: Table = np.asarray(columns, dtype=np.float64)
    place = list(classifier.classes_).index(1)
    relevant: Table = table[:, place]
    return relevant - table[:, 1 - place] if minus_other else relevant
