"""Records of papers, issues, reports, tokens and sentence vectors, and the decision history that rankers train on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Positions = NDArray[np.int32]  # 1-based list positions or places in a ranking
LONGEST_ID = 500  # maximum length of a paper id in characters; PostgreSQL can't index more than 2,704 bytes


@dataclass(frozen=True, slots=True)
class Paper:
    """Paper as described by its source. All fields contain plain text."""

    paper_id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()  # classification codes, such as JEL in economics
    series: str = ""
    date: str = ""  # date of the paper, not of its issue: ISO date, year and month, year, or empty
    doi: str = ""  # DOI in lower case, without https://doi.org/; set even if the id is the DOI
    url: str = ""  # http or https address
    type: str = ""  # name from `presort.data.records.paper_types.TYPES`, or empty


@dataclass(frozen=True, slots=True)
class Origin:
    """Location of a paper in an imported file: the file name, including folders inside an archive, and line or row."""

    file: str
    row: int | None = None  # counted from 1; None if the format has no rows or lines


@dataclass(frozen=True, slots=True)
class ListedPaper:
    """Paper listed in an issue, with the reports whose editors selected it."""

    paper: Paper
    issue: date
    selected_by: tuple[str, ...] = ()
    origin: Origin | None = None
    # True if the user chose the issue because the file doesn't specify it. The paper is then skipped if it is listed in
    # an earlier issue.
    is_only_if_new: bool = False


class PaperTokens(NamedTuple):
    """Tokens of one paper by field. A token may occur several times."""

    title: Sequence[str]
    abstract: Sequence[str]
    authors: Sequence[str]
    codes: Sequence[str]


@dataclass(frozen=True, eq=False)
class TokenLists:
    """Token numbers of several papers, concatenated.

    Attributes
    ----------
    values : array of shape (n_tokens,)
        0-based token numbers.
    starts : array of shape (n_papers + 1,)
        Start of each paper's tokens: ``values[starts[i]:starts[i + 1]]`` are the tokens of paper ``i`` in text order.

    Examples
    --------
    >>> lists = TokenLists(np.array([7, 8, 7], dtype=np.int32), np.array([0, 2, 2, 3], dtype=np.int64))
    >>> len(lists)
    3
    >>> last_two = lists[1:]
    >>> last_two.values.tolist(), last_two.starts.tolist()
    ([7], [0, 0, 1])
    """

    values: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, papers: slice) -> "TokenLists":
        first, last, step = papers.indices(len(self))
        if step != 1:
            raise ValueError(f"papers must be a slice with step 1, got step {step}")
        starts = self.starts[first : max(first, last) + 1]
        return TokenLists(self.values[starts[0] : starts[-1]], starts - starts[0])


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of papers, stored so that each paper is tokenised only once. ``tokens[a:b]`` slices by paper.

    Attributes
    ----------
    vocabulary : sequence of str
        Tokens, indexed by token number.
    title, abstract, authors, codes : TokenLists
        Tokens of each paper in this field.
    """

    vocabulary: Sequence[str]
    title: TokenLists
    abstract: TokenLists
    authors: TokenLists
    codes: TokenLists

    def __len__(self) -> int:
        return len(self.title)

    def __getitem__(self, papers: slice) -> "Tokens":
        fields = (self.title, self.abstract, self.authors, self.codes)
        return Tokens(self.vocabulary, *(lists[papers] for lists in fields))


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """Sentence model, which computes vectors from texts.

    Attributes
    ----------
    name : str
        Name of the model's folder.
    digest : str
        Digest of all model files. Models with the same digest compute the same vectors.
    n_tokens : int
        Maximum number of word pieces that the model reads from a text.
    n_numbers : int
        Dimension of a vector.
    folder : str
        Path of the model when it was last used.
    """

    name: str
    digest: str
    n_tokens: int
    n_numbers: int
    folder: str

    @property
    def made_by(self) -> str:
        """Identifier of the vectors computed by this model. Vectors with different identifiers can't be compared."""
        return f"{self.digest} {self.n_tokens}"

    @property
    def description(self) -> str:
        """Human-readable description: name, short digest and number of tokens."""
        return f"{self.name} ({self.digest[:8]}) with {self.n_tokens} tokens"


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Sentence vectors of papers.

    Attributes
    ----------
    made_by : str
        Identifier of the model, see `SentenceModel.made_by`. Vectors of different models are not comparable.
    numbers : array of shape (n_papers, n_numbers)
        Vector of each paper. All zeros for a paper without a vector.
    """

    made_by: str
    numbers: NDArray[np.float16]

    def __getitem__(self, rows: slice | Rows) -> Self:
        return replace(self, numbers=self.numbers[rows])


@dataclass(frozen=True)
class History:
    """Issues in chronological order, their papers, and the decisions of each report.

    Attributes
    ----------
    issues : sequence of date
        Dates of the issues, oldest first.
    starts : array of shape (n_issues + 1,)
        Start of each issue: ``papers[starts[i]:starts[i + 1]]`` are the papers of issue ``i`` in list order.
    papers : sequence of Paper
        All papers. A paper listed in two issues occurs twice. If there are tokens, papers may have ids but no texts.
    relevant : mapping from report code to array of rows
        Indices in `papers` of the papers that the report's editor found relevant, in ascending order. Reports without
        relevant papers may be missing.
    maybe : mapping from report code to array of rows
        Indices in `papers` of the papers excluded from training, in ascending order. The editor was unsure about the
        paper or hasn't decided yet, or the paper joined the issue after the report issue was published.
    tokens : Tokens or None
        Tokens of `papers`, row by row. None if they are not stored or were not requested.
    seeds : mapping from report code to sequence of Paper
        Example texts provided by each report's editor, in order. Reports without examples may be missing.
    vectors : Vectors or None
        Sentence vectors of `papers`, row by row. None if there is no sentence model or vectors were not requested.
    seed_vectors : mapping from report code to array of shape (n_seeds, n_numbers)
        Sentence vectors of `seeds`, computed by the same model. An example without a vector has all zeros. Reports may
        be missing.
    """

    issues: Sequence[date]
    starts: Rows
    papers: Sequence[Paper]
    relevant: Mapping[str, Rows]
    maybe: Mapping[str, Rows] = field(default_factory=dict)
    tokens: Tokens | None = None
    seeds: Mapping[str, Sequence[Paper]] = field(default_factory=dict)
    vectors: Vectors | None = None
    seed_vectors: Mapping[str, NDArray[np.float16]] = field(default_factory=dict)


REPORT_CODE = re.compile(r"\w[\w.\-]{0,63}")
# Description of REPORT_CODE for error messages
CODE_RULE = "at most 64 letters, digits, '.', '-' and '_', starting with a letter, digit or '_'"


@dataclass(frozen=True, slots=True)
class Report:
    """Report on a subject, identified by a short code."""

    code: str
    name: str
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class Issue:
    """Issue (a dated list) with its number of papers."""

    date: date
    n_papers: int
