"""Why a paper stands where it stands: the question in its details, and the answer once somebody asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.errors import DataError
from data.records import Paper, StoredRanking
from desk import cache
from desk.boxes import hint_box
from desk.reading import Sheet
from desk.why import Why
from desk.words.text import plain
from desk.words.why import hints_say, moved_says, named
from ranker.hints import has

STYLE = """
<style>
[class*="st-key-answer-"] [data-testid="stText"] { font-size: .875rem; opacity: .85; overflow-wrap: anywhere; }
</style>
"""
TOO_YOUNG = "Too little was found relevant for this report to learn from, so nothing moved the paper."
CHANGED = "Something was decided or told since this list was sorted: this is how the paper would be seen now."


@dataclass(frozen=True)
class Answer:
    """Why a paper stands where it stands, None where nothing was learned.

    And whether it stands so in the list; and the terms named that can be muted or boosted.
    """

    why: Why | None
    is_of_list: bool
    terms: Sequence[str]


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
            box.button("Why is it here?", key=f"ask-{key}", type="tertiary", on_click=_ask, args=(key,))
            if key in st.session_state:
                with box:
                    _show_answer(sheet, sheet.shown, position, key, is_issued=is_issued)


@st.fragment
def _show_answer(sheet: Sheet, shown: StoredRanking, position: int, key: str, *, is_issued: bool) -> None:
    try:
        # Kept, so that a click elsewhere in the list computes nothing.
        answer = st.session_state[key] = st.session_state[key] or _answer(sheet, shown, position)
    except DataError as error:
        del st.session_state[key]
        st.error(plain(str(error)))
        return
    with st.container(key=f"answer-{position}", gap="xsmall"):
        st.html(STYLE)
        _draw(answer)
        if answer.why is not None and not is_issued:
            _draw_hints(sheet, shown, position, answer.terms)


def _ask(key: str) -> None:
    """Ask, or have heard enough."""
    if key in st.session_state:
        del st.session_state[key]
    else:
        st.session_state[key] = None


def _answer(sheet: Sheet, shown: StoredRanking, position: int) -> Answer:
    ranker = shown.ranking.ranker
    with st.spinner(f"Looking up what {ranker} learned; the first time this may take a minute or two…"):
        explained = cache.explained(ranker, sheet.issue)
        why = explained.why(sheet.report, position)
        terms = () if why is None else _terms(sheet.papers[position - 1], why)
        return Answer(why, explained.is_of(shown.ranking), terms)


def _draw(answer: Answer) -> None:
    if answer.why is None:
        st.text(TOO_YOUNG)
        return
    if not answer.is_of_list:
        st.text(CHANGED)
    for line in moved_says(answer.why.reasons):
        st.text(line.replace(" %", "\N{NO-BREAK SPACE}%"))
    if heeded := hints_say(answer.why.hints):
        st.text(f"as you told: {heeded}")
    similar = [f"• {pick.title} · {pick.issue or 'your example'}" for pick in answer.why.similar]
    st.text(
        "\n".join(["most like, of your earlier picks:", *similar]) if similar else "like none of your earlier picks"
    )


def _draw_hints(sheet: Sheet, shown: StoredRanking, position: int, terms: Sequence[str]) -> None:
    place = f"{shown.id}-{position}"
    if terms:
        hint_box.show_terms(sheet.report, place, terms)
    hint_box.show_next(sheet.report, sheet.issue, shown.ranking, place)


def _terms(paper: Paper, why: Why) -> list[str]:
    """Give the reasons that can be muted: what the ranker reads otherwise than it is written can't."""
    up, down = named(why.reasons)
    return list(dict.fromkeys(one.text for one in (*up, *down) if one.text and has(paper, one.text)))
