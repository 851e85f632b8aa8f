"""Records of the service: rankers, editors, holidays, imported files, the weekly job and its notices."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from presort.data.records.imports import ImportSummary

StepState = Literal["running", "done", "passed over", "failed"]
AlertKind = Literal["declined", "stops early", "missed", "silent"]
NoticeKind = Literal["pending", "late", "very late", "summary"]


@dataclass(frozen=True, slots=True)
class RankerChoice:
    """Choice of the ranker that sorts for the editors, and of shadows that rank for comparison only.

    It holds for the issues after that of `after`, the newest one sorted when it was chosen; None where none was.
    """

    active: str
    shadows: tuple[str, ...]
    after: date | None
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Editorship:
    """Editor of a report with first and last day, both included. `last` is None if no end is known.

    `away` is the editor whom a substitute replaces, empty for an editor.
    """

    report: str
    editor: str
    first: date
    last: date | None = None
    away: str = ""

    def holds_on(self, day: date) -> bool:
        """Return whether the editorship includes a day."""
        return self.first <= day and (self.last is None or day <= self.last)


@dataclass(frozen=True, slots=True)
class AlertEntry:
    """Entry of the log of alerts: an acknowledgement or a note of a director, or that an alert was first seen.

    Attributes
    ----------
    report : str
        Code of the report.
    kind : AlertKind
    since, up_to : date
        First and last issue of those that raised the alert.
    figure : str
        The figure shown then.
    is_acknowledged : bool
        False if the acknowledgement was undone, only a note was written, or the alert was first seen.
    note, person : str
    made_at : datetime
    """

    report: str
    kind: AlertKind
    since: date
    up_to: date
    figure: str
    is_acknowledged: bool
    note: str
    person: str
    made_at: datetime


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
    """Imported file: its name, changes, person and time."""

    file: str
    summary: ImportSummary
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class WeeklyStep:
    """Step of the weekly job, with its newest result.

    Attributes
    ----------
    week : date
        The day on which the job of this week began.
    step : str
        Its name.
    state : str
        "running" also where it was cut off.
    began_at, ended_at : datetime
        The end is None of one that is running.
    message : str
        Result or error.
    """

    week: date
    step: str
    state: StepState
    began_at: datetime
    ended_at: datetime | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Notice mailed to a person once.

    Attributes
    ----------
    kind : str
        "pending", "late" and "very late" are about an issue; "summary" is about a week.
    day : date
        Of the issue; of a summary, the Monday of its ISO week.
    report : str
        Code of the report; empty where it is about all.
    person : str
        Name of the editor; empty where it is the director.
    """

    kind: NoticeKind
    day: date
    report: str = ""
    person: str = ""
