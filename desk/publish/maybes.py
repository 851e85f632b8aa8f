"""Papers that are still maybe, named before the report issue goes out."""

import streamlit as st

from presort.data.editing import decisions, standing
from presort.data.records import Decision, Word
from presort.data.text.formulas import spelled_out
from presort.desk.publish import words
from presort.desk.publish.draft import PROBLEM
from presort.desk.sending.words import NO_AUTHOR
from presort.desk.sheet.outgoing import Making
from presort.desk.text import plain, shortened
from presort.desk.ui import cache, visitor
from presort.desk.ui.problem import NOT_SAVED, keep


def show(now: Making) -> None:
    """Draw the papers that are maybe, each with a click to decide it; nothing where there are none."""
    if not now.maybe:
        return
    with st.container(border=True, key="maybes", gap="xsmall"):
        st.markdown(words.maybes_say(len(now.maybe)))
        for position in now.maybe:
            _draw(now, position)


def _draw(now: Making, position: int) -> None:
    paper = now.papers[position - 1]
    with st.container(horizontal=True, vertical_alignment="top", key=f"maybe-{position}"):
        with st.container(gap=None, width="stretch"):
            st.text(shortened(spelled_out(paper.title)))
            st.caption(plain(shortened("; ".join(paper.authors) or NO_AUTHOR)))
            if paper.abstract:
                st.expander("Abstract", type="compact").text(spelled_out(paper.abstract))
        with st.container(horizontal=True, width="content"):
            for word, label in {"yes": "Relevant", "no": "Not relevant"}.items():
                key = f"maybe-{now.name}-{paper.paper_id}-{word}"
                st.button(label, key=key, on_click=_decide, args=(now, paper.paper_id, word))


def _decide(now: Making, paper_id: str, word: Word) -> None:
    """Decide a paper as of the list in which it was called maybe: this page tells nothing of how far that was read."""
    store = cache.store()
    said = standing.said(store, now.report, now.issue)[paper_id]
    decision = Decision(
        now.report,
        now.issue,
        paper_id,
        word,
        visitor.person(),
        ranking_id=said.ranking_id,
        is_alone=said.is_alone,  # else a paper found by a search would say that all papers above it were read
    )
    keep(lambda: decisions.decide(store, [decision]), PROBLEM, NOT_SAVED)
