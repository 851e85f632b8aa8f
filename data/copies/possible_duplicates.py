"""Papers that may be duplicates of others: both are listed, until a person keeps both or merges them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.orm import aliased

from presort.data.catalogue import person_id
from presort.data.copies.known_copies import issues_of
from presort.data.errors import RefusedError
from presort.data.records import Paper
from presort.data.store import Store
from presort.data.tables import PAPER_COLUMNS, ListingRow, PaperCopyRow, PaperRow, PossibleDuplicateRow, paper_of


@dataclass(frozen=True, slots=True)
class PossibleDuplicate:
    """A paper that may be a duplicate of one known before.

    Attributes
    ----------
    paper, other : Paper
        The new paper, and the one known before.
    how : str
        What both have in common: "id", "doi" or "title and authors".
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
    is_copy = (PaperCopyRow.paper_id == pair.other_id) & PaperCopyRow.undone_at.is_(None)
    known = connection.execute(select(PaperCopyRow.same_as).where(is_copy)).scalar() or pair.other_id
    issues = connection.execute(select(ListingRow.issue_id).where(ListingRow.paper_id == pair.paper_id)).scalars()
    values = {"paper_id": pair.paper_id, "same_as": known, "how": pair.how, "score": pair.score}
    copies = [{**values, "issue_id": issue, "made_at": datetime.now(UTC)} for issue in issues]
    if copies:
        connection.execute(insert(PaperCopyRow), copies)
