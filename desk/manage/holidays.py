"""Holidays: days on which issues don't become late."""

from datetime import date
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.records import Holiday
from presort.data.running.holidays import add_holiday, holidays, take_away_holiday
from presort.desk.manage.tables import holiday_table
from presort.desk.ui import cache, confirm, table, visitor, window

EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)  # range of the date pickers
ISO = "YYYY-MM-DD"
NO_HOLIDAY = "No holidays yet."
HELP = "Issues don't become late on these days. To delete a holiday, click its row."
COLUMNS = {"first": "From", "last": "To", "days": "Days", "name": "Occasion"}


def show() -> None:
    """Draw the table of holidays. A click on a row opens its dialog."""
    every = holiday_table(cache.store())
    shown, row = table.head(every, "holidays")
    if row.button("Add holiday", key="open-add-holiday", icon=":material/add:"):
        window.keep_open("Add holiday", _draw_new)
    st.caption(HELP)
    if shown.empty:
        st.info(NO_HOLIDAY)
        return
    picked = table.pick(shown, COLUMNS, "holidays")
    if picked is not None:
        first = shown["first"].iloc[picked]
        window.keep_open("Holiday", _draw_holiday, next(one for one in holidays(cache.store()) if one.first == first))


def _draw_new() -> None:
    store, today = cache.store(), date.today()
    with st.form("new-holiday-form", border=False):
        with st.container(horizontal=True):
            first = st.date_input("From", today, EARLIEST, LATEST, format=ISO, key="holiday-from")
            last = st.date_input("To", today, EARLIEST, LATEST, format=ISO, key="holiday-to")
        name = st.text_input("Occasion", key="holiday-name")
        is_added = st.form_submit_button("Add", key="add-holiday", type="primary")
    if is_added:
        inside = [str(issue.date) for issue in catalogue.issues(store) if issue.date in Holiday(first, last)]
        done = f"Holiday added: {first} to {last}" + (f", with issues {', '.join(inside)}" if inside else "")
        undo = partial(take_away_holiday, store, first, person=visitor.person())
        confirm.make_in_window(done, partial(add_holiday, store, first, last, name, person=visitor.person()), undo)


def _draw_holiday(old: Holiday) -> None:
    store, person = cache.store(), visitor.person()
    st.text(f"{old.first} to {old.last} {old.name}")
    if st.button("Delete", key="take-away-holiday", type="primary"):
        undo = partial(add_holiday, store, old.first, old.last, old.name, person=person)
        confirm.make_in_window("Holiday deleted", partial(take_away_holiday, store, old.first, person=person), undo)
