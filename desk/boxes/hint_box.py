"""What an editor mutes and boosts: a way to do it, the list of it with a way back, and sorting again by it."""

from collections.abc import Callable, Sequence
from datetime import date

import streamlit as st

from data.errors import DataError
from data.hints import add_hint, hints
from data.records import HintKind, Hints, Ranking
from desk import access, cache, workflow
from desk.boxes import choosing
from desk.words import hints as words
from desk.words.text import plain
from desk.words.why import next_says
from ranker.versions import RECIPES


def show(report: str) -> None:
    """Draw what opens all that is muted and boosted, each with a way back, and takes another term."""
    with st.expander(words.MUTE_OR_BOOST, type="compact"):  # not a popover, into which no key leads
        place = "list"
        # A form sends the term with the click; without it the two would be on their way one after the other.
        with st.form(f"form-{place}", enter_to_submit=False, border=False):
            st.text_input(words.TERM, key=_name_of_term(place))
            _draw_buttons(report, place, _give_typed, st.form_submit_button)
        for said, term in words.given(of(report)):
            _draw_given(report, said, term)


def show_terms(report: str, place: str, terms: Sequence[str]) -> None:
    """Draw terms to choose from, and what mutes or boosts the one chosen.

    Parameters
    ----------
    report : str
        Code of the report.
    place : str
        Where on the page this stands; no two are the same.
    terms : sequence of str
        Each once.
    """
    chosen = st.pills(words.MUTE_OR_BOOST, terms, format_func=plain, key=_name_of_term(place))
    if chosen is not None and _draw_buttons(report, place, _give, st.button):
        st.rerun()  # also what stands above the list


def _draw_buttons(
    report: str, place: str, on_click: Callable[[str, HintKind, str], None], button: Callable[..., bool]
) -> bool:
    """Draw what mutes or boosts; tell whether that was done."""
    with st.container(horizontal=True):
        clicks = [
            button(verb, key=f"{kind}-{place}", help=words.EFFECTS[kind], on_click=on_click, args=(report, kind, place))
            for kind, verb in words.VERBS.items()
        ]
    is_kept = any(clicks) and not has_problem(place)
    say_problem(place)
    return is_kept


def show_next(report: str, issue: date, ranking: Ranking, place: str) -> None:
    """Say what the next ranking will heed that this one did not, and offer to make it."""
    if said := next_says(of(report, ranking.hints_up_to), of(report)):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(said), width="content")
            if st.button(words.SORT_AGAIN, key=f"sort-{place}", icon=":material/sort:"):
                sort_now(report, issue, ranking.ranker)


def sort_now(report: str, issue: date, ranker: str) -> None:
    """Rank an issue for a report, and draw the page anew."""
    try:
        with st.spinner(words.LEARNING):
            for _ in workflow.rank(cache.store(), [RECIPES[ranker]], issue=issue, reports=[report]):
                pass
    except DataError as error:  # a fragment has no frame around it that would say so
        st.error(plain(str(error)))
        return
    choosing.release()
    st.rerun()


def of(report: str, up_to: int | None = None) -> Hints:
    """Give the hints of a report that count now, or did when the log ended with that number."""
    return hints(cache.store(), up_to=up_to).get(report, Hints())


def give(report: str, kind: HintKind, text: str, place: str) -> None:
    """Keep a hint; `say_problem` says at the same place what was wrong with it."""
    try:
        add_hint(cache.store(), report, kind, text, person=access.current_person())
    except DataError as error:
        st.session_state[f"problem-{place}"] = str(error)


def has_problem(place: str) -> bool:
    """Tell whether the last hint given at a place was not kept."""
    return f"problem-{place}" in st.session_state


def say_problem(place: str) -> None:
    """Say, once, what was wrong with the last hint given at a place."""
    if problem := st.session_state.pop(f"problem-{place}", None):
        st.error(plain(problem))


def _name_of_term(place: str) -> str:
    return f"term-{place}"


def _give(report: str, kind: HintKind, place: str) -> None:
    give(report, kind, st.session_state[_name_of_term(place)] or "", place)


def _give_typed(report: str, kind: HintKind, place: str) -> None:
    _give(report, kind, place)
    if not has_problem(place):
        st.session_state[_name_of_term(place)] = None  # ready for the next


def _draw_given(report: str, said: str, term: str) -> None:
    place = f"{said}-{term}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"{said}: {term}")
        st.button(
            words.TAKE_BACK, key=f"back-{place}", type="tertiary", on_click=give, args=(report, "none", term, place)
        )
    say_problem(place)
