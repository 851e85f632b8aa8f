"""Older issues of a report that are still open, named before a newer one goes out."""

from datetime import date
from functools import partial

import streamlit as st

from presort.data.editing.pending import pending
from presort.data.errors import DataError
from presort.data.records import Pending
from presort.desk import pages
from presort.desk.publish import unread_empty, words
from presort.desk.publish.draft import PROBLEM
from presort.desk.service import rankers, workflow
from presort.desk.session.publication import making
from presort.desk.text import age, counted, plain
from presort.desk.ui import cache, problem, reranking, visitor
from presort.desk.week import skipping
from presort.desk.week.skipping import SKIP, SKIP_HELP
from presort.desk.week.urgency import lateness

STYLE = """
<style>
[class*="st-key-older-"] > :first-child { min-width: min(14rem, 100%); flex: 1 1 14rem; }
</style>
"""


def show(report: str, issue: date) -> None:
    """Name what is open from before an issue, each to be finished on Review, published empty, or skipped."""
    older = [one for one in pending(cache.store(), [report], today=date.today()) if one.issue < issue]
    if older:
        st.html(STYLE)
        with st.container(border=True, key="older", gap="xsmall"):
            st.markdown(plain(words.older_say(len(older))))
            for one in older:
                _draw(one)
    skipping.show(PROBLEM, report)


def _draw(one: Pending) -> None:
    name = f"{one.report}-{one.issue}"
    of_issue = (one.report, one.issue)
    with st.container(horizontal=True, vertical_alignment="center", key=f"older-{name}"):
        decided = f"{one.n_decided:,} of {counted(one.n_papers, 'paper')} decided"
        facts = [f"**{one.issue}**", age(one.days_old), decided, (lateness(one) or "").lower()]
        st.markdown(" · ".join(filter(None, facts)), width="stretch")
        query = {"report": one.report, "issue": str(one.issue)}
        st.page_link(pages.link("review"), label="Finish it", icon=":material/edit:", query_params=query)
        _draw_empty(one)
        st.button(SKIP, key=f"skip-{name}", on_click=skipping.skip_now, args=(*of_issue, PROBLEM), help=SKIP_HELP)


def _draw_empty(one: Pending) -> None:
    of_issue = (one.report, one.issue)
    if unread_empty.is_unread(*of_issue):
        if st.button(words.PUBLISH_EMPTY, key=f"empty-{one.report}-{one.issue}"):
            unread_empty.ask(*of_issue, partial(_issue_empty, *of_issue))
    else:
        st.button(
            words.PUBLISH_EMPTY,
            key=f"empty-{one.report}-{one.issue}",
            on_click=_issue_empty,
            args=of_issue,
            help=words.EMPTY,
        )


@visitor.one_snapshot()
def _issue_empty(report: str, issue: date) -> None:
    store = cache.store()
    shown = rankers.opened(store, report, issue)
    if shown is not None and not shown.ranking.is_sorted:
        shown = None
    now = making(store, report, issue, shown)
    if now.to_publish or now.maybe:
        problem.note(PROBLEM, words.not_empty(issue, len(now.to_publish), len(now.maybe)))
        return
    try:
        relevance_model = cache.relevance_model_for(shown)
        who = visitor.person()
        workflow.publish_report_issue(
            store, report, issue, shown, person=who, relevance_model=relevance_model, approved=now.approved
        )
    except DataError as error:
        problem.note(PROBLEM, words.not_published(str(error)))
    else:
        reranking.rerank_newer(report, issue)
