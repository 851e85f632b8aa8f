"""Review: the sorted issue of one report, decided paper by paper, and sent out."""

import math
from datetime import date

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data import catalogue, reviews
from data.errors import DataError
from data.records import Decision, Hints, Paper, ReportIssue, StoredRanking, Word
from desk import access, cache, workflow
from desk.boxes import begin_box, hint_box, light_box, why_box
from desk.boxes.choosing import choose
from desk.boxes.light_box import PROBLEM
from desk.reading import Places, Reading, Sheet
from desk.words.outcomes import how_good
from desk.words.text import counted, plain
from desk.words.why import hints_say, learned_says
from metrics import Outcome

PER_PAGE = 50
LONGEST_TITLE = 300  # characters in the list; the whole of it stands with the abstract
BAR = 6  # blocks
PRESORT, RECEIVED = "presort", "as received"
WORDS: dict[Word, str] = {"yes": "✓ relevant", "maybe": "? maybe", "no": "✗ no"}


def show() -> None:
    """Draw the list of an issue for a report, and what can be done with it."""
    st.title("Review", anchor=False)
    if chosen := choose():
        _draw(chosen.report, chosen.issue, chosen.ranking, is_issued=chosen.is_issued)


def _draw(report: str, issue: date, ranking: StoredRanking | None, *, is_issued: bool) -> None:
    papers = catalogue.papers(cache.store(), issue)
    heeded = Hints() if ranking is None else hint_box.of(report, ranking.ranking.hints_up_to)
    is_young = begin_box.report_is_young(report, ranking, heeded)
    begin_box.show(report, issue, ranking, is_young=is_young, is_issued=is_issued)
    is_sorted = ranking is not None and len(ranking.ranking.scores) > 0
    with st.container(horizontal=True):
        order = st.segmented_control(
            "Order",
            [PRESORT, RECEIVED] if is_sorted else [RECEIVED],
            default=PRESORT if is_sorted else RECEIVED,
            required=True,
            key=f"order-{report}-{issue}-{is_sorted}",
            label_visibility="collapsed",
        )
        if ranking is not None and is_sorted and not is_issued:
            hint_box.show(report)
            if not is_young:
                hint_box.show_next(report, issue, ranking.ranking, "list")
    shown = ranking if order == PRESORT else None
    light = None if shown is None or is_issued else cache.light(report, shown.ranking.ranker, issue)
    _review(Sheet(report, issue, papers, shown, workflow.shown_order(shown, len(papers)), light), heeded)


@st.fragment
def _review(sheet: Sheet, heeded: Hints) -> None:
    """Draw the list; a click on a decision draws this part anew and nothing else."""
    words = reviews.words(cache.store(), sheet.report, sheet.issue)
    gone_out = reviews.issued(cache.store(), sheet.report).get(sheet.issue)  # another window may have issued it
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(plain(problem))
    relevant = [p for p, paper in enumerate(sheet.papers, start=1) if words.get(paper.paper_id) == "yes"]
    is_issued = gone_out is not None
    parted_by, only = _draw_standing(sheet, heeded, words, is_issued=is_issued)
    if gone_out:
        _draw_issued(sheet, gone_out, relevant)
    places = _choose_page(sheet) if only is None else only
    scores = sheet.score_of()
    with st.container(key="parted" if parted_by else "papers", gap="xsmall"):
        if parted_by:
            light_box.draw_rule(parted_by, places)
        details = {place: _draw_paper(sheet, place, scores, words, is_issued=is_issued) for place in places}
    why_box.show(sheet, details, is_issued=is_issued)
    if not gone_out:
        _draw_issuing(sheet, len(relevant))


def _draw_standing(
    sheet: Sheet, heeded: Hints, words: dict[str, Word], *, is_issued: bool
) -> tuple[Reading | None, Places | None]:
    """Draw what the list is and how far it is decided; give what parts it, and the places to show if not all."""
    counts = {word: sum(said == word for said in words.values()) for word in WORDS}
    decided = f"{counts['yes']} relevant · {counts['maybe']} maybe · {counts['no']} no · saved"
    n_papers = counted(len(sheet.papers), "paper")
    if sheet.shown is None:
        why = "" if is_issued else " · no traffic light: in list order, it can't tell how far to read"
        st.caption(f"{n_papers}, as received · {decided}{why}")
        return None, None
    ranking = sheet.shown.ranking
    source = f"{n_papers}, sorted by {ranking.ranker}, from {learned_says(ranking, heeded)}"
    if told := hints_say(heeded):
        source += f", {plain(told)}"
    if is_issued or sheet.light is None:
        st.caption(f"{source} · {decided}")
        return None, None
    st.caption(source)
    return light_box.show(sheet, sheet.shown, sheet.light, words, decided)


