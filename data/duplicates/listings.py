"""Query duplicates, decide on possible duplicates, and restore papers that were wrongly detected as duplicates."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.orm import aliased

from presort.data.catalogue import person_id
from presort.data.errors import RefusedError
from presort.data.index.paper_index import split_into_batches
from presort.data.records import Paper
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    PAPER_COLUMNS,
    IssueRow,
    ListingRow,
    OutcomeRow,
    PaperDuplicateRow,
    PaperRow,
    PossibleDuplicateRow,
    RankingRow,
    ReportIssueRow,
    paper_of,
)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Duplicate that was imported with an issue, and the existing paper that it duplicates.

    Attributes
    ----------
    paper : Paper
        Duplicate paper. Usually, it is not listed in the issue.
    known : Paper
        Original, which was imported before the duplicate or in the same import.
    how : str
        What the two papers have in common: "id" (ignoring case and version), "doi" or "title and authors".
    score : float
        Similarity of the titles, from 0 to 1. It is 1 if the papers have the same id or DOI.
    issues : tuple of date
        Dates of the issues that list the existing paper, newest first.
    is_listed : bool
        True if the issue lists the duplicate, because the duplicate was listed before the two papers were merged.
    """

    paper: Paper
    known: Paper
    how: str
    score: float
    issues: tuple[date, ...]
    is_listed: bool = False


def duplicates(store: Store, issue: date) -> list[Duplicate]:
    """Return the duplicates imported with an issue, in import order, or an empty list if the issue does not exist."""
    known = aliased(PaperRow)
    of_known = [getattr(known, column.key) for column in PAPER_COLUMNS]
    n = len(of_known)
    query = (
        select(PaperRow.id, known.id, PaperDuplicateRow.how, PaperDuplicateRow.score, *PAPER_COLUMNS, *of_known)
        .select_from(PaperDuplicateRow)
        .join(PaperRow, PaperRow.id == PaperDuplicateRow.paper_id)
        .join(known, known.id == PaperDuplicateRow.duplicate_of)
        .join(IssueRow, IssueRow.id == PaperDuplicateRow.issue_id)
        .where(IssueRow.date == issue, PaperDuplicateRow.undone_at.is_(None))
        .order_by(PaperRow.id)
    )
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(query).all()
        listed = issues_of(connection, {number for numbers in rows for number in numbers[:2]})
    return [
        Duplicate(
            paper_of(texts[:n]), paper_of(texts[n:]), how, score, tuple(listed[known_id]), issue in listed[paper_id]
        )
        for paper_id, known_id, how, score, *texts in rows
    ]


def separate(store: Store, paper_id: str, *, person: str) -> None:
    """Record that a paper is not a duplicate, and append it to every issue with which it was imported.

    Issues that already list the paper are skipped.

    Raises
    ------
    RefusedError
        If the paper does not exist or is not a duplicate.
    """
    with store.writing(Right.EDIT) as connection:
        is_copy = (PaperRow.paper_id == paper_id) & PaperDuplicateRow.undone_at.is_(None)
        of_copy = select(PaperRow.id).join(PaperDuplicateRow, PaperDuplicateRow.paper_id == PaperRow.id).where(is_copy)
        found = connection.execute(of_copy).scalar()
        if found is None:
            raise RefusedError(f"{paper_id!r} is not marked as a duplicate. It may already be in the list.")
        list_duplicates_anyway(connection, [found], person_id(connection, person), datetime.now(UTC))


def list_duplicates_anyway(connection: Connection, papers: Sequence[int], person: int, now: datetime) -> int:
    """Append duplicates to the issues with which they were imported, and record who requested this.

    Returns the number of new listings.

    Parameters
    ----------
    connection : Connection
        Open write transaction.
    papers : sequence of int
        Row ids of the papers. Skips papers that aren't duplicates, and issues that already list the paper.
    person : int
        Row id of the user who requested the change.
    now : datetime
        Time of the change.
    """
    n_listed = 0
    for paper in papers:
        is_apart = (PaperDuplicateRow.paper_id == paper) & PaperDuplicateRow.undone_at.is_(None)
        listing = select(ListingRow.issue_id).where(ListingRow.paper_id == paper)
        unlisted = select(PaperDuplicateRow.issue_id).where(is_apart, PaperDuplicateRow.issue_id.not_in(listing))
        issues = connection.execute(unlisted).scalars().all()
        for issue in issues:
            last = select(func.coalesce(func.max(ListingRow.position), 0)).where(ListingRow.issue_id == issue)
            place = connection.execute(last).scalar_one() + 1
            connection.execute(insert(ListingRow).values(issue_id=issue, position=place, paper_id=paper))
        connection.execute(update(PaperDuplicateRow).where(is_apart).values(undone_at=now, undone_by=person))
        n_listed += len(issues)
        recount_papers(connection, issues)
    return n_listed


def recount_papers(connection: Connection, issues: Sequence[int]) -> None:
    """Recount the papers in imported report issues after papers have been added to the issues.

    The recount makes importing past issues from several files equivalent to importing them from one file. It only
    updates report issues whose source is "file". The counts for a report issue published in Presort don't change,
    because its editor never saw the papers added later. Outcomes based on fewer papers are deleted, to be recomputed
    later. Code that adds papers to an issue must call this function in the same transaction.

    Parameters
    ----------
    issues : sequence of int
        Row ids of the issues.
    """
    out = ReportIssueRow
    for some in split_into_batches(issues):
        sizes = select(ListingRow.issue_id, func.count().label("n")).where(ListingRow.issue_id.in_(some))
        size = sizes.group_by(ListingRow.issue_id).subquery()
        has_grown = (out.source == "file") & (out.issue_id == size.c.issue_id) & (out.n_papers < size.c.n)
        of_same = (RankingRow.report_id == out.report_id) & (RankingRow.issue_id == out.issue_id)
        stale = select(RankingRow.id).join(out, of_same).join(size, has_grown)
        connection.execute(delete(OutcomeRow).where(OutcomeRow.ranking_id.in_(stale)))
        connection.execute(update(out).where(has_grown).values(n_papers=size.c.n))


