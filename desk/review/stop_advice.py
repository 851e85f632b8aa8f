"""Line above the plain review list: reading progress, stop advice and spot check."""

from uuid import uuid4

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from presort.desk import pages
from presort.desk.components.messages import DecisionEntry, Entry, ReviewRequest, SpotCheckRequest, TargetRecallEntry
from presort.desk.components.response import ReviewResponse, SpotCheckView, StopAdviceView
from presort.desk.session import stop_advice
from presort.desk.session.progress import Places
from presort.desk.session.review_session import ReviewSession
from presort.desk.session.stop_advice import StopAdvice
from presort.desk.text import count_text, escape
from presort.desk.ui import field, problem
from presort.desk.ui.colours import GREY, RED

PROBLEM = "list"  # container on the page where errors are shown
ALL_PAPERS, SPOT_CHECK = "All papers", "Spot check"
STARTED = "started-spot-check"  # session key
CHECK_HELP = (
    "A spot check draws a few papers at random from below the stop point. It shows whether relevant papers were ranked "
    "too low. The result improves the stop advice for this list and later ones."
)

# The line at the stop point is the first element of the list, and CSS moves it to the stop point. If it were drawn
# between the papers, the browser would rebuild all papers below it whenever it moves.
RULE_STYLE = """
<style>
.st-key-stop-rule {{ border-top: 2px solid {colour}; }}
.st-key-parted > :first-child {{ order: 1; display: {display}; }}
.st-key-parted > :nth-child(n + {first_below}) {{ order: 2; }}
.st-key-parted > :nth-child(n + {first_below}) [class*="st-key-paper-"] > :nth-child(1) [data-testid="stText"] {{
    font-weight: 400; opacity: .75; }}
</style>
"""
# Colours that are visible on both white and black backgrounds.
PARTS = {"read": "#009E73", "to read": "#73C7AE", "below the stop point": GREY}
SPARKS = 60  # number of bars in the chart


def show(session: ReviewSession, response: ReviewResponse, counts: str) -> Places | None:
    """Draw the line with reading progress, stop advice and spot check.

    Parameters
    ----------
    session : ReviewSession
        Session for a ranked, unpublished list.
    response : ReviewResponse
        Response that contains stop advice.
    counts : str
        Number of papers with each label, formatted for display.

    Returns
    -------
    sequence of int or None
        Positions of the spot check's papers if only these are shown, or None to show all papers.
    """
    context, so_far = session.context, session.advice
    if context.shown is None or so_far is None or response.stop_advice is None:
        raise ValueError("stop advice needs a ranked list that is not published")
    with st.container(horizontal=True, vertical_alignment="center", key="stop-advice"):
        st.markdown(stop_advice.progress(so_far, counts, escape(response.stop_advice.says)), width="stretch")
        _draw_stop(session, response, so_far)
        st.page_link(pages.link("publish"), label="Publish", icon=":material/arrow_forward:")
    return None if response.spot_check is None else _draw_spot_check(session, response, response.spot_check)


def _draw_stop(session: ReviewSession, response: ReviewResponse, so_far: StopAdvice) -> None:
    """Draw an expander with the forecast, the stop point for each target recall, and an offer of another spot check."""
    shown, advice = session.context.shown, response.stop_advice
    with st.expander("When to stop", type="compact"):  # not a popover, which can't be reached by keyboard
        if shown is None or advice is None:
            return
        if advice.left:
            st.markdown(escape(advice.left))
        if advice.basis:
            st.caption(escape(advice.basis))
        st.altair_chart(_chart(shown.ranking.scores, so_far))
        _draw_choice(session, advice)
        if response.spot_check is not None and response.drawn:
            _draw_offer(session, response.spot_check)


def draw_rule(response: ReviewResponse, places: Places, n_papers: int) -> None:
    """Draw the stop line above the first shown paper that is below the stop point."""
    stop_at = n_papers if response.rule is None else response.rule.place - 1
    n_above = sum(place <= stop_at for place in places)
    display = "flex" if stop_at + 1 in places else "none"
    st.html(RULE_STYLE.format(colour=RED, display=display, first_below=n_above + 2))
    with st.container(key="stop-rule"):
        st.caption("" if response.rule is None else response.rule.sentence)


def _draw_choice(session: ReviewSession, advice: StopAdviceView) -> None:
    key = field.key_showing(f"target-recall-{session.context.report}", advice.target_recall)
    says = dict(advice.stops)
    st.radio(
        stop_advice.TARGET_RECALL,
        list(says),
        list(says).index(advice.target_recall),
        format_func=lambda target_recall: says[target_recall],
        key=key,
        on_change=_save_choice,
        args=(session, key),
    )


