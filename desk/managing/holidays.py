"""Holidays: days without an issue."""

from datetime import date
from functools import partial

import streamlit as st

from data import catalogue
from data.holidays import add_holiday, holidays, take_away_holiday
from data.records import Holiday
from desk import access, cache, manage
from desk.managing import tables
from desk.managing.asking import ask
from desk.words import manage as words

EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)  # that can be chosen
ISO = "YYYY-MM-DD"


def show() -> None:
    """Draw the holidays, and beside them what can be changed."""
    st.markdown(f":small[{words.HOLIDAYS_HINT}]")
    known = holidays(cache.store())
    left, right = st.columns([3, 2], gap="large")
    with left:
        if known:
            tables.draw(manage.holiday_table(cache.store()), words.HOLIDAY_COLUMNS, "holidays")
            _draw_taking_away(known)
        else:
            st.info(words.NO_HOLIDAY)
    with right:
        st.header(words.NEW_HOLIDAY, anchor=False)
        _draw_new()


def _draw_new() -> None:
    store, today = cache.store(), date.today()
    with st.container(horizontal=True):
        first = st.date_input(words.FROM, today, EARLIEST, LATEST, format=ISO, key="holiday-from")
        last = st.date_input(words.TO, today, EARLIEST, LATEST, format=ISO, key="holiday-to")
    name = st.text_input(words.OCCASION, key="holiday-name")
    if st.button(words.ADD, key="add-holiday"):
        new = Holiday(first, last, name)
        inside = [issue.date for issue in catalogue.issues(store) if issue.date in new]
        change = partial(add_holiday, store, first, last, name, person=access.current_person())
        ask(words.new_holiday(new, inside), change, clears=["holiday-name"])


def _draw_taking_away(known: list[Holiday]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        old = st.selectbox(words.WHICH, known, format_func=words.holiday_named, key="which-holiday")
        if st.button(words.TAKE_AWAY, key="take-away-holiday"):
            change = partial(take_away_holiday, cache.store(), old.first, person=access.current_person())
            ask(words.no_holiday(old), change)
