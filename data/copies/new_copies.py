"""Find new papers of an import that are, or may be, duplicates of known papers or of other new ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection, func, select, text

from presort.data.copies.matching import Duplicates, Match, find_duplicates
from presort.data.index.keys import Kind
from presort.data.index.paper_index import Numbers, count_papers, in_parts, papers_with
from presort.data.records import Paper
from presort.data.tables import Lines, PaperRow

IS_NEEDED = "SELECT EXISTS (SELECT 1 FROM paper) AND EXISTS (SELECT 1 FROM new_paper WHERE NOT is_selected)"

NEW = """
SELECT s.paper_id, s.title, s.abstract, s.authors, s.doi, n.number FROM new_paper n
    JOIN staged_paper s ON s.number = n.number
ORDER BY n.is_selected DESC, n.number
"""
N_SELECTED = "SELECT count(*) FROM new_paper WHERE is_selected"

KEEP = "UPDATE new_paper SET same_as = :same_as, how = :how, score = :score WHERE number = :number"


RESEMBLING = """
INSERT INTO resembling VALUES (:paper_id, :other, :how, :score, :is_doubtful) ON CONFLICT DO NOTHING
"""
TEXTS = select(PaperRow.id, PaperRow.paper_id, PaperRow.title, PaperRow.abstract, PaperRow.authors)


def find_copies(connection: Connection) -> None:
    """Find duplicates among the papers of the temporary table `new_paper`, and store their originals there.

    Possible ones, and papers that only share an id or DOI, go into the temporary table `resembling`. Those that a
    report selected are no duplicates. In an empty workspace there is no search, because its first import is the
    past, unchanged.

    Parameters
    ----------
    connection : Connection
        That has the temporary tables of an import, and is in a transaction.
    """
    if not connection.execute(text(IS_NEEDED)).scalar_one():
        return
    n_selected = connection.execute(text(N_SELECTED)).scalar_one()
    dois: dict[str, str] = {}
    rows = connection.execute(text(NEW)).all()
    found = find_duplicates(KeptPapers(connection), [_paper(row, dois) for row in rows], n_selected, dois=dois)
    same_as: dict[str, str] = {}
    copies, resembling = list[dict[str, object]](), list[dict[str, object]]()
    for (paper_id, *_, number), one in zip(rows[n_selected:], found, strict=True):
        if one.same is not None:
            copies.append(_values(number, paper_id, one.same, same_as))
        resembling += _resembling(paper_id, one)
    for statement, values in ((KEEP, copies), (RESEMBLING, resembling)):
        if values:
            connection.execute(text(statement), values)


def _resembling(paper_id: str, found: Duplicates) -> Iterator[dict[str, object]]:
    for other, is_doubtful in ((found.possible, True), (found.shared, False)):
        if other is not None:
            values = {"other": other.paper_id, "how": other.how, "score": other.score}
            yield {"paper_id": paper_id, "is_doubtful": is_doubtful, **values}


def _paper(row: Iterable[str], dois: dict[str, str]) -> Paper:
    """Make the paper of a row, and keep its DOI if it has one."""
    paper_id, title, abstract, authors, doi, *_ = row
    if doi:
        dois[paper_id] = doi
    return Paper(paper_id, title, abstract, Lines.parted(authors))


def _values(number: int, paper_id: str, found: Match, same_as: dict[str, str]) -> dict[str, object]:
    """Return the row of a duplicate. A duplicate of a duplicate gets the original of both."""
    same_as[paper_id] = same_as.get(found.paper_id, found.paper_id)
    return {"number": number, "same_as": same_as[paper_id], "how": found.how, "score": found.score}


class KeptPapers:
    """All papers that the database has, by its own numbers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        size = select(func.count(PaperRow.id), func.coalesce(func.max(PaperRow.id), 0))
        self.n_papers, last = connection.execute(size).one()
        self.end = last + 1

    def count(self, words: Sequence[str]) -> Mapping[str, int]:
        """Count the papers that have each word."""
        return count_papers(self._connection, words)

    def having(self, kind: Kind, keys: Sequence[str]) -> Mapping[str, Numbers]:
        """Return the numbers of the papers that have each key."""
        return papers_with(self._connection, kind, keys)

    def read(self, numbers: Iterable[int]) -> Mapping[int, Paper]:
        """Return papers by their numbers, as far as a comparison needs them."""
        found: dict[int, Paper] = {}
        for part in in_parts(list(numbers)):
            for number, paper_id, title, abstract, authors in self._connection.execute(
                TEXTS.where(PaperRow.id.in_(part))
            ):
                found[number] = Paper(paper_id, title, abstract, authors)
        return found
