"""The line above a list in plain widgets: how far the editor has read, when to stop, and the papers drawn."""

from uuid import uuid4

import streamlit as st

from desk import pages
from desk.colours import RED
from desk.components.messages import DrawAsked, Entry, MissChosen, Sent
from desk.components.reply import LightShown, Reply
from desk.review.light_chart import scores_by_place
from desk.sheet import light_words as words
from desk.sheet.progress import Places, Reading
from desk.sheet.receiver import Receiver
from desk.text import plain
from desk.ui import problem

PROBLEM = "list"  # where problems of clicks are shown

STYLE = """
<style>
.st-key-light p { font-variant-numeric: tabular-nums; }
</style>
"""
# The rule is the first thing in the list and takes its place by style alone: were it drawn between the papers, the
# browser would make all below it anew whenever it moves. What stands below is quieter, and as usable.
RULE_STYLE = """
<style>
.st-key-stop-rule {{ border-top: 2px solid {colour}; }}
.st-key-parted > :first-child {{ order: 1; display: {display}; }}
.st-key-parted > :nth-child(n + {first_below}) {{ order: 2; }}
.st-key-parted > :nth-child(n + {first_below}) [class*="st-key-paper-"] > :nth-child(1) [data-testid="stText"] {{
    font-weight: 400; opacity: .75; }}
</style>
"""


def show(receiver: Receiver, reply: Reply, counts: str) -> Places | None:
    """Draw the line; give the places to show where the editor wants to see only the papers drawn.

    The sheet is sorted and has not gone out; counts say how often each word was said.
    """
    sheet, so_far = receiver.sheet, receiver.reading
    if sheet.shown is None or so_far is None or reply.light is None:
        raise ValueError("sheet must be sorted, and not yet issued")
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="light"):
        st.markdown(words.progress(so_far, counts, plain(reply.light.says)), width="stretch")
        _draw_stop(receiver, reply, so_far)
        st.page_link(pages.link("publish"), label="Publish", icon=":material/arrow_forward:")
    return _draw_drawn(receiver, reply) if reply.drawn else None


def _draw_stop(receiver: Receiver, reply: Reply, so_far: Reading) -> None:
    """Draw what opens how sure it is what is left, where each choice lets one stop, and ten from the rest."""
    shown, light = receiver.sheet.shown, reply.light
    with st.expander("When to stop", type="compact"):  # not a popover, into which no key leads
        if shown is None or light is None:
            return
        if light.left:
            st.markdown(plain(light.left))
        st.altair_chart(scores_by_place(shown.ranking.scores, so_far))
        _draw_choice(receiver, light)
        if reply.draw is not None and reply.draw.may_draw:
            st.button(words.DRAW, key="draw", on_click=_draw_some, args=(receiver,), help=words.DRAW_HELP)


def draw_rule(reply: Reply, places: Places, n_papers: int) -> None:
    """Draw, as the first thing in the list of these places, the rule that stands where reading may end."""
    stop_at = n_papers if reply.rule is None else reply.rule.place - 1
    n_above = sum(place <= stop_at for place in places)
    display = "flex" if stop_at + 1 in places else "none"
    st.html(RULE_STYLE.format(colour=RED, display=display, first_below=n_above + 2))
    with st.container(key="stop-rule"):
        st.caption("" if reply.rule is None else reply.rule.sentence)


def _draw_choice(receiver: Receiver, light: LightShown) -> None:
    key = f"may-miss-{receiver.sheet.report}"
    if st.session_state.get(key) != light.may_miss:  # as with decisions: what is saved is what is shown
        st.session_state[key] = light.may_miss
    says = dict(light.stops)
    st.radio(
        words.MAY_MISS,
        list(says),
        format_func=lambda may_miss: says[may_miss],
        key=key,
        on_change=_save_choice,
        args=(receiver, key),
    )


def _save_choice(receiver: Receiver, key: str) -> None:
    send(receiver, MissChosen(str(uuid4()), st.session_state[key]))


def _draw_some(receiver: Receiver) -> None:
    if send(receiver, DrawAsked(str(uuid4()))):
        st.session_state[_name_of_filter(receiver)] = words.DRAWN


def send(receiver: Receiver, entry: Entry) -> bool:
    """Have an entry saved; tell whether it was, and keep what it ran into to be said."""
    reply = receiver.receive(Sent(entries=(entry,)))
    found = [*reply.refused.values(), *([reply.trouble] if reply.trouble else [])]
    for why in found:
        problem.note(PROBLEM, problem.NOT_SAVED.format(why))
    return not found


def _draw_drawn(receiver: Receiver, reply: Reply) -> Places | None:
    """Show what the papers drawn tell, and let the editor choose whether to see these only."""
    key = _name_of_filter(receiver)
    if key not in st.session_state:
        is_decided = all(reply.words.get(paper, "undecided") != "undecided" for paper in reply.drawn)
        st.session_state[key] = words.ALL if is_decided else words.DRAWN
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = [words.ALL, words.DRAWN]
        chosen = st.segmented_control(words.SHOW, shown, required=True, key=key, label_visibility="collapsed")
        if reply.draw is not None:
            st.markdown(plain(reply.draw.says), help=plain(reply.draw.detail) or None)
    return sorted(receiver.places[paper] for paper in reply.drawn) if chosen == words.DRAWN else None


def _name_of_filter(receiver: Receiver) -> str:
    return f"show-{receiver.sheet.report}-{receiver.sheet.issue}"
