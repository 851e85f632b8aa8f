"""Errors caused by something outside the program.

DataError                 base class; commands print its message and exit with code 1
├── UnreadableFileError   a file is invalid or can't be read; has path, row and column
├── WorkspaceError        the workspace can't be opened, read or written
│   └── OtherVersionError the workspace was written by another, incompatible version
├── RefusedError          the request conflicts with the content of the workspace
│   └── OutdatedError     the data was changed after it was shown to the user
├── BrokenRankerError     a custom ranker failed
└── ClusterError          a Dask cluster is unavailable or failed
"""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

LONGEST = 2_000  # maximum number of characters in a message


class DataError(Exception):
    """Error caused by something outside the program. The message says what happened, where, and what to do.

    Messages may quote files or paths. Control characters are replaced because terminals would execute them, and long
    messages are shortened.
    """

    def __init__(self, message: str) -> None:
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 2 :]}"
        super().__init__("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in message))


def format_file_error(name: str, reason: str, *, row: int | None, line: int | None, column: str | None) -> str:
    """Format an error message that gives the location of the error in a file.

    Examples
    --------
    >>> format_file_error("week.csv", "is not a date", row=3, line=None, column="year")
    'week.csv, row 3, column year: is not a date'
    """
    places = {"row": row, "line": line, "column": column}
    where = [name, *(f"{kind} {place}" for kind, place in places.items() if place is not None)]
    return f"{', '.join(where)}: {reason}"


class UnreadableFileError(DataError):
    """A file is invalid or can't be read.

    Attributes
    ----------
    path : Path
    reason : str
        Description of the error, without its location.
    row, line : int or None
        Row in a spreadsheet, or line in a text file, counted from 1. None if unknown.
    column : str or None
    name : str
        File name shown in the message. For a file in a folder or an archive, it includes the path within it.
    missing : str
        Field that the user must specify: "issue", or a field whose column is unknown. The page or the command explains
        how. Empty for other errors.
    """

    def __init__(
        self,
        path: Path,
        reason: str,
        *,
        row: int | None = None,
        column: str | None = None,
        line: int | None = None,
        name: str = "",
        missing: str = "",
    ) -> None:
        self.missing = missing
        self.path, self.reason, self.row, self.line, self.column = path, reason, row, line, column
        self.name = name or path.name or str(path)  # the path of a folder such as "." has an empty name
        super().__init__(format_file_error(self.name, reason, row=row, line=line, column=column))

    def with_name(self, name: str) -> "UnreadableFileError":
        """Return the same error with another file name, such as the name within a folder or an archive."""
        return self._replace_texts(self.reason, name)

    def with_advice(self, advice: str) -> "UnreadableFileError":
        """Return the same error with advice appended to its reason."""
        return self._replace_texts(f"{self.reason}. {advice}", self.name)

    def _replace_texts(self, reason: str, name: str) -> "UnreadableFileError":
        return UnreadableFileError(
            self.path, reason, row=self.row, column=self.column, line=self.line, name=name, missing=self.missing
        )


class WorkspaceError(DataError):
    """The workspace can't be opened, read or written."""


class OtherVersionError(WorkspaceError):
    """The workspace was written by another version of Presort, and this version can't read it."""


class DamagedCellError(ValueError):
    """A cell of the database contains an invalid value. The store adds the name of the database to the message."""


class RefusedError(DataError):
    """The request conflicts with the content of the workspace."""


class OutdatedError(RefusedError):
    """The data was changed after it was shown to the user, so the user must check it again."""


class BrokenRankerError(DataError):
    """A custom ranker can't be loaded, or violated the ranker interface.

    Attributes
    ----------
    rankers : tuple of str
        Names of the rankers that failed.
    """

    def __init__(self, message: str, rankers: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.rankers = tuple(rankers)


class ClusterError(DataError):
    """A Dask cluster is unavailable or failed."""


def raise_ranker_errors(errors: Iterable[BrokenRankerError]) -> None:
    """Raise the errors of custom rankers as a single error. Do nothing if there are no errors.

    This is called after all other rankers have finished, so that a broken ranker doesn't stop them.
    """
    if failed := {str(error): error.rankers for error in errors}:
        raise BrokenRankerError(" ".join(failed), dict.fromkeys(chain.from_iterable(failed.values())))
