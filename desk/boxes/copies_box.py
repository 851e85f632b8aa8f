"""Papers that came in with an issue, but that its reader has seen before: where, and a way into the list."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import streamlit as st

from data import reviews
from data.copies import Copy, copies, separate
from data.errors import DataError
from data.records import Word
from desk import access, cache
from desk.boxes.choosing import Chosen
from desk.words import copies as words
from desk.words.text import plain

AT_ONCE = 20  # a line takes a moment to draw

Said = Mapping[date, Mapping[str, Word]]


@st.fragment
def show(chosen: Chosen) -> None:
    """Draw the papers that the issue does not list as they are copies of known ones; nothing where there are none."""
    found = copies(cache.store(), chosen.issue)
    if not found:
        return
    with st.expander(words.head(len(found)), icon=":material/content_copy:", key=f"copies-{chosen.issue}"):
        key = f"n-copies-{chosen.issue}"
        n_shown = st.session_state.get(key, AT_ONCE)
        issued = reviews.issued(cache.store(), chosen.report)
        said = _said(chosen.report, found[:n_shown])
        for copy in found[:n_shown]:
            _draw(copy, chosen, said, issued)
        if len(found) > n_shown:
            st.button(words.MORE, key=f"more-{key}", on_click=_show_more, args=(key, n_shown))


def _show_more(key: str, n_shown: int) -> None:
    st.session_state[key] = n_shown + AT_ONCE


def _said(report: str, shown: Sequence[Copy]) -> Said:
    """Give what the report said of the papers of every issue that lists a known one."""
    days = {day for copy in shown for day in copy.issues}
    return {day: reviews.words(cache.store(), report, day) for day in days}


def _draw(copy: Copy, chosen: Chosen, said: Said, issued: Collection[date]) -> None:
    paper_id = copy.paper.paper_id
    words_on_it = {day: said[day].get(copy.known.paper_id) for day in copy.issues}
    listed = next((day for day, word in words_on_it.items() if word == "yes"), copy.issues[0])
    left, right = st.columns([3, 1], vertical_alignment="center", gap="medium")
    with left.container(gap=None):
        st.text(copy.paper.title)
        where = words.seen(listed, chosen.issue, words_on_it[listed], issued)
        st.caption(plain(f"{words.also_as(copy)}, {where}"))
    if not chosen.is_issued and right.button(words.SEPARATE, key=f"separate-{paper_id}", type="tertiary"):
        _separate(paper_id)


def _separate(paper_id: str) -> None:
    try:
        separate(cache.store(), paper_id, person=access.current_person())
    except DataError as error:  # a fragment has no frame around it that would say so
        st.error(plain(str(error)))
    else:
        st.toast(words.SEPARATED)
        st.rerun()  # the list too
