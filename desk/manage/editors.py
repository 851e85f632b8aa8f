"""Editors: who edits which report, who stands in, and what readers are told of them."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.mail.editors import addresses, set_address
from presort.data.records import Editorship
from presort.data.running import people
from presort.desk.manage import words
from presort.desk.manage.holidays import EARLIEST, ISO, LATEST
from presort.desk.manage.tables import editor_table, without_editor
from presort.desk.sending.words import chosen_by
from presort.desk.text import counted, plain
from presort.desk.ui import cache, field, table, visitor
from presort.desk.ui.choice import report_choice
from presort.desk.ui.confirm import ask


def show() -> None:
    """Draw who edits, and beside it what can be changed for one report."""
    store, today = cache.store(), date.today()
    reports = catalogue.reports(store)
    if not reports:
        st.info(plain(words.NO_REPORT))
        return
    known = people.editorships(store)
    if missing := without_editor(store, today):
        codes = words.listed([report.code for report in missing])
        st.warning(plain(f"Nobody edits {counted(len(missing), 'report')} today: {codes}."))
    left, right = st.columns([3, 2], gap="large")
    with left:
        if known:
            table.draw(
                editor_table(store),
                {
                    "report": "Report",
                    "editor": "Editor",
                    "affiliation": "Affiliation",
                    "stands_in_for": "Stands in for",
                    "first": "From",
                    "last": "To",
                },
                "editors",
            )
        else:
            st.info(words.NO_EDITORS)
    with right:
        report = report_choice(st.container(), reports)
        _draw_report(report, known, today)
    if known:
        with left, st.expander("Name, affiliation and mail", icon=":material/badge:", key="box-person"):
            _draw_person()


def _draw_report(report: str, known: Sequence[Editorship], today: date) -> None:
    now = people.editors_on(known, report, today)
    summary = (
        "Today: " + chosen_by(now, people.affiliations(cache.store())) if now else "Nobody edits this report today."
    )
    st.markdown(plain(summary))
    own = [one for one in known if one.report == report]
    with st.expander("A new editor", expanded=not own, icon=":material/person_add:", key="box-new-editor"):
        _draw_new(report, known, today)
    if own:
        with st.expander("A substitute during an absence", icon=":material/event_busy:", key="box-absence"):
            _draw_absence(report, own, today)
        with st.expander("An end, or a mistake", icon=":material/event_available:", key="box-end"):
            _draw_end(own, known, today)


def _draw_new(report: str, known: Sequence[Editorship], today: date) -> None:
    name = st.text_input(words.EDITOR, key=field.key_of("new-editor"))
    place = st.text_input(words.AFFILIATION, key=field.key_of("new-place"), help=words.AFFILIATION_HELP)
    with st.container(horizontal=True, vertical_alignment="bottom"):  # the calendar opens below, over nothing
        first = st.date_input("From", today, EARLIEST, LATEST, format=ISO, key="editor-from")
        is_asked = st.button("Add", key="add-editor", disabled=not name.strip())
    if is_asked:
        new = Editorship(report, name, first)
        change = partial(people.add_editorship, cache.store(), new, person=visitor.person(), affiliation=place)
        ask(words.edits(new, people.editors_on(known, report, first)), change, clears=["new-editor", "new-place"])


def _draw_absence(report: str, own: Sequence[Editorship], today: date) -> None:
    away = st.selectbox("Who is away", list(dict.fromkeys(one.editor for one in own if not one.away)), key="away")
    name = st.text_input("Substitute", key=field.key_of("substitute"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.date_input("From", today, EARLIEST, LATEST, format=ISO, key="away-from")
        last = st.date_input("To", today + timedelta(weeks=1), EARLIEST, LATEST, format=ISO, key="away-to")
        is_asked = st.button("Add", key="add-substitute", disabled=not name.strip())
    if is_asked:
        new = Editorship(report, name, first, last, away or "")
        change = partial(people.add_editorship, cache.store(), new, person=visitor.person())
        ask(words.stands_in(new), change, clears=["substitute"])


def _draw_end(own: Sequence[Editorship], known: Sequence[Editorship], today: date) -> None:
    person = visitor.person()
    old = st.selectbox("Which", own, format_func=words.entry, key="which-editorship")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        last = st.date_input("Last day", today, EARLIEST, LATEST, format=ISO, key="last-day")
        if st.button("Let it end then", key="end-editorship"):
            left = people.editors_on([one for one in known if one != old], old.report, last + timedelta(days=1))
            ask(words.ends(old, last, left), partial(people.end_editorship, cache.store(), old, last, person=person))
        if st.button("Take it back: it never was", key="take-back-editorship"):
            ask(words.taken_back(old), partial(people.take_back_editorship, cache.store(), old, person=person))


def _draw_person() -> None:
    store = cache.store()
    where_from = people.affiliations(store)
    who = st.selectbox(words.EDITOR, list(where_from), key="person")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", who, key=f"person-name-{who}").strip()
        if st.button("Rename", key="rename-editor", disabled=name in ("", who)):
            ask(words.renamed_editor(who, name), partial(people.rename_editor, store, who, name))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        now = where_from[who]
        place = st.text_input(words.AFFILIATION, now, key=f"place-{who}", help=words.AFFILIATION_HELP).strip()
        if st.button("Save", key="save-affiliation", disabled=place == now):
            ask(words.affiliated(who, now, place), partial(people.set_affiliation, store, who, place))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = addresses(store).get(who, "")
        address = st.text_input(words.ADDRESS, at, key=f"address-{who}", help=words.ADDRESS_HELP).strip()
        if st.button("Save", key="save-address", disabled=address == at):
            ask(words.addressed(who, address), partial(set_address, store, who, address))
