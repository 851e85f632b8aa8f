"""What can be wrong outside the program, one class a situation.

DataError                 anything below: show its message, exit 1
├── UnreadableFileError   a file that is not what it should be; carries path, row and column
├── WorkspaceError        a workspace that can't be opened, read or written now
└── RefusedError          the workspace's state forbids what was asked for
"""

from pathlib import Path


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
        Row of data, from 1, where there is one to name.
    column : str or None
    """

    def __init__(self, path: Path, reason: str, *, row: int | None = None, column: str | None = None) -> None:
        self.path, self.row, self.column = path, row, column
        where = [path.name or str(path)]  # a folder such as . has no name
        if row is not None:
            where.append(f"row {row}")
        if column is not None:
            where.append(f"column {column}")
        super().__init__(f"{', '.join(where)}: {reason}")


class WorkspaceError(DataError):
    """The workspace can't be opened, read or written now."""


class RefusedError(DataError):
    """What was asked for doesn't fit what the workspace holds."""
