"""What the weekly job did, and what people are told by mail."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

StepState = Literal["running", "done", "passed over", "failed"]
NoticeKind = Literal["waits", "late", "very late", "summary"]


@dataclass(frozen=True, slots=True)
class WeeklyStep:
    """A step of a week's job, as it went last.

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
    said : str
        What was done, or what is wrong.
    """

    week: date
    step: str
    state: StepState
    began_at: datetime
    ended_at: datetime | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a person is told once.

    Attributes
    ----------
    kind : str
        That an issue waits, is late, or very late; or the summary of a week.
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
