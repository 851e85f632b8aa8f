"""Log of the weekly job, with the latest result of each step."""

from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from typing import cast

from sqlalchemy import ColumnElement, delete, func, insert, select, update

from presort.data.records import StepState, WeeklyStep
from presort.data.store import Store
from presort.data.tables import WeeklyStepRow

LOCK = "weekly"
LONGEST = 2_000  # maximum number of characters in a message
BUSY = "The weekly job of this workspace is already running. Wait until it has ended."


def weekly_lock(store: Store) -> AbstractContextManager[None]:
    """Return a context manager that holds the weekly job's lock, so that only one process runs the job.

    Raises
    ------
    RefusedError
        If another process is running the weekly job.
    """
    return store.lock(LOCK, BUSY)


def monday_of(day: date) -> date:
    """Return the Monday of a day's ISO week.

    Examples
    --------
    >>> monday_of(date(2026, 11, 29))
    datetime.date(2026, 11, 23)
    """
    return day - timedelta(days=day.weekday())


def began_on(store: Store, today: date) -> date | None:
    """Return the day on which the job for today's ISO week began, or None if it has not begun yet.

    The day may be later than `today` if the clock was set back within the week.
    """
    row, monday = WeeklyStepRow, monday_of(today)
    of_week = row.week.between(monday, monday + timedelta(days=6))
    with store.reading() as connection:
        return connection.execute(select(func.max(row.week)).where(of_week)).scalar()


def drop_coming_weeks(store: Store, today: date) -> list[date]:
    """Delete the steps for all weeks after today's ISO week, and return the start days of their jobs.

    These steps exist only if the clock was ahead. If they weren't deleted, the job would do nothing in those weeks.
    """
    row = WeeklyStepRow
    is_coming = row.week >= monday_of(today) + timedelta(days=7)
    with store.reading() as connection:  # check without the write lock, because there is usually nothing to delete
        if connection.execute(select(row.week).where(is_coming).limit(1)).first() is None:
            return []
    with store.writing() as connection:
        found = connection.execute(select(row.week).where(is_coming).distinct().order_by(row.week)).scalars().all()
        connection.execute(delete(row).where(is_coming))
    return list(found)


def newest_steps(store: Store) -> list[WeeklyStep]:
    """Return the steps of the latest job, sorted by name, or no steps if no job has run yet.

    Steps of future weeks are deleted before each job (`drop_coming_weeks`), so the newest week belongs to the last job.
    """
    return _steps(store, WeeklyStepRow.week == select(func.max(WeeklyStepRow.week)).scalar_subquery())


def steps_of(store: Store, week: date) -> list[WeeklyStep]:
    """Return the steps of the job that began on the day `week`, sorted by name."""
    return _steps(store, WeeklyStepRow.week == week)


def begin(store: Store, week: date, step: str) -> None:
    """Record the start of a step, replacing any earlier record of this step."""
    new = {"week": week, "step": step, "state": "running", "began_at": datetime.now(UTC)}
    with store.writing() as connection:
        connection.execute(delete(WeeklyStepRow).where(*_is(week, step)))
        connection.execute(insert(WeeklyStepRow).values(**new))


def end(store: Store, week: date, step: str, state: StepState, message: str) -> WeeklyStep:
    """Record the end of a step and return the step."""
    values = {"state": state, "ended_at": datetime.now(UTC), "message": message[:LONGEST]}
    with store.writing() as connection:
        connection.execute(update(WeeklyStepRow).where(*_is(week, step)).values(**values))
    (ended,) = _steps(store, *_is(week, step))
    return ended


def _is(week: date, step: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return WeeklyStepRow.week == week, WeeklyStepRow.step == step


def _steps(store: Store, *wanted: ColumnElement[bool]) -> list[WeeklyStep]:
    row = WeeklyStepRow
    query = select(row.week, row.step, row.state, row.began_at, row.ended_at, row.message).where(*wanted)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(row.step))
        return [
            WeeklyStep(week, step, cast("StepState", state), began_at, ended_at, message)
            for week, step, state, began_at, ended_at, message in rows
        ]
