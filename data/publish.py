"""Imports: stage everything first, then publish it in one short transaction.

Three steps, so that editors can save decisions within a moment while a large file comes in:

1. the file is read to its end into temporary tables of our own connection, which lock nothing;
2. the texts of new papers are written, some thousands at a time; a paper that no issue lists is seen by nobody;
3. under one lock, and all or nothing: issues, their lists, reports, selections and changed texts.

An error takes back step 2. After a crash the next import does, before anything else.
"""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, text

from data.catalogue import person_id
from data.errors import RefusedError, WorkspaceError
from data.records import ImportSummary, ListedPaper
from data.store import Store
from data.tables import Moment, paper_values

CHUNK = 2_000  # papers staged at once

STAGING = (
    """CREATE TEMPORARY TABLE staged_paper (
        paper_id TEXT PRIMARY KEY, title TEXT, abstract TEXT, authors TEXT, codes TEXT, series TEXT, date TEXT)""",
    "CREATE TEMPORARY TABLE staged_listing (row INTEGER PRIMARY KEY, issue TEXT, paper_id TEXT)",
    "CREATE TEMPORARY TABLE staged_selection (row INTEGER, report TEXT)",
    "CREATE TEMPORARY TABLE listed (row INTEGER PRIMARY KEY, issue TEXT, paper_id INTEGER)",
)

# A paper of several issues: its last row counts, but an empty text erases nothing here either.
STAGE_PAPER = """
INSERT INTO staged_paper VALUES (:paper_id, :title, :abstract, :authors, :codes, :series, :date)
ON CONFLICT (paper_id) DO UPDATE SET title = excluded.title,
    abstract = coalesce(nullif(excluded.abstract, ''), abstract),
    authors = coalesce(nullif(excluded.authors, ''), authors), codes = coalesce(nullif(excluded.codes, ''), codes),
    series = coalesce(nullif(excluded.series, ''), series), date = coalesce(nullif(excluded.date, ''), date)
"""

NEW_ISSUES = """
INSERT INTO issue (date) SELECT DISTINCT issue FROM staged_listing
WHERE issue NOT IN (SELECT date FROM issue) ORDER BY issue
"""

# An empty text never erases what an earlier file said. `IS NOT` over the row compares all columns at once.
CHANGED_PAPERS = """
CREATE TEMPORARY TABLE changed_paper AS
SELECT new.* FROM (
    SELECT p.id, s.title, coalesce(nullif(s.abstract, ''), p.abstract) AS abstract,
        coalesce(nullif(s.authors, ''), p.authors) AS authors, coalesce(nullif(s.codes, ''), p.codes) AS codes,
        coalesce(nullif(s.series, ''), p.series) AS series, coalesce(nullif(s.date, ''), p.date) AS date
    FROM staged_paper s JOIN paper p ON p.paper_id = s.paper_id) AS new
JOIN paper p ON p.id = new.id
WHERE (p.title, p.abstract, p.authors, p.codes, p.series, p.date)
    IS NOT (new.title, new.abstract, new.authors, new.codes, new.series, new.date)
"""

UPDATED_PAPERS = """
UPDATE paper SET title = new.title, abstract = new.abstract, authors = new.authors, codes = new.codes,
    series = new.series, date = new.date
FROM changed_paper AS new WHERE paper.id = new.id
"""

NEW_PAPERS = """
INSERT INTO paper (paper_id, title, abstract, authors, codes, series, date)
SELECT s.paper_id, s.title, s.abstract, s.authors, s.codes, s.series, s.date
FROM staged_paper s LEFT JOIN paper p ON p.paper_id = s.paper_id
WHERE p.id IS NULL AND s.rowid BETWEEN :first AND :last ORDER BY s.rowid
"""

UNLISTED_PAPERS = "DELETE FROM paper WHERE id NOT IN (SELECT paper_id FROM listing)"

# The number of a removed paper is given out again: its tokens must not pass to the next.
ORPHANED_TOKENS = "DELETE FROM paper_tokens WHERE paper_id NOT IN (SELECT id FROM paper)"

# Made again from the new text when they are next needed.
STALE_TOKENS = "DELETE FROM paper_tokens WHERE paper_id IN (SELECT id FROM changed_paper)"

