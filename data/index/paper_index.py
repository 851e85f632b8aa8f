"""Inverted index of all papers. It maps ids, DOIs, and the words in titles and authors' names to paper numbers.

The numbers are stored in blocks, each of which covers 65,536 consecutive paper numbers. Adding papers changes only the
last block, however many papers there are. Code that adds, changes or removes papers must update the index in the same
transaction.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select, text

from presort.data.tables import Lines, PaperIndexRow
from presort.data.tables.positions import numbers
from presort.data.text.words import plain_words, short_key

Kind = Literal["word", "id", "doi"]

ARXIV = re.compile(r"(?:oai:)?(?:https?://)?(?:export\.)?arxiv(?:\.org)?(?:/abs/|/pdf/|:)(.+?)(?:v\d+)?(?:\.pdf)?")
DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)")
ARXIV_DOI = "10.48550/arxiv."
RECORD = re.compile("repec:|arxiv:|oai:")
EVERYWHERE = re.compile(r"repec:|arxiv:|oai:|https?://|(?:doi:\s*)?10\.[0-9]{4,9}/", re.IGNORECASE)


class Keys(NamedTuple):
    """Index keys of a paper.

    Attributes
    ----------
    words : tuple of str
        Unique words. Words from the title come first, followed by words from the authors' names.
    id, doi : str
        Normalised id and normalised DOI. Each is an empty string if the paper doesn't have it.
    """

    words: tuple[str, ...]
    id: str
    doi: str


def keys_of(paper_id: str, title: str, authors: tuple[str, ...], doi: str = "") -> Keys:
    """Return the index keys of a paper. If `doi` is empty and the id is a DOI, the id is also used as the DOI key.

    Examples
    --------
    >>> keys_of("arXiv:1701.1v2", "Wages and more wages", ("Zoë Núñez",))
    Keys(words=('wages', 'and', 'more', 'zoe', 'nunez'), id='arxiv:1701.1', doi='')
    """
    words = dict.fromkeys(plain_words(" ".join([title, *authors])))
    return Keys(tuple(map(short_key, words)), short_key(id_key(paper_id)), short_key(plain_doi(doi or paper_id)))


def id_key(paper_id: str) -> str:
    """Normalise a paper id.

    The id is converted to lower case. A DOI loses its prefix. The URL, OAI id and DOI of an arXiv paper become
    `arxiv:` followed by the number, without the version.

    Examples
    --------
    >>> id_key("http://arxiv.org/abs/1701.00317v2"), id_key("oai:arXiv.org:1701.00317"), id_key("RePEc:nbr:nberwo:1")
    ('arxiv:1701.00317', 'arxiv:1701.00317', 'repec:nbr:nberwo:1')
    """
    key = paper_id.strip().casefold()
    if doi := DOI.fullmatch(key):
        key = doi[1].replace(ARXIV_DOI, "arxiv:")
    found = ARXIV.fullmatch(key)
    return f"arxiv:{found[1]}" if found else key


def is_global_id(paper_id: str) -> bool:
    """Return True if an id is globally unique: a RePEc handle, DOI, arXiv id, OAI id or URL.

    Examples
    --------
    >>> is_global_id("RePEc:nbr:nberwo:1"), is_global_id("lee2019"), is_global_id("3")
    (True, False, False)
    """
    return EVERYWHERE.match(paper_id) is not None


def is_record_id(paper_id: str) -> bool:
    """Return True if an id identifies a record in an archive: a RePEc handle, or an arXiv or OAI id.

    Examples
    --------
    >>> is_record_id("RePEc:nbr:nberwo:1"), is_record_id("10.1257/aer.1")
    (True, False)
    """
    return RECORD.match(id_key(paper_id)) is not None


def plain_doi(text: str) -> str:
    """Return a DOI in lower case, without its prefix. Returns an empty string if the text is not a DOI.

    Examples
    --------
    >>> plain_doi("doi: 10.1257/AER.1"), plain_doi("none")
    ('10.1257/aer.1', '')
    """
    found = DOI.fullmatch(text.strip().casefold())
    return found[1] if found else ""


T = TypeVar("T")
Numbers = NDArray[np.int64]  # paper numbers (database ids)

BLOCK = 1 << 16  # number of consecutive paper numbers that a block covers
OFFSET = np.dtype("<u2")  # type of an offset in a block
AT_ONCE = 500  # maximum number of keys per query, because SQLite limits the number of parameters
FILLED_AT_ONCE = 20_000  # number of papers per batch in `fill`

PAPERS = text("SELECT id, paper_id, title, authors, doi FROM paper WHERE id > :last ORDER BY id LIMIT :n")
STORE_CELL = text("""
INSERT INTO paper_index (kind, key, block, papers) VALUES (:kind, :key, :block, :papers)
ON CONFLICT (kind, key, block) DO UPDATE SET papers = excluded.papers
""")
DELETE_CELL = text("DELETE FROM paper_index WHERE kind = :kind AND key = :key AND block = :block")

Cell = tuple[str, str, int]  # kind, key and block


class IndexedTexts(NamedTuple):
    """Paper number and the indexed fields of the paper, as stored in the database."""

    number: int
    paper_id: str
    title: str
    authors: str
    doi: str


def change(connection: Connection, *, gone: Iterable[IndexedTexts] = (), come: Iterable[IndexedTexts] = ()) -> None:
    """Remove the papers in `gone` from the index, and add the papers in `come`.

    If a paper has changed, pass its old fields in `gone` and its new fields in `come`.
    """
    out, into = _cells(gone), _cells(come)
    for names in split_into_batches(sorted(out.keys() | into.keys())):
        kept = _read_cells(connection, names)
        changed, emptied = [], []
        for name in names:
            cell = _merge_offsets(kept.get(name, b""), out.get(name, []), into.get(name, []))
            values = dict(zip(("kind", "key", "block"), name, strict=True))
            if cell:
                changed.append({**values, "papers": cell})
            else:
                emptied.append(values)
        if changed:
            connection.execute(STORE_CELL, changed)
        if emptied:
            connection.execute(DELETE_CELL, emptied)


def fill(connection: Connection) -> None:
    """Add all papers to an empty index."""
    last = 0
    while rows := connection.execute(PAPERS, {"last": last, "n": FILLED_AT_ONCE}).all():
        change(connection, come=[IndexedTexts(*row) for row in rows])
        last = rows[-1].id


def count_papers(connection: Connection, words: Sequence[str]) -> dict[str, int]:
    """Count the papers that contain each word. Words that don't occur in any paper are omitted."""
    size = func.sum(func.length(PaperIndexRow.papers))
    query = select(PaperIndexRow.key, size).where(PaperIndexRow.kind == "word").group_by(PaperIndexRow.key)
    return {
        word: int(n_bytes) // OFFSET.itemsize
        for part in split_into_batches(words)
        for word, n_bytes in connection.execute(query.where(PaperIndexRow.key.in_(part)))
    }


