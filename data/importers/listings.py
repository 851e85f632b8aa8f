"""Importer for a file, a folder or an archive of papers. It uses `formats` to detect each file's format."""

import datetime
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.archives import Member, is_archive, replace_invalid_bytes, unpack_archive
from presort.data.importers.choices import NO_CHOICES, Choices
from presort.data.importers.formats import REDIF, Format, Reading, error_at, format_of, place
from presort.data.importers.limits import long_id
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.process_limits import limit_memory
from presort.data.importers.redif import read_names
from presort.data.importers.references import FROM_WORDS
from presort.data.importers.tables import NOTHING_CHOSEN, fields_of
from presort.data.index.paper_index import is_global_id
from presort.data.records import Entry, ListedPaper, Origin

# For each issue and paper id, the hash and the place of the last record with this id in the issue.
ListingHashes = dict[tuple[datetime.date, str], tuple[int, str]]

# Records that differ only in DOI, URL or type are treated as identical.
DESCRIBED = attrgetter("paper_id", "title", "abstract", "authors", "codes", "series", "date")


@dataclass(frozen=True)
class SourceFile:
    """File to import. `name` is used in messages, and includes any folders inside the imported folder or archive."""

    path: Path
    name: str

    @cached_property
    def format(self) -> Format:
        """Format of the file. Raises UnreadableFileError if the file is missing or its format is unknown."""
        return format_of(self.path)

    def error(self, reason: str, row: int | None, *, missing: str = "") -> UnreadableFileError:
        """Create the error for a record in this file."""
        return error_at(Origin(self.name, row), reason, path=self.path, missing=missing)


@contextmanager
def files_of(path: Path, problems: Problems) -> Iterator[list[SourceFile]]:
    """Yield the files at a path, sorted by name. Unpacked files are deleted when the context exits.

    Hidden files and hidden folders are skipped.

    Parameters
    ----------
    path : Path
        Path of a file, an archive, or a folder, which may contain archives.
    problems : Problems
        Receives an error for each unreadable archive in a folder, and for each nested archive.

    Raises
    ------
    UnreadableFileError
        If there are no files to import, or if the folder or archive can't be read.
    """
    with ExitStack() as unpacked:
        if is_archive(path):
            yield _members(unpacked.enter_context(unpack_archive(path, problems=problems)))
        elif path.is_dir():
            yield list(_files_in_folder(path, unpacked, problems))
        else:
            yield [SourceFile(path, replace_invalid_bytes(path.name))]


def _files_in_folder(folder: Path, unpacked: ExitStack, problems: Problems) -> Iterator[SourceFile]:
    found = _visible_files(folder)
    if not found:
        raise UnreadableFileError(folder, "contains no files to import")
    for name, path in found:
        if not is_archive(path):
            yield SourceFile(path, name)
            continue
        try:
            members = unpacked.enter_context(unpack_archive(path, problems=problems))
        except UnreadableFileError as error:
            problems.skip(error.with_name(name))
        else:
            yield from _members(members, within=f"{name}/")


def _members(members: list[Member], within: str = "") -> list[SourceFile]:
    return [SourceFile(member.path, within + member.name) for member in members]