RESOLVED = """
INSERT INTO listed SELECT s.row, s.issue, p.id
FROM staged_listing s JOIN paper p ON p.paper_id = s.paper_id ORDER BY s.row
"""

# New papers of an issue that is there already come after those it has: positions never change.
NEW_LISTINGS = """
INSERT INTO listing (issue_id, position, paper_id)
SELECT n.issue_id, n.place + (SELECT coalesce(max(position), 0) FROM listing WHERE issue_id = n.issue_id), n.paper_id
FROM (SELECT i.id AS issue_id, l.paper_id, row_number() OVER (PARTITION BY i.id ORDER BY l.row) AS place
      FROM listed l JOIN issue i ON i.date = l.issue WHERE NOT EXISTS (
          SELECT 1 FROM listing old WHERE old.issue_id = i.id AND old.paper_id = l.paper_id)) AS n
ORDER BY n.issue_id, n.place
"""

NEW_REPORTS = """
INSERT INTO report (code, name) SELECT DISTINCT report, report FROM staged_selection
WHERE report NOT IN (SELECT code FROM report) ORDER BY report
"""

# A file never overrules an editor: a report issue on which somebody decided at the desk is left to them.
LEFT_TO_EDITORS = """
CREATE TEMPORARY TABLE left_to_editor AS
SELECT report_id, issue_id FROM decision WHERE person_id <> :importer
UNION SELECT report_id, issue_id FROM report_issue WHERE person_id <> :importer
UNION SELECT report_id, issue_id FROM reopened_issue
"""

SELECTIONS_LEFT = """
SELECT count(*) FROM staged_selection s JOIN listed l ON l.row = s.row
    JOIN report r ON r.code = s.report JOIN issue i ON i.date = l.issue
    JOIN left_to_editor e ON e.report_id = r.id AND e.issue_id = i.id
WHERE NOT EXISTS (
    SELECT 1 FROM decision d
    WHERE d.report_id = r.id AND d.issue_id = i.id AND d.paper_id = l.paper_id AND d.word = 'yes')
"""

NEW_SELECTIONS = """
INSERT INTO decision (report_id, issue_id, paper_id, person_id, made_at, about, word)
SELECT r.id, i.id, l.paper_id, :importer, :now, 'relevant', 'yes'
FROM staged_selection s JOIN listed l ON l.row = s.row
    JOIN report r ON r.code = s.report JOIN issue i ON i.date = l.issue
WHERE (r.id, i.id) NOT IN (SELECT report_id, issue_id FROM left_to_editor)
    AND NOT EXISTS (
        SELECT 1 FROM decision d WHERE d.report_id = r.id AND d.issue_id = i.id AND d.paper_id = l.paper_id)
ORDER BY l.row, r.id
"""

# What was scored without the new selections is scored again: an outcome is derived, the log is not touched.
STALE_OUTCOMES = """
DELETE FROM outcome WHERE ranking_id IN (
    SELECT k.id FROM ranking k JOIN decision d ON d.report_id = k.report_id AND d.issue_id = k.issue_id
    WHERE d.id > :newest)
"""

# A report that selected from an issue in the past has issued it; it went out in list order as far as we know.
ISSUED = """
INSERT INTO report_issue (report_id, issue_id, person_id, issued_at, published)
SELECT DISTINCT d.report_id, d.issue_id, d.person_id, :now, x'' FROM decision d
WHERE d.id > :newest
    AND NOT EXISTS (SELECT 1 FROM report_issue t WHERE t.report_id = d.report_id AND t.issue_id = d.issue_id)
"""


