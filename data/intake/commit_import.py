"""Import of papers: everything is staged first, then published in one short transaction.

The import has four steps, so that editors can save decisions without delay during a large import:

1. Read the whole file into temporary tables of the import's connection, without locks.
2. Compare new papers with existing papers. A duplicate is stored but not listed in an issue. A possible duplicate is
   listed, and a user decides on it later.
3. Write the new papers' descriptions in batches of a few thousand. The papers are invisible, because no issue lists
   them yet.
4. Publish the issues, their lists, reports, selections, changed descriptions and the import log in one transaction.

If an error occurs, the papers written in step 3 are removed. After a crash, the next import removes them first.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from presort.data.catalogue import person_id
from presort.data.duplicates.listings import list_duplicates_anyway, recount_papers
from presort.data.errors import WorkspaceError
from presort.data.index import paper_index
from presort.data.index.paper_index import IndexedTexts, plain_doi
from presort.data.intake import statements as sql
from presort.data.intake.identities import RESEMBLING, SharedId, mark_duplicates, separate_shared_ids
from presort.data.learning.first_publications import add_first_publications
from presort.data.records import ImportReport, ImportSummary, ListedPaper, Origin, PaperChange
from presort.data.running.service import log_import
from presort.data.store import Store
from presort.data.tables import PLAIN, Moment, paper_values
from presort.data.tables.current_decisions import update_current_decisions

LOCK = "import"
BUSY = "Another import into this workspace is running. Try again when it has finished."
CHUNK = 2_000  # number of papers per batch
NOWHERE = Origin("")

Changes = tuple[PaperChange, ...]


def commit_import(
    store: Store,
    listings: Iterable[ListedPaper],
    *,
    person: str,
    file: str | None = None,
    is_matched: bool = True,
) -> ImportReport:
    """Add issues, papers, reports and past selections to the workspace in an all-or-nothing operation.

    A duplicate of an existing paper or of another new paper is stored but not listed, because editors see the original.
    A possible duplicate is listed. If a paper has the id of a different paper, it gets a new id and is listed. A paper
    with `is_only_if_new` is not listed if an earlier issue already listed it before this import. Papers selected by a
    report, and all papers of the first import, are always listed. Descriptions of existing papers are updated, but an
    empty field doesn't overwrite a stored value. Editors' decisions are not changed.

    Parameters
    ----------
    store : Store
    listings : iterable of ListedPaper
        Papers in list order within each issue. All of them are read before anything is published, and errors raised
        while reading them are propagated. If an issue lists a paper twice, its first position and its last description
        are used.
    person : str
        User who runs the import. Selections are logged with the source "file".
    file : str or None
        File name for the import log. If None, the import is not logged.
    is_matched : bool
        Whether to search for duplicates and for papers that are listed in earlier issues. Papers already marked as
        duplicates remain marked in either case.

    Returns
    -------
    ImportReport
        Change counts and the changed papers. If the import changed nothing, all counts except `listings` are 0.
    """
    with store.lock(LOCK, BUSY), store.connection() as connection:
        _remove_unlisted(store, connection)
        try:
            with _staging_transaction(connection):
                n_listings, twice = _stage(connection, listings)
                new, updated = _compare(connection, is_matched=is_matched)
                last = connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM new_paper").scalar_one()
            _write_new_papers(store, connection, last)
            with _staging_transaction(connection):
                connection.exec_driver_sql(sql.RESOLVED)
                seen = _drop_listed_before(connection) if is_matched else ()
            with store.write_transaction(connection):
                new_reports = tuple(connection.exec_driver_sql(sql.UNKNOWN_REPORTS).scalars())
                counts = _publish_staged(connection, person)
                matched = _changes(connection, sql.MATCHED)
                possible, shared = (_changes(connection, sql.RESEMBLING_ONES, is_doubtful=is_) for is_ in (True, False))
                summary = ImportSummary(listings=n_listings, new_papers=len(new), matched=len(matched), **counts)
                if file is not None:
                    log_import(connection, file, summary, person=person)
        except BaseException:
            # An error in the cleanup is suppressed, because the original error matters more. The next import repeats
            # the cleanup.
            with suppress(WorkspaceError, DBAPIError):
                connection.rollback()
                _remove_unlisted(store, connection)
            raise
        finally:
            connection.invalidate()  # closes the connection, which drops the temporary tables
    return ImportReport(summary, new, updated, matched, twice, seen, new_reports, possible=possible, shared=shared)


def _remove_unlisted(store: Store, connection: Connection) -> None:
    # The search for unlisted papers doesn't need the write lock, because only imports add papers. Usually it finds
    # none.
    with _staging_transaction(connection):
        last = {"last": connection.exec_driver_sql(sql.LAST_LISTED).scalar_one()}
        unlisted = connection.execute(text(sql.UNLISTED), last).all()
    if unlisted:
        with store.write_transaction(connection):
            paper_index.change(connection, gone=[IndexedTexts(*row) for row in unlisted])
            for statement in (sql.TOKENS_OF_UNLISTED, sql.VECTORS_OF_UNLISTED, sql.UNLISTED_PAPERS):
                connection.execute(text(statement), last)


def _stage(connection: Connection, listings: Iterable[ListedPaper]) -> tuple[int, Changes]:
    """Write the listings to temporary tables. Return the number of distinct listings and the repeated listings."""
    remaining = enumerate(listings, start=1)
    n_rows = 0
    kind = PLAIN.compile(connection.dialect)
    for statement in sql.STAGING:
        connection.exec_driver_sql(statement.format(text=kind))
    while some := list(islice(remaining, CHUNK)):
        n_rows += len(some)
        _stage_some(connection, list(separate_shared_ids(connection, some)))
    twice = _changes(connection, sql.TWICE)
    return n_rows - len(twice), twice


def _stage_some(connection: Connection, some: list[tuple[int, ListedPaper, SharedId | None]]) -> None:
    connection.execute(text(sql.STAGE_PAPER), [_staged_paper_values(row, listed) for row, listed, _ in some])
    connection.execute(
        text("INSERT INTO staged_listing VALUES (:row, :issue, :paper_id, :file, :line, :is_only_if_new)"),
        [_staged_listing_values(row, listed) for row, listed, _ in some],
    )
    if selections := list(_selections(some)):
        connection.execute(text("INSERT INTO staged_selection VALUES (:row, :report)"), selections)
    if shared := [_shared_id_values(one) for _, _, one in some if one is not None]:
        connection.execute(text(RESEMBLING), shared)


def _shared_id_values(one: SharedId) -> dict[str, Any]:
    return {**one._asdict(), "how": "id", "score": 1.0}


def _staged_paper_values(row: int, listed: ListedPaper) -> dict[str, Any]:
    origin, paper = listed.origin or NOWHERE, listed.paper
    doi = plain_doi(paper.doi or paper.paper_id)
    return {**paper_values(paper), "doi": doi, "number": row, "file": origin.file, "row": origin.row}


def _staged_listing_values(row: int, listed: ListedPaper) -> dict[str, Any]:
    origin = listed.origin or NOWHERE
    return {
        "row": row,
        "issue": str(listed.issue),
        "paper_id": listed.paper.paper_id,
        "file": origin.file,
        "line": origin.row,
        "is_only_if_new": listed.is_only_if_new,
    }


def _compare(connection: Connection, *, is_matched: bool) -> tuple[Changes, Changes]:
    """Find new papers, mark duplicates among them, and find changed papers. Return the new and the changed papers."""
    connection.exec_driver_sql(sql.CHANGED_PAPERS)
    connection.exec_driver_sql(sql.FOUND_NEW)
    if is_matched:
        mark_duplicates(connection)
    return _changes(connection, sql.NEW_AND_LISTED), _changes(connection, sql.UPDATED)


def _write_new_papers(store: Store, connection: Connection, last: int) -> None:
    """Write the papers in `new_paper` to the database in batches. `last` is the highest row number in this table."""
    for first in range(1, last + 1, CHUNK):
        some = {"first": first, "last": first + CHUNK - 1}
        with store.write_transaction(connection):
            connection.execute(text(sql.NEW_PAPERS), some)
            added = connection.execute(text(sql.NEWLY_INDEXED), some)
            paper_index.change(connection, come=[IndexedTexts(*row) for row in added])


def _drop_listed_before(connection: Connection) -> Changes:
    """Remove `is_only_if_new` listings of papers that are already listed in an earlier issue. Return these papers."""
    connection.exec_driver_sql(sql.SEEN_BEFORE)
    connection.exec_driver_sql(sql.LEFT_OUT)
    return _changes(connection, sql.SEEN)


def _changes(connection: Connection, statement: str, **values: bool) -> Changes:
    rows = connection.execute(text(statement), values)
    return tuple(
        PaperChange(paper_id, title, Origin(file, row) if file else None, *match)
        for paper_id, title, file, row, *match in rows
    )


@contextmanager
def _staging_transaction(connection: Connection) -> Iterator[None]:
    """Run a transaction on the connection's temporary tables, without the write lock."""
    connection.execution_options(immediate=False)
    with connection.begin():
        yield


