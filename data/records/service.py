"""How the service is run: its rankers, who edits which report, days off, and what was imported."""

from dataclasses import dataclass
from datetime import date, datetime

from presort.data.records.imports import ImportSummary


@dataclass(frozen=True, slots=True)
class RankerChoice:
    """The ranker that sorts for the editors, and its shadows, which run beside it and are only watched.

    It holds for the issues after that of `after`, the newest one sorted when it was chosen; None where none was.
    """

    active: str
    shadows: tuple[str, ...]
    after: date | None
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Editorship:
    """Who edits a report, from and up to which day, both included; None where no end is known.

    `away` is the editor whom a substitute stands in for, empty for an editor.
    """

    report: str
    editor: str
    first: date
    last: date | None = None
    away: str = ""

    def holds_on(self, day: date) -> bool:
        """Whether a day lies in it."""
        return self.first <= day and (self.last is None or day <= self.last)


@dataclass(frozen=True, slots=True)
class Holiday:
    """Days, both ends included, on which no issue is expected and nobody is late."""

    first: date
    last: date
    name: str = ""

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that came in: its name, what it changed, who brought it, and when."""

    file: str
    summary: ImportSummary
    person: str
    made_at: datetime
