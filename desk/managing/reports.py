"""Reports: what there is, and what can be changed of one."""

from datetime import date
from functools import partial

import streamlit as st

from data import catalogue, service
from data.criteria import criteria, set_criteria
from data.importers.rows import REPORT_CODE, clean
from data.records import Report
from desk import access, cache, manage
from desk.choice import choice
from desk.managing import tables
from desk.managing.asking import ask
from desk.words import manage as words
from desk.words.text import plain


def show() -> None:
    """Draw the reports, and beside them one to change."""
    reports = {report.code: report for report in catalogue.reports(cache.store(), retired=True)}
    left, right = st.columns([3, 2], gap="large")
    with left:
        if reports:
            table = manage.report_table(cache.store(), date.today())
            shown = table if table["standing"].any() else table.drop(columns="standing")
            tables.draw(shown, words.REPORT_COLUMNS, "reports", colour="colour")
        else:
            st.info(plain(words.NO_REPORT))
    with right:
        if reports:
            code = choice(
                st.container(),
                words.REPORT,
                list(reports),
                name="report",
                named=lambda code: words.report_named(reports[code]),
            )
            _draw_name(reports[code])
            _draw_colour(code)
            _draw_criteria(code)
        with st.expander(words.NEW_REPORT, expanded=not reports, icon=":material/add:", key="box-new-report"):
            _draw_new()


def _draw_name(report: Report) -> None:
    store, code = cache.store(), report.code
    n_active = len(catalogue.reports(store))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = clean(st.text_input(words.NAME, report.name, key=f"name-{code}", max_chars=200)) or code
        if st.button(words.RENAME, key="rename", disabled=name == report.name):
            ask(words.renamed(code, report.name, name), partial(catalogue.rename_report, store, code, name))
        if report.is_retired:
            if st.button(words.BRING_BACK, key="bring-back"):
                ask(words.back(code, n_active + 1), partial(service.bring_back_report, store, code))
        elif st.button(words.RETIRE, key="retire"):
            ask(words.retired(code, n_active - 1), partial(catalogue.retire_report, store, code))


def _draw_colour(code: str) -> None:
    now = manage.report_colours(cache.store())[code]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = st.color_picker(words.COLOUR, now, key=f"colour-{code}")
        if st.button(words.TAKE_COLOUR, key="take-colour", disabled=colour == now):
            ask(words.coloured(code, now, colour), partial(manage.set_colour, cache.store(), code, colour))


def _draw_criteria(code: str) -> None:
    known = criteria(cache.store(), code)
    now = known.text if known else ""
    text = st.text_area(words.CRITERIA, now, key=f"criteria-of-{code}", height=160)
    if st.button(words.SAVE, key="save-criteria", disabled=text == now):
        change = partial(set_criteria, cache.store(), code, text, person=access.current_person())
        ask(words.new_criteria(code, now, text), change)


def _draw_new() -> None:
    store = cache.store()
    code = st.text_input(words.CODE, key="new-code", help=words.CODE_HELP, max_chars=64).strip()
    name = clean(st.text_input(words.NAME, key="new-name", max_chars=200)) or code
    if st.button(words.ADD, key="add-report", disabled=not code):
        if not REPORT_CODE.fullmatch(code):
            st.error(words.CODE_WRONG)
            return
        change = partial(catalogue.add_reports, store, [Report(code, name)])
        ask(words.added(code, name, len(catalogue.reports(store)) + 1), change, clears=["new-code", "new-name"])
