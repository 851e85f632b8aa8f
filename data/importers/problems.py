"""Problems found by an importer: skipped records and repairs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from presort.data.errors import RefusedError, UnreadableFileError, format_file_error

MOST_SKIPPED = MOST_REPAIRS = 100_000  # limits for one import, because all skipped records and repairs are in memory


@dataclass(frozen=True, slots=True)
class Repair:
    """Repair of a file's content, made while the file is read.

    Attributes
    ----------
    name : str
        Name of the file, including its folders inside an imported folder or archive.
    reason : str
        Description of the fault and its repair.
    row, line : int or None
        Row of a table as in a spreadsheet, or line of a text file, counted from 1. Both are None if the repair applies
        to the whole file.
    column : str or None
        Column of a table. None if the repair applies to the row or the file.
    """

    name: str
    reason: str
    row: int | None = None
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        return format_file_error(self.name, self.reason, row=self.row, line=self.line, column=self.column)


def refuse(error: UnreadableFileError) -> NoReturn:
    """Raise the error. Used if a single invalid record must stop the import."""
    raise error


def ignore(problem: object) -> None:
    """Ignore a problem."""


@dataclass(frozen=True, slots=True)
class Problems:
    """Callbacks that receive the problems found in a file.

    Attributes
    ----------
    skip : callable
        Function that receives the error of each invalid record. By default it raises the error. If it returns instead,
        the importer skips the record and continues.
    repair : callable
        Function that receives each repair. By default it ignores the repair.

    Examples
    --------
    >>> skipped, repairs = [], []
    >>> problems = Problems(skipped.append, repairs.append)
    >>> problems.repair(Repair("week.ris", "not UTF-8, read as Windows-1252", line=12))
    >>> print(repairs[0])
    week.ris, line 12: not UTF-8, read as Windows-1252
    """

    skip: Callable[[UnreadableFileError], None] = refuse
    repair: Callable[[Repair], None] = ignore

    def with_name(self, name: str) -> "Problems":
        """Return the same callbacks with another file name in messages, such as the path inside an archive."""
        return Problems(
            lambda error: self.skip(error.with_name(name)),
            lambda repair: self.repair(replace(repair, name=name)),
        )


STRICT = Problems()
SILENT = Problems(ignore, ignore)


class Findings:
    """Problems of an import, collected in file order.

    Attributes
    ----------
    skipped : list of UnreadableFileError
        Errors of the skipped records.
    repairs : list of Repair
        At most 100,000 repairs. If there are more, the last entry reports that further repairs are missing.

    Examples
    --------
    >>> findings = Findings()
    >>> findings.collect(keeps_going=True).repair(Repair("week.ris", "not UTF-8, read as Windows-1252"))
    >>> len(findings.skipped), len(findings.repairs)
    (0, 1)
    """

    def __init__(self, skipped: Iterable[UnreadableFileError] = (), repairs: Iterable[Repair] = ()) -> None:
        self.skipped, self.repairs = list(skipped), list(repairs)

    def collect(self, *, keeps_going: bool) -> Problems:
        """Return callbacks that add to these findings.

        Parameters
        ----------
        keeps_going : bool
            If False, the first invalid record raises its error.
        """
        return Problems(self._leave_out if keeps_going else refuse, self._add_repair)

    def _leave_out(self, error: UnreadableFileError) -> None:
        self.skipped.append(error)
        if len(self.skipped) > MOST_SKIPPED:
            raise RefusedError(
                f"{error.name}: more than {MOST_SKIPPED:,} invalid records. Check that this is the right file."
            )

    def _add_repair(self, repair: Repair) -> None:
        if len(self.repairs) < MOST_REPAIRS:
            self.repairs.append(repair)
        elif len(self.repairs) == MOST_REPAIRS:
            self.repairs.append(Repair(repair.name, "further repairs are not listed"))
