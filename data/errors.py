"""What can be wrong outside the program, one class a situation.

DataError                 anything below: show its message, exit 1
├── UnreadableFileError   a file that is not what it should be; carries path, row and column
├── WorkspaceError        a workspace that can't be opened, read or written now
└── RefusedError          the workspace's state forbids what was asked for
"""

from pathlib import Path
from typing import NoReturn


class DataError(Exception):
    """Something outside the program is wrong; the message says what, where and what to do.

    It may quote a file or a path: what a terminal would obey rather than show is replaced.
    """

    def __init__(self, message: str) -> None:
        super().__init__("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in message))


class UnreadableFileError(DataError):
    """A file can't be read as what it is meant to be.

    Attributes
    ----------
    path : Path
    row : int or None
        Row of data, from 1, where there is one to name; the line in a file of lines.
    column : str or None
    """

    def __init__(
        self, path: Path, reason: str, *, row: int | None = None, column: str | None = None, line: int | None = None
    ) -> None:
        self.path, self.row, self.column = path, row or line, column
        where = [path.name or str(path)]  # a folder such as . has no name
        if row is not None:
            where.append(f"row {row}")
        if line is not None:
            where.append(f"line {line}")
        if column is not None:
            where.append(f"column {column}")
        super().__init__(f"{', '.join(where)}: {reason}")


class WorkspaceError(DataError):
    """The workspace can't be opened, read or written now."""


class RefusedError(DataError):
    """What was asked for doesn't fit what the workspace holds."""


def refuse(error: UnreadableFileError) -> NoReturn:
    """Raise the error: what a reader does with one that is wrong, unless whoever calls it wants to keep going."""
    raise error
