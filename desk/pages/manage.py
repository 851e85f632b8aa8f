"""Manage: what a director sets up and changes: reports, editors, readers, holidays, rankers; and what came in."""

import streamlit as st

from desk.managing import asking, editors, holidays, imports, rankers, readers, reports
from desk.words import manage as words
from desk.words.readers import READERS

PARTS = {
    words.REPORTS: reports.show,
    words.EDITORS: editors.show,
    READERS: readers.show,
    words.HOLIDAYS: holidays.show,
    words.RANKERS: rankers.show,
    words.IMPORTS: imports.show,
}
PART = "part"  # as it stands in the address


def show() -> None:
    """Draw one part of the page; every change is said in words before it is made."""
    st.title(words.TITLE, anchor=False)
    part = _chosen_part()
    asking.say()
    PARTS[part]()


def _chosen_part() -> str:
    asked = st.query_params.get(PART, "").capitalize()
    if PART not in st.session_state and asked in PARTS:
        st.session_state[PART] = asked
    part = st.segmented_control(
        words.PART, list(PARTS), default=words.REPORTS, required=True, key=PART, label_visibility="collapsed"
    )
    st.query_params[PART] = part.lower()
    return part