def _save_choice(session: ReviewSession, key: str) -> None:
    send(session, TargetRecallEntry(str(uuid4()), st.session_state[key]))


def _draw_offer(session: ReviewSession, check: SpotCheckView) -> None:
    if check.offer:
        st.button(check.offer, key="spot-check", on_click=_start_spot_check, args=(session,), help=CHECK_HELP)


def _start_spot_check(session: ReviewSession) -> None:
    if send(session, SpotCheckRequest(str(uuid4()))):
        st.session_state[STARTED] = _name_of_filter(session)
        field.renew(st.session_state[STARTED])


def send(session: ReviewSession, *entries: Entry) -> bool:
    """Save entries and return True if all of them were saved. If some were not, the page shows the reasons."""
    response = session.receive(ReviewRequest(entries=entries))
    found = [*response.refused.values(), *([response.trouble] if response.trouble else [])]
    for why in found:
        problem.note(PROBLEM, problem.NOT_SAVED.format(why))
    return not found


def _draw_spot_check(session: ReviewSession, response: ReviewResponse, check: SpotCheckView) -> Places | None:
    """Draw a spot check's state and a switch to show only its papers. Draws an offer if there is no spot check.

    Returns the positions of the spot check's papers if only these are shown, or None to show all papers.
    """
    if not response.drawn:
        _draw_offer(session, check)
        return None
    name, options = _name_of_filter(session), [ALL_PAPERS, SPOT_CHECK]
    first = SPOT_CHECK if st.session_state.get(STARTED) == name else ALL_PAPERS
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.segmented_control(
            "Show", options, required=True, default=first, key=field.key_of(name), label_visibility="collapsed"
        )
        st.markdown(escape(check.says), help=escape(check.detail) or None, width="content")
        if chosen == SPOT_CHECK and check.n_left:
            label = f"Mark {count_text(check.n_left, 'paper')} as not relevant"
            st.button(label, key="finish-check", on_click=_finish_spot_check, args=(session, response))
    return sorted(session.places[paper] for paper in response.drawn) if chosen == SPOT_CHECK else None


def _finish_spot_check(session: ReviewSession, response: ReviewResponse) -> None:
    """Complete the spot check by marking its remaining papers as not relevant."""
    read = {place for first, last in response.read for place in range(first, last + 1)}
    left = [paper for paper in response.drawn if session.places[paper] not in read]
    send(session, *(DecisionEntry(str(uuid4()), paper, "no", session.context.order_name) for paper in left))


def _name_of_filter(session: ReviewSession) -> str:
    return f"show-{session.context.report}-{session.context.issue}"


def _chart(scores: NDArray[np.float64], advice: StopAdvice) -> alt.LayerChart:
    """Draw a small chart of the scores by list position, with reading progress and the stop point.

    The scores are in descending order. Papers added to the issue later have no score.
    """
    ends = np.unique(np.linspace(0, len(scores), SPARKS + 1).astype(int))
    parts = np.where(
        ends[1:] <= advice.read_up_to, "read", np.where(ends[:-1] < advice.stop_at, "to read", "below the stop point")
    )
    bars = pd.DataFrame(
        {
            "first": ends[:-1] + 1,
            "last": ends[1:],
            "height": np.add.reduceat(scores, ends[:-1]) / np.diff(ends) - scores.min(),
            "part": parts,
        }
    )
    drawn = alt.Chart(bars).mark_bar(binSpacing=1)
    drawn = drawn.encode(
        alt.X("first:Q", axis=None, scale=alt.Scale(domain=[1, advice.n_papers + 1], nice=False)),
        alt.X2("last:Q"),
        alt.Y("height:Q", axis=None),
        alt.Y2(datum=0),
        alt.Color("part:N", legend=None, scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values()))),
        tooltip=[
            alt.Tooltip("first:Q", title="From paper"),
            alt.Tooltip("last:Q", title="to"),
            alt.Tooltip("part:N", title="Part"),
        ],
    )
    stop = alt.Chart(pd.DataFrame({"at": [advice.stop_at + 1]})).mark_rule(color=RED, strokeWidth=2).encode(x="at:Q")
    title = alt.Title("score of each paper, first to last", anchor="start", fontWeight="normal", fontSize=12, offset=4)
    return (drawn + stop).properties(height=80, padding=0, title=title).configure_view(stroke=None)
