"""The review list of the browser on its page: what it is given, and who receives what it sends."""

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
from presort.desk.components.messages import MayMiss
from presort.desk.components.response import Section
from presort.desk.components.review_list import review_list
from presort.desk.components.sync import sync
from presort.desk.links import links_of
from presort.desk.preferences.keys import Preferences, marked
from presort.desk.sheet.list_key import list_key
from presort.desk.sheet.progress import Sheet
from presort.desk.sheet.receiver import Ask, Receiver
from presort.desk.ui import cache, visitor
from presort.desk.why import answer, cached
from presort.desk.why import hints as hint_box
from presort.desk.why.words import WHY


def show(receiver: Receiver, preferences: Preferences) -> None:
    """Draw all papers of an issue as one list; what is decided there comes in without drawing the page anew."""
    sheet, store = receiver.sheet, receiver.store
    key = list_key(store, sheet.report, sheet.issue, receiver.person)
    _serve(receiver, key)
    review_list(
        sheet.papers,
        order=[] if sheet.shown is None else sheet.order.tolist(),
        key=key,
        ranking=None if sheet.shown is None else sheet.shown.id,
        scores=sheet.score_of(),
        links={paper.paper_id: links for paper in sheet.papers if (links := links_of(paper))},
        marked=_marked(receiver),
        tags=notes.tags_of(store, sheet.report, besides=sheet.issue),  # its own come with the responses
        has_notes=True,
        has_answers=sheet.shown is not None,
        is_locked=sheet.is_issued or not visitor.may_edit(sheet.report),
        choices=get_args(MayMiss),
        keys=preferences.keys,
    )


def asker(sheet: Sheet) -> Ask:
    """Return what finds out why a paper stands where it stands, beside the page: it may take a while."""
    context = get_script_run_ctx()  # of the page: questions come in without it
    return lambda paper_id: _thinker().submit(_answer, context, sheet, paper_id)


@st.fragment
def _serve(receiver: Receiver, key: str) -> None:
    sync(receiver.receive, key=key, owner=visitor.identity())
    if receiver.is_leaving:
        receiver.is_leaving = False
        st.switch_page(pages.link("publish"))
    sheet = receiver.sheet
    if receiver.has_hinted and sheet.shown is not None:
        hint_box.show_next(sheet.report, sheet.issue, sheet.shown.ranking, "told-in-list")


@st.cache_resource(show_spinner=False)
def _thinker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="why")  # each question takes a core and much memory


def _answer(context: ScriptRunContext | None, sheet: Sheet, paper_id: str) -> Sequence[Section]:
    add_script_run_ctx(threading.current_thread(), context)  # so that `cache` is the page's
    said = answer.said_before(cache.store(), sheet, paper_id)
    if sheet.shown is None:
        return said
    position = next(n for n, paper in enumerate(sheet.papers, start=1) if paper.paper_id == paper_id)
    try:
        explained = cached.explained(sheet.shown.ranking.ranker, sheet.issue)
        found = answer.sections(answer.answer(explained, sheet, position))
    except (BrokenRankerError, RefusedError) as error:  # a ranker that fails, or is not known any more
        found = [Section(WHY, [str(error)])]
    return [*found, *said]


def _marked(receiver: Receiver) -> list[str]:
    """Return the words to highlight: the editor's own, those lifted for the report, and the ranker's."""
    sheet = receiver.sheet
    own = marked(receiver.store, receiver.person, sheet.report)
    lifted = hints(receiver.store.cleared(Right.SEE, sheet.report)).get(sheet.report, Hints()).boosted
    learned = sheet.shown.ranking.words if sheet.shown is not None else ()
    return list(dict.fromkeys([*own, *lifted, *learned]))
