"""Example papers and phrases for a report's subject.

They are used to rank the report's lists until the report has enough training data.
"""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from presort.data.editing import decisions
from presort.data.records import HintKind, Hints, ListedPaper, Ranking, StoredRanking
from presort.data.rights import Right
from presort.desk.text import count_text
from presort.desk.ui import cache, examples, field, problem, reranking, visitor
from presort.desk.why import hints
from presort.desk.why.labels import example_of, title_of
from presort.ranker.gather import MIN_RELEVANT

NOT_RANKED, MORE = "**Not ranked yet: start with examples**", "Add examples"
CHANGED = "examples-changed"


def is_cold_start(report: str, ranking: StoredRanking | None, used_hints: Hints) -> bool:
    """Return True if a report has too few relevant papers for training. Examples that its ranking used don't count."""
    if ranking is None:
        return decisions.n_relevant(cache.store().without_guard(Right.SEE, report), [report])[report] < MIN_RELEVANT
    return ranking.ranking.n_relevant - len(used_hints.seeds) < MIN_RELEVANT


def show_why_unsorted(ranking: StoredRanking | None) -> None:
    """Draw a line explaining that the list is shown in list order because its ranker lacked training data."""
    if ranking is not None and not ranking.ranking.is_sorted:
        st.info(f"{_explain_list_order(ranking.ranking)} Each decision improves the next ranking.")


def show(report: str, issue: date, ranking: StoredRanking | None) -> None:
    """Draw the box where editors add examples of the report's subject, which are used to rank its lists."""
    sorted_by = ranking.ranking if ranking is not None and ranking.ranking.is_sorted else None
    why = (
        _explain_list_order(ranking.ranking)
        if ranking is not None and sorted_by is None
        else "There are too few decisions to rank this list well."
    )
    _begin(report, issue, sorted_by, why)


def _explain_list_order(ranking: Ranking) -> str:
    return f"In list order: {count_text(ranking.n_relevant, 'relevant paper')} so far, too few to learn from."


@st.fragment
@visitor.one_snapshot()
def _begin(report: str, issue: date, sorted_by: Ranking | None, why: str) -> None:
    current = hints.report_hints(report)
    if st.session_state.pop(CHANGED, False):
        st.rerun()  # reruns the whole page, because its list is being ranked
    label = NOT_RANKED if sorted_by is None else MORE
    # Closed at first, because the list is more important. Both labels share one key, so that text the user is typing
    # isn't lost when the list is ranked.
    with st.expander(label, icon=":material/school:", type="compact", key="begin"):
        st.write(
            f"{why} Add examples of this report's subject. A few are enough for a first ranking, and each decision "
            "improves it."
        )
        left, right = st.columns(2, gap="medium")
        with left:
            _draw_pasting(report)
            _draw_examples(report, current.seeds)
        with right:
            _draw_search(report, current.seeds)


def _draw_pasting(report: str) -> None:
    key = f"pasted-{report}"
    examples.draw_pasting(f"form-{key}", key, f"add-{report}", _add_pasted_text, report, key, problem_at=key)


def _add_pasted_text(report: str, key: str) -> None:
    _save_example(report, "seed", field.text_of(key), key)
    if not problem.has_error(key):
        field.renew(key)


def _save_example(report: str, kind: HintKind, text: str, place: str) -> None:
    """Add or remove an example, and queue the report's lists for ranking."""
    hints.save_hint(report, kind, text, place)
    if not problem.has_error(place):
        st.session_state[CHANGED] = True
        reranking.rank_report(report)


def _draw_search(report: str, seeds: Sequence[str]) -> None:
    for listed in examples.ask_for_papers(f"find-{report}"):
        _draw_search_result(report, listed, is_taken=example_of(listed.paper) in seeds)


def _draw_search_result(report: str, listed: ListedPaper, *, is_taken: bool) -> None:
    place, text = f"take-{report}-{listed.paper.paper_id}", example_of(listed.paper)
    label = "Added" if is_taken else "Add"
    _draw_line(report, f"{listed.paper.title} · {listed.issue}", label, "seed", text, place, is_done=is_taken)


def _draw_examples(report: str, seeds: Sequence[str]) -> None:
    if seeds:
        st.markdown(f"**{count_text(len(seeds), 'example')}**")
    for number, text in enumerate(seeds, start=1):
        _draw_line(report, title_of(text), "Remove", "none", text, f"example-{report}-{number}")


def _draw_line(
    report: str, shown: str, label: str, kind: HintKind, text: str, place: str, *, is_done: bool = False
) -> None:
    """Draw a paper or an example, with a button to add or remove it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"line-{place}"):
        st.text(shown, width="stretch")
        args = (report, kind, text, place)
        st.button(label, key=place, type="tertiary", disabled=is_done, on_click=_save_example, args=args)
    problem.show(place)
