"""Stability: how well improvements on one collection of test cases predict improvements on all collections."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from presort.metrics.arguments import array_of, short_repr
from presort.metrics.batch import Floats, Ints, ratio
from presort.metrics.cases import Scores, complete_systems, mean_f
from presort.metrics.improvement import uir_matrix
from presort.metrics.lazy import pd
from presort.metrics.parametric import parametric_uir
from presort.metrics.score_tables import tables_by_system


def stability(
    scores_by_collection: Mapping[str, Scores],
    *,
    thresholds: ArrayLike | None = None,
    alpha: float = 0.5,
    atol: float = 0.0,
) -> pd.DataFrame:
    """Evaluate how well one collection predicts which improvements hold on all collections.

    For each collection and each ordered pair of systems (a, b), a predictor predicts that a improves on b if its value
    for the pair is at least the threshold. The prediction is correct if the mean F of a exceeds that of b in all
    collections. Precision and recall are computed over the predictions of all collections.

    Parameters
    ----------
    scores_by_collection : mapping of str to mapping of str to array_like, shape (n_cases, n_metrics)
        Scores by collection and system; higher is better. Alternatively, one DataFrame per metric in each collection,
        see `uir_matrix`. At least two collections, all with the same systems, at least two. Collections may have
        different cases. A case with NaN for any system is ignored for all systems.
    thresholds : array_like, shape (n_thresholds,), optional
        Thresholds, above 0. Defaults to all distinct positive values of the predictor, which yields the complete
        curve.
    alpha : float
        Weight of the first of two metrics in F, from 0 to 1. Must be 0.5, the default, for other numbers of metrics.
    atol : float
        Absolute tolerance of the Unanimous Improvement Ratio, see `uir_table`. Defaults to 0.

    Returns
    -------
    DataFrame, one row per predictor and threshold
        ``predictor``: "uir" (`unanimous_improvement_ratio`), "delta_f" (difference of mean F) or "parametric_uir".
        ``threshold``: ascending within each predictor. An improvement is robust if it holds on all collections.
        ``precision``: share of the predicted improvements that are robust; NaN if none is predicted. ``recall``: share
        of the robust improvements that are predicted; NaN if none is robust. ``n_predicted``, ``n_right``: numbers of
        predicted and of correctly predicted improvements. ``n_robust``: number of robust improvements, counted once for
        each collection. A predictor makes no prediction for a pair if its value for the pair is NaN.

    Raises
    ------
    ValueError
        If there are fewer than two collections or systems, if collections differ in their systems, if F of a system is
        undefined in a collection (negative metric, or no case without NaN), if a threshold is not above 0, or for the
        reasons listed in `uir_table`.

    Notes
    -----
    A predicted improvement must also hold on the collection that predicts it. This favours all predictors, and most of
    all the difference of F, which is always correct on its own collection. Compare precision at equal recall.

    References
    ----------
    Amigó, Gonzalo, Artiles and Verdejo, JAIR 42, 2011, section 7.

    Examples
    --------
    >>> spring = {"new": [[0.8, 0.6], [0.7, 0.5]], "old": [[0.6, 0.5], [0.7, 0.4]], "odd": [[0.9, 0.1], [0.8, 0.2]]}
    >>> autumn = {"new": [[0.6, 0.7], [0.5, 0.5]], "old": [[0.5, 0.6], [0.3, 0.4]], "odd": [[0.9, 0.3], [0.8, 0.35]]}
    >>> table = stability({"spring": spring, "autumn": autumn}, thresholds=[0.05])
    >>> table.loc[table.predictor == "uir", ["precision", "recall"]].to_numpy().tolist()
    [[1.0, 0.5]]
    >>> table.loc[table.predictor == "delta_f", ["precision", "recall"]].to_numpy().tolist()
    [[0.8, 1.0]]
    """
    chosen = None if thresholds is None else _validate_thresholds(thresholds)
    collections = _align_systems(scores_by_collection)
    values = _predictions(collections, alpha, atol)
    holds: NDArray[np.bool_] = np.logical_and.reduce(values["delta_f"] > 0, axis=0)
    curves: list[pd.DataFrame] = [_curve(name, value, holds, chosen) for name, value in values.items()]
    return pd.concat(curves, ignore_index=True)


def _align_systems(scores_by_collection: Mapping[str, Scores]) -> dict[str, Scores]:
    """Validate the collections and reorder their systems and metrics to match the first collection."""
    if not isinstance(scores_by_collection, Mapping) or len(scores_by_collection) < 2:
        given = short_repr(scores_by_collection)
        raise ValueError(f"scores_by_collection must map at least two collection names to scores, got {given}")
    collections: dict[str, Scores] = {}
    for name, given_scores in scores_by_collection.items():
        scores = given_scores
        if isinstance(given_scores, Mapping):
            scores = tables_by_system(f"scores_by_collection[{name!r}]", given_scores)
        if not isinstance(scores, Mapping) or len(scores) < 2:
            raise ValueError(
                f"scores_by_collection[{name!r}] must map at least two system names to scores, got {short_repr(scores)}"
            )
        first = next(iter(collections.values()), scores)
        if unshared := sorted(map(str, first.keys() ^ scores.keys())):
            raise ValueError(
                f"scores_by_collection[{name!r}] must have the same systems as the first collection, "
                f"but only one of them has {short_repr(unshared)}"
            )
        collections[name] = {system: _order_metrics(scores[system], table) for system, table in first.items()}
    return collections


def _order_metrics(table: ArrayLike, first: ArrayLike) -> ArrayLike:
    """Reorder the metrics of a DataFrame to match another DataFrame with the same metrics."""
    if isinstance(table, pd.DataFrame) and isinstance(first, pd.DataFrame) and set(table) == set(first):
        return table[list(first)]
    return table


def _predictions(collections: dict[str, Scores], alpha: float, atol: float) -> dict[str, Floats]:
    """Return each predictor's values, shape (n_collections, n_systems, n_systems).

    A value predicts whether the row's system improves on the column's system.
    """
    differences, ratios, parametric = [], [], []
    for name, scores in collections.items():
        systems, stacked, _ = complete_systems(scores, f"scores_by_collection[{name!r}]")
        means = mean_f(stacked, alpha)
        if np.isnan(means).any():
            system = systems[int(np.isnan(means).argmax())]
            raise ValueError(
                f"scores_by_collection[{name!r}] must contain at least one case without NaN and no negative metrics; "
                f"F of {system!r} is undefined"
            )
        differences.append(means[:, None] - means)
        ratios.append(uir_matrix(scores, atol=atol).to_numpy())
        parametric.append(_parametric_matrix(stacked))
    return {"uir": np.stack(ratios), "delta_f": np.stack(differences), "parametric_uir": np.stack(parametric)}


def _parametric_matrix(stacked: Floats) -> Floats:
    matrix = np.zeros((len(stacked), len(stacked)))
    for row, column in combinations(range(len(stacked)), 2):
        matrix[row, column] = parametric_uir(stacked[row], stacked[column])
        matrix[column, row] = -matrix[row, column]
    return matrix


def _curve(predictor: str, value: Floats, holds: NDArray[np.bool_], thresholds: Floats | None) -> pd.DataFrame:
    """Evaluate one predictor at each threshold.

    A system is never predicted to improve on itself, because its value is 0 and thresholds are positive.
    """
    if thresholds is None:
        thresholds = np.unique(value[value > 0])
    n_predicted = _n_reaching(value.ravel(), thresholds)
    n_right = _n_reaching(value[:, holds].ravel(), thresholds)
    n_robust = np.full(len(thresholds), len(value) * np.count_nonzero(holds))
    columns = {
        "predictor": predictor,
        "threshold": thresholds,
        "precision": ratio(n_right, n_predicted),
        "recall": ratio(n_right, n_robust),
        "n_predicted": n_predicted,
        "n_right": n_right,
        "n_robust": n_robust,
    }
    return pd.DataFrame(columns)


def _n_reaching(values: Floats, thresholds: Floats) -> Ints:
    known = np.sort(values[~np.isnan(values)])
    return known.size - np.searchsorted(known, thresholds)


def _validate_thresholds(thresholds: ArrayLike) -> Floats:
    rule = "a non-empty list of numbers above 0"
    values = array_of("thresholds", rule, thresholds)
    if values.ndim != 1 or not values.size or values.dtype.kind not in "biuf" or not (values > 0).all():
        raise ValueError(f"thresholds must be {rule}, got {short_repr(thresholds)}")
    return np.unique(values.astype(np.float64))
