"""Errors caused by something outside the program, one class for each situation.

DataError                 anything below: show its message, exit 1
├── UnreadableFileError   a file that is not what it should be; carries path, row and column
├── WorkspaceError        a workspace that can't be opened, read or written now
│   └── OtherVersionError written by a version of Presort that this one can't read
├── RefusedError          the workspace's state forbids what was asked for
│   └── OutdatedError     somebody else changed it after it was shown
├── BrokenRankerError     a ranker of an installed package failed
└── ClusterError          Dask's scheduler or workers can't do the work
"""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

LONGEST = 2_000  # characters of a message


class DataError(Exception):
    """Error caused by something outside the program. The message says what, where and what to do.

    It may quote a file or a path: what a terminal would obey rather than show is replaced, and most of what is very
    long left out.
    """

    def __init__(self, message: str) -> None:
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 2 :]}"
        super().__init__("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in message))


def located(name: str, reason: str, *, row: int | None, line: int | None, column: str | None) -> str:
    """Format a message about a place in a file.

    Examples
    --------
    >>> located("week.csv", "is not a date", row=3, line=None, column="year")
    'week.csv, row 3, column year: is not a date'
    """
    places = {"row": row, "line": line, "column": column}
    where = [name, *(f"{kind} {place}" for kind, place in places.items() if place is not None)]
    return f"{', '.join(where)}: {reason}"


class UnreadableFileError(DataError):
    """A file can't be read in its format.

    Attributes
    ----------
    path : Path
    reason : str
        The fault, without the place.
    row, line : int or None
        Row as a spreadsheet counts it, or line in a file of lines, from 1, where there is one to name.
    column : str or None
    name : str
        Name of the file in the message, including folders inside a folder or an archive.
    missing : str
        Field that the user must choose: "issue", or one whose column is not known. Page and command advise how. Empty
        for other errors.
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
        self.name = name or path.name or str(path)  # a folder such as . has no name
        super().__init__(located(self.name, reason, row=row, line=line, column=column))

    def with_name(self, name: str) -> "UnreadableFileError":
        """Return the same error with another name of the file, such as its name in a folder or an archive."""
        return self._but(self.reason, name)

    def advising(self, advice: str) -> "UnreadableFileError":
        """Return the same error with advice."""
        return self._but(f"{self.reason}. {advice}", self.name)

    def _but(self, reason: str, name: str) -> "UnreadableFileError":
        return UnreadableFileError(
            self.path, reason, row=self.row, column=self.column, line=self.line, name=name, missing=self.missing
        )


class WorkspaceError(DataError):
    """The workspace can't be opened, read or written now."""


class OtherVersionError(WorkspaceError):
    """The workspace's tables were written by a version that this Presort can't read."""


class DamagedCellError(ValueError):
    """A cell of the database holds an invalid value. The store adds the name of the database."""


class RefusedError(DataError):
    """The request doesn't fit the content of the workspace."""


class OutdatedError(RefusedError):
    """Somebody else has changed the data since they were shown to the person who is about to change them."""


class BrokenRankerError(DataError):
    """A custom ranker can't be loaded, or broke the contract of rankers.

    Attributes
    ----------
    rankers : tuple of str
        The names of those that failed.
    """

    def __init__(self, message: str, rankers: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.rankers = tuple(rankers)


class ClusterError(DataError):
    """A Dask cluster can't be reached, or can't do the work."""


def raise_broken(errors: Iterable[BrokenRankerError]) -> None:
    """Raise what rankers failed in, if any did, once all others have done their work."""
    if failed := {str(error): error.rankers for error in errors}:
        raise BrokenRankerError(" ".join(failed), dict.fromkeys(chain.from_iterable(failed.values())))
