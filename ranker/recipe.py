"""What a ranker recipe is: how papers become numbers, and what learns from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from data.records import Paper

Labels = NDArray[np.int8]


class Features(Protocol):
    """A scikit-learn transformer from papers to a CSR matrix of shape (n_papers, n_features)."""

    def fit_transform(self, papers: Sequence[Paper]) -> Any:
        """Learn the features from `papers`, and give their rows."""

    def transform(self, papers: Sequence[Paper]) -> Any:
        """Give the rows of `papers`; what was not learned is left out."""


class Classifier(Protocol):
    """A scikit-learn linear classifier of relevant (1) against not (0)."""

    max_iter: int
    n_iter_: int

    def fit(self, X: Any, y: Labels) -> Any:
        """Learn from the rows of `X` and their labels."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Give a score a row; higher is likelier relevant."""


@dataclass(frozen=True)
class Recipe:
    """A named, versioned way to rank; once released it never changes, a better one gets a new name.

    Attributes
    ----------
    name : str
        What the director chooses and every ranking carries.
    description : str
        One sentence for a person.
    make_features, make_classifier : callable
        Make a new, unfitted estimator, with a fixed seed if it needs one.
    """

    name: str
    description: str
    make_features: Callable[[], Features]
    make_classifier: Callable[[], Classifier]
