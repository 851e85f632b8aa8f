"""Holidays: days without an issue."""

from datetime import date
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.records import Holiday
from presort.data.running.holidays import add_holiday, holidays, take_away_holiday
from presort.desk.manage import words
from presort.desk.manage.tables import holiday_table
from presort.desk.ui import cache, field, table, visitor
from presort.desk.ui.confirm import ask

EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)  # that can be chosen
ISO = "YYYY-MM-DD"


def show() -> None:
    """Draw the holidays, and beside them what can be changed."""
    st.markdown(
        ":small[On these days no issue is expected. They don't count when it is said how late an issue is, or how long "
        "a report has been without decisions.]"
    )
    known = holidays(cache.store())
    left, right = st.columns([3, 2], gap="large")
    with left:
        if known:
            table.draw(
                holiday_table(cache.store()),
                {"first": "From", "last": "To", "days": "Days", "name": "Occasion"},
                "holidays",
            )
            _draw_taking_away(known)
        else:
            st.info(words.NO_HOLIDAY)
    with right:
        st.header("Add a holiday", anchor=False)
        _draw_new()


def _draw_new() -> None:
    store, today = cache.store(), date.today()
    with st.container(horizontal=True):
        first = st.date_input("From", today, EARLIEST, LATEST, format=ISO, key="holiday-from")
        last = st.date_input("To", today, EARLIEST, LATEST, format=ISO, key="holiday-to")
    name = st.text_input("Occasion", key=field.key_of("holiday-name"))
    if st.button("Add", key="add-holiday"):
        new = Holiday(first, last, name)
        inside = [issue.date for issue in catalogue.issues(store) if issue.date in new]
        change = partial(add_holiday, store, first, last, name, person=visitor.person())
        ask(words.new_holiday(new, inside), change, clears=["holiday-name"])


def _draw_taking_away(known: list[Holiday]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        old = st.selectbox("Which", known, format_func=_holiday_label, key="which-holiday")
        if st.button("Take away", key="take-away-holiday"):
            change = partial(take_away_holiday, cache.store(), old.first, person=visitor.person())
            ask(words.no_holiday(old), change)


def _holiday_label(one: Holiday) -> str:
    return f"{one.first} to {one.last}, {one.name}" if one.name else f"{one.first} to {one.last}"
