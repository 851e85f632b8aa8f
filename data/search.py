"""Papers found by words of their titles."""

from collections.abc import Collection, Iterator
from datetime import date

from sqlalchemy import Connection, Select, select

from presort.data.index.paper_index import Numbers, papers_with_parts
from presort.data.records import ListedPaper, Paper
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import PAPER_COLUMNS, IssueRow, ListingRow, PaperRow, paper_of
from presort.data.text.cleaning import clean
from presort.data.text.words import plain_words

FEW = 1_000  # papers, of which it is looked up which issues list them


def find_papers(store: Store, words: str, limit: int) -> list[ListedPaper]:
    """Find papers by words of the title, in any order; part of a word will do.

    Parameters
    ----------
    words : str
        The title must contain all of them. Ignores case, accents and signs. Without a word, finds nothing.
    limit : int
        Papers given at most.

    Returns
    -------
    list of ListedPaper
        Newest issue first, in list order; each paper once, as the newest issue that has it lists it.
    """
    parts = frozenset(plain_words(clean(words)))
    found: list[ListedPaper] = []
    with store.reading(Right.SEE) as connection:
        candidates = papers_with_parts(connection, parts)
        for day, listed in _newest_first(connection, candidates):
            is_found = _with_title(connection, listed, parts)
            found += [ListedPaper(is_found[number], day) for number in listed if number in is_found]
            if len(found) >= limit:
                break
    return found[:limit]


def _newest_first(connection: Connection, wanted: Numbers) -> Iterator[tuple[date, list[int]]]:
    """Yield issues, newest first, with those of the papers that no newer one lists, in list order.

    Few papers are looked up; of many, the newest issues will have enough, and who has them asks for no more.
    """
    few = wanted.tolist() if len(wanted) <= FEW else None
    issues = select(IssueRow.id, IssueRow.date).order_by(IssueRow.date.desc())
    if few is not None:
        issues = issues.where(IssueRow.id.in_(select(ListingRow.issue_id).where(ListingRow.paper_id.in_(few))))
    left = set(wanted.tolist())
    for issue, day in connection.execute(issues).all():
        listed = [number for number in connection.execute(_listed(issue, few)).scalars() if number in left]
        left.difference_update(listed)
        yield day, listed


def _listed(issue: int, among: Collection[int] | None) -> Select[int]:
    query = select(ListingRow.paper_id).where(ListingRow.issue_id == issue).order_by(ListingRow.position)
    return query if among is None else query.where(ListingRow.paper_id.in_(among))


def _with_title(connection: Connection, numbers: Collection[int], parts: Collection[str]) -> dict[int, Paper]:
    """Read those of some papers whose titles have all the parts: others have some of them in names of authors."""
    rows = connection.execute(select(PaperRow.id, *PAPER_COLUMNS).where(PaperRow.id.in_(numbers)))
    papers = {row[0]: paper_of(row[1:]) for row in rows}
    return {number: paper for number, paper in papers.items() if _has(plain_words(paper.title), parts)}


def _has(words: Collection[str], parts: Collection[str]) -> bool:
    return all(any(part in word for word in words) for part in parts)
