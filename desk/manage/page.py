"""The *Manage* page, where directors administer the service and read its log. It shows one part at a time."""

import streamlit as st

from presort.data import catalogue
from presort.desk.manage import add_report, duplicates, editors, holidays, log, members, ranker_choice, readers, reports
from presort.desk.ui import cache, confirm, empty, visitor, window

PART = "part"  # URL parameter and session key for the chosen part
REPORTS = "Reports"


@visitor.one_snapshot()
def show() -> None:
    """Draw the chosen part of the page, and the open dialog, if any."""
    with st.container(horizontal=True, vertical_alignment="center", key="manage-ways"):
        st.title("Manage", anchor=False, width="stretch")
        empty.draw_links([empty.TO_IMPORT])
        add_report.draw_button()
    n_reports = len(catalogue.reports(cache.store()))
    part = _chosen_part(n_reports)
    confirm.say()
    add_report.draw_next_step()
    PARTS[part]()
    window.show_open_dialog()


def _chosen_part(n_reports: int) -> str:
    asked = st.query_params.get(PART, "").capitalize()
    part: str = st.segmented_control(
        "What to manage",
        list(PARTS),
        default=asked if asked in PARTS else REPORTS,
        format_func=lambda part: f"{part} {n_reports:,}" if part == REPORTS else part,
        required=True,
        key=PART,
        label_visibility="collapsed",
    )
    st.query_params[PART] = part.lower()
    return part


def _draw_imports() -> None:
    """Draw the possible duplicates, and the table of imported files."""
    duplicates.show()
    log.draw_imports("imports")


PARTS = {
    REPORTS: reports.show,
    "Editors": editors.show,
    "People": members.show,
    "Readers": readers.show,
    "Holidays": holidays.show,
    "Rankers": ranker_choice.show,
    "Imports": _draw_imports,
    "Log": log.show,
}
