"""What waits next, once a report issue has gone out."""

from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.editing.pending import pending
from presort.data.records import Pending
from presort.data.store import Store
from presort.desk import pages
from presort.desk.publish import words
from presort.desk.text import plain
from presort.desk.ui import cache


def show(report: str) -> None:
    """Draw a button that opens the next list that waits, or say that none does."""
    found = next_list(cache.store(), report, today=date.today())
    if found is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("Nothing else waits.", width="content")
            st.page_link(pages.link("week"), label="This week", icon=":material/arrow_forward:")
        return
    label = plain(words.next_says(found.report, found.issue, date.today()))
    if st.button(label, key="next-list", type="primary", icon=":material/arrow_forward:"):
        query = {"report": found.report, "issue": str(found.issue)}
        st.switch_page(pages.link("review"), query_params=query)


def next_list(store: Store, report: str, *, today: date) -> Pending | None:
    """Return the oldest list that waits for a report, or else for any; None if none waits."""
    reports = [one.code for one in catalogue.reports(store)]
    waiting = pending(store, reports, today=today)
    return min(waiting, key=lambda one: (one.report != report, one.issue), default=None)
