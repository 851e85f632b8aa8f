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
    """Choice of rankers. The active ranker sorts the editors' lists, and shadow rankers are only used for comparison.

    The choice applies to issues later than `after`, the newest ranked issue when the director made the choice. `after`
    is None if no issue had been ranked, in which case the choice applies to all issues.
    """

    active: str
    shadows: tuple[str, ...]
    after: date | None
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Editorship:
    """Term of an editor or a substitute, from `first` to `last` inclusive. `last` is None if it is open-ended.

    `away` is the regular editor whom a substitute replaces. It is empty unless this is the term of a substitute.
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
    """Alert log entry: a director's acknowledgement or note, or the first occurrence of an alert.

    Attributes
    ----------
    report : str
        Report code.
    kind : AlertKind
    since, up_to : date
        Dates of the first and the last issue that raised the alert.
    figure : str
        Figure that was shown in the alert at that time.
    is_acknowledged : bool
        True for an acknowledgement. False if the entry undoes an acknowledgement, is only a note, or records a new
        alert.
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
    """Holiday from `first` to `last` inclusive. These days don't count towards lateness."""

    first: date
    last: date
    name: str = ""

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """Imported file: its name, a summary of the changes, and the person and time of the import."""

    file: str
    summary: ImportSummary
    person: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class WeeklyStep:
    """Step of the weekly job, with its latest result.

    Attributes
    ----------
    week : date
        Day on which this week's job started.
    step : str
        Step name.
    state : str
        State of the step. It is still "running" if the job was interrupted.
    began_at : datetime
        Start time.
    ended_at : datetime or None
        End time. None while the step is running.
    message : str
        Result or error message.
    reason : str
        Error class, for the log. It is not stored, so it is empty if another process ran the step.
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
    """Email notice, which is sent only once to an editor or the director.

    Attributes
    ----------
    kind : str
        "pending", "late" and "very late" notices concern an issue. A "summary" concerns a week.
    day : date
        Issue date. For a summary, a day in its ISO week: see `presort.desk.weekly.director_mail`.
    report : str
        Report code. Empty for a notice about all reports.
    person : str
        Editor's name. Empty if the notice is sent to the director.
    """

    kind: NoticeKind
    day: date
    report: str = ""
    person: str = ""
