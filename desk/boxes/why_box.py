"""Why a paper stands where it stands: the question in its details, and the answer once somebody asks."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.errors import DataError
from data.records import StoredRanking
from desk import cache
from desk.answering import Answer, answer, sections
from desk.boxes import hint_box
from desk.reading import Sheet
from desk.words.text import plain
from desk.words.why import LOOKING_UP, WHY_IS_IT_HERE

STYLE = """
<style>
[class*="st-key-answer-"] [data-testid="stText"] { font-size: .875rem; opacity: .85; overflow-wrap: anywhere; }
</style>
"""


def show(sheet: Sheet, details: Mapping[int, DeltaGenerator], *, is_issued: bool) -> None:
    """Draw the question into the details of each paper that the sheet's ranking sorted, and the answers asked for.

    Parameters
    ----------
    details : mapping from int to container
        By place. The list is whole by now: an answer may take a while.
    """
    if sheet.shown is None:
        return
    for place, box in details.items():
        if place <= len(sheet.shown.ranking.scores):
            position = int(sheet.order[place - 1])
            key = f"why-{sheet.shown.id}-{position}"
            box.button(WHY_IS_IT_HERE, key=f"ask-{key}", type="tertiary", on_click=_ask, args=(key,))
            if key in st.session_state:
                with box:
                    _show_answer(sheet, sheet.shown, position, key, is_issued=is_issued)


@st.fragment
def _show_answer(sheet: Sheet, shown: StoredRanking, position: int, key: str, *, is_issued: bool) -> None:
    try:
        # Kept, so that a click elsewhere in the list computes nothing.
        given = st.session_state[key] = st.session_state[key] or _answer(sheet, shown, position)
    except DataError as error:
        del st.session_state[key]
        st.error(plain(str(error)))
        return
    with st.container(key=f"answer-{position}", gap="xsmall"):
        st.html(STYLE)
        _draw(given)
        if given.why is not None and not is_issued:
            _draw_hints(sheet, shown, position, given.terms)


def _ask(key: str) -> None:
    """Ask, or have heard enough."""
    if key in st.session_state:
        del st.session_state[key]
    else:
        st.session_state[key] = None


def _answer(sheet: Sheet, shown: StoredRanking, position: int) -> Answer:
    with st.spinner(LOOKING_UP.format(ranker=shown.ranking.ranker)):
        return answer(cache.explained(shown.ranking.ranker, sheet.issue), sheet, position)


def _draw(given: Answer) -> None:
    for heading, lines, _ in sections(given):
        st.text("\n".join([heading, *(f"• {line}" for line in lines)]).replace(" %", "\N{NO-BREAK SPACE}%"))


def _draw_hints(sheet: Sheet, shown: StoredRanking, position: int, terms: Sequence[str]) -> None:
    place = f"{shown.id}-{position}"
    if terms:
        hint_box.show_terms(sheet.report, place, terms)
    hint_box.show_next(sheet.report, sheet.issue, shown.ranking, place)