def _choose_page(sheet: Sheet) -> Places:
    """Draw the numbers of the pages, above the list where reading goes on, and give the places on the page."""
    n_papers = len(sheet.papers)
    n_pages = math.ceil(n_papers / PER_PAGE)
    if n_pages < 2:
        return range(1, n_papers + 1)
    key = f"page-{sheet.report}-{sheet.issue}-{sheet.shown.id if sheet.shown else RECEIVED}"
    page = st.pagination(n_pages, key=key, persist_state="session")  # as it was, after only those drawn were shown
    return range((page - 1) * PER_PAGE + 1, min(page * PER_PAGE, n_papers) + 1)


def _draw_paper(
    sheet: Sheet, place: int, scores: dict[int, float], words: dict[str, Word], *, is_issued: bool
) -> DeltaGenerator:
    """Draw a paper of the list, and give the part that holds its details."""
    position = int(sheet.order[place - 1])
    paper = sheet.papers[position - 1]
    left, middle, right = st.columns([2, 20, 9], vertical_alignment="top")
    with left.container(key=f"place-{place}", gap=None):
        st.text(str(place))
        if position in scores:
            st.text(_bar(scores, position))
    with middle.container(key=f"paper-{place}", gap=None):
        st.text(_shortened(paper.title))
        st.text("; ".join(paper.authors) or "no author given")
        label = "Abstract" if paper.abstract else "Details (no abstract)"
        details = st.expander(label, type="compact", key=f"details-{position}")  # another paper there starts closed
        details.text(_details(paper, scores.get(position)))
    with right:
        _draw_decision(sheet, paper, words.get(paper.paper_id), is_issued=is_issued)
    return details


def _details(paper: Paper, score: float | None) -> str:
    title = paper.title if paper.title != _shortened(paper.title) else ""
    scored = "" if score is None else f"score {score:+.3f}"
    facts = [paper.series, " ".join(paper.codes), paper.date, paper.paper_id, scored]
    parts = [title, paper.abstract, " · ".join(fact for fact in facts if fact)]
    return "\n\n".join(part for part in parts if part)


def _draw_decision(sheet: Sheet, paper: Paper, word: Word | None, *, is_issued: bool) -> None:
    key = f"word-{sheet.report}-{sheet.issue}-{paper.paper_id}"
    # What is saved is what is shown, also if somebody else saved it. Only where they differ: a value set from here
    # takes back a click that is already made in the browser but has not come in yet.
    if key not in st.session_state or st.session_state[key] != word:
        st.session_state[key] = word
    st.segmented_control(
        plain(f"Relevant? {_shortened(paper.title)}"),
        list(WORDS),
        format_func=lambda option: WORDS[option],
        key=key,
        on_change=_save,
        args=(sheet.report, sheet.issue, paper.paper_id, key),
        disabled=is_issued,
        label_visibility="collapsed",
    )


def _save(report: str, issue: date, paper_id: str, key: str) -> None:
    word: Word = st.session_state[key] or "undecided"
    decision = Decision(report, issue, paper_id, word, access.current_person())
    try:
        reviews.decide(cache.store(), [decision])
    except DataError as error:
        st.session_state[PROBLEM] = f"Not saved: {error}"


def _draw_issued(sheet: Sheet, gone_out: ReportIssue, relevant: list[int]) -> None:
    said = f"{sheet.report} {sheet.issue} was issued with {counted(len(gone_out.published or relevant), 'paper')}."
    if sheet.shown is not None and sheet.shown.id == gone_out.ranking_id:
        places = workflow.places_of(sheet.order, np.array(relevant, dtype=np.int32))
        said += " " + how_good(Outcome(places, len(sheet.papers)))
    st.success(plain(said), icon=":material/check:")


def _draw_issuing(sheet: Sheet, n_relevant: int) -> None:
    with st.popover(plain(f"Issue {sheet.report} {sheet.issue}"), type="primary"):
        st.write(
            f"What goes out: {counted(n_relevant, 'relevant paper')}, in the order shown. This can't be taken back."
        )
        if st.button("Issue it", key="issue-it", type="primary"):
            _issue(sheet)


def _issue(sheet: Sheet) -> None:
    try:
        workflow.issue_report(cache.store(), sheet.report, sheet.issue, sheet.shown, person=access.current_person())
    except DataError as error:
        st.session_state[PROBLEM] = str(error)
    st.rerun()


def _bar(scores: dict[int, float], position: int) -> str:
    high, low = next(iter(scores.values())), next(reversed(scores.values()))  # best first
    share = (scores[position] - low) / (high - low) if high > low else 1.0
    return "▮" * max(1, round(share * BAR))


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"
