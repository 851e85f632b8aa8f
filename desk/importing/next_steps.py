"""What to do after an import: one click to the next step, whichever that is."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions, log
from presort.data.editing.hints import hints
from presort.data.editing.pending import pending
from presort.data.records import Pending
from presort.data.store import Store
from presort.desk import pages
from presort.desk.importing import words
from presort.desk.manage import words as manage_words
from presort.desk.service.rankers import known_rankers_of
from presort.desk.text import plain
from presort.desk.ui import cache, reranking, visitor


def show() -> None:
    """Offer to add the first report or to rank the pending issues, and link to them."""
    reranking.show(redraws=True)
    codes = [report.code for report in catalogue.reports(cache.store())]
    pending_issues = unsorted(cache.store(), today=date.today())
    if pending_issues and not reranking.is_busy():
        st.markdown(words.wait_for_sorting(len(pending_issues)))
    with st.container(horizontal=True, vertical_alignment="center"):
        if pending_issues:
            reports = list(dict.fromkeys(one.report for one in pending_issues))
            st.button(
                "Sort it now" if len(pending_issues) == 1 else "Sort them now",
                key="sort-imported",
                type="primary",
                icon=":material/sort:",
                disabled=reranking.is_busy(),
                on_click=reranking.rank_pending,
                args=(reports, len(pending_issues)),
            )
        if codes:
            _draw_review(codes)
        elif st.button("Add a report", key="add-a-report", type="primary", icon=":material/add:"):
            st.switch_page(pages.link("manage"), query_params={"part": manage_words.REPORTS.lower()})
        st.page_link(
            pages.link("manage"),
            label="All that came in",
            icon=":material/list:",
            query_params={"part": manage_words.IMPORTS.lower()},
        )


def _draw_review(reports: Sequence[str]) -> None:
    """Draw a link to the newest pending issue, the visitor's own report first, or a message that there is none."""
    store = cache.store()
    own = log.last_report(store, visitor.person())
    newest = max(
        pending(store, reports, today=date.today()), key=lambda one: (one.issue, one.report == own), default=None
    )
    if newest is None:
        st.markdown(words.NOTHING_PENDING, width="content")
        st.page_link(pages.link("week"), label="This week", icon=":material/inbox:")
        return
    st.page_link(
        pages.link("review"),
        label=plain(f"Review {newest.report} {newest.issue}"),
        icon=":material/checklist:",
        query_params={"report": newest.report, "issue": str(newest.issue)},
    )


def unsorted(store: Store, *, today: date) -> list[Pending]:
    """Return the pending issues without a ranking, oldest first, of the reports that have training data."""
    n_relevant, hints_of = decisions.n_relevant(store), hints(store)
    codes = [report.code for report in catalogue.reports(store)]
    taught = [code for code in codes if n_relevant[code] or (code in hints_of and hints_of[code].seeds)]
    pending_issues = pending(store, taught, today=today)
    by_rankers = known_rankers_of(store, pending_issues)
    return [one for one in pending_issues if not by_rankers[one.report, one.issue]]
