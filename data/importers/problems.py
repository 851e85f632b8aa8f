"""Problems that a reader finds in a file: records that it leaves out, and repairs that it makes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from presort.data.errors import RefusedError, UnreadableFileError, located

MOST_LEFT_OUT = MOST_REPAIRS = 100_000  # of an import; each is kept in memory


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of a file's content, made while reading it.

    Attributes
    ----------
    name : str
        Name of the file; in a folder or an archive, with the folders there.
    reason : str
        The fault and its repair.
    row, line : int or None
        Row as a spreadsheet counts it, or line in a file of lines, from 1. Both are None if the repair is of the whole
        file.
    column : str or None
    """

    name: str
    reason: str
    row: int | None = None
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        return located(self.name, self.reason, row=self.row, line=self.line, column=self.column)


def refuse(error: UnreadableFileError) -> NoReturn:
    """Raise the error, so that one invalid record refuses the whole file."""
    raise error


def ignore(problem: object) -> None:
    """Drop a problem that nobody asked to see."""


@dataclass(frozen=True, slots=True)
class Problems:
    """Callbacks that receive the problems found in a file.

    Attributes
    ----------
    skip : callable
        Receives the error of each record that can't be read. Either raises it, or returns: then the reader leaves the
        record out and continues with the next one. Raises by default.
    repair : callable
        Receives each repair. Drops it by default.

    Examples
    --------
    >>> left_out, repairs = [], []
    >>> problems = Problems(left_out.append, repairs.append)
    >>> problems.repair(Repair("week.ris", "not UTF-8, read as Windows-1252", line=12))
    >>> print(repairs[0])
    week.ris, line 12: not UTF-8, read as Windows-1252
    """

    skip: Callable[[UnreadableFileError], None] = refuse
    repair: Callable[[Repair], None] = ignore

    def under(self, name: str) -> "Problems":
        """Return the same callbacks for a file that messages call by another name, as in a folder or an archive."""
        return Problems(
            lambda error: self.skip(error.with_name(name)),
            lambda repair: self.repair(replace(repair, name=name)),
        )


STRICT = Problems()
SILENT = Problems(ignore, ignore)


class Findings:
    """Problems found in an import, collected in file order.

    Attributes
    ----------
    left_out : list of UnreadableFileError
        Records that were left out.
    repairs : list of Repair
        At most 100,000; one more says that further ones are not listed.

    Examples
    --------
    >>> findings = Findings()
    >>> findings.collect(keeps_going=True).repair(Repair("week.ris", "not UTF-8, read as Windows-1252"))
    >>> len(findings.left_out), len(findings.repairs)
    (0, 1)
    """

    def __init__(self, left_out: Iterable[UnreadableFileError] = (), repairs: Iterable[Repair] = ()) -> None:
        self.left_out, self.repairs = list(left_out), list(repairs)

    def collect(self, *, keeps_going: bool) -> Problems:
        """Return callbacks that add to these findings; without `keeps_going`, the first invalid record is raised."""
        return Problems(self._leave_out if keeps_going else refuse, self._add_repair)

    def _leave_out(self, error: UnreadableFileError) -> None:
        self.left_out.append(error)
        if len(self.left_out) > MOST_LEFT_OUT:
            raise RefusedError(
                f"{error.name}: more than {MOST_LEFT_OUT:,} records can't be read. Check that it is the right file."
            )

    def _add_repair(self, repair: Repair) -> None:
        if len(self.repairs) < MOST_REPAIRS:
            self.repairs.append(repair)
        elif len(self.repairs) == MOST_REPAIRS:
            self.repairs.append(Repair(repair.name, "further repairs are not listed"))
