"""How a report begins that has too little to learn from: with examples of what it is about."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from presort.data.editing import decisions
from presort.data.records import HintKind, Hints, ListedPaper, Ranking, StoredRanking
from presort.data.rights import Right
from presort.desk.service import rankers
from presort.desk.text import counted
from presort.desk.ui import cache, examples, field, problem
from presort.desk.why import hints
from presort.desk.why.words import example_of, title_of
from presort.ranker.gather import MIN_RELEVANT

NOT_SORTED, MORE = "**Not sorted yet: begin with examples**", "Begin with examples"


def report_is_young(report: str, ranking: StoredRanking | None, used_hints: Hints) -> bool:
    """Return whether too little was found relevant to learn from without the examples heeded, where it is sorted."""
    if ranking is None:
        return decisions.n_relevant(cache.store().cleared(Right.SEE, report), [report])[report] < MIN_RELEVANT
    return ranking.ranking.n_relevant - len(used_hints.seeds) < MIN_RELEVANT


def show_why_unsorted(report: str, issue: date, ranking: StoredRanking | None, *, can_be_sorted: bool) -> None:
    """State in a line why a list is not sorted, where it is not, and offer to sort it where it can be.

    Where examples are asked for, that line is the head of their box.
    """
    if ranking is not None and not ranking.ranking.is_sorted:
        st.info(f"{_too_few(ranking.ranking)} Every paper you mark teaches the next ranking.")
    elif ranking is None and can_be_sorted:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown("Not sorted for this report yet: in the order received.", width="content")
            _draw_sorting(report, issue, rankers.active(cache.store(), issue))


def show(report: str, issue: date, ranking: StoredRanking | None) -> None:
    """Ask for examples of what a report is about, to sort a list by."""
    sorted_by = ranking.ranking if ranking is not None and ranking.ranking.is_sorted else None
    by = rankers.active(cache.store(), issue) if ranking is None else ranking.ranking.ranker
    why = (
        _too_few(ranking.ranking)
        if ranking is not None and sorted_by is None
        else "There is too little to learn from yet."
    )
    _begin(report, issue, by, sorted_by, why)


def _too_few(ranking: Ranking) -> str:
    return f"In list order: {counted(ranking.n_relevant, 'relevant paper')} so far, too few to learn from."


@st.fragment
def _begin(report: str, issue: date, ranker: str, sorted_by: Ranking | None, why: str) -> None:
    current = hints.of(report)
    label, key = (NOT_SORTED, "begin") if sorted_by is None else (MORE, "begin-again")
    with st.expander(label, icon=":material/school:", type="compact", key=key):  # in a line: the list comes first
        st.html(examples.STYLE)
        st.write(
            f"{why} Show what this report is about: a few examples are enough to sort by, and every paper you mark "
            "later teaches more."
        )
        left, right = st.columns(2, gap="medium")
        with left:
            _draw_pasting(report)
            _draw_examples(report, current.seeds)
            if sorted_by is None and current.seeds:
                _draw_sorting(report, issue, ranker)
        with right:
            _draw_search(report, current.seeds)
    if sorted_by is not None:
        hints.show_next(report, issue, sorted_by, "begin")


def _draw_sorting(report: str, issue: date, ranker: str) -> None:
    if st.button("Sort it now", key="sort-it", icon=":material/sort:"):
        hints.sort_now(report, issue, ranker)


def _draw_pasting(report: str) -> None:
    key = f"pasted-{report}"
    examples.draw_pasting(f"form-{key}", key, f"add-{report}", _add_pasted, report, key, problem_at=key)


def _add_pasted(report: str, key: str) -> None:
    hints.give(report, "seed", field.text_of(key), key)
    if not problem.is_noted(key):
        field.empty(key)


def _draw_search(report: str, seeds: Sequence[str]) -> None:
    for listed in examples.ask_for_papers(f"find-{report}"):
        _draw_found(report, listed, is_taken=example_of(listed.paper) in seeds)


def _draw_found(report: str, listed: ListedPaper, *, is_taken: bool) -> None:
    place, text = f"take-{report}-{listed.paper.paper_id}", example_of(listed.paper)
    label = "taken" if is_taken else "Take"
    _draw_line(report, f"{listed.paper.title} · {listed.issue}", label, "seed", text, place, is_done=is_taken)


def _draw_examples(report: str, seeds: Sequence[str]) -> None:
    if seeds:
        st.markdown(f"**{counted(len(seeds), 'example')}**")
    for number, text in enumerate(seeds, start=1):
        _draw_line(report, title_of(text), "Take back", "none", text, f"example-{report}-{number}")


def _draw_line(
    report: str, shown: str, label: str, kind: HintKind, text: str, place: str, *, is_done: bool = False
) -> None:
    """Draw a paper or an example, and what a click can do with it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"line-{place}"):
        st.text(shown, width="stretch")
        args = (report, kind, text, place)
        st.button(label, key=place, type="tertiary", disabled=is_done, on_click=hints.give, args=args)
    problem.show(place)
