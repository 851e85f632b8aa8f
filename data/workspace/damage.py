"""What is wrong with a database: seen at once when it is opened, or looked for in all of it."""

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from presort.data.errors import WorkspaceError
from presort.data.tables.guards import PACKED_LISTS, PackedList, is_misplaced
from presort.data.tables.judged import ALL_LOGGED, KEPT, wrongly_judged
from presort.data.tables.positions import SCORE, VECTOR, fault_of_scores
from presort.data.workspace.folder import LOG, FolderLock, beside, demand_database, has_log
from presort.data.workspace.sqlite_errors import DAMAGED, NO_DATABASE, NOT_UTF8, explained, reason_of
from presort.data.workspace.sqlite_file import reading_address

LOG_HEADER, FRAME_HEADER = 32, 24  # bytes
MOST_PROBLEMS = 20
SCORES = "SELECT id, scores, length(positions) / 4 FROM ranking WHERE scores <> x''"
OTHER_LOG = (
    "and the changes beside it, in {log}, don't belong together: another file was put in its place. Nothing "
    "was changed. Move both files away, and put back a backup by 'presort db restore'"
)

BASELINE = "0100"  # oldest revision of tables; development versions before 0.1.0 had 0001 to 0028
DEVELOPMENT_VERSION = (
    "{name} was written by a development version before 0.1.0 (its tables are at {schema}). Nothing was changed. The "
    "last commit that can export it is 3713d1a; how: docs/running.md, 'Workspaces of development versions'."
)


@dataclass(frozen=True)
class Health:
    """What was found out about a database.

    Attributes
    ----------
    name : str
    schema : str
        Revision of its tables; empty if that can't be read.
    n_bytes : int
        With the changes beside it.
    problems : tuple of str
        None if it is whole.
    """

    name: str
    schema: str
    n_bytes: int
    problems: tuple[str, ...]


def refuse_other_log(path: Path) -> None:
    """Refuse a database whose changes beside it, left by a crash, were made to another state of it.

    Who has it open by now has looked already.

    Every change adds one to the revision number. So where the changes beside it were begun on this very file, it lacks
    no more of that number than there are changes.

    Raises
    ------
    WorkspaceError
        If the file is older or newer than that, as after copying another one over it.
    """
    if not has_log(path):
        return
    lock = FolderLock(path.parent)
    try:
        lock.share()  # not while another looks
        if lock.take_alone():
            demand_own_log(path)
    finally:
        lock.give_back()


def refuse_damaged(found: str, path: Path) -> None:
    """Refuse a database of which a check has found something else than "ok"."""
    if found != "ok":
        raise WorkspaceError(f"{path} {DAMAGED}.")


def demand_own_log(path: Path) -> None:
    """Do so while nobody has it open."""
    if not has_log(path):
        return
    with suppress(sqlite3.Error):  # a file that can't be read so far is told of when it is opened
        own, newest = _revision(path, "mode=ro&immutable=1"), _revision(path, "mode=ro")
        if not newest - _n_changes(beside(path, LOG)) <= own <= newest:
            raise WorkspaceError(f"{path} {OTHER_LOG.format(log=beside(path, LOG).name)}.")


def examine(path: Path) -> Health:
    """Read all of a database, which may be in use, and tell what is wrong with it.

    Raises
    ------
    WorkspaceError
        If there is none, the changes beside it are another's, or it can't be read for another reason than damage.
    """
    demand_database(path.parent)
    schema, problems = "", []
    refuse_other_log(path)
    try:
        with explained(path), closing(sqlite3.connect(reading_address(path), uri=True)) as connection:
            connection.execute("BEGIN")
            refuse_development_version(schema := schema_of(connection), str(path))
            problems = list(islice(_problems(connection), MOST_PROBLEMS))
    except WorkspaceError as error:
        reason = reason_of(error.__cause__)
        if reason not in (DAMAGED, NO_DATABASE):
            raise
        problems.append(str(error.__cause__))
    n_bytes = sum(file.stat().st_size for file in (path, beside(path, LOG)) if file.exists())
    return Health(str(path), schema, n_bytes, tuple(problems))


