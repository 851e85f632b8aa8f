"""Editors: who edits which report, who stands in, and what readers are told of them."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

import streamlit as st

from data import catalogue, people
from data.records import Editorship
from desk import access, cache, manage
from desk.choice import report_choice
from desk.managing import tables
from desk.managing.asking import ask
from desk.managing.holidays import EARLIEST, ISO, LATEST
from desk.words import manage as words
from desk.words.text import plain


def show() -> None:
    """Draw who edits, and beside it what can be changed for one report."""
    store, today = cache.store(), date.today()
    reports = catalogue.reports(store)
    if not reports:
        st.info(plain(words.NO_REPORT))
        return
    known = people.editorships(store)
    if missing := manage.without_editor(store, today):
        st.warning(plain(words.unedited([report.code for report in missing])))
    left, right = st.columns([3, 2], gap="large")
    with left:
        if known:
            tables.draw(manage.editor_table(store), words.EDITOR_COLUMNS, "editors")
        else:
            st.info(words.NO_EDITORS)
    with right:
        report = report_choice(st.container(), reports)
        _draw_report(report, known, today)
    if known:
        with left, st.expander(words.PERSON, icon=":material/badge:", key="box-person"):
            _draw_person()


def _draw_report(report: str, known: Sequence[Editorship], today: date) -> None:
    now = people.editors_on(known, report, today)
    said = words.TODAY + words.chosen_by(now, people.affiliations(cache.store())) if now else words.NO_EDITOR
    st.markdown(plain(said))
    own = [one for one in known if one.report == report]
    with st.expander(words.NEW_EDITOR, expanded=not own, icon=":material/person_add:", key="box-new-editor"):
        _draw_new(report, known, today)
    if own:
        with st.expander(words.ABSENCE, icon=":material/event_busy:", key="box-absence"):
            _draw_absence(report, own, today)
        with st.expander(words.END, icon=":material/event_available:", key="box-end"):
            _draw_end(own, known, today)


def _draw_new(report: str, known: Sequence[Editorship], today: date) -> None:
    name = st.text_input(words.EDITOR, key="new-editor")
    first = st.date_input(words.FROM, today, EARLIEST, LATEST, format=ISO, key="editor-from")
    place = st.text_input(words.AFFILIATION, key="new-place", help=words.AFFILIATION_HELP)
    if st.button(words.ADD, key="add-editor", disabled=not name.strip()):
        new = Editorship(report, name, first)
        change = partial(people.add_editorship, cache.store(), new, person=access.current_person(), affiliation=place)
        ask(words.edits(new, people.editors_on(known, report, first)), change, clears=["new-editor", "new-place"])


def _draw_absence(report: str, own: Sequence[Editorship], today: date) -> None:
    away = st.selectbox(words.AWAY, list(dict.fromkeys(one.editor for one in own if not one.away)), key="away")
    name = st.text_input(words.SUBSTITUTE, key="substitute")
    with st.container(horizontal=True):
        first = st.date_input(words.FROM, today, EARLIEST, LATEST, format=ISO, key="away-from")
        last = st.date_input(words.TO, today + timedelta(weeks=1), EARLIEST, LATEST, format=ISO, key="away-to")
    if st.button(words.ADD, key="add-substitute", disabled=not name.strip()):
        new = Editorship(report, name, first, last, away or "")
        change = partial(people.add_editorship, cache.store(), new, person=access.current_person())
        ask(words.stands_in(new), change, clears=["substitute"])


def _draw_end(own: Sequence[Editorship], known: Sequence[Editorship], today: date) -> None:
    person = access.current_person()
    old = st.selectbox(words.WHICH, own, format_func=words.entry, key="which-editorship")
    last = st.date_input(words.LAST_DAY, today, EARLIEST, LATEST, format=ISO, key="last-day")
    with st.container(horizontal=True):
        if st.button(words.ENDS, key="end-editorship"):
            left = people.editors_on([one for one in known if one != old], old.report, last + timedelta(days=1))
            ask(words.ends(old, last, left), partial(people.end_editorship, cache.store(), old, last, person=person))
        if st.button(words.TAKE_BACK, key="take-back-editorship"):
            ask(words.taken_back(old), partial(people.take_back_editorship, cache.store(), old, person=person))


def _draw_person() -> None:
    store = cache.store()
    where_from = people.affiliations(store)
    who = st.selectbox(words.EDITOR, list(where_from), key="person")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(words.NAME, who, key=f"person-name-{who}").strip()
        if st.button(words.RENAME, key="rename-editor", disabled=name in ("", who)):
            ask(words.renamed_editor(who, name), partial(people.rename_editor, store, who, name))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        now = where_from[who]
        place = st.text_input(words.AFFILIATION, now, key=f"place-{who}", help=words.AFFILIATION_HELP).strip()
        if st.button(words.SAVE, key="save-affiliation", disabled=place == now):
            ask(words.affiliated(who, now, place), partial(people.set_affiliation, store, who, place))
