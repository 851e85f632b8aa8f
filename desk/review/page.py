"""The *Review* page, where editors decide on the papers of one issue for one report, in ranked order."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.criteria import criteria
from presort.data.editing.rerankings import newest_reranking
from presort.data.learning.first_publications import first_publication
from presort.data.records import Hints, Paper
from presort.desk.export.rows import ListView
from presort.desk.preferences.keys import preferences
from presort.desk.publish import publication, reopen
from presort.desk.review import begin, duplicates, menu, paper_list, plain_list, preparation
from presort.desk.review.plain_list import LIST_ORDER, PRESORT
from presort.desk.service import pending
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.session.review_session import ReviewSession
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, reranking, visitor
from presort.desk.ui.report_choice import ReportChoice, choose
from presort.desk.why import hints
from presort.desk.why.labels import describe_hints, training_data_text

UNMARKED = (
    "Read papers without a mark count as not relevant. Once you have read to the stop point, unread papers do, too."
)


@visitor.one_snapshot()
def show() -> None:
    """Draw a report's list for one issue, with notes on its ranking and the ⋯ menu."""
    with st.container(key="page-name"):
        st.title("Review", anchor=False)
    line = st.container(horizontal=True, vertical_alignment="center", key="above-list")
    news = st.container(horizontal=True, vertical_alignment="center", key="news")
    with news:
        chosen = choose(line)
    if chosen:
        _draw(chosen, line, news)


def _draw(chosen: ReportChoice, line: DeltaGenerator, news: DeltaGenerator) -> None:
    report, ranking = chosen.report, chosen.ranking
    used_hints = Hints() if ranking is None else hints.report_hints(report, ranking.ranking.hints_up_to)
    first = first_publication(cache.store(), report, chosen.issue)
    # Reopened issues are not re-ranked.
    keeps_order = first is not None and (first.source != "file" or chosen.is_sorted)
    may_sort = not chosen.is_published and visitor.may_edit(report) and not keeps_order
    begins = may_sort and begin.is_cold_start(report, ranking, used_hints)
    papers = catalogue.papers(cache.store(), chosen.issue)
    with news:
        _draw_news(chosen, len(papers), begins=begins, may_sort=may_sort)
        is_awaited = preparation.show(chosen)
    if begins:
        begin.show(report, chosen.issue, ranking)
    if chosen.published_issue:
        with st.expander("Published: ranking quality and papers", type="compact", key="published"):
            publication.show(chosen, chosen.published_issue, papers)
            reopen.show(chosen)
        papers = papers[: chosen.published_issue.n_papers]  # the box lists papers that were added after publication
    preferred = preferences(cache.store(), visitor.person())
    with line:
        order = _choose_order(chosen) if preferred.is_plain else PRESORT
        context = _context(chosen, papers, order)
        session = _session(context, is_awaited=is_awaited)
        st.caption(escape(_source(context, used_hints)))
        menu.show(chosen, context, partial(_current_view, session))
    if preferred.is_plain:
        plain_list.show(session)
    else:
        paper_list.show(session, preferred)
    duplicates.show(chosen)


def _draw_news(chosen: ReportChoice, n_papers: int, *, begins: bool, may_sort: bool) -> None:
    """Draw notes on how the list is ordered, and buttons to re-rank it."""
    report, issue, ranking = chosen.report, chosen.issue, chosen.ranking
    if may_sort and not chosen.is_sorted:
        reranking.rank_unranked([report])
    reranking.show(report)
    if not visitor.may_edit(report):
        st.info(f"You can view {report}, but not edit it.", icon=":material/visibility:")
    elif not chosen.is_published and not _has_published(report):
        st.caption(UNMARKED)
    if begins:
        return
    begin.show_why_unsorted(ranking)
    if ranking is not None and ranking.ranking.is_sorted and may_sort:
        by = pending.ranking_freshness(cache.store(), report, issue, n_papers, ranking.ranking.ranker)
        hints.show_next(report, issue, ranking.ranking, "list", by=by)


def _has_published(report: str) -> bool:
    """Return True if the report's editors have published a list with Presort. Imported report issues don't count."""
    return any(one.source != "file" for one in publications.published(cache.store(), report).values())


def _source(context: ReviewContext, used_hints: Hints) -> str:
    """Describe a list's size and ranking. `used_hints` are the muted and boosted terms that the ranking used."""
    papers = count_text(len(context.papers), "paper")
    if context.shown is None:
        return f"{papers}, in list order"
    ranking, reranking = context.shown.ranking, context.reranking
    known = criteria(cache.store(), context.report) if used_hints.seeds else None
    trained_on = training_data_text(ranking, used_hints, known.text if known else "")
    parts = [
        f"{papers}, ranked by {ranking.ranker}, trained on {trained_on}",
        describe_hints(used_hints),
    ]
    if reranking is not None and reranking.n_decisions:
        parts.append(f"re-ranked with {count_text(reranking.n_decisions, 'decision')} on this list")
    return ", ".join(filter(None, parts))


def _choose_order(chosen: ReportChoice) -> str:
    return st.segmented_control(
        "Order",
        [PRESORT, LIST_ORDER] if chosen.is_sorted else [LIST_ORDER],
        default=PRESORT if chosen.is_sorted else LIST_ORDER,
        required=True,
        key=f"order-{chosen.report}-{chosen.issue}-{chosen.is_sorted}",
        label_visibility="collapsed",
    )


def _context(chosen: ReportChoice, papers: list[Paper], order: str) -> ReviewContext:
    report, issue = chosen.report, chosen.issue
    shown = chosen.ranking if order == PRESORT and chosen.is_sorted else None
    relevance_model = None if chosen.is_published else cache.relevance_model_for(shown)
    reranking = None if shown is None else newest_reranking(cache.store(), report, issue, shown.id)
    positions = shown_order(shown, len(papers), reranking)
    return ReviewContext(report, issue, papers, shown, positions, relevance_model, chosen.is_published, reranking)


def _session(context: ReviewContext, *, is_awaited: bool) -> ReviewSession:
    """Create a review session for a list. It takes over the filters of the previous session, if there is one."""
    key = f"receiver-{context.report}-{context.issue}"
    before: ReviewSession | None = st.session_state.get(key)
    looked = None if before is None else before.looked
    session = ReviewSession(
        cache.store(), context, visitor.person(), paper_list.background_explainer(context), looked, is_awaited
    )
    st.session_state[key] = session
    return session


def _current_view(session: ReviewSession) -> ListView:
    looked = session.looked
    if looked is None:
        return ListView(session.context.order_name)
    return ListView(looked.order, looked.filter, looked.query, looked.tag)
