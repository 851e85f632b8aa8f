"""Search papers by words in their titles."""

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

FEW = 1_000  # maximum number of candidates for which only the issues that list them are read


def find_papers(store: Store, words: str, limit: int) -> list[ListedPaper]:
    """Find papers by words or parts of words in the title, in any order.

    Parameters
    ----------
    words : str
        Words that the title must contain. Case, accents and punctuation are ignored. If empty, nothing is found.
    limit : int
        Maximum number of papers.

    Returns
    -------
    list of ListedPaper
        Papers from the newest issue to the oldest, in list order within an issue. Each paper is included once, with its
        newest issue.
    """
    parts = frozenset(plain_words(clean(words)))
    found: list[ListedPaper] = []
    with store.reading(Right.SEE) as connection:
        candidates = papers_with_parts(connection, parts)
        for day, listed in _newest_first(connection, candidates):
            is_found = _filter_by_title(connection, listed, parts)
            found += [ListedPaper(is_found[number], day) for number in listed if number in is_found]
            if len(found) >= limit:
                break
    return found[:limit]


def _newest_first(connection: Connection, wanted: Numbers) -> Iterator[tuple[date, list[int]]]:
    """Yield issues from newest to oldest, each with its wanted papers that no newer issue lists, in list order.

    If there are few wanted papers, only the issues that list them are read. If there are many, all issues are read,
    beginning with the newest, because the caller stops as soon as it has found enough papers.
    """
    few = wanted.tolist() if len(wanted) <= FEW else None
    issues = select(IssueRow.id, IssueRow.date).order_by(IssueRow.date.desc())
    if few is not None:
        issues = issues.where(IssueRow.id.in_(select(ListingRow.issue_id).where(ListingRow.paper_id.in_(few))))
    left = set(wanted.tolist())
    for issue, day in connection.execute(issues).all():
        listed = [number for number in connection.execute(_listing_query(issue, few)).scalars() if number in left]
        left.difference_update(listed)
        yield day, listed


def _listing_query(issue: int, among: Collection[int] | None) -> Select[int]:
    query = select(ListingRow.paper_id).where(ListingRow.issue_id == issue).order_by(ListingRow.position)
    return query if among is None else query.where(ListingRow.paper_id.in_(among))


def _filter_by_title(connection: Connection, numbers: Collection[int], parts: Collection[str]) -> dict[int, Paper]:
    """Read the papers whose titles contain all parts. The index alone isn't enough, because it also covers authors."""
    rows = connection.execute(select(PaperRow.id, *PAPER_COLUMNS).where(PaperRow.id.in_(numbers)))
    papers = {row[0]: paper_of(row[1:]) for row in rows}
    return {number: paper for number, paper in papers.items() if _contains_parts(plain_words(paper.title), parts)}


def _contains_parts(words: Collection[str], parts: Collection[str]) -> bool:
    return all(any(part in word for word in words) for part in parts)
