"""Papers that came in with an issue but aren't listed there, as the same one was known before; and a way back."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.orm import aliased

from presort.data.catalogue import person_id
from presort.data.errors import RefusedError
from presort.data.index.imported_issues import count_all_papers
from presort.data.index.paper_index import in_parts
from presort.data.records import Paper
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import PAPER_COLUMNS, IssueRow, ListingRow, PaperCopyRow, PaperRow, paper_of


@dataclass(frozen=True, slots=True)
class Copy:
    """A paper that an issue doesn't list, and the known one that it is a copy of.

    Attributes
    ----------
    paper, known : Paper
    how : str
        What both have: "id" (but for capitals and version), "doi" or "title and authors".
    score : float
        Likeness of the titles, from 0 to 1; 1 for an id or DOI.
    issues : tuple of date
        Of the issues that list the known paper, newest first.
    is_listed : bool
        Whether the issue lists the paper all the same: it did before somebody merged the two.
    """

    paper: Paper
    known: Paper
    how: str
    score: float
    issues: tuple[date, ...]
    is_listed: bool = False


def copies(store: Store, issue: date) -> list[Copy]:
    """Return the copies that came in with an issue, in the order in which they came in.

    None if there is no such issue.
    """
    known = aliased(PaperRow)
    of_known = [getattr(known, column.key) for column in PAPER_COLUMNS]
    n = len(of_known)
    query = (
        select(PaperRow.id, known.id, PaperCopyRow.how, PaperCopyRow.score, *PAPER_COLUMNS, *of_known)
        .select_from(PaperCopyRow)
        .join(PaperRow, PaperRow.id == PaperCopyRow.paper_id)
        .join(known, known.id == PaperCopyRow.same_as)
        .join(IssueRow, IssueRow.id == PaperCopyRow.issue_id)
        .where(IssueRow.date == issue, PaperCopyRow.undone_at.is_(None))
        .order_by(PaperRow.id)
    )
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(query).all()
        listed = issues_of(connection, {number for numbers in rows for number in numbers[:2]})
    return [
        Copy(paper_of(texts[:n]), paper_of(texts[n:]), how, score, tuple(listed[known_id]), issue in listed[paper_id])
        for paper_id, known_id, how, score, *texts in rows
    ]


def separate(store: Store, paper_id: str, *, person: str) -> None:
    """Record that a paper is no copy, and add it to the end of each issue it came with, if not listed there.

    Raises
    ------
    RefusedError
        If the paper is not there, or no copy of another one.
    """
    with store.writing(Right.EDIT) as connection:
        is_copy = (PaperRow.paper_id == paper_id) & PaperCopyRow.undone_at.is_(None)
        of_copy = select(PaperRow.id).join(PaperCopyRow, PaperCopyRow.paper_id == PaperRow.id).where(is_copy)
        found = connection.execute(of_copy).scalar()
        if found is None:
            raise RefusedError(
                f"{paper_id!r} is not kept apart as a copy of another paper; it may be in the list already."
            )
        list_all_the_same(connection, [found], person_id(connection, person), datetime.now(UTC))


def list_all_the_same(connection: Connection, papers: Sequence[int], person: int, now: datetime) -> int:
    """List copies at the end of the issues that they came in with, and log who said so; give the number of listings.

    Parameters
    ----------
    papers : sequence of int
        Rows of papers; what is not a copy is passed over, and so is an issue that lists the paper already.
    person : int
        Row of the person.
    """
    n_listed = 0
    for paper in papers:
        is_apart = (PaperCopyRow.paper_id == paper) & PaperCopyRow.undone_at.is_(None)
        listing = select(ListingRow.issue_id).where(ListingRow.paper_id == paper)
        unlisted = select(PaperCopyRow.issue_id).where(is_apart, PaperCopyRow.issue_id.not_in(listing))
        issues = connection.execute(unlisted).scalars().all()
        for issue in issues:
            last = select(func.coalesce(func.max(ListingRow.position), 0)).where(ListingRow.issue_id == issue)
            place = connection.execute(last).scalar_one() + 1
            connection.execute(insert(ListingRow).values(issue_id=issue, position=place, paper_id=paper))
        connection.execute(update(PaperCopyRow).where(is_apart).values(undone_at=now, undone_by=person))
        n_listed += len(issues)
        count_all_papers(connection, issues)
    return n_listed


def issues_of(connection: Connection, papers: Collection[int]) -> Mapping[int, Sequence[date]]:
    """Return the issues that list each of some papers, newest first; papers by their rows."""
    listed: defaultdict[int, list[date]] = defaultdict(list)
    for part in in_parts(sorted(papers)):
        rows = connection.execute(
            select(ListingRow.paper_id, IssueRow.date)
            .join(IssueRow, IssueRow.id == ListingRow.issue_id)
            .where(ListingRow.paper_id.in_(part))
            .order_by(IssueRow.date.desc())
        )
        for paper, day in rows:
            listed[paper].append(day)
    return listed
