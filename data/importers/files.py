"""The files of one import: a file by itself, or all that stand in a folder or an archive."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.archives import Member, in_unicode, is_archive, opened
from presort.data.importers.formats import Format, error_at
from presort.data.importers.problems import Problems
from presort.data.importers.recognition import format_of
from presort.data.records import Origin


@dataclass(frozen=True)
class SourceFile:
    """A file to read, and the name that messages call it by: in a folder or archive, with the folders on the way."""

    path: Path
    name: str

    @cached_property
    def format(self) -> Format:
        """How it is read; raises UnreadableFileError if it is missing or of an unknown kind."""
        return format_of(self.path)

    def error(self, reason: str, row: int | None, *, untold: str = "") -> UnreadableFileError:
        """Make the error that a record of the file can't be taken."""
        return error_at(Origin(self.name, row), reason, path=self.path, untold=untold)


@contextmanager
def files_of(path: Path, problems: Problems) -> Iterator[list[SourceFile]]:
    """Yield the files that a path stands for, sorted by name; what was unpacked for it goes when left.

    Hidden files, and all in hidden folders, are passed over.

    Parameters
    ----------
    path : Path
        A file by itself, an archive, or a folder that may hold archives.
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
            problems.skip(error.named(name))
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
