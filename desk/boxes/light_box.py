"""The box above a sorted list: how far the editor has read, what the traffic light says, and the papers drawn."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from data import catalogue
from data.errors import DataError
from data.records import StoredRanking, Word
from desk import cache, charts, reading, workflow
from desk.reading import LEVEL, LEVELS, Draw, Places, Reading, Sheet
from desk.words.light import draw_says, light_says
from desk.words.text import chance_text, counted, plain
from ranker.light import Light

ALL, DRAWN = "all papers", "drawn at random"
PROBLEM = "problem"  # what the last click ran into, until it is shown

STYLE = """
<style>
.st-key-light p { font-variant-numeric: tabular-nums; }
</style>
"""
# The rule is the first thing in the list and takes its place by style alone: were it drawn between the papers, the
# browser would make all below it anew whenever it moves. What stands below is quieter, and as usable.
RULE_STYLE = """
<style>
.st-key-red-rule {{ border-top: 2px solid {colour}; }}
.st-key-parted > :first-child {{ order: 1; display: {display}; }}
.st-key-parted > :nth-child(n + {first_below}) {{ order: 2; }}
.st-key-parted > :nth-child(n + {first_below}) [class*="st-key-paper-"] > :nth-child(1) [data-testid="stText"] {{
    font-weight: 400; opacity: .75; }}
</style>
"""


def show(
    sheet: Sheet, shown: StoredRanking, light: Light, words: dict[str, Word], counts: str
) -> tuple[Reading | None, Places | None]:
    """Draw the box; give what parts the list, or the places to show where the editor wants to see only those drawn.

    Parameters
    ----------
    sheet : Sheet
        What lies on the desk, sorted.
    shown, light
        The ranking and the light of the sheet.
    words : dict
        What was said of the papers, by paper id.
    counts : str
        How often each word was said.
    """
    draws = _kept_draws(sheet)
    drawn = _places(sheet, reading.drawn_positions(draws))
    level = int(catalogue.setting(cache.store(), _name_of_level(sheet)) or LEVEL)
    so_far = reading.judge(light, sheet.in_order(words), drawn, level)
    newest = reading.newest_draw(shown, draws)
    said = [words.get(sheet.papers[position - 1].paper_id) for position in newest.positions] if newest else []
    st.html(STYLE)
    with st.container(border=True, key="light", gap="xsmall"):
        left, middle, right = st.columns([5, 3, 7], vertical_alignment="center")
        left.markdown(
            f"read to here **{so_far.read_to:,}** of {so_far.n_papers:,}  \n{counts}  \n"
            f"chance that all were seen **{chance_text(so_far.chance)}**"
        )
        middle.altair_chart(charts.scores_by_place(shown.ranking.scores, so_far))
        with right.container(gap="xsmall"):
            _draw_light(so_far, light_says(so_far, light, shown.ranking.ranker))
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown("your level", width="content")
                _draw_level(sheet, level)
                if None not in said and reading.may_draw(shown, sheet.order, so_far.read_to, draws):
                    _offer_draw(sheet, shown, so_far.read_to)
        only = _draw_drawn(sheet, newest, said) if newest else None
    return (so_far, None) if only is None else (None, only)


def draw_rule(so_far: Reading, places: Places) -> None:
    """Draw, as the first thing in the list of these places, the rule that stands where the light turns red."""
    n_above = sum(place <= so_far.red_at for place in places)
    display = "flex" if so_far.red_at + 1 in places else "none"
    st.html(RULE_STYLE.format(colour=charts.RED, display=display, first_below=n_above + 2))
    with st.container(key="red-rule"):
        st.caption(f"From here the chance of a missed paper is below {100 - so_far.level} %.")


def _name_of_level(sheet: Sheet) -> str:
    return f"level:{sheet.report}"


def _name_of_draws(sheet: Sheet) -> str:
    return f"drawn:{sheet.report}:{sheet.issue}"


def _places(sheet: Sheet, positions: Sequence[int]) -> Places:
    places: Places = workflow.places_of(sheet.order, np.array(positions, dtype=np.int32)).tolist()
    return places


def _draw_light(so_far: Reading, says: str) -> None:
    colour = "red" if so_far.is_red else "green"
    st.markdown(f":{colour}[●] **{colour.capitalize()}:** {plain(says)}")


def _draw_level(sheet: Sheet, level: int) -> None:
    key = f"level-{sheet.report}"
    if st.session_state.get(key) != level:  # as with decisions: what is saved is what is shown
        st.session_state[key] = level
    st.segmented_control(
        "Your level",
        LEVELS,
        format_func=lambda percent: f"{percent} %",
        required=True,
        key=key,
        on_change=_save_level,
        args=(sheet, key),
        label_visibility="collapsed",
    )


def _save_level(sheet: Sheet, key: str) -> None:
    _keep(_name_of_level(sheet), str(st.session_state[key]))


def _offer_draw(sheet: Sheet, shown: StoredRanking, read_to: int) -> None:
    st.button(
        "Ten at random from the rest",
        key="draw",
        on_click=_draw_some,
        args=(sheet, shown, read_to),
        help="From below the place read to. What they hold tells how much is left, whatever the light says.",
    )


def _draw_some(sheet: Sheet, shown: StoredRanking, read_to: int) -> None:
    draws = _kept_draws(sheet)
    if reading.may_draw(shown, sheet.order, read_to, draws):  # not when it was clicked twice
        new = reading.draw(shown, sheet.order, read_to, draws)
        if _keep(_name_of_draws(sheet), reading.draws_text([*draws, new])):
            st.session_state[_name_of_filter(sheet)] = DRAWN


def _kept_draws(sheet: Sheet) -> list[Draw]:
    return reading.draws_from(catalogue.setting(cache.store(), _name_of_draws(sheet)))


def _draw_drawn(sheet: Sheet, newest: Draw, said: Sequence[Word | None]) -> Places | None:
    """Say what the papers drawn tell, and let the editor choose whether to see these only."""
    n_found, n_left = said.count("yes"), said.count(None)
    key = _name_of_filter(sheet)
    if key not in st.session_state:
        st.session_state[key] = DRAWN if n_left else ALL
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.segmented_control("Show", [ALL, DRAWN], required=True, key=key, label_visibility="collapsed")
        if n_left:
            rest = counted(newest.n_rest, "paper")
            st.markdown(f"drawn from the {rest} below {newest.read_to}: {n_left} left to decide")
        else:
            st.markdown(draw_says(len(said), n_found, reading.what_remains(newest, n_found)))
    return _places(sheet, newest.positions) if chosen == DRAWN else None


def _name_of_filter(sheet: Sheet) -> str:
    return f"show-{sheet.report}-{sheet.issue}"


def _keep(name: str, value: str) -> bool:
    try:
        catalogue.set_setting(cache.store(), name, value)
    except DataError as error:
        st.session_state[PROBLEM] = f"Not saved: {error}"
        return False
    return True
