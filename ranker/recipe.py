"""Interfaces for rankers: the recipe, its method, and the training data and scores that are passed between them."""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from presort.data.records import Model, Paper, Rows, Tokens, Vectors, as_named_papers
from presort.ranker.tokens import tokens_of

Labels = NDArray[np.int8]
Table = NDArray[np.floating[Any]]  # arrays are computed in double precision but may be stored in single precision
NO_WORD = -1  # label of a paper without a decision
BLOCK = 65_536  # papers per batch, because temporary arrays for all papers at once would take more memory than the data
PERIOD = 8  # number of issues that share a stored model, which is updated with later decisions
DECIMALS = 9  # decimals in a score; smaller differences are ties, so that all machines return the same order


class TrainingLabels(NamedTuple):
    """Training data of a report: ascending rows of past papers, and their labels (1: relevant, 0: not relevant)."""

    rows: Rows
    y: Labels


class ReportScores(NamedTuple):
    """Scores of the new papers for a report.

    Attributes
    ----------
    report : str
        Code of the report.
    scores : array of shape (n_new,) or None
        Rounded scores; higher means more likely relevant. None if the papers are to stay in list order.
    note : str
        Message for the user.
    words : tuple of str
        Words in the papers to rank that have the highest weights for the report, best first. Empty without training.
    """

    report: str
    scores: Table | None
    note: str = ""
    words: tuple[str, ...] = ()


class Reason(NamedTuple):
    """Contribution of one of a paper's properties to its score.

    Attributes
    ----------
    field : str
        "word", "author", "code", "series", "record" (decisions on the authors' earlier papers), "meaning" (sentence
        vector), or "agreement" (combination of several features).
    text : str
        The term in readable form. Empty for the fields "record", "meaning" and "agreement".
    share : float
        Contribution as a share of all contributions, from -1 to 1. It is negative if the property lowered the score.
        The absolute values of all shares sum to 1.
    """

    field: str
    text: str
    share: float


class Similar(NamedTuple):
    """Relevant past paper that is similar to a given paper: its row in the task, and their cosine from 0 to 1."""

    row: int
    similarity: float


class ModelStore(Protocol):
    """Store of trained models."""

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the ranker's model with this date, this layout and these settings, or None if there is none."""

    def refuse(self, model: Model, fault: str) -> None:
        """Report that a stored model is faulty and can't be used."""

    def keep(self, model: Model) -> None:
        """Store a model."""


@dataclass
class MemoryModelStore:
    """In-memory model store, which holds one model per ranker."""

    models: dict[tuple[str, date], Model] = field(default_factory=dict)

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the stored model, or None if it doesn't exist."""
        return self.models.get((ranker, trained_before))

    def refuse(self, model: Model, fault: str) -> None:
        """Raise an error. This process created the model, so a fault in it is a bug."""
        raise RuntimeError(f"the model of {model.ranker} {fault}")

    def keep(self, model: Model) -> None:
        """Store a model and drop all other models of its ranker."""
        self.models = {key: other for key, other in self.models.items() if key[0] != model.ranker}
        self.models[model.ranker, model.trained_before] = model


