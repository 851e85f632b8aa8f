"""Finish: leave out, put in order, write notes, look at it, and issue the report; each step optional but the last."""

from collections.abc import Sequence

import streamlit as st

from data import catalogue, reviews
from data.errors import DataError
from data.records import ReportIssue, Word
from desk import access, cache, workflow
from desk.boxes import again_box, draft_box, issued_box, reopen_box, send_box
from desk.boxes.choosing import Chosen, choose
from desk.making import Making, making
from desk.pages import review
from desk.words import finish as words
from desk.words.text import plain

NOTICE = "finish-notice"  # what the last click found, until it is shown

# Static: the word lies across the preview, again and again.
STYLE = f"""
<style>
.st-key-draft pre {{
    background-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='460' height='300'%3E\
%3Ctext x='230' y='170' text-anchor='middle' transform='rotate(-18 230 150)' font-family='sans-serif' font-size='84' \
font-weight='700' letter-spacing='8' fill='gray' fill-opacity='.2'%3E{words.DRAFT}%3C/text%3E%3C/svg%3E");
    background-repeat: repeat-y; background-position: 3rem 0; }}
</style>
"""


def show() -> None:
    """Draw the steps from the relevant papers of an issue to the report issue."""
    st.title(words.TITLE, anchor=False)
    if chosen := choose():
        again_box.show(chosen.report)
        _finish(chosen)


@st.fragment
def _finish(chosen: Chosen) -> None:
    gone_out = reviews.issued(cache.store(), chosen.report).get(chosen.issue)
    if (gone_out is None) != (chosen.gone_out is None):
        st.rerun()  # the boxes above say it too
    draft_box.say_problem()
    if notice := st.session_state.pop(NOTICE, None):
        st.info(plain(notice))
    send_box.say(chosen.report, chosen.issue)
    st.page_link(st.Page(review.show, title=words.BACK, icon=":material/arrow_back:", url_path="review", default=True))
    if gone_out is None:
        _draw_steps(making(cache.store(), chosen.report, chosen.issue, chosen.ranking if chosen.is_sorted else None))
    else:
        issued_box.show(chosen, gone_out, catalogue.papers(cache.store(), chosen.issue))
        send_box.show(chosen.report, chosen.issue)
        reopen_box.show(chosen)


def _draw_steps(now: Making) -> None:
    st.html(STYLE)
    with st.expander(words.FILTER, expanded=True, key="filter"):
        _draw_filter(now)
    with st.expander(words.ORDER, key="order"):
        draft_box.show_order(now)
    with st.expander(words.NOTES, key="notes"):
        draft_box.show_notes(now)
    with st.expander(words.PREVIEW, key="draft"):
        draft = ReportIssue(now.report, now.issue, (), access.current_person(), note=now.draft.note)
        issued_box.show_text(draft, list(now.published.values()), is_draft=True)
    send_box.show_test(now.report, now.issue)
    _draw_issuing(now)


def _draw_filter(now: Making) -> None:
    if not now.relevant:
        st.write(words.NOTHING_RELEVANT)
        return
    st.markdown(words.FILTER_HINT)
    with st.container(horizontal=True):
        st.button(words.ALL, key="publish-all", on_click=_publish, args=(now, now.relevant, "yes"))
        st.button(words.NONE, key="publish-none", on_click=_publish, args=(now, now.relevant, "no"))
    with st.container(gap="xsmall"):
        for place, position in enumerate(now.relevant, start=1):
            _draw_tick(now, place, position)
    st.markdown(words.goes_out(len(now.outgoing), len(now.relevant)))


def _draw_tick(now: Making, place: int, position: int) -> None:
    paper = now.papers[position - 1]
    key = f"publish-{now.name}-{paper.paper_id}"
    is_published = position in now.outgoing
    if st.session_state.get(key) != is_published:  # what is saved is what is shown, also if somebody else saved it
        st.session_state[key] = is_published
    authors = plain(words.shortened("; ".join(paper.authors) or words.NO_AUTHOR))
    label = f"{place} · {plain(words.shortened(paper.title))} :gray[{authors}]"
    st.checkbox(label, key=key, on_change=_save_tick, args=(now, position, key))


def _save_tick(now: Making, position: int, key: str) -> None:
    _publish(now, [position], "yes" if st.session_state[key] else "no")


def _publish(now: Making, positions: Sequence[int], word: Word) -> None:
    said = now.decisions(positions, word, person=access.current_person())
    draft_box.keep(lambda: reviews.decide(cache.store(), said))


def _draw_issuing(now: Making) -> None:
    st.button(words.ISSUE, key="issue-it", type="primary", on_click=_issue, args=(now,))
    st.markdown(words.goes_out(len(now.outgoing), len(now.relevant)) if now.outgoing else words.EMPTY)


def _issue(now: Making) -> None:
    if _has_gone_out(now):
        st.session_state[NOTICE] = words.ISSUED_ALREADY
        return
    if not draft_box.save_notes(now):  # one may still be on its way when the button is clicked
        return
    if making(cache.store(), now.report, now.issue, now.shown).outgoing != now.outgoing:
        st.session_state[NOTICE] = words.CHANGED
        return
    try:
        workflow.issue_report(cache.store(), now.report, now.issue, now.shown, person=access.current_person())
    except DataError as error:
        if _has_gone_out(now):  # another window was quicker
            st.session_state[NOTICE] = words.ISSUED_ALREADY
        else:
            st.session_state[draft_box.PROBLEM] = words.not_issued(str(error))
    else:
        again_box.begin_after(now.report, now.issue)


def _has_gone_out(now: Making) -> bool:
    return now.issue in reviews.issued(cache.store(), now.report)
