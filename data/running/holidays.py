"""Holidays, on which no issue appears. They don't count towards lateness."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

from sqlalchemy import Connection, func, insert, select

from presort.data.catalogue import person_id
from presort.data.errors import RefusedError
from presort.data.records import Holiday
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import HolidayRow
from presort.data.text.cleaning import clean

MAX_NAME = 100  # maximum number of characters


def holidays(store: Store) -> list[Holiday]:
    """Return the holidays, oldest first. They never overlap."""
    with store.reading(Right.SEE) as connection:
        return _read_holidays(connection)


def add_holiday(store: Store, first: date, last: date, name: str = "", *, person: str) -> None:
    """Add a holiday from `first` to `last` inclusive.

    Raises
    ------
    RefusedError
        If the last day is before the first day, the days overlap with another holiday, or the name is too long.
    """
    new = Holiday(first, last, clean(name))
    if last < first:
        raise RefusedError(f"The last day, {last}, is before the first day, {first}. Change one of them.")
    if len(new.name) > MAX_NAME:
        raise RefusedError(f"The name has {len(new.name):,} characters; the limit is {MAX_NAME}. Shorten it.")
    with store.writing() as connection:
        for known in _read_holidays(connection):
            if first <= known.last and known.first <= last:
                raise RefusedError(
                    f"{first} to {last} overlaps with the holiday from {known.first} to {known.last}. "
                    "Choose other days, or remove that holiday first."
                )
        _log(connection, new, person, is_taken_back=False)


def take_away_holiday(store: Store, first: date, *, person: str) -> None:
    """Remove the holiday that begins on `first`.

    Raises
    ------
    RefusedError
        If no holiday begins on that day.
    """
    with store.writing() as connection:
        known = {one.first: one for one in _read_holidays(connection)}
        if first not in known:
            days = ", ".join(map(str, known)) or "none yet"
            raise RefusedError(f"No holiday begins on {first}. First days of holidays: {days}.")
        _log(connection, known[first], person, is_taken_back=True)


def count_open_days(holidays: Iterable[Holiday], since: date, until: date) -> int:
    """Count the days after `since`, up to and including `until`, excluding holidays.

    Examples
    --------
    >>> christmas = Holiday(date(2026, 12, 24), date(2026, 12, 31))
    >>> count_open_days([christmas], date(2026, 12, 21), date(2027, 1, 4))
    6
    """
    off = [(max(one.first, since), min(one.last, until), one.first > since) for one in holidays]
    return (until - since).days - sum((last - first).days + counts for first, last, counts in off if last >= first)


def _read_holidays(connection: Connection) -> list[Holiday]:
    newest = select(func.max(HolidayRow.id)).group_by(HolidayRow.first)
    rows = connection.execute(
        select(HolidayRow.first, HolidayRow.last, HolidayRow.name)
        .where(HolidayRow.id.in_(newest), ~HolidayRow.is_taken_back)
        .order_by(HolidayRow.first)
    )
    return [Holiday(*row) for row in rows]


def _log(connection: Connection, holiday: Holiday, person: str, *, is_taken_back: bool) -> None:
    values = {
        "first": holiday.first,
        "last": holiday.last,
        "name": holiday.name,
        "is_taken_back": is_taken_back,
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }
    connection.execute(insert(HolidayRow).values(**values))
