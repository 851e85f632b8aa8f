"""The papers of a workspace, to be compared with: looked up by their index, however many there are."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, func, select

from presort.data.index.keys import Kind
from presort.data.index.paper_index import Numbers, count_papers, in_parts, papers_with
from presort.data.records import Paper
from presort.data.tables import PaperRow

TEXTS = select(PaperRow.id, PaperRow.paper_id, PaperRow.title, PaperRow.abstract, PaperRow.authors)


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
