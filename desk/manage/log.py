"""Log: every change, by whom, when and from where, to be searched."""

from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.running.audit import LOGS, audit, people_in_log
from presort.desk import access
from presort.desk.manage.tables import audit_table
from presort.desk.ui import cache, table

AT_ONCE = 200
COLUMNS = {
    "made_at": "When (UTC)",
    "person": "Who",
    "place": "From",
    "what": "What",
    "report": "Report",
    "issue": "Issue",
    "title": "Paper",
}
EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)  # that can be chosen


def show() -> None:
    """Draw what to look for, and what was changed, newest first."""
    store = cache.store()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox("Who", people_in_log(store), None, access.named, placeholder="anybody", key="log-who")
        kind = st.selectbox("What", list(LOGS), None, placeholder="all", key="log-kind")
        codes = [one.code for one in catalogue.reports(store, retired=True)]
        report = st.selectbox("Report", codes, None, placeholder="all", key="log-report")
        since = st.date_input("Since", None, EARLIEST, LATEST, format="YYYY-MM-DD", key="log-since")
        words = st.text_input("With the words", key="log-words", placeholder="of a change, a title, a report's code")
    n_shown = st.session_state.setdefault("n-log", AT_ONCE)
    found = audit(
        store,
        n_shown + 1,
        kinds=[kind] if kind else [],
        person=who or "",
        report=report or "",
        since=since or EARLIEST,
        words=words,
    )
    if not found:
        st.info("Nothing in the log is like that.")
        return
    table.draw(audit_table(found[:n_shown]), COLUMNS, "log")
    if len(found) > n_shown and st.button("Show more", key="more-log"):
        st.session_state["n-log"] += AT_ONCE
        st.rerun()
