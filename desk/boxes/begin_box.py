"""How a report begins that has too little to learn from: with examples of what it is about."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from data import catalogue, reviews
from data.records import HintKind, Hints, ListedPaper, Ranking, StoredRanking
from desk import cache, rankers
from desk.boxes import hint_box
from desk.words import hints as words
from desk.words.text import counted
from desk.words.why import example_of, title_of
from ranker.gather import MIN_RELEVANT

N_FOUND = 8
LONGEST_QUESTION = 200  # characters
STYLE = """
<style>
[class*="st-key-line-"] { flex-wrap: nowrap; }
[class*="st-key-line-"] > :first-child { min-width: 0; overflow-wrap: anywhere; }
</style>
"""


def report_is_young(report: str, ranking: StoredRanking | None, heeded: Hints) -> bool:
    """Tell whether too little was found relevant to learn from without examples.

    Parameters
    ----------
    ranking : StoredRanking or None
        What the issue is sorted by, if by any.
    heeded : Hints
        What counted for it.
    """
    if ranking is None:
        return reviews.n_relevant(cache.store())[report] < MIN_RELEVANT
    return ranking.ranking.n_relevant - len(heeded.seeds) < MIN_RELEVANT


def show(report: str, issue: date, ranking: StoredRanking | None, *, is_young: bool, is_issued: bool) -> None:
    """Say why a list is not sorted, and offer to sort it; from examples where there is nothing else."""
    sorted_by = ranking.ranking if ranking is not None and len(ranking.ranking.scores) else None
    if ranking is not None and sorted_by is None:
        st.info(words.in_list_order(ranking.ranking.n_relevant))
    if is_issued:
        return
    by = rankers.active(cache.store(), issue) if ranking is None else ranking.ranking.ranker
    if is_young:
        _begin(report, issue, by, sorted_by)
    elif ranking is None:
        st.info(words.NOT_SORTED)
        _draw_sorting(report, issue, by)


@st.fragment
def _begin(report: str, issue: date, ranker: str, sorted_by: Ranking | None) -> None:
    told = hint_box.of(report)
    with st.expander(words.BEGIN, expanded=sorted_by is None, icon=":material/school:"):
        st.html(STYLE)
        st.write(words.INTRODUCTION)
        left, right = st.columns(2, gap="medium")
        with left:
            _draw_pasting(report)
            _draw_examples(report, told.seeds)
            if sorted_by is None and told.seeds:
                _draw_sorting(report, issue, ranker)
        with right:
            _draw_search(report, told.seeds)
    if sorted_by is not None:
        hint_box.show_next(report, issue, sorted_by, "begin")


def _draw_sorting(report: str, issue: date, ranker: str) -> None:
    if st.button(words.SORT, key="sort-it", icon=":material/sort:"):
        hint_box.sort_now(report, issue, ranker)


def _draw_pasting(report: str) -> None:
    key = f"pasted-{report}"
    with st.form(f"form-{key}", border=False):  # sends the text with the click
        st.text_area(words.PASTE, key=key, height=150)
        st.form_submit_button(words.ADD, key=f"add-{report}", on_click=_add_pasted, args=(report, key))
    hint_box.say_problem(key)


def _add_pasted(report: str, key: str) -> None:
    hint_box.give(report, "seed", st.session_state[key], key)
    if not hint_box.has_problem(key):
        st.session_state[key] = ""


def _draw_search(report: str, seeds: Sequence[str]) -> None:
    asked = st.text_input(words.FIND, key=f"find-{report}", max_chars=LONGEST_QUESTION)
    found = catalogue.find_papers(cache.store(), asked, N_FOUND)
    if asked.strip() and not found:
        st.caption(words.NONE_FOUND)
    for listed in found:
        _draw_found(report, listed, is_taken=example_of(listed.paper) in seeds)


def _draw_found(report: str, listed: ListedPaper, *, is_taken: bool) -> None:
    place, text = f"take-{report}-{listed.paper.paper_id}", example_of(listed.paper)
    label = words.TAKEN if is_taken else words.TAKE
    _draw_line(report, f"{listed.paper.title} · {listed.issue}", label, "seed", text, place, is_done=is_taken)


def _draw_examples(report: str, seeds: Sequence[str]) -> None:
    if seeds:
        st.markdown(f"**{counted(len(seeds), 'example')}**")
    for number, text in enumerate(seeds, start=1):
        _draw_line(report, title_of(text), words.TAKE_BACK, "none", text, f"example-{report}-{number}")


def _draw_line(
    report: str, shown: str, label: str, kind: HintKind, text: str, place: str, *, is_done: bool = False
) -> None:
    """Draw a paper or an example, and what a click can do with it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"line-{place}"):
        st.text(shown, width="stretch")
        args = (report, kind, text, place)
        st.button(label, key=place, type="tertiary", disabled=is_done, on_click=hint_box.give, args=args)
    hint_box.say_problem(place)