def publish(store: Store, listings: Iterable[ListedPaper], *, person: str) -> ImportSummary:
    """Add issues, papers, reports and past selections, all or nothing; what is known already stays as it is.

    Parameters
    ----------
    listings : iterable of ListedPaper
        In list order within each issue. Read to its end before anything is published; an error it raises is passed on.
    person : str
        To whom the log ascribes the selections.

    Returns
    -------
    ImportSummary
        What changed; all zero but `listings` when everything was known.
    """
    with _only_import(store), store.connection() as connection:
        # By the driver, as it does nothing inside a transaction. All ids here come from joins with the very tables they
        # point to; checking them once more would lengthen the lock, by a lot when leftovers are removed.
        connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
        _remove_unlisted(store, connection)
        try:
            n_listings = _stage(connection, listings)
            n_papers = _write_new_papers(store, connection)
            with store.locked(connection):
                changes = _publish_staged(connection, person)
        except BaseException:
            connection.rollback()
            with suppress(WorkspaceError):  # the next import removes them too; what went wrong here is the thing to say
                _remove_unlisted(store, connection)
            raise
        finally:
            connection.invalidate()  # closes it, and with it go the temporary tables
    return ImportSummary(listings=n_listings, new_papers=n_papers, **changes)


@contextmanager
def _only_import(store: Store) -> Iterator[None]:
    """Let one import at a time run; the system takes the lock back even from a process that was killed."""
    path = store.path.with_suffix(".import-lock")
    with ExitStack() as opened:
        try:
            fcntl.flock(opened.enter_context(path.open("w")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RefusedError("Another import into this workspace is running; try again when it is done.") from error
        except OSError as error:
            raise WorkspaceError(f"{path} can't be written to: {error.strerror}.") from error
        yield


def _remove_unlisted(store: Store, connection: Connection) -> None:
    with store.locked(connection):
        connection.exec_driver_sql(UNLISTED_PAPERS)
        connection.exec_driver_sql(ORPHANED_TOKENS)


def _stage(connection: Connection, listings: Iterable[ListedPaper]) -> int:
    remaining = enumerate(listings, start=1)
    n_listings = 0
    with _unlocked(connection):
        for statement in STAGING:
            connection.exec_driver_sql(statement)
        while chunk := list(islice(remaining, CHUNK)):
            connection.execute(text(STAGE_PAPER), [paper_values(listed.paper) for _, listed in chunk])
            connection.execute(
                text("INSERT INTO staged_listing VALUES (:row, :issue, :paper_id)"),
                [{"row": row, "issue": str(x.issue), "paper_id": x.paper.paper_id} for row, x in chunk],
            )
            if selections := list(_selections(chunk)):
                connection.execute(text("INSERT INTO staged_selection VALUES (:row, :report)"), selections)
            n_listings += len(chunk)
    return n_listings


def _write_new_papers(store: Store, connection: Connection) -> int:
    with _unlocked(connection):
        connection.exec_driver_sql(CHANGED_PAPERS)
        last = connection.exec_driver_sql("SELECT coalesce(max(rowid), 0) FROM staged_paper").scalar_one()
    n_papers = 0
    for first in range(1, last + 1, CHUNK):
        with store.locked(connection):
            n_papers += connection.execute(text(NEW_PAPERS), {"first": first, "last": first + CHUNK - 1}).rowcount
    with _unlocked(connection):
        connection.exec_driver_sql(RESOLVED)
    return n_papers


@contextmanager
def _unlocked(connection: Connection) -> Iterator[None]:
    """Work on our own temporary tables; nobody waits for it."""
    connection.execution_options(immediate=False)
    with connection.begin():
        yield


def _selections(chunk: list[tuple[int, ListedPaper]]) -> Iterator[dict[str, Any]]:
    for row, listed in chunk:
        for report in listed.selected_by:
            yield {"row": row, "report": report}


def _publish_staged(connection: Connection, person: str) -> dict[str, int]:
    def changed(statement: str, **values: str | int) -> int:
        return connection.execute(text(statement), values).rowcount

    now = Moment.written(datetime.now(UTC))
    counts = {
        "new_issues": changed(NEW_ISSUES),
        "updated_papers": changed(UPDATED_PAPERS),
        "new_listings": changed(NEW_LISTINGS),
        "new_reports": changed(NEW_REPORTS),
    }
    changed(STALE_TOKENS)
    importer = person_id(connection, person)
    newest = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM decision").scalar_one()
    changed(LEFT_TO_EDITORS, importer=importer)
    counts["selections_left"] = connection.exec_driver_sql(SELECTIONS_LEFT).scalar_one()
    counts["new_selections"] = changed(NEW_SELECTIONS, importer=importer, now=now)
    changed(STALE_OUTCOMES, newest=newest)
    changed(ISSUED, newest=newest, now=now)
    return counts
