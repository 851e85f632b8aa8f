"""Button in a paper's details that shows the explanation of its rank."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data.errors import DataError
from presort.data.records import StoredRanking
from presort.desk.session.progress import ReviewContext
from presort.desk.text import escape
from presort.desk.ui import visitor
from presort.desk.why import hints
from presort.desk.why.answer import Answer, answer, sections
from presort.desk.why.explainer_cache import cached_explainer


def show(context: ReviewContext, details: Mapping[int, DeltaGenerator], *, is_published: bool) -> None:
    """Draw a button in the details of each scored paper. It shows or hides the explanation of the paper's rank.

    `details` maps 1-based positions in the shown order to containers. Call this function after the list has been drawn,
    because an explanation may take a while to compute.
    """
    if context.shown is None:
        return
    scored = context.score_of()
    for place, box in details.items():
        position = int(context.order[place - 1])
        if position in scored:
            key = f"why-{context.shown.id}-{position}"
            box.button("Why is it here?", key=f"ask-{key}", type="tertiary", on_click=_ask, args=(key,))
            if key in st.session_state:
                with box:
                    _show_answer(context, context.shown, position, key, is_published=is_published)


@st.fragment
@visitor.one_snapshot()
def _show_answer(context: ReviewContext, shown: StoredRanking, position: int, key: str, *, is_published: bool) -> None:
    try:
        # Stored in the session so that other clicks in the list don't compute it again.
        given = st.session_state[key] = st.session_state[key] or _answer(context, shown, position)
    except DataError as error:
        del st.session_state[key]
        st.error(escape(str(error)))
        return
    with st.container(key=f"answer-{position}", gap="xsmall"):
        _draw(given)
        if given.why is not None and not is_published:
            _draw_hints(context, shown, position, given.terms)


def _ask(key: str) -> None:
    """Show or hide the explanation."""
    if key in st.session_state:
        del st.session_state[key]
    else:
        st.session_state[key] = None


def _answer(context: ReviewContext, shown: StoredRanking, position: int) -> Answer:
    ranker = shown.ranking.ranker
    with st.spinner(f"Loading the model of {ranker}. The first time, this may take one or two minutes…"):
        return answer(cached_explainer(shown.ranking.ranker, context.issue), context, position)


def _draw(given: Answer) -> None:
    for heading, lines, _, detail in sections(given):
        st.text("\n".join([heading, *(f"• {line}" for line in lines)]))
        if detail:
            with st.expander("How much each reason contributes", type="compact"):
                st.text("\n".join(detail).replace(" %", "\N{NO-BREAK SPACE}%"))


def _draw_hints(context: ReviewContext, shown: StoredRanking, position: int, terms: Sequence[str]) -> None:
    place = f"{shown.id}-{position}"
    if terms:
        hints.show_terms(context.report, place, terms)
    hints.show_next(context.report, context.issue, shown.ranking, place)
