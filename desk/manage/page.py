"""Manage: what a director sets up and changes: reports, editors, readers, holidays, rankers; and what came in."""

import streamlit as st

from presort.desk.manage import editors, holidays, imports, log, members, rankers, readers, reports, words
from presort.desk.ui import confirm, empty

PARTS = {
    words.REPORTS: reports.show,
    "Editors": editors.show,
    "People": members.show,
    "Readers": readers.show,
    "Holidays": holidays.show,
    "Rankers": rankers.show,
    words.IMPORTS: imports.show,
    "Log": log.show,
}
PART = "part"  # as it stands in the address


def show() -> None:
    """Draw one part of the page; every change is said in words before it is made."""
    with st.container(horizontal=True, vertical_alignment="center", key="manage-ways"):
        st.title("Manage", anchor=False, width="content")
        empty.draw_links([empty.TO_IMPORT, empty.TO_TOPIC])
    part = _chosen_part()
    confirm.say()
    PARTS[part]()


def _chosen_part() -> str:
    asked = st.query_params.get(PART, "").capitalize()
    st.session_state.setdefault(PART, asked if asked in PARTS else words.REPORTS)
    st.segmented_control("What to manage", list(PARTS), required=True, key=PART, label_visibility="collapsed")
    part: str = st.session_state[PART]
    st.query_params[PART] = part.lower()
    return part
