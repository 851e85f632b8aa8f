"""Store the tokens of papers, so that each paper is tokenised only once and not for every ranking."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, delete, exists, insert, select, text

from presort.data.errors import DamagedCellError
from presort.data.learning.issue_lists import plain_parts, plain_rows, rows_of
from presort.data.records import Paper, PaperTokens, Rows, TokenLists, Tokens
from presort.data.store import Store
from presort.data.tables import (
    PAPER_COLUMNS,
    ListingRow,
    PaperRow,
    PaperTokensRow,
    SettingRow,
    TokenRow,
    paper_of,
    paper_values,
)

CHUNK = 2_000  # number of papers tokenised per write transaction
NUMBER = np.dtype("<i4")
TOKENISATION = "tokenisation"  # name of the setting that contains the tokeniser version of the stored tokens
OF_FIELDS = ("of_title", "of_abstract", "of_authors", "of_codes")
FIELDS = (PaperTokensRow.title, PaperTokensRow.abstract, PaperTokensRow.authors, PaperTokensRow.codes)

# The papers were read without the write lock, so this statement skips papers that an import has changed since then.
INSERT_TOKENS = """
INSERT INTO paper_tokens (title, abstract, authors, codes, paper_id)
SELECT :of_title, :of_abstract, :of_authors, :of_codes, id FROM paper
WHERE (paper_id, title, abstract, authors, codes, series, date)
    = (:paper_id, :title, :abstract, :authors, :codes, :series, :date)
