"""The measures of outcomes that are kept beside these: ours. What packages bring is measured where it is asked for."""

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

import metrics
from data.errors import WorkspaceError
from data.learning import outcome_scores
from data.records import Positions
from data.store import Store
from metrics import Outcome

KEPT = tuple(name for name, measure in metrics.MEASURES.items() if measure.needs == "outcome")
ALIKE = 1e-9  # relative: what another processor may round differently, and no measure means


def version_of(folder: Traversable) -> str:
    """Return what differs wherever any of the measures may say something else: a digest of their program text."""
    digest = sha256(" ".join(KEPT).encode())
    for text in _program_texts(folder):
        digest.update(text)
    return digest.hexdigest()[:16]


def _program_texts(folder: Traversable) -> Iterator[bytes]:
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            yield from _program_texts(one)
        elif one.name.endswith(".py"):
            yield one.read_bytes()


VERSION = version_of(files(metrics))  # now: an upgrade may put other files there while this program runs


def keep_scores(store: Store) -> int:
    """Measure the outcomes of which no scores are kept by these measures, and return how many they were."""
    return outcome_scores.keep_scores(store, measured, VERSION)


def measured(places: Positions, r: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Measure outcomes by each of `KEPT`.

    Parameters
    ----------
    places : array of int, shape (sum of r,)
        Places of the relevant papers, from 1, of one outcome after the other.
    r, n : array of int, shape (n_outcomes,)
        Relevant papers, and papers, of each.

    Returns
    -------
    array of float, shape (n_outcomes, n_measures)

    Examples
    --------
    >>> scores = measured(np.array([1, 4]), np.array([2]), np.array([5]))
    >>> dict(zip(KEPT, scores[0].tolist(), strict=True))["search_length"]
    2.0
    """
    return metrics.score(Outcome.split(places, r, n), KEPT).to_numpy()


def wrongly_kept(store: Store) -> Iterator[str]:
    """Yield what is wrong with outcomes: damage, or of which rankings other scores are kept than the measures give."""
    try:
        found = outcome_scores.scored_columns(store, VERSION)
    except WorkspaceError as error:
        yield str(error)
        return
    again = measured(found.places, found.n_relevant, found.n_papers)
    kept = found.scores if found.scores.shape == again.shape else np.full(again.shape, np.nan)
    is_wrong = found.has_scores & ~np.isclose(kept, again, rtol=ALIKE, atol=ALIKE, equal_nan=True).all(axis=1)
    for number in found.ranking_id[is_wrong].tolist():
        yield f"the scores of ranking {number} are not what the measures say of its outcome"
