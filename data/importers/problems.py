"""Report the problems that importers find: skipped records and repairs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from presort.data.errors import RefusedError, UnreadableFileError, format_file_error

MOST_SKIPPED = MOST_REPAIRS = 100_000  # limits per import, because all skipped records and repairs are held in memory


@dataclass(frozen=True, slots=True)
class Repair:
    """Repair made to a file's content while it was being read.

    Attributes
    ----------
    name : str
        Name of the file, including any folders inside the imported folder or archive.
    reason : str
        Description of the fault and of how it was repaired.
    row, line : int or None
        1-based row number in a table, as in a spreadsheet, or 1-based line number in a text file. Both are None if the
        repair applies to the whole file.
    column : str or None
        Column name in a table. None if the repair applies to the whole row or file.
    """

    name: str
    reason: str
    row: int | None = None
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        return format_file_error(self.name, self.reason, row=self.row, line=self.line, column=self.column)


def refuse(error: UnreadableFileError) -> NoReturn:
    """Raise the error, so that the first invalid record stops the import."""
    raise error


def ignore(problem: object) -> None:
    """Ignore a problem."""


@dataclass(frozen=True, slots=True)
class Problems:
    """Callbacks to which an importer reports the problems that it finds in a file.

    Attributes
    ----------
    skip : callable
        Function that receives the error for each invalid record. By default, it raises the error. If it returns
        instead, the importer skips the record and continues.
    repair : callable
        Function that receives each repair. By default, it ignores the repair.

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
        """Return the same callbacks, but with a different file name in messages, such as the path inside an archive."""
        return Problems(
            lambda error: self.skip(error.with_name(name)),
            lambda repair: self.repair(replace(repair, name=name)),
        )


STRICT = Problems()
SILENT = Problems(ignore, ignore)


class Findings:
    """Problems found during an import, in file order.

    Attributes
    ----------
    skipped : list of UnreadableFileError
        Errors for the skipped records.
    repairs : list of Repair
        The first 100,000 repairs. If there were more, one further entry says that they are not listed.

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
        """Return callbacks that add problems to these findings.

        Parameters
        ----------
        keeps_going : bool
            If False, the error for the first invalid record is raised.
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
