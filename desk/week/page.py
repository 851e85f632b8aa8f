"""The *This week* page, the editor's start page: pending issues, most urgent first, and published report issues."""

from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.editing.pending import pending_and_skipped
from presort.data.records import Report
from presort.desk import pages
from presort.desk.preferences.own_reports import own_reports
from presort.desk.text import report_label
from presort.desk.ui import cache, empty, visitor
from presort.desk.ui.choice import choice
from presort.desk.ui.unknown import stop_at_unknown
from presort.desk.week import first_steps, pending_list, published_lists

MINE, ALL = "", "*"  # values in the page address


@visitor.one_snapshot()
def show() -> None:
    """Draw the pending issues, followed by the published report issues."""
    top = st.container(horizontal=True, vertical_alignment="center", key="top-of-week")
    top.title("This week", anchor=False, width="content")
    if first_steps.show():
        return
    with top:
        _draw_links()
    reports = catalogue.reports(cache.store())
    with st.container(horizontal=True, vertical_alignment="center", key="which-week"):
        names, is_all = _choose_reports(reports)
        issues, skipped = pending_and_skipped(cache.store(), list(names), today=date.today())
        if issues:
            st.markdown(pending_list.headline(issues), width="content", help=pending_list.LATE_HELP)
    pending_list.show(names, issues, skipped)
    published_lists.show(names)
    if is_all and len(reports) > 1:
        st.page_link(pages.link("preferences"), label="Choose my reports", icon=":material/tune:")


def _choose_reports(reports: list[Report]) -> tuple[dict[str, str], bool]:
    """Draw the select box for reports if there are several.

    Returns the names of the selected reports by code, and True if all reports are selected.
    """
    names = {report.code: report_label(report.code, report.name) for report in reports}
    own = [code for code in own_reports(cache.store(), visitor.person()) if code in names]
    if len(names) == 1:
        return names, True
    labels = {MINE: "My reports" if own else "All reports", ALL: "All reports"} | names
    options = [MINE, *([ALL] if own else []), *names]
    place = st.container(width=240)
    stop_at_unknown(place, "Report", options, name="only", named=labels.__getitem__, has_label=False)
    only = choice(place, "Report", options, name="only", named=labels.__getitem__, has_label=False)
    if only in names:
        return {only: names[only]}, False
    is_all = only == ALL or not own
    return (names if is_all else {code: names[code] for code in own}), is_all


def _draw_links() -> None:
    """Draw the links to *Import* and *Add report*, if the user may open these pages."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall", key="ways-in"):
        empty.draw_links([empty.TO_IMPORT, empty.TO_REPORTS])
