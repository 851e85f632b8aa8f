"""The registry of readers: for each ending of a file how its papers are read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from data.errors import UnreadableFileError
from data.importers import csv_file, parquet_file, xlsx_file
from data.importers.archives import ENDINGS as ARCHIVES
from data.importers.bibtex_file import read_bibtex
from data.importers.feed import read_feed
from data.importers.problems import Problems
from data.importers.redif import read_redif
from data.importers.ris_file import read_ris
from data.importers.xml_file import read_xml
from data.records import Entry, Origin


@dataclass(frozen=True, slots=True)
class Reading:
    """Arguments of a reader: callbacks for problems, column of each field of a table, name of each series."""

    problems: Problems
    columns: Mapping[str, str]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a kind are read, and whether they are tables: with columns to choose, and rows instead of lines."""

    read: Callable[[Path, Reading], Iterator[Entry]]
    is_table: bool = False


def _table(read: Callable[..., Iterator[Entry]]) -> Format:
    return Format(lambda path, how: read(path, problems=how.problems, columns=how.columns), is_table=True)


def _plain(read: Callable[..., Iterator[Entry]]) -> Format:
    return Format(lambda path, how: read(path, problems=how.problems))


REDIF = Format(lambda path, how: read_redif(path, problems=how.problems, names=how.names))

FORMATS: dict[str, Format] = {
    ".csv": _table(csv_file.read_comma_separated),
    ".tsv": _table(csv_file.read_tab_separated),
    ".xlsx": _table(xlsx_file.read_xlsx),
    ".parquet": _table(parquet_file.read_parquet),
    ".rdf": REDIF,
    ".redif": REDIF,
    ".ris": _plain(read_ris),
    ".bib": _plain(read_bibtex),
    ".xml": _plain(read_xml),
    ".atom": _plain(read_feed),
    ".rss": _plain(read_feed),
}

KNOWN = (*FORMATS, *ARCHIVES)


def place(name: str, row: int | None) -> str:
    """Return where in a file a record begins, by the file's name.

    Examples
    --------
    >>> place("week/papers.rdf", 12), place("papers.csv", 3), place("papers.csv", None)
    ('week/papers.rdf, line 12', 'papers.csv, row 3', 'papers.csv')
    """
    return name if row is None else f"{name}, {'row' if _is_table(name) else 'line'} {row}"


def error_at(origin: Origin, reason: str, *, path: Path | None = None, untold: str = "") -> UnreadableFileError:
    """Make the error that a record can't be taken, by where it was read; the file may stand elsewhere than its name."""
    line, row = (None, origin.row) if _is_table(origin.file) else (origin.row, None)
    at = path or Path(origin.file)
    return UnreadableFileError(at, reason, row=row, line=line, name=origin.file, untold=untold)


def _is_table(name: str) -> bool:
    known = FORMATS.get(Path(name).suffix.lower())
    return known is not None and known.is_table


def format_of(path: Path) -> Format:
    """Return the format of a file by its ending.

    Raises
    ------
    UnreadableFileError
        If the ending is none of `FORMATS`.
    """
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise UnreadableFileError(path, f"can't read this kind of file; one of {', '.join(sorted(KNOWN))} is needed")
    return found
