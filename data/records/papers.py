"""Papers, their issues, reports, tokens and vectors, and the history of decisions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Positions = NDArray[np.int32]  # list positions or places in a ranking, from 1
LONGEST_ID = 500  # characters, of a paper's id; PostgreSQL's indexes take 2,704 bytes


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper, as its source describes it; every text is plain text."""

    paper_id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()  # classification codes, JEL in economics
    series: str = ""
    date: str = ""  # of the paper itself: an ISO date, or a year or month alone, or empty
    doi: str = ""  # in lower case, without https://doi.org/; also if the id is a DOI
    url: str = ""  # http or https
    type: str = ""  # a name of `presort.data.records.paper_types.TYPES`, or empty


@dataclass(frozen=True, slots=True)
class Origin:
    """Location of a paper: the file name, with folders if it is in an archive, and the line or row."""

    file: str
    row: int | None = None  # from 1; None if the format has no rows or lines


@dataclass(frozen=True, slots=True)
class ListedPaper:
    """A paper as one line of an issue, with the reports whose editors are known to have selected it."""

    paper: Paper
    issue: date
    selected_by: tuple[str, ...] = ()
    origin: Origin | None = None
    is_only_if_new: bool = (
        False  # not listed where an earlier issue did: it is a person who says the issue, not the file
    )


class PaperTokens(NamedTuple):
    """Tokens of one paper by field. A token may occur several times."""

    title: Sequence[str]
    abstract: Sequence[str]
    authors: Sequence[str]
    codes: Sequence[str]


@dataclass(frozen=True, eq=False)
class TokenLists:
    """Lists of token numbers, one a paper, end to end.

    Attributes
    ----------
    values : array of shape (n_tokens,)
        Numbers of tokens, from 0.
    starts : array of shape (n_papers + 1,)
        ``values[starts[i]:starts[i + 1]]`` are the tokens of paper ``i`` in text order.

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
            raise ValueError(f"papers must be a slice of step 1, got {step}")
        starts = self.starts[first : max(first, last) + 1]
        return TokenLists(self.values[starts[0] : starts[-1]], starts - starts[0])


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of papers, stored to tokenise each text only once. ``tokens[a:b]`` are those of a slice of papers.

    Attributes
    ----------
    vocabulary : sequence of str
        The token of each number.
    title, abstract, authors, codes : TokenLists
        Tokens of each field of each paper.
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
    """Sentence model, which computes the vectors.

    Attributes
    ----------
    name : str
        Name of its folder.
    digest : str
        Digest of all files of the model. Models with the same digest make the same vectors.
    n_tokens : int
        Number of word pieces that it reads of a text.
    n_numbers : int
        Of a vector.
    folder : str
        Its path when it was last used.
    """

    name: str
    digest: str
    n_tokens: int
    n_numbers: int
    folder: str

    @property
    def made_by(self) -> str:
        """Identifier of the vectors: vectors with different identifiers can't be compared."""
        return f"{self.digest} {self.n_tokens}"

    @property
    def description(self) -> str:
        """Name, digest and length of the model, for people."""
        return f"{self.name} ({self.digest[:8]}) with {self.n_tokens} tokens"


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Sentence vectors of papers.

    Attributes
    ----------
    made_by : str
        Name and digest of the model. Vectors of another model are not comparable.
    numbers : array of shape (n_papers, n_numbers)
        A vector a paper; all zeros for one that has none.
    """

    made_by: str
    numbers: NDArray[np.float16]

    def __getitem__(self, rows: slice | Rows) -> Self:
        return replace(self, numbers=self.numbers[rows])


@dataclass(frozen=True)
class History:
    """Issues in time order, their papers, and what each report's editor decided.

    Attributes
    ----------
    issues : sequence of date
        Dates of the issues, oldest first.
    starts : array of shape (n_issues + 1,)
        ``papers[starts[i]:starts[i + 1]]`` are the papers of issue ``i`` in list order.
    papers : sequence of Paper
        All papers. A paper listed in two issues occurs twice. Those of which the tokens alone were asked for have an
        id and no texts.
    relevant : mapping from report code to array of rows
        Rows of `papers` that the report's editor found relevant, ascending. A report without any may be missing.
    maybe : mapping from report code to array of rows
        Rows that teach nothing, ascending: the editor was unsure, never read them, or has not come to them yet in an
        issue that is still being reviewed; or they came into an issue after the report was issued.
    tokens : Tokens or None
        Those of `papers`, row by row; None where they were not kept, or not asked for.
    seeds : mapping from report code to sequence of Paper
        Examples of each report's editor, in order. A report without any may be missing.
    vectors : Vectors or None
        Those of `papers`, row by row; None where there are none, or they were not asked for.
    """

    issues: Sequence[date]
    starts: Rows
    papers: Sequence[Paper]
    relevant: Mapping[str, Rows]
    maybe: Mapping[str, Rows] = field(default_factory=dict)
    tokens: Tokens | None = None
    seeds: Mapping[str, Sequence[Paper]] = field(default_factory=dict)
    vectors: Vectors | None = None


REPORT_CODE = re.compile(r"\w[\w.\-]{0,63}")
CODE_RULE = "letters, digits, '.', '-' and '_', at most 64, beginning with a letter or digit"  # REPORT_CODE in words


@dataclass(frozen=True, slots=True)
class Report:
    """A subject, with the short code that it goes by."""

    code: str
    name: str
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class Issue:
    """A dated list and its number of papers."""

    date: date
    n_papers: int
