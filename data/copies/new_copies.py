"""Which new papers of an import are copies of one known before, or of another new one."""

from collections.abc import Iterable

from sqlalchemy import Connection, text

from data.copies.matching import Match, match_earlier
from data.records import Paper
from data.tables import Lines

IS_NEEDED = "SELECT EXISTS (SELECT 1 FROM paper) AND EXISTS (SELECT 1 FROM new_paper WHERE NOT is_selected)"

KNOWN = "SELECT paper_id, title, abstract, authors, doi FROM paper ORDER BY id"

NEW = """
SELECT s.paper_id, s.title, s.abstract, s.authors, s.doi, n.number FROM new_paper n
    JOIN staged_paper s ON s.number = n.number
WHERE n.is_selected = :is_selected ORDER BY n.number
"""

KNOWN_COPIES = """
SELECT copy.paper_id, paper.paper_id FROM paper_copy
    JOIN paper AS copy ON copy.id = paper_copy.paper_id JOIN paper ON paper.id = paper_copy.same_as
WHERE paper_copy.undone_at IS NULL
"""

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
    dois: dict[str, str] = {}
    papers = [_paper(row, dois) for row in connection.execute(text(KNOWN))]
    papers += [_paper(row, dois) for row in connection.execute(text(NEW), {"is_selected": True})]
    new = connection.execute(text(NEW), {"is_selected": False}).all()
    n_listed = len(papers)
    papers += [_paper(row, dois) for row in new]
    matches = match_earlier(papers, n_listed, dois=dois)
    same_as: dict[str, str] = dict(connection.execute(text(KNOWN_COPIES)).all())
    found = [
        _values(number, paper_id, match, same_as)
        for (paper_id, *_, number), match in zip(new, matches, strict=True)
        if match is not None
    ]
    if found:
        connection.execute(text(KEEP), found)


def _paper(row: Iterable[str], dois: dict[str, str]) -> Paper:
    """Make the paper of a row, and keep its DOI if it has one."""
    paper_id, title, abstract, authors, doi, *_ = row
    if doi:
        dois[paper_id] = doi
    return Paper(paper_id, title, abstract, Lines.parted(authors))


def _values(number: int, paper_id: str, match: Match, same_as: dict[str, str]) -> dict[str, object]:
    """Return what to keep of a copy; one of a copy is one of the same paper as that."""
    same_as[paper_id] = same_as.get(match.paper_id, match.paper_id)
    return {"number": number, "same_as": same_as[paper_id], "how": match.how, "score": match.score}
