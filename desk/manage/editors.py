"""Editors: a table of editorships, and dialogs to add, change or end an editorship."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.mail.editors import editor_addresses, set_address
from presort.data.records import Editorship
from presort.data.running import people
from presort.data.store import Store
from presort.desk.jobs import background
from presort.desk.manage.holidays import EARLIEST, ISO, LATEST
from presort.desk.manage.reports import NO_REPORT
from presort.desk.manage.tables import editor_table
from presort.desk.text import escape
from presort.desk.ui import cache, confirm, table, visitor, window
from presort.desk.ui.mail_link import ADDRESSES, mail_link

NO_EDITORS = "No editors yet."
PAST = "Past"
CHANGED_MEANWHILE = "This entry was changed in another window. Close this dialog and open the entry again."
AFFILIATION_HELP = "Readers see it after the name."
MAIL_HELP = "Address for weekly notices of pending issues. Readers never see it."
COLUMNS = {
    "report": "Report",
    "editor": "Editor",
    "mail": st.column_config.LinkColumn("Email", display_text=ADDRESSES),
    "affiliation": "Affiliation",
    "stands_in_for": "Substitutes for",
    "first": "From",
    "last": "To",
}


def show() -> None:
    """Draw the table of editors. A click on a row opens its dialog."""
    store, today = cache.store(), date.today()
    reports = [report.code for report in catalogue.reports(store)]
    if not reports:
        st.info(NO_REPORT)
        return
    known = people.editorships(store)
    at = editor_addresses(store)
    mail = [mail_link(one.report, [at[one.editor]] if at.get(one.editor) else [], []) or "" for one in known]
    every = editor_table(store).assign(mail=mail, at=range(len(known)))
    is_past = (every["last"] != "") & (every["last"] < str(today))
    shown, row = table.head(every[~is_past], "editors", {PAST: every[is_past]})
    if row.button("Add editor", key="open-add-editor", icon=":material/person_add:"):
        window.keep_open("Add editor", _draw_new, reports)
    if shown.empty:
        st.info(NO_EDITORS)
        return
    picked = table.pick(shown.drop(columns="at"), COLUMNS, "editors")
    if picked is not None:
        one = known[shown["at"].iloc[picked]]
        window.keep_open(escape(f"{one.editor} · {one.report}"), _draw_editor, one)


def _draw_new(reports: Sequence[str]) -> None:
    store, today = cache.store(), date.today()
    with st.form("new-editor-form", border=False):
        report = st.selectbox("Report", reports, key="new-editor-report")
        name = st.selectbox(
            "Editor",
            list(people.affiliations(store)),
            None,
            key="new-editor",
            accept_new_options=True,
            placeholder="Choose, or type a new name",
        )
        left, right = st.columns(2)
        address = left.text_input("Email", key="new-editor-mail", help=MAIL_HELP).strip()
        affiliation = right.text_input("Affiliation", key="new-place", help=AFFILIATION_HELP)
        first = st.date_input("From", today, EARLIEST, LATEST, format=ISO, key="editor-from")
        is_added = st.form_submit_button("Add", key="add-editor", type="primary")
    if is_added:
        new = Editorship(report, name or "", first)
        undo = partial(people.take_back_editorship, store, new, person=visitor.person())
        add = partial(_add, store, new, address, affiliation)
        confirm.make_in_window(f"{new.editor} edits {report} from {first}", add, undo)


def _add(store: Store, new: Editorship, address: str, affiliation: str) -> None:
    with store.transaction() as one:
        people.add_editorship(one, new, person=visitor.person(), affiliation=affiliation)
        if address:
            set_address(one, new.editor, address)


def _draw_editor(one: Editorship) -> None:
    """Draw the dialog to change an editor's details, set an editorship's last day, delete it, or add a substitute."""
    if one not in people.editorships(cache.store()):
        st.info(CHANGED_MEANWHILE)
        return
    _draw_person(one.editor)
    _draw_end(one)
    if not one.away:
        with st.expander("Add substitute", icon=":material/event_busy:", key="box-absence"):
            _draw_absence(one)


def _draw_person(who: str) -> None:
    store = cache.store()
    now = (who, people.affiliations(store)[who], editor_addresses(store)[who])
    left, right = st.columns(2)
    name = st.text_input("Name", who, key="person-name").strip()
    place = left.text_input("Affiliation", now[1], key="person-place", help=AFFILIATION_HELP).strip()
    address = right.text_input("Email", now[2], key="person-mail", help=MAIL_HELP).strip()
    new = (name, place, address)
    if st.button("Save", key="save-person", type="primary", disabled=not name or new == now):
        save, undo = partial(_save_person, store, who, *new), partial(_save_person, store, name, *now)
        confirm.make_in_window(f"{name} saved", save, undo)


def _save_person(store: Store, who: str, name: str, affiliation: str, address: str) -> None:
    with store.transaction() as one:
        if affiliation != people.affiliations(one).get(who):
            people.set_affiliation(one, who, affiliation)
        if address != editor_addresses(one).get(who):
            set_address(one, who, address)
        if name != who:
            background.rename_editor(one, who, name)


def _draw_end(old: Editorship) -> None:
    store, today, person = cache.store(), date.today(), visitor.person()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        last = st.date_input("Last day", old.last or today, EARLIEST, LATEST, format=ISO, key="last-day")
        is_ended = st.button("Set last day", key="end-editorship", disabled=last == old.last)
        is_taken_back = st.button("Delete entry", key="take-back-editorship", help="For entries made by mistake.")
    if is_ended:
        ended = Editorship(old.report, old.editor, old.first, last, old.away)
        change = partial(people.end_editorship, store, old, last, person=person)
        undo = partial(people.end_editorship, store, ended, old.last, person=person)
        confirm.make_in_window(f"{old.editor} edits {old.report} until {last}", change, undo)
    if is_taken_back:
        change = partial(people.take_back_editorship, store, old, person=person)
        confirm.make_in_window("Entry deleted", change, partial(people.add_editorship, store, old, person=person))


def _draw_absence(one: Editorship) -> None:
    store, today, person = cache.store(), date.today(), visitor.person()
    with st.form("substitute-form", border=False):
        name = st.text_input(escape(f"Substitute for {one.editor}"), key="substitute")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            first = st.date_input("From", today, EARLIEST, LATEST, format=ISO, key="away-from")
            last = st.date_input("To", today + timedelta(weeks=1), EARLIEST, LATEST, format=ISO, key="away-to")
            is_added = st.form_submit_button("Add", key="add-substitute")
    if is_added:
        new = Editorship(one.report, name.strip(), first, last, one.editor)
        change = partial(people.add_editorship, store, new, person=person)
        undo = partial(people.take_back_editorship, store, new, person=person)
        confirm.make_in_window(f"{new.editor} edits {one.report} from {first} to {last}", change, undo)
