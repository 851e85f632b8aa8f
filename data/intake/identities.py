"""Match imported papers with existing papers: find duplicates, and separate different papers that share an id."""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, text

from presort.data.duplicates.agreement import relation
from presort.data.duplicates.candidates import StoredPapers
from presort.data.duplicates.matching import Duplicates, Match, find_duplicates
from presort.data.importers.references import with_id_from_words
from presort.data.index.paper_index import is_global_id, is_record_id
from presort.data.intake import statements as sql
from presort.data.records import ListedPaper, Paper
from presort.data.tables import Lines

KnownPapers = dict[str, Paper | None]

IS_NEEDED = "SELECT EXISTS (SELECT 1 FROM paper) AND EXISTS (SELECT 1 FROM new_paper WHERE NOT is_selected)"

NEW = """
SELECT s.paper_id, s.title, s.abstract, s.authors, s.doi, n.number FROM new_paper n
    JOIN staged_paper s ON s.number = n.number
ORDER BY n.is_selected DESC, n.number
"""
N_SELECTED = "SELECT count(*) FROM new_paper WHERE is_selected"

KEEP = "UPDATE new_paper SET duplicate_of = :duplicate_of, how = :how, score = :score WHERE number = :number"


RESEMBLING = """
INSERT INTO resembling VALUES (:paper_id, :other, :how, :score, :is_doubtful) ON CONFLICT DO NOTHING
"""


class SharedId(NamedTuple):
    """Paper imported with an id that belongs to a different paper.

    Attributes
    ----------
    paper_id : str
        New id, derived from the paper's description.
    other : str
        Id of the other paper.
    is_doubtful : bool
        True if the two papers may be the same after all.
    """

    paper_id: str
    other: str
    is_doubtful: bool


def separate_shared_ids(
    connection: Connection, some: Collection[tuple[int, ListedPaper]]
) -> Iterator[tuple[int, ListedPaper, SharedId | None]]:
    """Yield the numbered papers, with a new id for each paper whose id belongs to a different existing or staged paper.

    The new id depends only on the paper's description, so later imports assign the same id. The `SharedId` is None for
    papers that keep their id.
    """
    known: KnownPapers = dict.fromkeys(listed.paper.paper_id for _, listed in some)
    known |= _read_papers(connection, known)
    for row, listed in some:
        paper, shared = _separate_shared_id(connection, listed.paper, known)
        known[paper.paper_id] = _newest_version(paper, known[paper.paper_id])
        yield row, listed if paper is listed.paper else replace(listed, paper=paper), shared


def _separate_shared_id(connection: Connection, paper: Paper, known: KnownPapers) -> tuple[Paper, SharedId | None]:
    first, is_doubtful = paper.paper_id, False
    for paper_id in _candidate_ids(paper):
        if paper_id not in known:
            known[paper_id] = _read_papers(connection, [paper_id]).get(paper_id)
        other = known[paper_id]
        related = relation(paper, other, is_of_record=is_record_id(paper_id)) if other else "same"
        if related == "same":
            break
        is_doubtful |= related == "possible" and paper_id == first and is_global_id(first)
    if paper_id == first:
        return paper, None
    return replace(paper, paper_id=paper_id), SharedId(paper_id, first, is_doubtful)


def _candidate_ids(paper: Paper) -> Iterator[str]:
    """Yield the ids to try: the paper's own id, the id from `with_id_from_words`, and a hash of the description."""
    yield paper.paper_id
    yield with_id_from_words(paper).paper_id
    description = "\n".join((paper.title, *paper.authors, paper.date, paper.series, paper.abstract))
    yield f"text:{hashlib.sha256(description.encode()).hexdigest()[:16]}"


def _read_papers(connection: Connection, paper_ids: Collection[str]) -> dict[str, Paper]:
    query = text(sql.DESCRIBED).bindparams(bindparam("ids", expanding=True))
    rows = connection.execute(query, {"ids": list(paper_ids)}) if paper_ids else ()
    return {
        paper_id: Paper(paper_id, title, abstract, Lines.split(authors), series=series)
        for paper_id, title, abstract, authors, series in rows
    }


def _newest_version(paper: Paper, other: Paper | None) -> Paper:
    """Return `paper` with its empty fields filled in from `other`, an earlier version of the paper."""
    if other is None:
        return paper
    return replace(
        paper,
        abstract=paper.abstract or other.abstract,
        authors=paper.authors or other.authors,
        series=paper.series or other.series,
    )


def mark_duplicates(connection: Connection) -> None:
    """Find duplicates among the papers in the temporary table `new_paper`, and store each duplicate's original there.

    Possible duplicates, and papers that only share an id or DOI, are written to the temporary table `resembling`.
    Papers selected by a report are never marked as duplicates. The first import into an empty workspace is not
    searched, because it contains past issues, which must stay unchanged.

    Parameters
    ----------
    connection : Connection
        Connection that has the temporary tables of an import and an open transaction.
    """
    if not connection.execute(text(IS_NEEDED)).scalar_one():
        return
    n_selected = connection.execute(text(N_SELECTED)).scalar_one()
    dois: dict[str, str] = {}
    rows = connection.execute(text(NEW)).all()
    found = find_duplicates(StoredPapers(connection), [_paper(row, dois) for row in rows], n_selected, dois=dois)
    duplicate_of: dict[str, str] = {}
    duplicates, resembling = list[dict[str, object]](), list[dict[str, object]]()
    for (paper_id, *_, number), one in zip(rows[n_selected:], found, strict=True):
        if one.same is not None:
            duplicates.append(_values(number, paper_id, one.same, duplicate_of))
        resembling += _resembling_values(paper_id, one)
    for statement, values in ((KEEP, duplicates), (RESEMBLING, resembling)):
        if values:
            connection.execute(text(statement), values)


def _resembling_values(paper_id: str, found: Duplicates) -> Iterator[dict[str, object]]:
    for other, is_doubtful in ((found.possible, True), (found.shared, False)):
        if other is not None:
            values = {"other": other.paper_id, "how": other.how, "score": other.score}
            yield {"paper_id": paper_id, "is_doubtful": is_doubtful, **values}


def _paper(row: Iterable[str], dois: dict[str, str]) -> Paper:
    """Create a paper from a row. If it has a DOI, add the DOI to `dois`."""
    paper_id, title, abstract, authors, doi, *_ = row
    if doi:
        dois[paper_id] = doi
    return Paper(paper_id, title, abstract, Lines.split(authors))


def _values(number: int, paper_id: str, found: Match, duplicate_of: dict[str, str]) -> dict[str, object]:
    """Return the column values for a duplicate. If the matching paper is itself a duplicate, use its original."""
    duplicate_of[paper_id] = duplicate_of.get(found.paper_id, found.paper_id)
    return {"number": number, "duplicate_of": duplicate_of[paper_id], "how": found.how, "score": found.score}