def issues_of(connection: Connection, papers: Collection[int]) -> Mapping[int, Sequence[date]]:
    """Return a mapping from each paper's row id to the dates of the issues that list the paper, newest first."""
    listed: defaultdict[int, list[date]] = defaultdict(list)
    for part in split_into_batches(sorted(papers)):
        rows = connection.execute(
            select(ListingRow.paper_id, IssueRow.date)
            .join(IssueRow, IssueRow.id == ListingRow.issue_id)
            .where(ListingRow.paper_id.in_(part))
            .order_by(IssueRow.date.desc())
        )
        for paper, day in rows:
            listed[paper].append(day)
    return listed


@dataclass(frozen=True, slots=True)
class PossibleDuplicate:
    """Paper that may be a duplicate of an existing paper.

    Attributes
    ----------
    paper : Paper
        New paper.
    other : Paper
        Existing paper that the new paper may duplicate.
    how : str
        What the two papers have in common: "id", "doi" or "title and authors".
    score : float
        Similarity of the titles, from 0 to 1. It is 1 if the papers have the same id or DOI.
    issues, other_issues : tuple of date
        Dates of the issues that list the new paper, and of the issues that list the existing paper, newest first.
    """

    paper: Paper
    other: Paper
    how: str
    score: float
    issues: tuple[date, ...]
    other_issues: tuple[date, ...]


def possible_duplicates(store: Store) -> list[PossibleDuplicate]:
    """Return the possible duplicates that still await a decision, newest first."""
    other = aliased(PaperRow)
    of_other = [getattr(other, column.key) for column in PAPER_COLUMNS]
    n = len(of_other)
    row = PossibleDuplicateRow
    query = (
        select(row.paper_id, row.other_id, row.how, row.score, *PAPER_COLUMNS, *of_other)
        .join(PaperRow, PaperRow.id == row.paper_id)
        .join(other, other.id == row.other_id)
        .where(row.is_duplicate.is_(None))
        .order_by(row.paper_id.desc())
    )
    with store.reading() as connection:
        rows = connection.execute(query).all()
        listed = issues_of(connection, {number for paper_id, other_id, *_ in rows for number in (paper_id, other_id)})
    return [
        PossibleDuplicate(
            paper_of(texts[:n]), paper_of(texts[n:]), how, score, tuple(listed[paper_id]), tuple(listed[other_id])
        )
        for paper_id, other_id, how, score, *texts in rows
    ]


def decide(store: Store, *, keep: Iterable[str] = (), merge: Iterable[str] = (), person: str) -> None:
    """Record decisions on possible duplicates. If any decision is refused, none is recorded.

    A merged paper remains in the issues that already list it, because list positions never change, but it isn't added
    to later issues. The *Review* page shows it among the duplicates, where an editor can undo the merge.

    Parameters
    ----------
    keep, merge : iterable of str
        Ids of the papers to keep as separate papers, and ids of the papers to merge. For each pair, give the id of the
        newer paper.
    person : str
        User who makes the decisions.

    Raises
    ------
    RefusedError
        If a paper is not a possible duplicate, or already has a decision.
    """
    with store.writing() as connection:
        for paper_id in keep:
            _decide(connection, paper_id, person, is_duplicate=False)
        for paper_id in merge:
            _merge(connection, _decide(connection, paper_id, person, is_duplicate=True))


def _decide(connection: Connection, paper_id: str, person: str, *, is_duplicate: bool) -> Row[int, int, str, float]:
    """Record the decision on a possible duplicate, and return the pair of papers."""
    row = PossibleDuplicateRow
    query = select(row.paper_id, row.other_id, row.how, row.score).join(PaperRow, PaperRow.id == row.paper_id)
    undecided = query.where(PaperRow.paper_id == paper_id, row.is_duplicate.is_(None))
    pair = connection.execute(undecided).first()
    if pair is None:
        raise RefusedError(f"{paper_id!r} is not a possible duplicate, or a decision has already been made.")
    who, now = person_id(connection, person), datetime.now(UTC)
    decided = update(row).where(row.paper_id == pair.paper_id)
    connection.execute(decided.values(is_duplicate=is_duplicate, decided_at=now, decided_by=who))
    return pair


def _merge(connection: Connection, pair: Row[int, int, str, float]) -> None:
    """Mark the pair's new paper as a duplicate of the existing paper in every issue that lists the new paper.

    If the existing paper is itself a duplicate, its original is used instead.
    """
    is_copy = (PaperDuplicateRow.paper_id == pair.other_id) & PaperDuplicateRow.undone_at.is_(None)
    known = connection.execute(select(PaperDuplicateRow.duplicate_of).where(is_copy)).scalar() or pair.other_id
    issues = connection.execute(select(ListingRow.issue_id).where(ListingRow.paper_id == pair.paper_id)).scalars()
    values = {"paper_id": pair.paper_id, "duplicate_of": known, "how": pair.how, "score": pair.score}
    new = [{**values, "issue_id": issue, "made_at": datetime.now(UTC)} for issue in issues]
    if new:
        connection.execute(insert(PaperDuplicateRow), new)
