"""Ranker recipe: the features of papers and the method that learns from them."""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.data.records import Model, Paper, Rows, Tokens, Vectors, as_named_papers
from presort.ranker.tokens import tokens_of

Labels = NDArray[np.int8]
Table = NDArray[np.floating[Any]]  # computed in double precision; stored arrays may have single precision
NO_WORD = -1  # the label of a paper on which a report says nothing
BLOCK = 65_536  # papers processed together, because temporary tables for all papers would exceed the data in memory
PERIOD = 8  # issues that share a model, where one is kept; what came in between is learned on top of it
DECIMALS = 9  # of a score: what differs only below is a tie, so that machines agree


class Decided(NamedTuple):
    """Training data of a report: rows of the past papers, ascending, and their labels, 1 for relevant, 0 for not."""

    rows: Rows
    y: Labels


class Scored(NamedTuple):
    """Scores of the new papers for a report.

    Attributes
    ----------
    report : str
        Code of the report.
    scores : array of shape (n_new,) or None
        Rounded; None for list order.
    note : str
        Message for the user.
    words : tuple of str
        Words of listed papers with the highest weights for the report, best first. Empty if nothing was learned.
    """

    report: str
    scores: Table | None
    note: str = ""
    words: tuple[str, ...] = ()


class Reason(NamedTuple):
    """Something about a paper that moved its score.

    Attributes
    ----------
    field : str
        "word", "author", "code", "series", "record": what the authors wrote before, "meaning": what the paper is about
        as a sentence model reads it, or "agreement": how all that is known of the paper goes together.
    text : str
        The term, as a person would write it; empty for the last three.
    share : float
        Of all that moved the score, -1 to 1; negative if it moved it down. The sizes of all shares sum to 1.
    """

    field: str
    text: str
    share: float


class Similar(NamedTuple):
    """A relevant past paper: its row among the papers of the task, and the cosine of the terms of both, 0 to 1."""

    row: int
    similarity: float


class ModelStore(Protocol):
    """Storage of models from one training to the next."""

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the stored model. None if there is none with this layout and these settings."""

    def refuse(self, model: Model, fault: str) -> None:
        """Report that a stored model can't be used because of a fault."""

    def keep(self, model: Model) -> None:
        """Store a model."""


@dataclass
class MemoryModelStore:
    """A model store for the length of a run."""

    models: dict[tuple[str, date], Model] = field(default_factory=dict)

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the stored model, or None if there is none."""
        return self.models.get((ranker, trained_before))

    def refuse(self, model: Model, fault: str) -> None:
        """Raise an error, because the model was made in this very run."""
        raise RuntimeError(f"the model of {model.ranker} {fault}")

    def keep(self, model: Model) -> None:
        """Store a model and drop all others of its ranker."""
        self.models = {key: other for key, other in self.models.items() if key[0] != model.ranker}
        self.models[model.ranker, model.trained_before] = model


@dataclass(frozen=True, eq=False)
class Task:
    """Data to learn from, and papers to score.

    Attributes
    ----------
    ranker : str
        Name of the recipe.
    issues : sequence of date
        Dates of the past issues, and of the first one to rank.
    starts : array of shape (n_issues,)
        Row of the first paper of each of them.
    papers : sequence of Paper
        Past papers, issue after issue, without texts if no method needs them; then examples that editors gave; then,
        from row `n_past`, the new ones.
    kept_tokens : Tokens or None
        Those of `papers`, if they were kept.
    n_past : int
        Papers to learn from.
    n_listed : int
        New papers of the issues to rank; those after them are some of these again, without terms that were muted.
    decided : mapping from report code to Decided
        Reports that have decided enough, and what they decided on past papers.
    models : ModelStore
        Storage of models of earlier trainings.
    vectors : Vectors or None
        Those of `papers`, where there are any; a paper without terms that were muted has that of the whole paper.
    has_readers : bool
        Editors will read the rankings, so words to highlight are needed.
    """

    ranker: str
    issues: Sequence[date]
    starts: Rows
    papers: Sequence[Paper]
    kept_tokens: Tokens | None
    n_past: int
    n_listed: int
    decided: Mapping[str, Decided]
    models: ModelStore
    vectors: Vectors | None = None
    has_readers: bool = True

    @property
    def past(self) -> Sequence[Paper]:
        """The papers to learn from."""
        return self.papers[: self.n_past]

    @property
    def new(self) -> Sequence[Paper]:
        """The papers to score."""
        return self.papers[self.n_past :]

    @property
    def listed(self) -> Sequence[Paper]:
        """The papers of the issues to rank."""
        return self.new[: self.n_listed]

    @property
    def marked(self) -> Sequence[Paper]:
        """The papers in which the words that speak most for a report will be marked."""
        return self.listed if self.has_readers else []

    def numbers_of(self, rows: Rows | slice) -> Rows:
        """Return the number of the paper in each past row, by first appearance. All rows of a paper share it."""
        numbers: Rows = pd.factorize(self._ids[rows])[0]
        return numbers

    @cached_property
    def _ids(self) -> NDArray[np.object_]:
        return np.array(as_named_papers(self.past).ids, dtype=object)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """Key of each past paper, independent of its row: its issue and its id."""
        issue_of = np.searchsorted(self.starts, np.arange(self.n_past), side="right") - 1
        days = [*map(str, self.issues[:-1]), ""]  # the last is that of the examples
        names = (f"{days[issue]}\n{name}" for issue, name in zip(issue_of.tolist(), self._ids, strict=True))
        digests = b"".join(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names)
        return np.frombuffer(digests, dtype="<u8").astype(np.uint64)

    def relevant(self, report: str) -> Rows:
        """Return the rows of the papers that a report learns from as relevant."""
        rows, y = self.decided[report]
        relevant: Rows = rows[y == 1]
        return relevant

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of all papers."""
        return tokens_of(self.papers) if self.kept_tokens is None else self.kept_tokens


