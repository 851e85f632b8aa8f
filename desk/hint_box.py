"""What an editor mutes and boosts: a way to do it, the list of it with a way back, and sorting again by it."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from data.errors import DataError
from data.hints import add_hint, hints
from data.records import HintKind, Hints, Ranking
from desk import access, cache, workflow
from desk.why_words import next_says
from desk.words import plain
from ranker.versions import RECIPES

EFFECTS: dict[HintKind, str] = {
    "mute": "From the next ranking on, papers are sorted as if it did not stand there.",
    "boost": "From the next ranking on, papers that have it rise.",
}


def show(report: str) -> None:
    """Draw what opens all that is muted and boosted, each with a way back, and takes another term."""
    with st.popover("Mute or boost", type="tertiary"):
        draw_choice(report, "list", ())
        told = of(report)
        for said, terms in {"muted": told.muted, "boosted": told.boosted}.items():
            for term in terms:
                _draw_given(report, said, term)


def draw_choice(report: str, place: str, offered: Sequence[str]) -> None:
    """Draw what takes a term to mute or boost.

    Parameters
    ----------
    report : str
        Code of the report.
    place : str
        Where on the page this stands; no two are the same.
    offered : sequence of str
        Terms of which a click puts one in.
    """
    key = f"term-{place}"
    if offered:
        st.pills(
            "Terms",
            offered,
            format_func=plain,
            key=f"offered-{place}",
            on_change=_put_in,
            args=(place,),
            label_visibility="collapsed",
        )
    st.text_input("A word or two, an author, or a code", key=key)
    with st.container(horizontal=True):
        for kind, effect in EFFECTS.items():
            args = (report, kind, place)
            is_clicked = st.button(
                kind.capitalize(), key=f"{kind}-{place}", help=effect, on_click=_give_typed, args=args
            )
            if is_clicked and not has_problem(place):
                st.rerun()  # also what stands above the list
    say_problem(place)


def show_next(report: str, issue: date, ranking: Ranking, place: str) -> None:
    """Say what the next ranking will heed that this one did not, and offer to make it."""
    if said := next_says(of(report, ranking.hints_up_to), of(report)):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(said), width="content")
            if st.button("Sort again now", key=f"sort-{place}", icon=":material/sort:"):
                sort_now(report, issue, ranking.ranker)


def sort_now(report: str, issue: date, ranker: str) -> None:
    """Rank an issue for a report, and draw the page anew."""
    try:
        with st.spinner("Learning from past selections…"):
            for _ in workflow.rank(cache.store(), [RECIPES[ranker]], issue=issue, reports=[report]):
                pass
    except DataError as error:  # a fragment has no frame around it that would say so
        st.error(plain(str(error)))
        return
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


def _put_in(place: str) -> None:
    st.session_state[f"term-{place}"] = st.session_state[f"offered-{place}"] or ""


def _give_typed(report: str, kind: HintKind, place: str) -> None:
    give(report, kind, st.session_state[f"term-{place}"], place)
    if not has_problem(place):
        st.session_state[f"term-{place}"] = ""


def _draw_given(report: str, said: str, term: str) -> None:
    place = f"{said}-{term}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"{said}: {term}")
        st.button("Take back", key=f"back-{place}", type="tertiary", on_click=give, args=(report, "none", term, place))
    say_problem(place)
