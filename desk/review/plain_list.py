"""Review list made of standard Streamlit widgets and split into pages. An alternative to the list in the browser."""

import math
from collections import Counter
from collections.abc import Mapping
from uuid import uuid4

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data.records import Label, Paper
from presort.desk import pages
from presort.desk.components.messages import DecisionEntry, RerankRequest, ReviewRequest, UndoRerank
from presort.desk.components.response import ReviewResponse
from presort.desk.review import stop_advice
from presort.desk.review.stop_advice import PROBLEM
from presort.desk.session.list_order import n_new_decisions, used_labels
from presort.desk.session.progress import Places, ReviewContext
from presort.desk.session.review_session import ReviewSession
from presort.desk.text import count_text, escape, shorten
from presort.desk.ui import cache, field, paper_links, problem, visitor
from presort.desk.why import box

PRESORT, LIST_ORDER = "presort", "list order"  # labels for the two orders
LABELS: dict[Label, str] = {"yes": "✓ relevant", "maybe": "? maybe", "no": "✗ no"}
RERANK_HELP = (
    "Ranks unread papers by similarity to papers marked relevant. Read papers keep their places. Needs a new decision "
    "and a paper marked relevant."
)
PER_PAGE = 50
BAR = 6  # length of the longest score bar in characters


@st.fragment
@visitor.one_snapshot()
def show(session: ReviewSession) -> None:
    """Draw the list. A click on a decision redraws only this fragment."""
    context = session.context
    response = session.receive(ReviewRequest())
    if session.is_outdated:  # the list was published or reopened in another window
        st.rerun()
    problem.show(PROBLEM)
    is_locked = context.is_published or not visitor.may_edit(context.report)
    labels = {paper: label for paper, label in response.labels.items() if label != "undecided"}
    only = _draw_progress(session, response, labels)
    if context.shown is not None and not is_locked:
        _draw_ordering(session, labels)
    places = _choose_page(context, response.read_up_to) if only is None else only
    is_parted = response.stop_advice is not None and only is None
    scores = context.score_of()
    with st.container(key="parted" if is_parted else "papers", gap="xsmall"):
        if is_parted:
            stop_advice.draw_rule(response, places, len(context.papers))
        details = {place: _draw_paper(session, place, scores, labels, is_published=is_locked) for place in places}
    box.show(context, details, is_published=is_locked)


def _draw_progress(session: ReviewSession, response: ReviewResponse, labels: Mapping[str, Label]) -> Places | None:
    """Draw the reading progress. Returns the positions of the papers to show, or None to show all papers."""
    context = session.context
    n = Counter(labels.values())
    counts = f"{n['yes']} relevant · {n['maybe']} maybe · {n['no']} no · saved"
    if response.stop_advice is not None:
        return stop_advice.show(session, response, counts)
    with st.container(horizontal=True, vertical_alignment="center"):
        is_unsorted = context.shown is None and not context.is_published
        st.caption(f"{counts} · in list order: no stop advice" if is_unsorted else counts)
        if not context.is_published:
            st.page_link(pages.link("publish"), label="Publish", icon=":material/arrow_forward:")
    return None


def _draw_ordering(session: ReviewSession, labels: Mapping[str, Label]) -> None:
    """Draw the button that re-ranks unread papers using the decisions on this list, and the button that undoes it."""
    used = used_labels(cache.store(), session.context)
    n = n_new_decisions(used, labels)
    by = f" with {count_text(n, 'new decision')}" if n else ""
    with st.container(horizontal=True, key="ordering"):
        st.button(
            f"Re-rank unread papers{by}",
            key="rerank",
            disabled="yes" not in labels.values() or not n,
            help=RERANK_HELP,
            on_click=_order,
            args=(session, RerankRequest),
        )
        if used:
            label = f"Undo re-ranking ({len(used)})"
            st.button(label, key="undo-rerank", on_click=_order, args=(session, UndoRerank))


def _order(session: ReviewSession, ask: type[RerankRequest | UndoRerank]) -> None:
    stop_advice.send(session, ask(str(uuid4())))


def _choose_page(context: ReviewContext, read_up_to: int) -> Places:
    """Draw the page numbers above the list, and return the positions on the chosen page.

    The list opens on the page with the first unread paper.
    """
    n_papers = len(context.papers)
    n_pages = math.ceil(n_papers / PER_PAGE)
    if n_pages < 2:
        return range(1, n_papers + 1)
    key = f"page-{context.report}-{context.issue}-{context.shown.id if context.shown else LIST_ORDER}"
    first = min(read_up_to // PER_PAGE + 1, n_pages)
    page = st.pagination(n_pages, default=first, key=key, persist_state="session")  # remembered during a spot check
    return range((page - 1) * PER_PAGE + 1, min(page * PER_PAGE, n_papers) + 1)


def _draw_paper(
    session: ReviewSession, place: int, scores: dict[int, float], labels: Mapping[str, Label], *, is_published: bool
) -> DeltaGenerator:
    """Draw one paper in the list, and return the container for its details."""
    position = int(session.context.order[place - 1])
    paper = session.context.papers[position - 1]
    left, middle, right = st.columns([2, 20, 9], vertical_alignment="top")
    with left.container(key=f"place-{place}", gap=None):
        st.text(str(place))
        if position in scores:
            st.text(_bar(scores, position))
    with middle.container(key=f"paper-{place}", gap=None):
        st.text(shorten(paper.title))
        st.text("; ".join(paper.authors) or "no author given")
        label = "Abstract" if paper.abstract else "Details (no abstract)"
        # One key per paper, so that each paper's details are closed at first.
        details = st.expander(label, type="compact", key=f"details-{position}")
        with details:
            st.text(_details(paper, scores.get(position)))
            paper_links.draw(paper)
    with right:
        _draw_decision(session, paper, labels.get(paper.paper_id), is_published=is_published)
    return details


def _details(paper: Paper, score: float | None) -> str:
    title = paper.title if paper.title != shorten(paper.title) else ""
    scored = "" if score is None else f"score {score:+.3f}"
    facts = [paper.series, " ".join(paper.codes), paper.date, paper.paper_id, scored]
    parts = [title, paper.abstract, " · ".join(fact for fact in facts if fact)]
    return "\n\n".join(part for part in parts if part)


def _draw_decision(session: ReviewSession, paper: Paper, label: Label | None, *, is_published: bool) -> None:
    key = field.key_showing(f"label-{session.context.report}-{session.context.issue}-{paper.paper_id}", label)
    st.segmented_control(
        escape(f"Relevant? {shorten(paper.title)}"),
        list(LABELS),
        default=label,
        format_func=lambda option: LABELS[option],
        key=key,
        on_change=_save,
        args=(session, paper.paper_id, key),
        disabled=is_published,
        label_visibility="collapsed",
    )


def _save(session: ReviewSession, paper_id: str, key: str) -> None:
    entry = DecisionEntry(str(uuid4()), paper_id, st.session_state[key] or "undecided", session.context.order_name)
    stop_advice.send(session, entry)


def _bar(scores: dict[int, float], position: int) -> str:
    high, low = next(iter(scores.values())), next(reversed(scores.values()))  # scores are in descending order
    share = (scores[position] - low) / (high - low) if high > low else 1.0
    return "▮" * max(1, round(share * BAR))
