"""Which new papers of an import are copies of one known before, or of another new one."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select, text
from sqlalchemy.orm import aliased

from data.copies.kept_papers import KeptPapers
from data.copies.matching import Match, match
from data.index.paper_index import in_parts
from data.records import Paper
from data.tables import Lines, PaperCopyRow, PaperRow

IS_NEEDED = "SELECT EXISTS (SELECT 1 FROM paper) AND EXISTS (SELECT 1 FROM new_paper WHERE NOT is_selected)"

NEW = """
SELECT s.paper_id, s.title, s.abstract, s.authors, s.doi, n.number FROM new_paper n
    JOIN staged_paper s ON s.number = n.number
ORDER BY n.is_selected DESC, n.number
"""
N_SELECTED = "SELECT count(*) FROM new_paper WHERE is_selected"

KEEP = "UPDATE new_paper SET same_as = :same_as, how = :how, score = :score WHERE number = :number"


def find_copies(connection: Connection) -> None:
    """Find the copies among the papers of the temporary table `new_paper`, and keep there which paper each is.

    Those that a report selected are no copies. In an empty workspace nothing is looked for: its first import is the
    past as it was.

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
    matches = match(KeptPapers(connection), [_paper(row, dois) for row in rows], n_selected, dois=dois)
    copies = [(row, one) for row, one in zip(rows[n_selected:], matches, strict=True) if one is not None]
    same_as = _known_copies(connection, sorted({one.paper_id for _, one in copies}))
    found = [_values(number, paper_id, one, same_as) for (paper_id, *_, number), one in copies]
    if found:
        connection.execute(text(KEEP), found)


def _paper(row: Iterable[str], dois: dict[str, str]) -> Paper:
    """Make the paper of a row, and keep its DOI if it has one."""
    paper_id, title, abstract, authors, doi, *_ = row
    if doi:
        dois[paper_id] = doi
    return Paper(paper_id, title, abstract, Lines.parted(authors))


def _known_copies(connection: Connection, paper_ids: Sequence[str]) -> dict[str, str]:
    """Return, of those papers that are copies themselves, which paper each is."""
    copy, known = aliased(PaperRow), aliased(PaperRow)
    query = (
        select(copy.paper_id, known.paper_id)
        .select_from(PaperCopyRow)
        .join(copy, copy.id == PaperCopyRow.paper_id)
        .join(known, known.id == PaperCopyRow.same_as)
        .where(PaperCopyRow.undone_at.is_(None))
    )
    return {
        one: other
        for part in in_parts(paper_ids)
        for one, other in connection.execute(query.where(copy.paper_id.in_(part)))
    }


def _values(number: int, paper_id: str, found: Match, same_as: dict[str, str]) -> dict[str, object]:
    """Return what to keep of a copy; one of a copy is one of the same paper as that."""
    same_as[paper_id] = same_as.get(found.paper_id, found.paper_id)
    return {"number": number, "same_as": same_as[paper_id], "how": found.how, "score": found.score}
