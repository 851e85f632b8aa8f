"""Papers of a file, a folder or an archive; `formats` picks the reader, of which each format has one in its module."""

import datetime
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.archives import Member, in_unicode, is_archive, opened
from presort.data.importers.choices import NO_CHOICES, Choices
from presort.data.importers.formats import REDIF, Format, Reading, error_at, format_of, place
from presort.data.importers.limits import long_id
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.process_limits import bounded_memory
from presort.data.importers.redif import read_names
from presort.data.importers.references import FROM_WORDS
from presort.data.importers.tables import NOTHING_CHOSEN, fields_of
from presort.data.index.paper_index import means_one_paper
from presort.data.records import Entry, ListedPaper, Origin

ListingHashes = dict[
    tuple[datetime.date, str], tuple[int, str]
]  # by issue and id: what the record says, hashed, and where

# Another DOI, address or type makes no other paper.
DESCRIBED = attrgetter("paper_id", "title", "abstract", "authors", "codes", "series", "date")


@dataclass(frozen=True)
class SourceFile:
    """File to read, and its name in messages, which includes the folders inside a folder or archive."""

    path: Path
    name: str

    @cached_property
    def format(self) -> Format:
        """Format of the file. Raises UnreadableFileError if the file is missing or of an unknown kind."""
        return format_of(self.path)

    def error(self, reason: str, row: int | None, *, missing: str = "") -> UnreadableFileError:
        """Make the error that a record of the file can't be taken."""
        return error_at(Origin(self.name, row), reason, path=self.path, missing=missing)


@contextmanager
def files_of(path: Path, problems: Problems) -> Iterator[list[SourceFile]]:
    """Yield the files of a path, sorted by name. Unpacked files are deleted when the context ends.

    Hidden files, and all in hidden folders, are passed over.

    Parameters
    ----------
    path : Path
        A file, an archive, or a folder that may hold archives.
    problems : Problems
        Receives each archive in a folder or another archive that can't be opened.

    Raises
    ------
    UnreadableFileError
        If there is no file to import, or the folder or archive can't be looked into.
    """
    with ExitStack() as unpacked:
        if is_archive(path):
            yield _members(unpacked.enter_context(opened(path, problems=problems)))
        elif path.is_dir():
            yield list(_in_folder(path, unpacked, problems))
        else:
            yield [SourceFile(path, in_unicode(path.name))]


def _in_folder(folder: Path, unpacked: ExitStack, problems: Problems) -> Iterator[SourceFile]:
    found = _shown(folder)
    if not found:
        raise UnreadableFileError(folder, "holds no file to import")
    for name, path in found:
        if not is_archive(path):
            yield SourceFile(path, name)
            continue
        try:
            members = unpacked.enter_context(opened(path, problems=problems))
        except UnreadableFileError as error:
            problems.skip(error.with_name(name))
        else:
            yield from _members(members, within=f"{name}/")


def _members(members: list[Member], within: str = "") -> list[SourceFile]:
    return [SourceFile(member.path, within + member.name) for member in members]


def _shown(folder: Path) -> list[tuple[str, Path]]:
    try:
        found = sorted((path.relative_to(folder), path) for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise UnreadableFileError(folder, f"can't be read: {error.strerror or error}") from error
    return [
        (in_unicode(name.as_posix()), path)
        for name, path in found
        if not any(part.startswith(".") for part in name.parts)
    ]


def read_listings(path: Path, choices: Choices = NO_CHOICES, *, problems: Problems = STRICT) -> Iterator[ListedPaper]:
    """Yield the papers of a file, a folder or an archive as their issues list them, in file order.

    A folder or an archive is one import: series and archives described in its ReDIF files apply to all of its files.
    Identical records of one issue are yielded once. A second record with the same id but other content is yielded if
    the id is a handle, a DOI or made of the title: it is an update of the first record, or another paper. With any
    other id it is an error, because the file gives two papers the same id.

    Parameters
    ----------
    path : Path
        A file of one of `FORMATS`, or a folder or an archive (zip, tar.gz) of such files.
    choices : Choices
        Choices for data that the files lack.
    problems : Problems
        Receives each record that can't be read, each fault that makes a file or the rest of it unreadable, and each
        repair.

    Yields
    ------
    ListedPaper
        Cleaned and checked.

    Raises
    ------
    UnreadableFileError
        If `problems.skip` raises it: a file is missing, of an unknown kind, or names no issue if `choices` has none
        either; a record is invalid, or has an id that may mean two papers. The message names the line, or row and
        column. Raised while iterating: use nothing of a file before its end is reached.
    """
    seen: ListingHashes = {}
    with files_of(path, problems) as files:
        names = _names(files) if len(files) > 1 else {}  # the reader of a single file reads the names itself
        for file in files:
            yield from _listings(file, choices, names, seen, problems)


def fields_in(path: Path, chosen_columns: Mapping[str, str] = NOTHING_CHOSEN) -> Mapping[str, str]:
    """Return the column of each field of a table, chosen or guessed. Empty if the file is no readable table."""
    with suppress(UnreadableFileError), bounded_memory(path):
        if path.is_file() and not is_archive(path) and (open_table := format_of(path).open_table):
            with open_table(path) as table:
                return fields_of(table, chosen_columns)
    return {}


def _names(files: list[SourceFile]) -> dict[str, str]:
    names: dict[str, str] = {}
    for file in files:
        with suppress(UnreadableFileError):  # reported when the file is read
            if file.format is REDIF:
                names.update(read_names(file.path))
    return names


def _listings(
    file: SourceFile, choices: Choices, names: Mapping[str, str], seen: ListingHashes, problems: Problems
) -> Iterator[ListedPaper]:
    if file.name != file.path.name:
        problems = problems.under(file.name)
    for number, entry in enumerate(_entries(file, Reading(problems, choices.columns, names))):
        issue = entry.issue or choices.issue
        if issue is None and number == 0:  # then it applies to the whole file: report it once, not per paper
            problems.skip(file.error("says no issue", None, missing="issue"))
            return
        if issue is None:
            problems.skip(file.error("says no issue", entry.row))
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
    """Read a file. An error means that the rest of it is unreadable."""
    try:
        yield from file.format.read(file.path, how)
    except OSError as error:
        how.problems.skip(UnreadableFileError(file.path, f"can't be read: {error.strerror or error}"))
    except UnreadableFileError as error:
        how.problems.skip(error)


def _is_new(file: SourceFile, row: int | None, listed: ListedPaper, seen: ListingHashes) -> bool:
    """Return whether a record adds information on a paper. Raises if it may be of another paper with the same id."""
    paper_id = listed.paper.paper_id
    described = hash((DESCRIBED(listed.paper), listed.selected_by))
    key, this = (listed.issue, paper_id), (described, place(file.name, row))
    last = seen.get(key)
    if last and last[0] == this[0]:
        return False
    if last and not means_one_paper(paper_id) and not paper_id.startswith(FROM_WORDS):
        where = last[1].removeprefix(f"{file.name}, ")
        raise file.error(f"{paper_id!r} is already in this issue, in {where}, with another description", row)
    seen[key] = this
    return True
