"""What a ranker recipe is: how papers become numbers, and what learns from them."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from data.records import Paper, Rows

Labels = NDArray[np.int8]
DECIMALS = 9  # of a score: what differs only below is a tie, so that machines agree


class Decided(NamedTuple):
    """What a report trains on: rows of the past papers, ascending, and 1 for relevant or 0 for not."""

    rows: Rows
    y: Labels


class Scored(NamedTuple):
    """The score of each new paper for a report, rounded, or None for list order; and what a person should know."""

    report: str
    scores: NDArray[np.float64] | None
    note: str = ""


class Method(Protocol):
    """Learns from past papers and scores new ones."""

    def score(
        self,
        past: Sequence[Paper],
        decided: Mapping[str, Decided],
        new: Sequence[Paper],
        reports: Sequence[str],
        n_jobs: int,
    ) -> Generator[Scored]:
        """Score the new papers for some of the reports that have decided enough, in any order, as they get ready.

        The scores for a report must not depend on which others are asked for, nor on `n_jobs`.
        """


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
    method : Method
        What it does, with fixed settings and seeds.
    """

    name: str
    description: str
    method: Method