def labels(task: Task, reports: Sequence[str]) -> Labels:
    """Return the labels: 1 for relevant, 0 for not, -1 for no decision, shape (n_past, n_reports)."""
    y = np.full((task.n_past, len(reports)), NO_WORD, dtype=np.int8)
    for column, report in enumerate(reports):
        if report in task.decided:
            rows, words = task.decided[report]
            y[rows, column] = words
    return y


def label_counts(y: Labels) -> NDArray[np.int64]:
    """Count the irrelevant and the relevant papers of each report, shape (2, n_reports).

    Examples
    --------
    >>> label_counts(np.array([[1, 0], [-1, 0]], dtype=np.int8)).tolist()
    [[0, 2], [1, 0]]
    """
    counts = np.zeros((2, y.shape[1]), dtype=np.int64)
    for start in range(0, len(y), BLOCK):
        part = y[start : start + BLOCK]
        counts += [(part == 0).sum(axis=0), (part == 1).sum(axis=0)]
    return counts


class Method(Protocol):
    """Learns from past papers and scores new ones."""

    @property
    def learns_together(self) -> bool:
        """True if the decisions of one report affect the scores for another."""

    @property
    def needs_past_texts(self) -> bool:
        """True if the texts of past papers are needed in addition to their tokens."""

    @property
    def reads_vectors(self) -> bool:
        """True if sentence vectors are used when there are any."""

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Train and store the model for the weeks to come if it is due. Return whether it was."""

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[Scored]:
        """Score the new papers for some of the reports that have decided enough. Yields results as they are finished.

        The scores for a report must not depend on which others are asked for, nor on `n_jobs`.
        """

    def explainer(self, task: Task) -> "Explainer":
        """Train as `score` does, and return an explainer."""


class Explainer(Protocol):
    """Explainer of the ranks of a task's papers."""

    def scores(self, report: str) -> Table:
        """Return the scores of the new papers, as `Method.score` does."""

    def reasons(self, report: str, row: int) -> list[Reason] | None:
        """Return the reasons for the score of a paper, largest first. None if the ranker can't explain it."""

    def similar(self, report: str, row: int, n: int) -> list[Similar]:
        """Return the report's relevant past papers that a paper is most like."""


class Features(Protocol):
    """A scikit-learn transformer from papers to a CSR matrix of shape (n_papers, n_features)."""

    def fit_transform(self, papers: Sequence[Paper]) -> Any:
        """Learn the features from `papers`, and return their rows."""

    def transform(self, papers: Sequence[Paper]) -> Any:
        """Return the rows of `papers`. Unknown features are left out."""

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the term of each column."""


@dataclass(frozen=True)
class Recipe:
    """A named, versioned way to rank; once released it never changes, a better one gets a new name.

    Attributes
    ----------
    name : str
        The director chooses it, and every ranking stores it.
    description : str
        One sentence for a person.
    method : Method
        The method, with fixed settings and seeds.
    minutes : float
        Time limit of a recipe of another package, to learn and to score for all reports. A recipe that takes longer is
        stopped, because it may hang.
    """

    name: str
    description: str
    method: Method
    minutes: float = 60