def papers_with(connection: Connection, kind: Kind, keys: Sequence[str]) -> dict[str, Numbers]:
    """Return the numbers of each key's papers, in ascending order. Keys without papers are omitted."""
    query = select(PaperIndexRow.key, PaperIndexRow.block, PaperIndexRow.papers).where(PaperIndexRow.kind == kind)
    query = query.order_by(PaperIndexRow.key, PaperIndexRow.block)
    found: defaultdict[str, list[Numbers]] = defaultdict(list)
    for part in split_into_batches(keys):
        for key, block, cell in connection.execute(query.where(PaperIndexRow.key.in_(part))):
            found[key].append(_numbers(block, cell))
    return {key: np.concatenate(blocks) for key, blocks in found.items()}


def papers_with_parts(connection: Connection, parts: Collection[str]) -> Numbers:
    """Find the papers in which each part occurs within a word of the title or of an author's name.

    Returns the numbers of these papers in ascending order. If there are no parts, returns an empty array.
    """
    found: Numbers | None = None
    for part in parts:
        of_part = PaperIndexRow.key.contains(part, autoescape=True)
        query = select(PaperIndexRow.block, PaperIndexRow.papers).where(PaperIndexRow.kind == "word", of_part)
        is_found = defaultdict[int, NDArray[np.bool_]](lambda: np.zeros(BLOCK, dtype=bool))
        for block, cell in connection.execute(query):
            is_found[block][numbers(cell, OFFSET)] = True
        of_blocks = [np.flatnonzero(is_found[block]) + block * BLOCK for block in sorted(is_found)]
        have_part = np.concatenate(of_blocks) if of_blocks else np.empty(0, np.int64)
        found = have_part if found is None else np.intersect1d(found, have_part, assume_unique=True)
    return np.empty(0, np.int64) if found is None else found


def split_into_batches(keys: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split keys into batches that don't exceed the maximum number of query parameters."""
    for first in range(0, len(keys), AT_ONCE):
        yield keys[first : first + AT_ONCE]


def _cells(papers: Iterable[IndexedTexts]) -> dict[Cell, list[int]]:
    """Return the index cells of the papers: for each kind, key and block, the ascending offsets of its papers."""
    cells: defaultdict[Cell, list[int]] = defaultdict(list)
    for number, paper_id, title, authors, doi in sorted(papers):
        block, place = divmod(number, BLOCK)
        keys = keys_of(paper_id, title, Lines.split(authors), doi)
        for word in keys.words:
            cells["word", word, block].append(place)
        if keys.id:
            cells["id", keys.id, block].append(place)
        if keys.doi:
            cells["doi", keys.doi, block].append(place)
    return cells


def _read_cells(connection: Connection, names: Sequence[Cell]) -> dict[Cell, bytes]:
    """Read the named cells in one query. The result may include other cells, which the caller ignores."""
    columns = (PaperIndexRow.kind, PaperIndexRow.key, PaperIndexRow.block)
    kinds, keys, blocks = (sorted(set(column)) for column in zip(*names, strict=True))
    is_asked = columns[0].in_(kinds) & columns[1].in_(keys) & columns[2].in_(blocks)
    rows = connection.execute(select(*columns, PaperIndexRow.papers).where(is_asked))
    return {(kind, key, block): cell for kind, key, block, cell in rows}


def _merge_offsets(cell: bytes, gone: list[int], come: list[int]) -> bytes:
    """Remove the offsets in `gone` from the cell and add the offsets in `come`. The result is in ascending order."""
    kept = numbers(cell, OFFSET)
    if gone or (len(kept) and come[0] <= kept[-1]):
        return np.union1d(np.setdiff1d(kept, gone), come).astype(OFFSET).tobytes()
    return cell + np.array(come, OFFSET).tobytes()


def _numbers(block: int, cell: bytes) -> Numbers:
    return numbers(cell, OFFSET) + np.int64(block * BLOCK)
