"""Store harvests, so that an interrupted harvest can resume, and the next harvest requests only new papers.

The folder ``harvests`` has two files for each combination of repository, set and format:

- ``….jsonl`` contains the pages fetched so far: one line for the query, then one line per page. It is emptied when the
  papers have been imported.
- ``….json`` contains a day and some records. All records dated before this day were imported. Of the records dated on
  or after this day, those in the file were imported.
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
LONGEST_REST = timedelta(days=1)  # older harvests are not resumed, because their tokens expire and papers change


@dataclass(frozen=True)
class Query:
    """Query to send to a repository.

    Attributes
    ----------
    url : str
        Base URL of the repository.
    metadata : str
        OAI-PMH metadata prefix, such as ``oai_dc``.
    set_ : str
        Set of records to request. Empty to request all records.
    since : date or None
        First day for which to request records. Defaults to the day of the last complete harvest, or to `begin` if there
        was none.
    until : date or None
        Last day for which to request records. If None, there is no limit.
    begin : date or None
        First day for which to request records if there was no earlier harvest. If None, there is no limit.
    """

    url: str
    metadata: str
    set_: str = ""
    since: date | None = None
    until: date | None = None
    begin: date | None = None

    @property
    def name(self) -> str:
        """Name to display: the host, followed by the set (if any) in brackets."""
        host = urlsplit(self.url).netloc
        return f"{host} ({self.set_})" if self.set_ else host


@dataclass(frozen=True)
class Mark:
    """Result of a repository's last complete harvest, from which the next harvest continues.

    Attributes
    ----------
    day : date
        All records dated before this day, by the repository's clock, were imported.
    known : mapping from identifier to datestamp
        Imported records with a datestamp on or after `day`.
    """

    day: date
    known: Mapping[str, str]


class StoredHarvest:
    """Pages that a harvest has fetched. Use `open_harvest` to create an instance.

    Attributes
    ----------
    query : Query
    path : Path
        File that stores the pages.
    since : date or None
        First day for which records are requested. It is specified by the query or the last complete harvest. None if
        there is no limit.
    mark : Mark or None
        Mark of the last complete harvest. None if there was none.
    token : str or None
        Resumption token for the next page. None before the first page is stored, and empty after the last page.
    n_pages, n_records : int
        Numbers of pages and records stored so far.
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
        """Write a page to disk. Call this before requesting the next page.

        Parameters
        ----------
        page : str
            XML of the page.
        token : str
            Resumption token for the next page. Empty after the last page.
        n_records : int
            Number of records on the page.
        damages : sequence of Damage
            Faults in the page, as received from the repository.
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
        """Yield the faults that the stored pages had when they were received, in order."""
        with self.path.open("rb") as file:
            next(file)
            for line in file:
                yield from (Damage(*one) for one in json.loads(line).get("damages", ()))

    def finish(self, mark: Mark) -> None:
        """Record that all papers have been imported, and delete the pages. The next harvest starts at `mark`.

        The stored mark is left unchanged if `mark` is earlier, or if this harvest requested only records after the
        stored mark, because the next harvest would then skip the days in between.
        """
        if self.mark is None or (self.since and self.since <= self.mark.day <= mark.day):
            written = self._mark_path.with_suffix(".new")
            with _writing(written), written.open("w", encoding="utf-8") as file:
                json.dump({"day": mark.day.isoformat(), "known": dict(mark.known)}, file)
                file.flush()
                os.fsync(file.fileno())
            written.replace(self._mark_path)
        self._file.truncate(0)  # emptied but not deleted, because another process may have opened the file to lock it

    def _query_header(self) -> dict[str, Any]:
        days = {"since": self.since, "until": self.query.until}
        named = {"url": self.query.url, "format": self.query.metadata, "set": self.query.set_}
        return {**named, **{name: day.isoformat() if day else None for name, day in days.items()}}

    def _load_pages(self) -> None:
        """Load the pages of an interrupted harvest, unless it is too old or requested different days."""
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
        self._file.truncate(end)  # removes a page that was only partly written

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
        Query that defines the harvest.
    now : datetime, optional
        Current time, with time zone. Defaults to the system time.

    Raises
    ------
    HarvestError
        If the URL can't belong to a repository, or if another process is running the same harvest.
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
    """Yield a folder with a copy of the stored harvests, which is deleted when the context ends.

    Pass the folder to `open_harvest` in place of the workspace.
    """
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
    query = url.partition("?")[2]  # a base URL may already contain a query
    if "#" in url or url.endswith("?") or "verb=" in query:
        raise HarvestError(
            f"{url} contains an OAI-PMH request or a fragment. Remove the ? or # and everything after it."
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
