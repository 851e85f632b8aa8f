"""Predict whether an improvement on one collection of test cases holds on all: compare the predictors."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from presort.metrics.arguments import array_of, shown
from presort.metrics.batch import Floats, Ints, ratio
from presort.metrics.cases import Scores, complete_systems, mean_f
from presort.metrics.improvement import uir_matrix
from presort.metrics.parametric import parametric_uir


def stability(
    scores_by_collection: Mapping[str, Scores],
    *,
    thresholds: ArrayLike | None = None,
    alpha: float = 0.5,
    atol: float = 0.0,
) -> pd.DataFrame:
    """Return how well one collection predicts which differences between systems hold on all of them.

    Every collection foretells, for every ordered pair of systems (a, b), that a improves b, when the predictor's value
    there reaches the threshold. That is right when the mean F of a is above that of b in all collections. All the
    collections' predictions are counted together.

    Parameters
    ----------
    scores_by_collection : mapping of str to mapping of str to array_like, shape (n_cases, n_metrics)
        For each collection, at least two, the scores of the same systems, at least two; higher is better. Collections
        may differ in their cases. A case with NaN in any system is left out for all.
    thresholds : array_like, shape (n_thresholds,), optional
        Values above 0 from which a predictor predicts an improvement. Defaults to every value above 0 that the
        predictor takes: the whole curve.
    alpha : float
        Weight in F of the first of two metrics, from 0 to 1. With any other number of metrics all weigh the same.
    atol : float
        A score counts in the Unanimous Improvement Ratio as at least as good when it is lower by no more than this.

    Returns
    -------
    DataFrame, a row a predictor and threshold
        `predictor`: "uir" (`unanimous_improvement_ratio`), "delta_f" (difference of mean F) or "parametric_uir".
        `threshold`: rising within each. `precision`: share of the predicted improvements that hold on all collections;
        NaN if none is predicted. `recall`: share of the improvements that hold on all that is predicted; NaN if none
        holds. `n_predicted`, `n_right`: improvements predicted, and those of them that hold. `n_robust`: improvements
        that hold on all, counted once a collection. A predictor that is NaN predicts nothing.

    Raises
    ------
    ValueError
        If there are fewer than two collections or systems, the systems differ between collections, a system has no F
        in a collection (a negative metric, or no case without NaN), a threshold is not above 0, or as for `uir_table`.

    Notes
    -----
    The collection that foretells is one of those on which the improvement must hold. This makes it easier for every
    predictor, and easiest for the difference of F, which is never wrong there: compare precision at equal recall.

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
    chosen = None if thresholds is None else _checked_thresholds(thresholds)
    collections = _aligned(scores_by_collection)
    values = _predictions(collections, alpha, atol)
    holds: NDArray[np.bool_] = np.logical_and.reduce(values["delta_f"] > 0, axis=0)
    curves: list[pd.DataFrame] = [_curve(name, value, holds, chosen) for name, value in values.items()]
    return pd.concat(curves, ignore_index=True)


def _aligned(scores_by_collection: Mapping[str, Scores]) -> dict[str, Scores]:
    """Check the collections, and bring their systems into the order of the first."""
    if not isinstance(scores_by_collection, Mapping) or len(scores_by_collection) < 2:
        raise ValueError(
            f"scores_by_collection must map at least two collection names to scores, got {shown(scores_by_collection)}"
        )
    collections: dict[str, Scores] = {}
    for name, scores in scores_by_collection.items():
        if not isinstance(scores, Mapping) or len(scores) < 2:
            raise ValueError(
                f"scores_by_collection[{name!r}] must map at least two system names to scores, got {shown(scores)}"
            )
        first = next(iter(collections.values()), scores)
        if unshared := sorted(map(str, first.keys() ^ scores.keys())):
            raise ValueError(
                f"scores_by_collection[{name!r}] must have the systems of the first collection, "
                f"but only one of the two has {shown(unshared)}"
            )
        collections[name] = {system: scores[system] for system in first}
    return collections


def _predictions(collections: dict[str, Scores], alpha: float, atol: float) -> dict[str, Floats]:
    """Return each predictor's values, shape (n_collections, n_systems, n_systems): the row over the column."""
    differences, ratios, parametric = [], [], []
    for name, scores in collections.items():
        systems, stacked, _ = complete_systems(scores, f"scores_by_collection[{name!r}]")
        means = mean_f(stacked, alpha)
        if np.isnan(means).any():
            system = systems[int(np.isnan(means).argmax())]
            raise ValueError(
                f"scores_by_collection[{name!r}] must have a case without nan and no negative metric, "
                f"got no F of {system!r}"
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
    """Evaluate one predictor at each threshold. No system reaches one against itself: they are above 0."""
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


def _checked_thresholds(thresholds: ArrayLike) -> Floats:
    rule = "a list of numbers above 0, at least one"
    values = array_of("thresholds", rule, thresholds)
    if values.ndim != 1 or not values.size or values.dtype.kind not in "biuf" or not (values > 0).all():
        raise ValueError(f"thresholds must be {rule}, got {shown(thresholds)}")
    return np.unique(values.astype(np.float64))