def schema_of(connection: sqlite3.Connection) -> str:
    """Return the revision of a database's tables; empty if it is none of Presort's."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0] if found else ""


def refuse_development_version(schema: str, name: str) -> None:
    """Refuse tables from before the baseline.

    Raises
    ------
    WorkspaceError
        If a development version wrote them.
    """
    if schema and schema < BASELINE:
        raise WorkspaceError(DEVELOPMENT_VERSION.format(name=name, schema=schema))


def _problems(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({MOST_PROBLEMS})"):
        if line != "ok":
            yield line
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} points to a row of {parent} that is not there"
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    for (table,) in tables:
        yield from _unreadable_text(connection, table)
    for packed in PACKED_LISTS:
        yield from _misplaced(connection, packed)
    yield from wrong_scores(connection.execute(SCORES))
    yield from wrongly_judged(connection.execute(KEPT), connection.execute(ALL_LOGGED))
    named = connection.execute("SELECT value FROM setting WHERE name = 'vectors'").fetchone()
    if named:
        yield from wrong_vectors(
            named[0], connection.execute("SELECT paper_id, numbers FROM paper_vector ORDER BY paper_id")
        )


def _unreadable_text(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    try:
        for _ in connection.execute(f'SELECT * FROM "{table}"'):
            pass
    except sqlite3.OperationalError as error:
        if not str(error).startswith(NOT_UTF8):
            raise
        yield f"a text of {table} is not UTF-8"


def _misplaced(connection: sqlite3.Connection, packed: PackedList) -> Iterator[str]:
    table, column = packed.table, packed.column
    for (row,) in connection.execute(f"SELECT rowid FROM {table} AS NEW WHERE {is_misplaced(packed)}"):
        yield f"{column} in row {row} of {table} are not papers of its issue, each once"


def wrong_scores(rows: Iterable[tuple[int, bytes, int]]) -> Iterator[str]:
    """Yield what is wrong with the scores of rankings: of each its number, its scores and how long it is."""
    for row, cell, n in rows:
        fault = fault_of_scores(np.frombuffer(cell, SCORE), n) if len(cell) % 8 == 0 else "half a number"
        if fault:
            yield f"scores in row {row} of ranking: {fault}"


def wrong_vectors(named: str, rows: Iterable[tuple[int, bytes]]) -> Iterator[str]:
    """Yield what is wrong with the vectors of papers, of each its number and its vector; `named` tells of the model."""
    try:
        length = VECTOR.itemsize * int(json.loads(named)["n_numbers"])
    except (ValueError, TypeError, KeyError):
        yield "what should name the model of the vectors can't be read"
        return
    for row, cell in rows:
        if len(cell) != length or not np.isfinite(np.frombuffer(cell, VECTOR)).all():
            yield f"the vector of paper {row} is not what the model makes"


def _revision(path: Path, how: str) -> int:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)) as connection:
        return int(connection.execute("SELECT number FROM revision").fetchone()[0])


def _n_changes(log: Path) -> int:
    """Count the transactions of a write-ahead log that are valid (https://sqlite.org/fileformat.html#walformat)."""
    n_changes = 0
    with log.open("rb") as file:
        if len(header := file.read(LOG_HEADER)) < LOG_HEADER:  # cut off before it held anything
            return 0
        _, _, page_size, _, *salts = struct.unpack(">6I", header[:24])
        while len(header := file.read(FRAME_HEADER)) == FRAME_HEADER:
            _, size_after, *frame_salts = struct.unpack(">4I", header[:16])
            if frame_salts != salts:
                break
            n_changes += size_after > 0
            file.seek(page_size, 1)
    return n_changes
