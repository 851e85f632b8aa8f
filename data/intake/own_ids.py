"""Separate ids for papers that were imported under the id of another one, such as papers of a book or a page."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, text

from presort.data.copies.shared_ids import relation
from presort.data.importers.references import with_id_from_words
from presort.data.index.keys import is_of_record, means_one_paper
from presort.data.intake import statements as sql
from presort.data.records import ListedPaper, Paper
from presort.data.tables import Lines

Known = dict[str, Paper | None]


class SharedId(NamedTuple):
    """A paper that came in under the id of another one.

    Attributes
    ----------
    paper_id : str
        Its own id, made of what it says.
    other : str
        That of the other one.
    is_doubtful : bool
        Whether the two may be one paper all the same.
    """

    paper_id: str
    other: str
    is_doubtful: bool


def with_own_ids(
    connection: Connection, some: Collection[tuple[int, ListedPaper]]
) -> Iterator[tuple[int, ListedPaper, SharedId | None]]:
    """Yield numbered papers; one that has the id of another one, known or staged before, gets an id of its own.

    It gets the same one whenever it comes in again, alone or in another order.
    """
    known: Known = dict.fromkeys(listed.paper.paper_id for _, listed in some)
    known |= _described(connection, known)
    for row, listed in some:
        paper, shared = _with_own_id(connection, listed.paper, known)
        known[paper.paper_id] = _last_said(paper, known[paper.paper_id])
        yield row, listed if paper is listed.paper else replace(listed, paper=paper), shared


def _with_own_id(connection: Connection, paper: Paper, known: Known) -> tuple[Paper, SharedId | None]:
    first, is_doubtful = paper.paper_id, False
    for paper_id in _ids(paper):
        if paper_id not in known:
            known[paper_id] = _described(connection, [paper_id]).get(paper_id)
        other = known[paper_id]
        related = relation(paper, other, is_of_record=is_of_record(paper_id)) if other else "same"
        if related == "same":
            break
        is_doubtful |= related == "possible" and paper_id == first and means_one_paper(first)
    if paper_id == first:
        return paper, None
    return replace(paper, paper_id=paper_id), SharedId(paper_id, first, is_doubtful)


def _ids(paper: Paper) -> Iterator[str]:
    """Yield ids for a paper: its own, one of the words that name it, and one of its whole description."""
    yield paper.paper_id
    yield with_id_from_words(paper).paper_id
    said = "\n".join((paper.title, *paper.authors, paper.date, paper.series, paper.abstract))
    yield f"text:{hashlib.sha256(said.encode()).hexdigest()[:16]}"


def _described(connection: Connection, paper_ids: Collection[str]) -> dict[str, Paper]:
    query = text(sql.DESCRIBED).bindparams(bindparam("ids", expanding=True))
    rows = connection.execute(query, {"ids": list(paper_ids)}) if paper_ids else ()
    return {
        paper_id: Paper(paper_id, title, abstract, Lines.parted(authors), series=series)
        for paper_id, title, abstract, authors, series in rows
    }


def _last_said(paper: Paper, other: Paper | None) -> Paper:
    """Return a paper with its last description, of which an empty text erases nothing."""
    if other is None:
        return paper
    return replace(
        paper,
        abstract=paper.abstract or other.abstract,
        authors=paper.authors or other.authors,
        series=paper.series or other.series,
    )