@dataclass(frozen=True, eq=False)
class Task:
    """Training data and papers to score.

    Attributes
    ----------
    ranker : str
        Name of the recipe.
    issues : sequence of date
        Dates of the past issues, and the date of the first issue to rank.
    starts : array of shape (n_issues,)
        Row of each issue's first paper.
    papers : sequence of Paper
        Past papers in issue order, without their texts if no method needs them. The editors' example papers follow. The
        new papers come last, starting at row `n_past`.
    kept_tokens : Tokens or None
        Stored tokens of `papers`, if available.
    n_past : int
        Number of past papers and examples.
    n_listed : int
        Number of papers in the issues to rank. The new papers after them are copies without muted terms.
    decided : mapping from report code to TrainingLabels
        Training data of each report that has enough decisions.
    models : ModelStore
        Store of trained models.
    vectors : Vectors or None
        Sentence vectors of `papers`, if available. A copy without muted terms has the vector of the original. Examples
        have none: see `with_example_vectors`.
    example_vectors : array of shape (n_examples, n_numbers) or None
        Sentence vectors of the examples, if available. All zeros for an example without a vector.
    has_readers : bool
        True if editors will read the rankings, so that words to highlight are needed.
    """

    ranker: str
    issues: Sequence[date]
    starts: Rows
    papers: Sequence[Paper]
    kept_tokens: Tokens | None
    n_past: int
    n_listed: int
    decided: Mapping[str, TrainingLabels]
    models: ModelStore
    vectors: Vectors | None = None
    example_vectors: NDArray[np.float16] | None = None
    has_readers: bool = True

    @property
    def past(self) -> Sequence[Paper]:
        """Past papers and examples."""
        return self.papers[: self.n_past]

    @property
    def new(self) -> Sequence[Paper]:
        """Papers to score, including copies without muted terms."""
        return self.papers[self.n_past :]

    @property
    def listed(self) -> Sequence[Paper]:
        """Papers in the issues to rank."""
        return self.new[: self.n_listed]

    @property
    def marked(self) -> Sequence[Paper]:
        """Papers in which words will be highlighted."""
        return self.listed if self.has_readers else []

    def with_example_vectors(self) -> Vectors | None:
        """Return the sentence vectors of `papers`, including the examples, or None if there are no vectors."""
        if self.vectors is None or self.example_vectors is None:
            return self.vectors
        numbers = self.vectors.numbers.copy()
        numbers[self.n_past - len(self.example_vectors) : self.n_past] = self.example_vectors
        return replace(self.vectors, numbers=numbers)

    def numbers_of(self, rows: Rows | slice) -> Rows:
        """Return the number of the paper in each past row. Papers are numbered in order of first appearance."""
        numbers: Rows = pd.factorize(self._ids[rows])[0]
        return numbers

    @cached_property
    def _ids(self) -> NDArray[np.object_]:
        return np.array(as_named_papers(self.past).ids, dtype=object)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """Each past paper's key, a hash of its issue and id that identifies it even if its row changes."""
        issue_of = np.searchsorted(self.starts, np.arange(self.n_past), side="right") - 1
        days = [*map(str, self.issues[:-1]), ""]  # examples belong to no issue
        names = (f"{days[issue]}\n{name}" for issue, name in zip(issue_of.tolist(), self._ids, strict=True))
        digests = b"".join(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names)
        return np.frombuffer(digests, dtype="<u8").astype(np.uint64)

    def relevant(self, report: str) -> Rows:
        """Return the rows of a report's relevant training papers."""
        rows, y = self.decided[report]
        relevant: Rows = rows[y == 1]
        return relevant

    @cached_property
    def tokens(self) -> Tokens:
        """Tokens of all papers."""
        return tokens_of(self.papers) if self.kept_tokens is None else self.kept_tokens


def labels(task: Task, reports: Sequence[str]) -> Labels:
    """Return the past papers' labels, shape (n_past, n_reports): 1 (relevant), 0 (not relevant) or -1 (no decision)."""
    y = np.full((task.n_past, len(reports)), NO_WORD, dtype=np.int8)
    for column, report in enumerate(reports):
        if report in task.decided:
            rows, words = task.decided[report]
            y[rows, column] = words
    return y


def label_counts(y: Labels) -> NDArray[np.int64]:
    """Count each report's irrelevant and relevant papers, shape (2, n_reports).

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
    """Ranking method, which is trained on past papers and scores new papers."""

    @property
    def learns_together(self) -> bool:
        """True if the decisions of one report affect the scores for another."""

    @property
    def needs_past_texts(self) -> bool:
        """True if the texts of past papers are needed in addition to their tokens."""

    @property
    def reads_vectors(self) -> bool:
        """True if the method uses sentence vectors when they are available."""

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Train and store a model for the coming weeks if a new one is due. Returns True if a model was trained."""

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[ReportScores]:
        """Score the new papers for some of the reports in `task.decided`. Yields each result when it is ready.

        A report's scores must not depend on the other requested reports or on `n_jobs`.
        """

    def explainer(self, task: Task) -> "Explainer":
        """Train in the same way as `score`, and return an explainer."""


class Explainer(Protocol):
    """Explainer of the ranks of a task's papers."""

    def scores(self, report: str) -> Table:
        """Return the scores of the new papers, as `Method.score` does."""

    def reasons(self, report: str, row: int) -> list[Reason] | None:
        """Return the reasons for a paper's score, largest first, or None if the ranker can't explain it."""

    def similar(self, report: str, row: int, n: int) -> list[Similar]:
        """Return a report's `n` relevant past papers that are most similar to a paper."""


class Features(Protocol):
    """Scikit-learn transformer that converts papers to a CSR matrix of shape (n_papers, n_features)."""

    def fit_transform(self, papers: Sequence[Paper]) -> Any:
        """Fit the features to `papers`, and return the papers' rows."""

    def transform(self, papers: Sequence[Paper]) -> Any:
        """Return the matrix rows for `papers`. Unknown features are ignored."""

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the term of each column."""


@dataclass(frozen=True)
class Recipe:
    """Named, fixed version of a ranker. A released recipe never changes; an improved version gets a new name.

    Attributes
    ----------
    name : str
        Name that the director chooses and that is stored with each ranking.
    description : str
        One sentence for users.
    method : Method
        Ranking method with fixed settings and seeds.
    minutes : float
        Time limit, in minutes, for a plugin to train and score for all reports. A plugin that exceeds the limit is
        stopped, because it may have hung.
    """

    name: str
    description: str
    method: Method
    minutes: float = 60
