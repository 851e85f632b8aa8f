"""Possible duplicates: pairs of papers that are drawn side by side, with buttons to keep both papers or merge them."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Literal

import streamlit as st

from presort.data.duplicates.listings import PossibleDuplicate, decide, possible_duplicates
from presort.data.records import Paper
from presort.desk.manage.tables import SAME_BY
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, confirm, visitor

AT_ONCE = 10  # number of pairs shown at first, because drawing hundreds takes a long time
N_SHOWN = "n-duplicates"
HELP = (
    "These new papers may be duplicates of known papers. Until you decide, both papers of a pair appear in issues. "
    "After a merge, the new paper stays in its current lists, but it will not appear in later issues."
)


def show() -> None:
    """Draw the possible duplicates that have not been resolved. Draws nothing if there are none."""
    pairs = possible_duplicates(cache.store())
    if not pairs:
        return
    st.header(count_text(len(pairs), "possible duplicate"), anchor=False)
    st.caption(HELP)
    n_shown = st.session_state.get(N_SHOWN, AT_ONCE)
    for pair in pairs[:n_shown]:
        _draw(pair)
    if len(pairs) > n_shown:
        st.button("Show more", key="more-duplicates", on_click=_show_more, args=(n_shown,))


def _show_more(n_shown: int) -> None:
    st.session_state[N_SHOWN] = n_shown + AT_ONCE


def _draw(pair: PossibleDuplicate) -> None:
    paper_id = pair.paper.paper_id
    with st.container(border=True, key=f"pair-{paper_id}"):
        st.caption(escape(SAME_BY[pair.how]))
        left, right = st.columns(2, gap="large")
        with left:
            _draw_paper("New", pair.paper, pair.issues)
        with right:
            _draw_paper("Known", pair.other, pair.other_issues)
        with st.container(horizontal=True):
            _draw_button("Keep both", "keep", paper_id)
            _draw_button("Merge", "merge", paper_id)


def _draw_button(label: str, kind: Literal["keep", "merge"], paper_id: str) -> None:
    ids = {"keep": [], "merge": [], kind: [paper_id]}
    change = partial(decide, cache.store(), **ids, person=visitor.person())
    done = f"{paper_id}: {'both papers kept' if kind == 'keep' else 'merged; it will not appear in later issues'}"
    # A callback saves the decision before the page is redrawn, so the redrawn page no longer shows the pair.
    st.button(label, key=f"{kind}-{paper_id}", on_click=confirm.make, args=(done, change))


def _draw_paper(label: str, paper: Paper, issues: Sequence[date]) -> None:
    with st.container(gap="xsmall"):
        st.caption(escape(f"{label}: {paper.paper_id}, issues: {', '.join(map(str, issues)) or 'none'}"))
        st.markdown(f"**{escape(paper.title)}**")
        st.markdown(escape("; ".join(paper.authors) or "No authors"))
        st.markdown(f":small[{escape(paper.abstract or 'No abstract')}]")
