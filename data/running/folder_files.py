"""Back up and restore the files of a workspace besides its database: templates, harvest positions and models.

The files are stored in a table that only backups have, so that a backup is a single file and still a valid database.
"""

import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.workspace.folder import PRIVATE_FILE, make_folder
from presort.data.workspace.sqlite import open_read_only

HARVESTS, MARK = "harvests", ".json"  # folder for harvests, and suffix of the files that contain harvest positions
# When a backup is restored, existing models are deleted instead of moved aside, because they can be trained again.
MADE_AGAIN = "models"
FOLDERS = ("templates", HARVESTS, MADE_AGAIN)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
PART = 16 * 1024**2  # bytes per row; files are split because SQLite limits a cell to 1 GB
TABLE = (
    "CREATE TABLE folder_file (folder TEXT, name TEXT, part INTEGER, content BLOB, PRIMARY KEY (folder, name, part))"
)


def read_harvest_positions(workspace: Path) -> dict[str, bytes]:
    """Read the harvest positions by file name.

    Must be called before the database is copied. A harvest writes its position after its papers, so this order ensures
    that the positions in a backup are never ahead of its database.
    """
    return {path.name: path.read_bytes() for path in _files(workspace, HARVESTS) if path.suffix == MARK}


def add_files(backup: Path, workspace: Path, marks: Mapping[str, bytes]) -> None:
    """Add a workspace's files to a new backup, with the harvest positions given in `marks`."""
    insert = "INSERT INTO folder_file VALUES (?, ?, ?, ?)"
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute(TABLE)
        connection.executemany(insert, [(HARVESTS, name, 0, content) for name, content in marks.items()])
        for folder in FOLDERS:
            for path in _files(workspace, folder):
                if (folder, path.suffix) != (HARVESTS, MARK):
                    with suppress(FileNotFoundError):  # a ranker has just replaced this model with a newer one
                        connection.executemany(insert, _parts(folder, path))


def _files(workspace: Path, folder: str) -> Iterator[Path]:
    for path in sorted((workspace / folder).glob("*")):
        if NAME.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            yield path


def _parts(folder: str, path: Path) -> Iterator[tuple[str, str, int, bytes]]:
    with path.open("rb") as file:
        number, content = 0, file.read(PART)
        while content or not number:  # an empty file yields one empty part
            yield folder, path.name, number, content
            number, content = number + 1, file.read(PART)


def refuse_invalid_files(backup: Path) -> None:
    """Check that no file in a backup has an invalid name or would be written outside its folder.

    Raises
    ------
    UnreadableFileError
        If the backup contains such a file.
    """
    with open_read_only(backup) as connection:
        if not _has_files(connection):
            return
        query = "SELECT DISTINCT folder, name, typeof(name), typeof(content) FROM folder_file"
        for folder, name, *types in connection.execute(query):
            if folder not in FOLDERS or types != ["text", "blob"] or not NAME.fullmatch(name):
                raise UnreadableFileError(backup, f"contains an invalid file: {folder}/{name}")


def restore_files(backup: Path, workspace: Path, aside: Path) -> None:
    """Restore the files in a backup to a workspace. Existing files are moved aside, and existing models are deleted.

    If the backup contains no files, only the harvest positions are moved aside. If they were left in the workspace,
    papers harvested after the backup would never be requested again.

    Parameters
    ----------
    aside : Path
        Prefix of the paths to which existing folders are moved.
    """
    with open_read_only(backup) as connection:
        has_files = _has_files(connection)
        query = "SELECT DISTINCT folder, name FROM folder_file ORDER BY folder, name"
        names = connection.execute(query).fetchall() if has_files else []
        for folder in FOLDERS if has_files else (HARVESTS,):
            new, place = workspace / f"{folder}.restored", workspace / folder
            shutil.rmtree(new, ignore_errors=True)  # remains of an interrupted restore
            if own := [name for where, name in names if where == folder]:
                make_folder(new)
                for name in own:
                    _write(connection, folder, name, new / name)
            if place.is_symlink() or (place.exists() and folder != MADE_AGAIN):
                place.rename(aside.with_name(f"{aside.name}-{folder}"))
            elif place.exists():
                shutil.rmtree(place)
            if own:
                new.rename(place)


def drop_files(database: Path) -> None:
    """Delete the files from a database that was restored from a backup, and free their space."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        if _has_files(connection):
            connection.execute("DROP TABLE folder_file")
            connection.execute("VACUUM")


def _write(connection: sqlite3.Connection, folder: str, name: str, path: Path) -> None:
    path.touch(mode=PRIVATE_FILE)
    query = "SELECT content FROM folder_file WHERE folder = ? AND name = ? ORDER BY part"
    with path.open("wb") as file:
        for (content,) in connection.execute(query, (folder, name)):
            file.write(content)


def _has_files(connection: sqlite3.Connection) -> bool:
    query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'folder_file'"
    return bool(connection.execute(query).fetchone()[0])
