"""Draw the review list in the browser, and connect it with the review session that handles its messages."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import streamlit as st
from streamlit.runtime.scriptrunner import ScriptRunContext, add_script_run_ctx, get_script_run_ctx

from presort.data.editing import notes
from presort.data.editing.hints import hints
from presort.data.errors import BrokenRankerError, RefusedError
from presort.data.records import Hints
from presort.data.rights import Right
from presort.desk import pages
from presort.desk.components.response import Section
from presort.desk.components.review_list import review_list
from presort.desk.links import links_of
from presort.desk.preferences.keys import Preferences, highlights
from presort.desk.session.list_order import reranking_for_browser
from presort.desk.session.progress import ReviewContext, list_key, shown_order
from presort.desk.session.review_session import Ask, ReviewSession
from presort.desk.ui import cache, visitor
from presort.desk.web.review_channel import sync
from presort.desk.why import answer
from presort.desk.why import hints as hint_box
from presort.desk.why.explainer_cache import cached_explainer
from presort.desk.why.labels import WHY
from presort.ranker.stopping.forecast import TargetRecall


def show(session: ReviewSession, preferences: Preferences) -> None:
    """Draw all papers in an issue as one list. Saving a decision doesn't redraw the page."""
    context, store = session.context, session.store
    key = list_key(store, context.report, context.issue, session.person)
    _serve(session, key)
    review_list(
        context.papers,
        order=[] if context.shown is None else shown_order(context.shown, len(context.papers)).tolist(),
        reranking=reranking_for_browser(store, context),
        key=key,
        ranking=None if context.shown is None else context.shown.id,
        scores=context.score_of(),
        links={paper.paper_id: links for paper in context.papers if (links := links_of(paper))},
        marked=_words_to_highlight(session),
        # The tags of this issue are left out, because the review session sends them with its responses.
        tags=notes.tags_of(store, context.report, besides=context.issue),
        has_notes=True,
        has_answers=context.shown is not None,
        is_locked=context.is_published or not visitor.may_edit(context.report),
        choices=get_args(TargetRecall),
        keys=preferences.keys,
    )


def background_explainer(context: ReviewContext) -> Ask:
    """Return a function that explains a paper's rank in a background thread."""
    run_context = get_script_run_ctx()  # requests from the list arrive outside the page's Streamlit context
    return lambda paper_id: _explanation_thread().submit(_answer, run_context, context, paper_id)


@st.fragment
@visitor.one_snapshot()
def _serve(session: ReviewSession, key: str) -> None:
    sync(session.receive, key=key, owner=visitor.identity())
    if session.is_outdated:
        st.rerun()
    if session.is_leaving:
        session.is_leaving = False
        st.switch_page(pages.link("publish"))
    context = session.context
    if session.has_hinted and context.shown is not None:
        hint_box.show_next(context.report, context.issue, context.shown.ranking, "hints-in-list")


@st.cache_resource(show_spinner=False)
def _explanation_thread() -> ThreadPoolExecutor:
    # One explanation at a time, because each takes a processor core and a lot of memory.
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="why")


def _answer(run_context: ScriptRunContext | None, context: ReviewContext, paper_id: str) -> Sequence[Section]:
    add_script_run_ctx(threading.current_thread(), run_context)  # so that `cache` uses the page's session
    history = answer.decision_history(cache.store(), context, paper_id)
    if context.shown is None:
        return history
    position = next(n for n, paper in enumerate(context.papers, start=1) if paper.paper_id == paper_id)
    try:
        explainer = cached_explainer(context.shown.ranking.ranker, context.issue)
        found = answer.sections(answer.answer(explainer, context, position))
    except (BrokenRankerError, RefusedError) as error:  # the ranker failed or is no longer installed
        found = [Section(WHY, [str(error)])]
    return [*found, *history]


def _words_to_highlight(session: ReviewSession) -> list[str]:
    """Return the words to highlight: the editor's own, the report's boosted terms, and terms learned by the ranker."""
    context = session.context
    own = highlights(session.store, session.person, context.report)
    lifted = hints(session.store.without_guard(Right.SEE, context.report)).get(context.report, Hints()).boosted
    learned = context.shown.ranking.words if context.shown is not None else ()
    return list(dict.fromkeys([*own, *lifted, *learned]))
