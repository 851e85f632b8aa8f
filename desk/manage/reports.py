"""Table of reports, and a dialog to edit, retire or restore a report."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing.criteria import MAX_CRITERIA, criteria, set_criteria
from presort.data.editing.report_past import report_past
from presort.data.mail.editors import editor_addresses, set_address
from presort.data.records import Report
from presort.data.running import people, service
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.manage.tables import report_colours, report_table, set_colour
from presort.desk.text import escape, report_label
from presort.desk.ui import cache, confirm, table, visitor, window
from presort.desk.ui.mail_link import ADDRESSES

EDIT = "edit"  # URL parameter: code of the report whose dialog is opened
NO_EDITOR, RETIRED = "No editor", "Retired"
NO_REPORT = "No reports yet. Add a report, or import past selections."
ABOUT = "Criteria"
ABOUT_HELP = (
    "Which papers belong to this report, and which don't. Editors see the criteria in the ⋯ menu of their list. A "
    "change doesn't affect the ranking, unlike decisions and examples."
)
COLUMNS = {
    "code": "Code",
    "name": "Name",
    "editors": "Editor",
    "mail": st.column_config.LinkColumn("Email", display_text=ADDRESSES),
    "n_readers": "Readers",
    "n_relevant": st.column_config.NumberColumn("Relevant", help="Papers that the editors found relevant."),
    "last_issue": st.column_config.TextColumn("Last issue", help="Newest published issue."),
    "n_late": st.column_config.NumberColumn(
        "Late",
        help="Issues pending for 14 days or more, excluding holidays. Issues dated before the report was added or its "
        "first editor started are never late.",
    ),
}


class ReportText(NamedTuple):
    """Values that can be edited in a report's dialog.

    Attributes
    ----------
    name, about : str
        Name and description.
    colour : str
        Colour on charts. Empty for the default.
    editors : tuple of str
        Names of today's editors, without substitutes.
    mail : mapping from str to str
        Email addresses by editor.
    """

    name: str
    about: str
    colour: str
    editors: tuple[str, ...]
    mail: Mapping[str, str]


def show() -> None:
    """Draw the table of reports, sorted by the number of late issues. A click on a row opens its dialog."""
    store, today = cache.store(), date.today()
    every = report_table(store, today)
    if code := st.query_params.pop(EDIT, ""):
        _open_dialog(code, every)
    if every.empty:
        st.info(NO_REPORT)
        return
    is_retired = every["is_retired"]
    without = every[~is_retired & (every["editors"] == "")]
    only = {NO_EDITOR: without} if len(without) else {}
    shown, _ = table.head(every[~is_retired], "reports", {**only, RETIRED: every[is_retired]})
    if shown.empty:
        st.info("No report matches.")
        return
    picked = table.pick(shown, COLUMNS, "reports")
    if picked is not None:
        _open_dialog(shown["code"].iloc[picked], every)


def _open_dialog(code: str, every: pd.DataFrame) -> None:
    names = dict(zip(every["code"], every["name"], strict=True))
    if code in names:
        window.keep_open(escape(report_label(code, names[code])), _draw_report, code)


def _draw_report(code: str) -> None:
    """Draw a report's dialog. It contains a form or, for a retired report, a summary and a button to restore it."""
    report = next(one for one in catalogue.reports(cache.store(), retired=True) if one.code == code)
    if report.is_retired:
        draw_past(code)
        if st.button("Restore", key="bring-back", type="primary"):
            back, retire = (
                partial(change, cache.store(), code) for change in (service.restore_report, catalogue.retire_report)
            )
            confirm.make_in_window(f"{code} restored", back, retire)
        return
    now = _text_of(cache.store(), report)
    new = _ask_for_text(code, now, cache.store())
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        is_saved = st.button("Save", key="save-report", type="primary", disabled=new == now)
        is_retired = st.button(
            "Retire", key="retire", help="Stop ranking issues for this report. Its decisions are kept."
        )
    if is_saved:
        save, undo = (partial(_save, cache.store(), code, one, visitor.person()) for one in (new, now))
        confirm.make_in_window(f"{code} saved", save, undo)
    if is_retired:
        back = partial(service.restore_report, cache.store(), code, undoes=True)
        confirm.make_in_window(f"{code} retired", partial(catalogue.retire_report, cache.store(), code), back)


def draw_past(code: str) -> None:
    """Draw a table of the data that restoring a retired report would bring back, such as the number of decisions."""
    figures = report_past(cache.store(), code, date.today()).figures()
    st.markdown(f"**{escape(code)}** is retired. Restoring it brings back:")
    st.table(pd.DataFrame({"": figures}))


def _ask_for_text(code: str, now: ReportText, store: Store) -> ReportText:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = clean(st.text_input("Name", now.name, key=f"name-{code}", max_chars=200)) or code
        usual = report_colours(store)[code]
        colour = st.color_picker("Colour on charts", usual, key=f"colour-{code}")
    about = st.text_area(
        ABOUT, now.about, key=f"criteria-of-{code}", height=130, max_chars=MAX_CRITERIA, help=ABOUT_HELP
    )
    known = sorted({*people.affiliations(store), *now.editors})
    editors = st.multiselect(
        "Editors",
        known,
        now.editors,
        key=f"editors-of-{code}",
        accept_new_options=True,
        placeholder="Choose an editor, or type a new name",
        help="New editors start today. For substitutes and other dates, see Editors.",
    )
    mail, at = {}, editor_addresses(store)
    for editor in editors:
        address = at.get(editor, "")
        mail[editor] = st.text_input(escape(f"Email of {editor}"), address, key=f"mail-of-{editor}").strip()
    return ReportText(name, about.strip(), now.colour if colour == usual else colour, tuple(editors), mail)


def _text_of(store: Store, report: Report) -> ReportText:
    known, today, code = criteria(store, report.code), date.today(), report.code
    own = [one for one in people.editorships(store) if one.report == code and not one.away and one.holds_on(today)]
    editors, at = tuple(dict.fromkeys(one.editor for one in own)), editor_addresses(store)
    about, colour = known.text if known else "", service.colours(store).get(code, "")
    return ReportText(report.name, about, colour, editors, {editor: at[editor] for editor in editors})


def _save(store: Store, code: str, new: ReportText, person: str) -> None:
    """Save a report's changed values in one transaction."""
    with store.transaction() as one:
        now = _text_of(one, next(report for report in catalogue.reports(one) if report.code == code))
        if new.name != now.name:
            catalogue.rename_report(one, code, new.name)
        if new.about != now.about:
            set_criteria(one, code, new.about, person=person)
        if new.colour != now.colour:
            set_colour(one, code, new.colour)
        if set(new.editors) != set(now.editors):
            people.set_editors(one, code, new.editors, person=person, today=date.today())
        _set_addresses(one, new.mail)


def _set_addresses(store: Store, mail: Mapping[str, str]) -> None:
    at = editor_addresses(store)
    for editor, address in mail.items():
        if address != at.get(editor, ""):
            set_address(store, editor, address)
