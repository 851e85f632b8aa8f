"""Days without an issue."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from presort.data.errors import RefusedError
from presort.data.records import Holiday
from presort.data.running.holidays import add_holiday, count_open_days, holidays, take_away_holiday

CHRISTMAS = Holiday(date(2026, 12, 24), date(2026, 12, 31), "Christmas")
JUNE = Holiday(date(2026, 6, 1), date(2026, 6, 7))


def test_holidays_are_sorted_and_can_be_removed(store):
    assert holidays(store) == []
    add_holiday(store, CHRISTMAS.first, CHRISTMAS.last, " Christ\nmas ", person="Ann")
    add_holiday(store, JUNE.first, JUNE.last, person="Ann")
    assert holidays(store) == [JUNE, Holiday(CHRISTMAS.first, CHRISTMAS.last, "Christ mas")]
    take_away_holiday(store, CHRISTMAS.first, person="Bo")
    assert holidays(store) == [JUNE]


def test_a_removed_holiday_can_be_added_again_and_the_log_keeps_all(store):
    add_holiday(store, JUNE.first, JUNE.last, person="Ann")
    take_away_holiday(store, JUNE.first, person="Ann")
    add_holiday(store, JUNE.first, JUNE.first, "a day", person="Bo")
    assert holidays(store) == [Holiday(JUNE.first, JUNE.first, "a day")]
    with store.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM holiday")).scalar() == 3


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        pytest.param(date(2026, 12, 31), date(2026, 12, 30), "is before the first", id="backwards"),
        pytest.param(date(2026, 12, 31), date(2027, 1, 6), "overlaps with the holiday from 2026-12-24", id="last-day"),
        pytest.param(date(2026, 12, 1), date(2026, 12, 24), "overlaps", id="first-day"),
        pytest.param(date(2026, 12, 26), date(2026, 12, 27), "overlaps", id="inside"),
        pytest.param(date(2026, 1, 1), date(2027, 12, 31), "overlaps", id="around"),
    ],
)
def test_invalid_days_are_refused(store, first, last, message):
    add_holiday(store, CHRISTMAS.first, CHRISTMAS.last, person="Ann")
    with pytest.raises(RefusedError, match=message):
        add_holiday(store, first, last, person="Ann")
    assert len(holidays(store)) == 1


def test_a_too_long_name_is_refused(store):
    with pytest.raises(RefusedError, match="101 characters; the limit is 100"):
        add_holiday(store, JUNE.first, JUNE.last, "x" * 101, person="Ann")


def test_removing_an_unknown_holiday_is_refused(store):
    add_holiday(store, JUNE.first, JUNE.last, person="Ann")
    with pytest.raises(RefusedError, match=r"No holiday begins on 2026-06-02\. First days of holidays: 2026-06-01"):
        take_away_holiday(store, date(2026, 6, 2), person="Ann")


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=4), st.integers(0, 60), st.integers(0, 60))
def test_days_open_exclude_holidays(spans, since, until):
    start = date(2026, 5, 1)
    days = [start + timedelta(day) for day in range(71)]
    apart: list[tuple[int, int]] = []
    for first, length in sorted(spans):
        if not apart or first > sum(apart[-1]):
            apart.append((first, length))
    off = [Holiday(days[first], days[first + length]) for first, length in apart]
    since, until = sorted((since, until))
    counted = sum(not any(day in one for one in off) for day in days[since + 1 : until + 1])
    assert count_open_days(off, days[since], days[until]) == counted
