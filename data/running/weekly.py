"""The log of the weekly job: its steps, as each went last."""

from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from typing import cast

from sqlalchemy import ColumnElement, delete, func, insert, select, update

from data.records import StepState, WeeklyStep
from data.store import Store
from data.tables import WeeklyStepRow

LOCK = "weekly"
LONGEST = 2_000  # characters
BUSY = "The weekly job of this workspace runs already; wait until it has ended."


def alone(store: Store) -> AbstractContextManager[None]:
    """Do the weekly job alone.

    Raises
    ------
    RefusedError
        If another process does it now.
    """
    return store.lock(LOCK, BUSY)


def newest_steps(store: Store) -> list[WeeklyStep]:
    """Return the steps of the newest week, in the order in which they were begun; none before the first."""
    return _steps(store, WeeklyStepRow.week == select(func.max(WeeklyStepRow.week)).scalar_subquery())


def steps_of(store: Store, week: date) -> list[WeeklyStep]:
    """Return the steps of the week whose job began on a day, in the order in which they were begun."""
    return _steps(store, WeeklyStepRow.week == week)


def begin(store: Store, week: date, step: str) -> None:
    """Record that a step is begun, be it for the first time or anew."""
    new = {"week": week, "step": step, "state": "running", "began_at": datetime.now(UTC)}
    with store.writing() as connection:
        connection.execute(delete(WeeklyStepRow).where(*_is(week, step)))
        connection.execute(insert(WeeklyStepRow).values(**new))


def end(store: Store, week: date, step: str, state: StepState, said: str) -> WeeklyStep:
    """Record how a step ended, and return it."""
    values = {"state": state, "ended_at": datetime.now(UTC), "said": said[:LONGEST]}
    with store.writing() as connection:
        connection.execute(update(WeeklyStepRow).where(*_is(week, step)).values(**values))
    (ended,) = _steps(store, *_is(week, step))
    return ended


def _is(week: date, step: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return WeeklyStepRow.week == week, WeeklyStepRow.step == step


def _steps(store: Store, *wanted: ColumnElement[bool]) -> list[WeeklyStep]:
    row = WeeklyStepRow
    query = select(row.week, row.step, row.state, row.began_at, row.ended_at, row.said).where(*wanted)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(row.began_at))
        return [
            WeeklyStep(week, step, cast("StepState", state), began_at, ended_at, said)
            for week, step, state, began_at, ended_at, said in rows
        ]
