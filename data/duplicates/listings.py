"""Duplicates that issues don't list, possible duplicates that a person decides, and how to undo either."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.orm import aliased

from presort.data.catalogue import person_id
from presort.data.errors import RefusedError
from presort.data.index.paper_index import in_parts
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
    """A paper that an issue doesn't list, and the known one that it duplicates.

    Attributes
    ----------
    paper, known : Paper
    how : str
        Shared property: "id" (ignoring case and version), "doi" or "title and authors".
    score : float
        Likeness of the titles, from 0 to 1; 1 for an id or DOI.
    issues : tuple of date
        Of the issues that list the known paper, newest first.
    is_listed : bool
        True if the issue lists the paper nevertheless, because it did before the two were merged.
    """

    paper: Paper
    known: Paper
    how: str
    score: float
    issues: tuple[date, ...]
    is_listed: bool = False


def duplicates(store: Store, issue: date) -> list[Duplicate]:
    """Return the duplicates that came in with an issue, in the order in which they came in.

    None if there is no such issue.
    """
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
    """Record that a paper is no copy, and add it to the end of each issue it came with, if not listed there.

    Raises
    ------
    RefusedError
        If the paper is not there, or no copy of another one.
    """
    with store.writing(Right.EDIT) as connection:
        is_copy = (PaperRow.paper_id == paper_id) & PaperDuplicateRow.undone_at.is_(None)
        of_copy = select(PaperRow.id).join(PaperDuplicateRow, PaperDuplicateRow.paper_id == PaperRow.id).where(is_copy)
        found = connection.execute(of_copy).scalar()
        if found is None:
            raise RefusedError(
                f"{paper_id!r} is not kept apart as a copy of another paper; it may be in the list already."
            )
        list_all_the_same(connection, [found], person_id(connection, person), datetime.now(UTC))


def list_all_the_same(connection: Connection, papers: Sequence[int], person: int, now: datetime) -> int:
    """List duplicates at the end of the issues that they came with, and log by whom. Return the number of listings.

    Parameters
    ----------
    papers : sequence of int
        Rows of papers; what is not a copy is passed over, and so is an issue that lists the paper already.
    person : int
        Row of the person.
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
        count_all_papers(connection, issues)
    return n_listed


def count_all_papers(connection: Connection, issues: Sequence[int]) -> None:
    """Count the papers that joined some issues for the reports whose selections from them came by file.

    A past that comes as several files is the same as one that comes as one. Nobody has read these issues at the desk:
    one that was reopened and published there has another source, and papers that join it later came after its editor.
    Code that lists papers calls it in the same transaction. Outcomes of fewer papers are deleted and computed again.

    Parameters
    ----------
    issues : sequence of int
        Rows of the issues.
    """
    out = ReportIssueRow
    for some in in_parts(issues):
        sizes = select(ListingRow.issue_id, func.count().label("n")).where(ListingRow.issue_id.in_(some))
        size = sizes.group_by(ListingRow.issue_id).subquery()
        has_grown = (out.source == "file") & (out.issue_id == size.c.issue_id) & (out.n_papers < size.c.n)
        of_same = (RankingRow.report_id == out.report_id) & (RankingRow.issue_id == out.issue_id)
        stale = select(RankingRow.id).join(out, of_same).join(size, has_grown)
        connection.execute(delete(OutcomeRow).where(OutcomeRow.ranking_id.in_(stale)))
        connection.execute(update(out).where(has_grown).values(n_papers=size.c.n))


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


@dataclass(frozen=True, slots=True)
class PossibleDuplicate:
    """A paper that may be a duplicate of one known before.

    Attributes
    ----------
    paper, other : Paper
        The new paper, and the one known before.
    how : str
        Shared property: "id", "doi" or "title and authors".
    score : float
        Likeness of the titles, from 0 to 1; 1 for an id or DOI.
    issues, other_issues : tuple of date
        Dates of the issues that list each paper, newest first.
    """

    paper: Paper
    other: Paper
    how: str
    score: float
    issues: tuple[date, ...]
    other_issues: tuple[date, ...]


def possible_duplicates(store: Store) -> list[PossibleDuplicate]:
    """Return the undecided possible duplicates, newest first."""
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
    """Record decisions on possible duplicates, all or nothing. Decided pairs are not listed again.

    A paper that is merged stays where an issue lists it, as positions never change; no later issue lists it. *Review*
    shows it with other duplicates, where an editor can take it back.

    Parameters
    ----------
    keep, merge : iterable of str
        Ids of the newer papers of the pairs to keep or to merge.

    Raises
    ------
    RefusedError
        If a paper is no possible duplicate, or somebody has already decided on it.
    """
    with store.writing() as connection:
        for paper_id in keep:
            _decide(connection, paper_id, person, is_duplicate=False)
        for paper_id in merge:
            _merge(connection, _decide(connection, paper_id, person, is_duplicate=True))


def _decide(connection: Connection, paper_id: str, person: str, *, is_duplicate: bool) -> Row[int, int, str, float]:
    """Log a decision and return its pair."""
    row = PossibleDuplicateRow
    query = select(row.paper_id, row.other_id, row.how, row.score).join(PaperRow, PaperRow.id == row.paper_id)
    undecided = query.where(PaperRow.paper_id == paper_id, row.is_duplicate.is_(None))
    pair = connection.execute(undecided).first()
    if pair is None:
        raise RefusedError(f"{paper_id!r} is no possible duplicate, or somebody has decided on it already.")
    who, now = person_id(connection, person), datetime.now(UTC)
    decided = update(row).where(row.paper_id == pair.paper_id)
    connection.execute(decided.values(is_duplicate=is_duplicate, decided_at=now, decided_by=who))
    return pair


def _merge(connection: Connection, pair: Row[int, int, str, float]) -> None:
    """Make a paper a copy of another one in every issue that lists it."""
    is_copy = (PaperDuplicateRow.paper_id == pair.other_id) & PaperDuplicateRow.undone_at.is_(None)
    known = connection.execute(select(PaperDuplicateRow.duplicate_of).where(is_copy)).scalar() or pair.other_id
    issues = connection.execute(select(ListingRow.issue_id).where(ListingRow.paper_id == pair.paper_id)).scalars()
    values = {"paper_id": pair.paper_id, "duplicate_of": known, "how": pair.how, "score": pair.score}
    new = [{**values, "issue_id": issue, "made_at": datetime.now(UTC)} for issue in issues]
    if new:
        connection.execute(insert(PaperDuplicateRow), new)
