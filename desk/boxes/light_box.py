"""The box above a list in plain widgets: how far the editor has read, what the light says, and the papers drawn."""

from uuid import uuid4

import streamlit as st

from desk import charts
from desk.charts.light import scores_by_place
from desk.components.messages import DrawAsked, Entry, LevelChosen, Sent
from desk.components.sync import LightShown, Reply
from desk.reading import LEVELS, Places
from desk.receiving import Receiver
from desk.words import light as words
from desk.words.review import not_saved
from desk.words.text import plain

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


def show(receiver: Receiver, reply: Reply, counts: str) -> Places | None:
    """Draw the box; give the places to show where the editor wants to see only the papers drawn.

    Parameters
    ----------
    receiver : Receiver
        Of a sheet that is sorted, and has a light.
    reply : Reply
        What it says now.
    counts : str
        How often each word was said.
    """
    sheet, so_far = receiver.sheet, receiver.reading
    if sheet.shown is None or so_far is None or reply.light is None:
        raise ValueError("sheet must be sorted, and not yet issued")
    st.html(STYLE)
    with st.container(border=True, key="light", gap="xsmall"):
        left, middle, right = st.columns([5, 3, 7], vertical_alignment="center")
        left.markdown(words.progress(so_far.read_to, so_far.n_papers, counts, reply.light.chance))
        middle.altair_chart(scores_by_place(sheet.shown.ranking.scores, so_far))
        with right.container(gap="xsmall"):
            _draw_light(reply.light)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(words.LEVEL, width="content")
                _draw_level(receiver, reply.light.level)
                if reply.draw is not None and reply.draw.may_draw:
                    st.button(words.DRAW, key="draw", on_click=_draw_some, args=(receiver,), help=words.DRAW_HELP)
        return _draw_drawn(receiver, reply) if reply.drawn else None


def draw_rule(reply: Reply, places: Places, n_papers: int) -> None:
    """Draw, as the first thing in the list of these places, the rule that stands where the light turns red."""
    red_at = n_papers if reply.rule is None else reply.rule.place - 1
    n_above = sum(place <= red_at for place in places)
    display = "flex" if red_at + 1 in places else "none"
    st.html(RULE_STYLE.format(colour=charts.RED, display=display, first_below=n_above + 2))
    with st.container(key="red-rule"):
        st.caption("" if reply.rule is None else reply.rule.sentence)


def _draw_light(light: LightShown) -> None:
    colour = "red" if light.is_red else "green"
    st.markdown(f":{colour}[●] **{colour.capitalize()}:** {plain(light.says)}")


def _draw_level(receiver: Receiver, level: int) -> None:
    key = f"level-{receiver.sheet.report}"
    if st.session_state.get(key) != level:  # as with decisions: what is saved is what is shown
        st.session_state[key] = level
    st.segmented_control(
        words.LEVEL,
        LEVELS,
        format_func=words.percent,
        required=True,
        key=key,
        on_change=_save_level,
        args=(receiver, key),
        label_visibility="collapsed",
    )


def _save_level(receiver: Receiver, key: str) -> None:
    send(receiver, LevelChosen(str(uuid4()), st.session_state[key]))


def _draw_some(receiver: Receiver) -> None:
    if send(receiver, DrawAsked(str(uuid4()))):
        st.session_state[_name_of_filter(receiver)] = words.DRAWN


def send(receiver: Receiver, entry: Entry) -> bool:
    """Have an entry saved; tell whether it was, and keep what it ran into to be said."""
    reply = receiver.receive(Sent(entries=(entry,)))
    problems = [*reply.refused.values(), *([reply.trouble] if reply.trouble else [])]
    for why in problems:
        st.session_state[PROBLEM] = not_saved(why)
    return not problems


def _draw_drawn(receiver: Receiver, reply: Reply) -> Places | None:
    """Say what the papers drawn tell, and let the editor choose whether to see these only."""
    key = _name_of_filter(receiver)
    if key not in st.session_state:
        is_decided = all(reply.words.get(paper, "undecided") != "undecided" for paper in reply.drawn)
        st.session_state[key] = words.ALL if is_decided else words.DRAWN
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = [words.ALL, words.DRAWN]
        chosen = st.segmented_control(words.SHOW, shown, required=True, key=key, label_visibility="collapsed")
        st.markdown("" if reply.draw is None else plain(reply.draw.says))
    return sorted(receiver.places[paper] for paper in reply.drawn) if chosen == words.DRAWN else None


def _name_of_filter(receiver: Receiver) -> str:
    return f"show-{receiver.sheet.report}-{receiver.sheet.issue}"