def _visible_files(folder: Path) -> list[tuple[str, Path]]:
    try:
        found = sorted((path.relative_to(folder), path) for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise UnreadableFileError(folder, f"can't be read: {error.strerror or error}") from error
    return [
        (replace_invalid_bytes(name.as_posix()), path)
        for name, path in found
        if not any(part.startswith(".") for part in name.parts)
    ]


def read_listings(path: Path, choices: Choices = NO_CHOICES, *, problems: Problems = STRICT) -> Iterator[ListedPaper]:
    """Yield the papers in a file, a folder or an archive, with their issues, in file order.

    A folder or an archive is treated as a single import: the names of series and archives that one ReDIF file defines
    apply to all files.

    A record that is identical to the last one with the same id in the issue is skipped. A record with the same id but
    different content is yielded if its id is a global one, such as a handle or a DOI, or was derived from the title.
    The import then updates the paper or, if the record describes another paper, gives that paper a new id. If the id is
    of any other kind, the record is invalid, because two papers may have been given the same id by mistake.

    Parameters
    ----------
    path : Path
        File in one of `FORMATS`, or a folder or an archive (zip, tar.gz) of files in these formats.
    choices : Choices
        Issue, reports and columns to use if the files don't specify them.
    problems : Problems
        Receives each invalid record, each repair, and each fault that makes a file, or the remainder of a file,
        unreadable.

    Yields
    ------
    ListedPaper
        Cleaned and validated paper.

    Raises
    ------
    UnreadableFileError
        If `problems.skip` raises it. Possible causes are a missing file, an unknown format, an invalid record, an
        ambiguous id, or a file without an issue if `choices` has no issue either. The message names the line, or the
        row and column. The error is raised during iteration, so if iteration fails, discard the papers already yielded.
    """
    seen: ListingHashes = {}
    with files_of(path, problems) as files:
        names = _names(files) if len(files) > 1 else {}  # a single file's names are read by the ReDIF importer
        for file in files:
            yield from _listings(file, choices, names, seen, problems)


def fields_in(path: Path, chosen_columns: Mapping[str, str] = NOTHING_CHOSEN) -> Mapping[str, str]:
    """Return the chosen or guessed table column for each field. Empty if the file isn't a readable table."""
    with suppress(UnreadableFileError), limit_memory(path):
        if path.is_file() and not is_archive(path) and (open_table := format_of(path).open_table):
            with open_table(path) as table:
                return fields_of(table, chosen_columns)
    return {}


def _names(files: list[SourceFile]) -> dict[str, str]:
    names: dict[str, str] = {}
    for file in files:
        with suppress(UnreadableFileError):  # this error is reported later, when the papers are read
            if file.format is REDIF:
                names.update(read_names(file.path))
    return names


def _listings(
    file: SourceFile, choices: Choices, names: Mapping[str, str], seen: ListingHashes, problems: Problems
) -> Iterator[ListedPaper]:
    if file.name != file.path.name:
        problems = problems.with_name(file.name)
    for number, entry in enumerate(_entries(file, Reading(problems, choices.columns, names))):
        issue = entry.issue or choices.issue
        if issue is None:
            is_in_file = number > 0 or "issue" in fields_in(file.path, choices.columns)
            missing = "issue" if number == 0 else ""
            problems.skip(file.error("no issue", entry.row if is_in_file else None, missing=missing))
            if not is_in_file:  # all other records lack an issue too, so report this only once
                return
            continue
        if reason := long_id(entry.paper.paper_id):
            problems.skip(file.error(reason, entry.row))
            continue
        selected_by = tuple(dict.fromkeys((*entry.selected_by, *choices.selected_by)))
        listed = ListedPaper(
            *(entry.paper, issue, selected_by, Origin(file.name, entry.row)),
            is_only_if_new=entry.issue is None,
        )
        try:
            is_new = _is_new(file, entry.row, listed, seen)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            if is_new:
                yield listed


def _entries(file: SourceFile, how: Reading) -> Iterator[Entry]:
    """Yield the entries in a file. An error that ends the iteration is reported to `problems`."""
    try:
        yield from file.format.read(file.path, how)
    except OSError as error:
        how.problems.skip(UnreadableFileError(file.path, f"can't be read: {error.strerror or error}"))
    except UnreadableFileError as error:
        how.problems.skip(error)


def _is_new(file: SourceFile, row: int | None, listed: ListedPaper, seen: ListingHashes) -> bool:
    """Return True if a record is the first one with its id in the issue, or differs from the last one with that id.

    Raises UnreadableFileError if the record differs, and its id may have been given to two papers.
    """
    paper_id = listed.paper.paper_id
    described = hash((DESCRIBED(listed.paper), listed.selected_by))
    key, this = (listed.issue, paper_id), (described, place(file.name, row))
    last = seen.get(key)
    if last and last[0] == this[0]:
        return False
    if last and not is_global_id(paper_id) and not paper_id.startswith(FROM_WORDS):
        where = last[1].removeprefix(f"{file.name}, ")
        raise file.error(
            f"{paper_id!r} is already in this issue with different data, in {where}. Give each paper its own id",
            row,
        )
    seen[key] = this
    return True