ON CONFLICT DO NOTHING
"""


def keep_tokens(store: Store, tokenise: Callable[[Paper], PaperTokens], version: str) -> int:
    """Tokenise all listed papers without stored tokens. Return the number of papers whose tokens were stored.

    Tokens created by other tokeniser versions are deleted first. Papers are tokenised in chunks, and each chunk is
    written under a short lock, so an interruption loses only the current chunk. If no tokens are missing, no lock is
    taken.

    Other processes may write at the same time. Papers that an import adds or changes are left to the next call. Papers
    whose tokens another process stores are not counted. The function stops if a process with another tokeniser version
    deletes the tokens.

    Parameters
    ----------
    store : Store
    tokenise : callable
        Function that returns the tokens of a paper by field. It must be deterministic, because stored tokens are reused
        until an import changes the paper.
    version : str
        Version of the tokeniser. It must change if the tokens of any paper change.
    """
    _delete_other_versions(store, version)
    with store.reading() as connection:
        missing = connection.execute(_papers_without_tokens()).scalars().all()
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new token gets the next number
    n_made = 0
    for first in range(0, len(missing), CHUNK):
        with store.reading() as connection:
            papers = _read_papers(connection, missing[first : first + CHUNK])
            _add_stored_tokens(connection, numbers)
        made = [tokenise(paper) for paper in papers]
        with store.writing() as connection:
            if _read_version(connection) != version:
                break
            _add_stored_tokens(connection, numbers)  # another process may have added tokens
            n_made += _write(connection, papers, made, numbers)
    return n_made


def read_tokens(connection: Connection, papers: NDArray[np.int64], version: str) -> Tokens | None:
    """Read the tokens of papers, given by their numbers. Numbers may be repeated, and the result has the same order.

    Returns None if tokens are missing or come from another version of the tokeniser. The vocabulary covers the whole
    workspace and may contain tokens that occur in none of these papers.
    """
    if _read_version(connection) != version:
        return None
    query = select(PaperTokensRow.paper_id, *FIELDS).order_by(PaperTokensRow.paper_id)
    if len(papers):
        query = query.where(PaperTokensRow.paper_id.between(int(papers.min()), int(papers.max())))
    numbers: list[int] = []
    fields = [_PackedTokens([], []) for _ in FIELDS]
    for rows in plain_parts(connection, query):
        of_rows, *columns = zip(*rows, strict=True)
        numbers += of_rows
        for field, column in zip(fields, columns, strict=True):
            field.add(column)
    places = rows_of(papers, np.array(numbers, dtype=np.int64))
    if places is None:
        return None
    vocabulary = [token for (token,) in plain_rows(connection, select(TokenRow.text).order_by(TokenRow.id))]
    return Tokens(vocabulary, *(field.lists(places) for field in fields))


class _PackedTokens(NamedTuple):
    """Packed tokens of a field. Each part contains many papers, because one part per paper would take twice as long."""

    parts: list[bytes]
    lengths: list[int]

    def add(self, pieces: Sequence[bytes]) -> None:
        self.parts.append(b"".join(pieces))
        self.lengths.extend(map(len, pieces))

    def lists(self, places: Rows) -> TokenLists:
        """Return the tokens of the papers at these indices, in the given order."""
        lengths, rests = np.divmod(np.array(self.lengths, dtype=np.int64), NUMBER.itemsize)
        if rests.any():
            raise DamagedCellError(f"the size of a paper's stored tokens is not a multiple of {NUMBER.itemsize} bytes")
        values = np.frombuffer(b"".join(self.parts), NUMBER)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if np.array_equal(places, np.arange(len(lengths))):
            return TokenLists(values, starts)
        bounds = np.append(0, np.cumsum(lengths[places]))
        within = np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths[places])
        return TokenLists(values[np.repeat(starts[places], lengths[places]) + within], bounds)


def _read_version(connection: Connection) -> str | None:
    return connection.execute(select(SettingRow.value).where(SettingRow.name == TOKENISATION)).scalar()


def _delete_other_versions(store: Store, version: str) -> None:
    with store.reading() as connection:
        if _read_version(connection) == version:
            return
    with store.writing() as connection:
        if _read_version(connection) != version:
            connection.execute(delete(PaperTokensRow))
            connection.execute(delete(SettingRow).where(SettingRow.name == TOKENISATION))
            connection.execute(insert(SettingRow).values(name=TOKENISATION, value=version))


def _papers_without_tokens() -> Select[int]:
    has_tokens = exists().where(PaperTokensRow.paper_id == ListingRow.paper_id)
    return select(ListingRow.paper_id).where(~has_tokens).distinct().order_by(ListingRow.paper_id)


def _read_papers(connection: Connection, ids: Sequence[int]) -> list[Paper]:
    rows = connection.execute(select(*PAPER_COLUMNS).where(PaperRow.id.in_(ids)).order_by(PaperRow.id))
    return [paper_of(row) for row in rows]


def _add_stored_tokens(connection: Connection, numbers: dict[str, int]) -> None:
    """Update `numbers` with the tokens stored in the workspace, which are numbered in the order they were stored."""
    newer = select(TokenRow.text, TokenRow.id).where(TokenRow.id >= len(numbers)).order_by(TokenRow.id)
    numbers.update(plain_rows(connection, newer))


def _write(
    connection: Connection, papers: Sequence[Paper], made: Sequence[PaperTokens], numbers: defaultdict[str, int]
) -> int:
    n_known = len(numbers)
    parts = _pack_tokens(made, numbers)
    if new := [(number, token) for token, number in islice(numbers.items(), n_known, None)]:
        connection.execute(insert(TokenRow), [{"id": number, "text": token} for number, token in new])
    values = [dict(zip(OF_FIELDS, islice(parts, len(FIELDS)), strict=True)) | paper_values(paper) for paper in papers]
    return connection.execute(text(INSERT_TOKENS), values).rowcount


def _pack_tokens(made: Sequence[PaperTokens], numbers: defaultdict[str, int]) -> Iterator[bytes]:
    """Add new tokens to `numbers`, and return the packed token numbers of each paper and field."""
    lists = list(chain.from_iterable(made))
    values = np.fromiter(map(numbers.__getitem__, chain.from_iterable(lists)), NUMBER).tobytes()
    ends = accumulate((NUMBER.itemsize * len(tokens) for tokens in lists), initial=0)
    return (values[start:end] for start, end in pairwise(ends))
