"""Reports: what there is, and what can be changed of one."""

from collections.abc import Sequence
from datetime import date
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.editing.criteria import criteria, set_criteria
from presort.data.editing.report_past import report_past
from presort.data.importers.rows import REPORT_CODE
from presort.data.records import Report
from presort.data.running import service
from presort.data.text.cleaning import clean
from presort.desk import pages
from presort.desk.manage import words
from presort.desk.manage.tables import report_colours, report_table, set_colour
from presort.desk.text import plain
from presort.desk.ui import cache, field, visitor
from presort.desk.ui import table as tables
from presort.desk.ui.choice import report_choice
from presort.desk.ui.confirm import ask

ADDED = "report-added"  # in the session: the code of the one added last


def show() -> None:
    """Draw the reports, and beside them one to change."""
    reports = {report.code: report for report in catalogue.reports(cache.store(), retired=True)}
    _draw_next_step()
    left, right = st.columns([3, 2], gap="large")
    with left:
        if reports:
            table = report_table(cache.store(), date.today())
            shown = table if table["standing"].any() else table.drop(columns="standing")
            tables.draw(
                shown,
                {
                    "code": "Code",
                    "name": "Name",
                    "editors": "Editors today",
                    "n_relevant": "Relevant",
                    "colour": "Colour",
                    "standing": "Standing",
                },
                "reports",
                colour="colour",
            )
        else:
            st.info(words.NO_REPORT_HERE)
    with right:
        if reports:
            code = report_choice(st.container(), list(reports.values()))
            _draw_name(reports[code])
            _draw_colour(code)
            _draw_criteria(code)
        with st.expander("Add a report", expanded=not reports, icon=":material/add:", key="box-new-report"):
            _draw_new()


def _draw_name(report: Report) -> None:
    store, code = cache.store(), report.code
    n_active = len(catalogue.reports(store))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = clean(st.text_input("Name", report.name, key=f"name-{code}", max_chars=200)) or code
        if st.button("Rename", key="rename", disabled=name == report.name):
            ask(words.renamed(code, report.name, name), partial(catalogue.rename_report, store, code, name))
        if report.is_retired:
            if st.button("Bring back", key="bring-back"):
                says = words.back(report, report_past(store, code, date.today()), n_active + 1)
                ask(says, partial(service.bring_back_report, store, code), question=words.ask_to_bring_back(code))
        elif st.button("Retire", key="retire"):
            ask(words.retired(code, n_active - 1), partial(catalogue.retire_report, store, code))


def _draw_colour(code: str) -> None:
    now = report_colours(cache.store())[code]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = st.color_picker("Colour on charts", now, key=f"colour-{code}")
        if st.button("Use this colour", key="take-colour", disabled=colour == now):
            ask(words.coloured(code, now, colour), partial(set_colour, cache.store(), code, colour))


def _draw_criteria(code: str) -> None:
    known = criteria(cache.store(), code)
    now = known.text if known else ""
    st.caption(
        "Its editors read this above their list. It does not change the order: that is learned from decisions and "
        "examples."
    )
    text = st.text_area("What this report wants", now, key=f"criteria-of-{code}", height=160)
    if st.button("Save", key="save-criteria", disabled=text == now):
        change = partial(set_criteria, cache.store(), code, text, person=visitor.person())
        ask(words.new_criteria(code, now, text), change)


def _draw_new() -> None:
    with st.form("new-report", border=False):  # sends what was typed with the click
        code = st.text_input(
            "Code",
            key=field.key_of("new-code"),
            help=field.CODE_HELP,
            max_chars=64,
        ).strip()
        name = clean(st.text_input("Name", key=field.key_of("new-name"), max_chars=200)) or code
        is_asked = st.form_submit_button("Add", key="add-report")
    if is_asked and not REPORT_CODE.fullmatch(code):
        st.error(words.CODE_WRONG)
    elif is_asked:
        _ask_to_add(Report(code, name))


def _ask_to_add(new: Report) -> None:
    """Ask whether to add a report or, if its code was retired, whether to bring it back with its past."""
    store = cache.store()
    known = {report.code: report for report in catalogue.reports(store, retired=True)}
    n_reports = sum(not report.is_retired for report in known.values()) + 1
    old = known.get(new.code)
    if old and old.is_retired:
        says = words.back(old, report_past(store, old.code, date.today()), n_reports, new.name)
        question, verb, returning = words.ask_to_bring_back(new.code), "Bring it back", [new.code]
    else:
        says, question, returning = words.added(new.code, new.name, n_reports), words.ask_to_add(new.code), []
        verb = "Add it"
    ask(says, partial(_add, new, returning), clears=["new-code", "new-name"], question=question, verb=verb)


def _add(report: Report, returning: Sequence[str]) -> None:
    catalogue.add_reports(cache.store(), [report], returning=returning)
    st.session_state[ADDED] = st.query_params["report"] = report.code  # as a link to it would


def _draw_next_step() -> None:
    """Offer what to do with the report added last: its list, or what brings one."""
    code = st.session_state.get(ADDED)
    if code is None:
        return
    if catalogue.issues(cache.store()):
        label, query = plain(f"Begin the first list of {code}"), {"report": code}
        st.page_link(pages.link("review"), label=label, icon=":material/arrow_forward:", query_params=query)
    else:
        st.page_link(pages.link("import"), label="Import papers", icon=":material/upload_file:")
