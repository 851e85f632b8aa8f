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
    """Choice of the active ranker, which sorts the editors' lists, and of shadow rankers used only for comparison.

    The choice applies to issues later than `after`, the newest ranked issue when the director made the choice. `after`
    is None if no issue had been ranked. Then the choice applies to all issues.
    """

    active: str
    shadows: tuple[str, ...]
    after: date | None
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Editorship:
    """Term of an editor or a substitute, from the first to the last day inclusive. `last` is None if it is open-ended.

    `away` is the editor replaced by a substitute. It is empty for a regular editor.
    """

    report: str
    editor: str
    first: date
    last: date | None = None
    away: str = ""

    def holds_on(self, day: date) -> bool:
        """Return True if the term includes a day."""
        return self.first <= day and (self.last is None or day <= self.last)


@dataclass(frozen=True, slots=True)
class AlertEntry:
    """Entry of the alert log: an acknowledgement or note by a director, or the first time an alert was raised.

    Attributes
    ----------
    report : str
        Code of the report.
    kind : AlertKind
    since, up_to : date
        First and last of the issues that raised the alert.
    figure : str
        Figure shown at that time.
    is_acknowledged : bool
        False if the entry undoes an acknowledgement, is only a note, or records a new alert.
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
    """Holiday from the first to the last day inclusive. These days don't count towards lateness."""

    first: date
    last: date
    name: str = ""

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """Imported file: name, summary of changes, author and time."""

    file: str
    summary: ImportSummary
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class WeeklyStep:
    """Step of the weekly job with its newest result.

    Attributes
    ----------
    week : date
        Start day of this week's job.
    step : str
        Name of the step.
    state : str
        State of the step. Still "running" if the job was interrupted.
    began_at : datetime
        Start time.
    ended_at : datetime or None
        End time. None while the step is running.
    message : str
        Result or error.
    reason : str
        Class of the error, for the log. It is not stored, so it is empty if another process ran the step.
    """

    week: date
    step: str
    state: StepState
    began_at: datetime
    ended_at: datetime | None = None
    message: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Mail notice sent once to an editor or the director.

    Attributes
    ----------
    kind : str
        "pending", "late" and "very late" notices concern an issue. A "summary" concerns a week.
    day : date
        Date of the issue. For a summary, a day of its ISO week: see `presort.desk.weekly.director_mail`.
    report : str
        Code of the report. Empty for a notice about all reports.
    person : str
        Name of the editor. Empty if the notice goes to the director.
    """

    kind: NoticeKind
    day: date
    report: str = ""
    person: str = ""
