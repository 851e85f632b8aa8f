"""Links to the next step after an import."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.editing import log
from presort.data.editing.pending import pending as pending_issues
from presort.desk import pages
from presort.desk.text import plain
from presort.desk.ui import cache, empty, reranking, visitor


def show() -> None:
    """Draw a button to add the first report, or a link to the newest pending list, and queue its ranking."""
    codes = [report.code for report in catalogue.reports(cache.store())]
    reranking.rank_unranked(codes)
    reranking.show(redraws=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        if codes:
            _draw_review(codes)
        elif st.button("Add a report", key="add-a-report", type="primary", icon=":material/add:"):
            st.switch_page(pages.link("manage"), query_params=empty.TO_REPORTS.query)
        st.page_link(
            pages.link("manage"),
            label="All imports",
            icon=":material/list:",
            query_params={"part": "imports"},
        )


def _draw_review(reports: Sequence[str]) -> None:
    """Draw a link to the newest pending issue, preferably of the user's own report, or a message if none is pending."""
    store = cache.store()
    own = log.last_report(store, visitor.person())
    newest = max(
        pending_issues(store, reports, today=date.today()), key=lambda one: (one.issue, one.report == own), default=None
    )
    if newest is None:
        st.markdown("No pending lists: every issue is published or skipped.", width="content")
        st.page_link(pages.link("week"), label="This week", icon=":material/inbox:")
        return
    st.page_link(
        pages.link("review"),
        label=plain(f"Review {newest.report} {newest.issue}"),
        icon=":material/checklist:",
        query_params={"report": newest.report, "issue": str(newest.issue)},
    )
