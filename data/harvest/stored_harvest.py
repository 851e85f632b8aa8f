"""Stored state of harvests. It lets an interrupted harvest resume, and the next harvest request only new papers.

The folder ``harvests`` has two files for each combination of repository, set and format. ``….jsonl`` contains the pages
fetched so far: one line for the query, then one line per page. It is emptied when the papers are imported. ``….json``
contains the day before which all records were imported, and the imported records of that day and later days.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from presort.data.errors import WorkspaceError
from presort.data.harvest.addresses import split_url
from presort.data.harvest.errors import HarvestError
from presort.data.harvest.pages import Damage
from presort.data.workspace.folder import try_lock
from presort.data.workspace.scratch import scratch_folder

FOLDER = "harvests"
LONGEST_REST = timedelta(days=1)  # an older harvest is not resumed, because its token expires and papers change


@dataclass(frozen=True)
class Query:
    """Query of a repository.

    Attributes
    ----------
    url : str
        Base URL of the repository.
    metadata : str
        Metadata prefix.
    set_ : str
        Set of records. Empty for all records.
    since : date or None
        First day of the requested records. If None, the day of the last harvest, or `begin` if there is none.
    until : date or None
        Last day of the requested records. If None, there is no limit.
    begin : date or None
        First day of the first harvest. If None, there is no limit.
    """

    url: str
    metadata: str
    set_: str = ""
    since: date | None = None
    until: date | None = None
    begin: date | None = None

    @property
    def name(self) -> str:
        """Name to display: the host, followed by the set in brackets."""
        host = urlsplit(self.url).netloc
        return f"{host} ({self.set_})" if self.set_ else host


@dataclass(frozen=True)
class Mark:
    """End of a repository's last complete harvest.

    Attributes
    ----------
    day : date
        All records before this day, by the repository's clock, were imported.
    known : mapping from identifier to datestamp
        Imported records of this day and later days.
    """

    day: date
    known: Mapping[str, str]


class StoredHarvest:
    """Fetched pages of a harvest. Use `open_harvest` to open them.

    Attributes
    ----------
    query : Query
    path : Path
        File with the pages.
    since : date or None
        First day of the requested records, from the query or the last complete harvest. None for all records.
    mark : Mark or None
        End of the last complete harvest. None before the first one.
    token : str or None
        Resumption token for the next page. None before the first page, empty after the last one.
    n_pages, n_records : int
        Numbers of stored pages and records.
    """

    def __init__(self, file: BinaryIO, path: Path, query: Query, now: datetime) -> None:
        self._file, self._mark_path = file, path.with_suffix(".json")
        self.path, self.query, self.now = path, query, now
        self.mark = _read_mark(self._mark_path)
        self.since = query.since or (self.mark.day if self.mark else query.begin)
        self.token: str | None = None
        self.n_pages = self.n_records = 0
        self._load_pages()

    def add(self, page: str, token: str, n_records: int, damages: Sequence[Damage] = ()) -> None:
        """Write a page to disk. This must be done before the next page is requested.

        Parameters
        ----------
        page : str
            XML of the page.
        token : str
            Resumption token for the next page. Empty after the last page.
        n_records : int
            Number of records in the page.
        damages : sequence of Damage
            Faults in the page as it was received.
        """
        self._write({"token": token, "records": n_records, "page": page, "damages": [astuple(one) for one in damages]})
        self.token = token
        self.n_pages += 1
        self.n_records += n_records

    @property
    def n_bytes(self) -> int:
        """Size of the stored pages in bytes."""
        return os.fstat(self._file.fileno()).st_size

    def restart(self) -> None:
        """Delete all stored pages."""
        self._file.truncate(0)
        self._write({**self._query_header(), "begun": self.now.isoformat()})
        self.token, self.n_pages, self.n_records = None, 0, 0

    def pages(self) -> Iterator[str]:
        """Yield the XML of the stored pages, in order."""
        with self.path.open("rb") as file:
            next(file)
            for line in file:
                yield json.loads(line)["page"]

    def damages(self) -> Iterator[Damage]:
        """Yield the faults in all pages as they were received, in order."""
        with self.path.open("rb") as file:
            next(file)
            for line in file:
                yield from (Damage(*one) for one in json.loads(line).get("damages", ()))

    def finish(self, mark: Mark) -> None:
        """Record that all papers are imported, and delete the pages. The next harvest starts from `mark`.

        The mark is not changed if it would move back, or if it would skip days between the last harvest and this one.
        """
        if self.mark is None or (self.since and self.since <= self.mark.day <= mark.day):
            written = self._mark_path.with_suffix(".new")
            with _writing(written), written.open("w", encoding="utf-8") as file:
                json.dump({"day": mark.day.isoformat(), "known": dict(mark.known)}, file)
                file.flush()
                os.fsync(file.fileno())
            written.replace(self._mark_path)
        self._file.truncate(0)  # the file is not deleted, because another process may have opened it to lock it

    def _query_header(self) -> dict[str, Any]:
        days = {"since": self.since, "until": self.query.until}
        named = {"url": self.query.url, "format": self.query.metadata, "set": self.query.set_}
        return {**named, **{name: day.isoformat() if day else None for name, day in days.items()}}

    def _load_pages(self) -> None:
        """Load the pages of an interrupted harvest, unless it was for other days or is too old."""
        self._file.seek(0)
        header = _whole_line(self._file.readline())
        if header is None or {**header, "begun": ""} != {**self._query_header(), "begun": ""} or self._is_old(header):
            self.restart()
            return
        end = self._file.tell()
        while (line := _whole_line(self._file.readline())) is not None:
            self.token = line["token"]
            self.n_pages += 1
            self.n_records += line["records"]
            end = self._file.tell()
        self._file.truncate(end)  # removes a page whose write was interrupted

    def _is_old(self, header: dict[str, Any]) -> bool:
        return not timedelta(0) <= self.now - datetime.fromisoformat(header["begun"]) <= LONGEST_REST

    def _write(self, line: dict[str, Any]) -> None:
        with _writing(self.path):
            self._file.seek(0, os.SEEK_END)
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())


@contextmanager
def open_harvest(workspace: Path, query: Query, *, now: datetime | None = None) -> Iterator[StoredHarvest]:
    """Open the stored pages of a harvest under an exclusive lock.

    Parameters
    ----------
    workspace : Path
        Folder of the workspace.
    query : Query
        Query of the harvest.
    now : datetime, optional
        Current time, with a time zone. Defaults to the system time.

    Raises
    ------
    HarvestError
        If the URL can't be the URL of a repository, or if another process is running the same harvest.
    WorkspaceError
        If the folder can't be written to.
    """
    check_url(query.url)  # checked first, because a URL with a password must not be written to files
    folder = workspace / FOLDER
    path = folder / f"{_name(query)}.jsonl"
    with _writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    with file:
        if not try_lock(file.fileno()):
            raise HarvestError(f"{query.url} is already being harvested. Wait until that harvest has finished.")
        yield StoredHarvest(file, path, query, now or datetime.now(UTC))


@contextmanager
def copy_harvests(workspace: Path) -> Iterator[Path]:
    """Yield a folder for `open_harvest` with a copy of the stored harvests. It is deleted when the context ends."""
    with scratch_folder() as folder:
        if (workspace / FOLDER).is_dir():
            shutil.copytree(workspace / FOLDER, folder / FOLDER)
        yield folder


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written: {error.strerror or error}.") from error


def check_url(url: str) -> None:
    """Check that a URL can be the base URL of a repository.

    Raises
    ------
    HarvestError
        If the text is not a web address, contains a password, or contains an OAI-PMH request or a fragment.
    """
    split_url(url)
    query = url.partition("?")[2]  # some base URLs have a query of their own
    if "#" in url or url.endswith("?") or "verb=" in query:
        raise HarvestError(
            f"{url} contains a query after the repository's address. Remove everything from the ? or # on."
        )


def _name(query: Query) -> str:
    about = (query.url, query.metadata, query.set_)
    readable = re.sub(r"[^A-Za-z0-9]+", "-", " ".join(about).partition("//")[2]).strip("-")[:80]
    return f"{readable}-{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]}"


def _whole_line(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _read_mark(path: Path) -> Mark | None:
    try:
        found = json.loads(path.read_bytes())
        return Mark(date.fromisoformat(found["day"]), dict(found["known"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise WorkspaceError(f"{path} can't be read. Delete it to harvest from the beginning.") from error