def _selections(some: list[tuple[int, ListedPaper, SharedId | None]]) -> Iterator[dict[str, Any]]:
    for row, listed, _ in some:
        for report in listed.selected_by:
            yield {"row": row, "report": report}


def _execute(connection: Connection, statement: str, **values: str | int | bytes) -> int:
    return connection.execute(text(statement), values).rowcount


def _publish_staged(connection: Connection, person: str) -> dict[str, int]:
    execute = partial(_execute, connection)
    now = datetime.now(UTC)
    importer = person_id(connection, person)
    _reindex_renamed(connection)
    counts = {"new_issues": execute(sql.NEW_ISSUES), "updated_papers": execute(sql.UPDATED_PAPERS)}
    execute(sql.STALE_TOKENS)
    execute(sql.STALE_VECTORS)
    selected = connection.exec_driver_sql(sql.SELECTED_DUPLICATES).scalars().all()
    n_separated = list_duplicates_anyway(connection, selected, importer, now)
    execute(sql.NEW_DUPLICATES)
    execute(sql.KEPT_DUPLICATES, now=Moment.to_text(now))
    execute(sql.POSSIBLE_DUPLICATES, now=Moment.to_text(now))
    counts["new_listings"] = n_separated + execute(sql.NEW_LISTINGS)
    return counts | _publish_selections(connection, importer, Moment.to_text(now))


def _reindex_renamed(connection: Connection) -> None:
    renamed = connection.exec_driver_sql(sql.RENAMED).all()
    if renamed:
        gone = [IndexedTexts(number, paper_id, *old) for number, paper_id, *old, _, _, _ in renamed]
        come = [IndexedTexts(number, paper_id, *new) for number, paper_id, _, _, _, *new in renamed]
        paper_index.change(connection, gone=gone, come=come)


def _publish_selections(connection: Connection, importer: int, now: str) -> dict[str, int]:
    execute = partial(_execute, connection)
    newest = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM decision").scalar_one()
    counts = {"new_reports": execute(sql.NEW_REPORTS)}
    execute(sql.LEFT_TO_EDITORS)
    counts["selections_left"] = connection.exec_driver_sql(sql.SELECTIONS_LEFT).scalar_one()
    counts["new_selections"] = execute(sql.NEW_SELECTIONS, importer=importer, now=now)
    update_current_decisions(connection)
    recount_papers(connection, connection.exec_driver_sql(sql.LISTED_ISSUES).scalars().all())
    execute(sql.STALE_OUTCOMES, newest=newest)
    execute(sql.PUBLISHED, newest=newest, importer=importer, now=now, nothing=b"")
    add_first_publications(connection)
    return counts
