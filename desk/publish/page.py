"""Publish: leave out, put in order, write notes, look at it, and send it out; each step optional but the last."""

from collections.abc import Sequence
from datetime import date
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions, publications, read_papers
from presort.data.editing.pending import pending
from presort.data.editing.read_papers import read_positions
from presort.data.errors import DataError, OutdatedError
from presort.data.records import Decision, Label, Pending, ReportIssue
from presort.data.store import Store
from presort.data.text.formulas import spelled_out
from presort.desk import pages
from presort.desk.components.unsaved import holds_unsaved
from presort.desk.publish import draft as draft_box
from presort.desk.publish import older, published, reopen, unread_empty, words
from presort.desk.scores.outcomes import counted_in_words
from presort.desk.sending import box
from presort.desk.sending.words import NO_AUTHOR
from presort.desk.service import workflow
from presort.desk.session import progress, spot_check, stop_advice
from presort.desk.session.progress import ReviewContext, list_key, order_now
from presort.desk.session.publication import Making, making
from presort.desk.session.stop_advice import target_recall
from presort.desk.text import plain, shortened
from presort.desk.ui import cache, problem, reranking, visitor, window
from presort.desk.ui.report_choice import Chosen, choose
from presort.ranker.stopping.relevance_model import RelevanceModel

NOTICE = "publish-notice"  # what the last click found, until it is shown

# Static: the word lies across the preview, again and again.
STYLE = f"""
<style>
.st-key-as-a-mail {{ position: relative; }}
.st-key-draft pre, .st-key-draft .st-key-as-a-mail::after {{
    background-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='460' height='300'%3E\
%3Ctext x='230' y='170' text-anchor='middle' transform='rotate(-18 230 150)' font-family='sans-serif' font-size='84' \
font-weight='700' letter-spacing='8' fill='gray' fill-opacity='.2'%3E{words.DRAFT}%3C/text%3E%3C/svg%3E");
    background-repeat: repeat-y; background-position: 3rem 0; }}
.st-key-draft .st-key-as-a-mail::after {{ content: ""; position: absolute; inset: 0; pointer-events: none;
    background-position: center top; background-size: min(460px, 100%); }}
</style>
"""


@visitor.one_snapshot()
def show() -> None:
    """Draw the steps from the relevant papers of an issue to the report issue."""
    st.title("Publish", anchor=False)
    if chosen := choose():
        reranking.show(chosen.report)
        _draw(chosen)
    window.show()


def next_list(store: Store, report: str, *, today: date) -> Pending | None:
    """Return the oldest pending issue of a report, or else of any report. None if nothing is pending."""
    reports = [one.code for one in catalogue.reports(store)]
    pending_issues = pending(store, reports, today=today)
    return min(pending_issues, key=lambda one: (one.report != report, one.issue), default=None)


@st.fragment
@visitor.one_snapshot()
def _draw(chosen: Chosen) -> None:
    published_issue = publications.published(cache.store(), chosen.report).get(chosen.issue)
    if (published_issue is None) != (chosen.published_issue is None):
        st.rerun()  # the boxes above say it too
    problem.show(draft_box.PROBLEM)
    if notice := st.session_state.pop(NOTICE, None):
        st.info(plain(notice))
    box.say(chosen.report, chosen.issue)
    st.page_link(pages.link("review"), label="Back to the list", icon=":material/arrow_back:")
    if not visitor.may_edit(chosen.report):
        st.info(f"You may look at {chosen.report}, not publish it.", icon=":material/visibility:")
        return
    if published_issue is None:
        older.show(chosen.report, chosen.issue)
        _draw_steps(making(cache.store(), chosen.report, chosen.issue, chosen.ranking if chosen.is_sorted else None))
    else:
        published.show(chosen, published_issue, catalogue.papers(cache.store(), chosen.issue))
        _draw_next(chosen.report)
        box.show(chosen.report, chosen.issue)
        reopen.show(chosen)


def _draw_steps(now: Making) -> None:
    st.html(STYLE)
    _draw_maybes(now)
    with st.expander("1 · Filter", expanded=True, key="filter"):
        _draw_filter(now)
    with st.expander("2 · Order", key="order"):
        draft_box.show_order(now)
    with st.expander("3 · Notes", key="notes"):
        draft_box.show_notes(now)
    with st.expander("Preview", key="draft"):
        draft = ReportIssue(now.report, now.issue, (), visitor.person(), note=now.draft.note)
        published.show_text(draft, list(now.published.values()), is_draft=True)
    box.show_test(now.report, now.issue)
    _draw_publishing(now)
    if holds_unsaved(list_key(cache.store(), now.report, now.issue, visitor.person())):
        st.warning(words.UNSAVED)


def _draw_filter(now: Making) -> None:
    if not now.relevant:
        st.write("You have marked nothing as relevant in this issue.")
        return
    st.markdown(
        "What you leave out here stays relevant, and the ranker goes on learning from it. It is only not published."
    )
    with st.container(horizontal=True):
        st.button("Tick all", key="publish-all", on_click=_publish, args=(now, now.relevant, "yes"))
        st.button("Tick none", key="publish-none", on_click=_publish, args=(now, now.relevant, "no"))
    with st.container(gap="xsmall"):
        for place, position in enumerate(now.relevant, start=1):
            _draw_tick(now, place, position)
    st.markdown(words.goes_out(len(now.to_publish), len(now.relevant)))


def _draw_tick(now: Making, place: int, position: int) -> None:
    paper = now.papers[position - 1]
    key = f"publish-{now.name}-{paper.paper_id}"
    is_published = position in now.to_publish
    if st.session_state.get(key) != is_published:  # what is saved is what is shown, also if somebody else saved it
        st.session_state[key] = is_published
    authors = plain(shortened("; ".join(paper.authors) or NO_AUTHOR))
    label = f"{place} · {plain(shortened(spelled_out(paper.title)))} :gray[{authors}]"
    st.checkbox(label, key=key, on_change=_save_tick, args=(now, position, key))


def _save_tick(now: Making, position: int, key: str) -> None:
    _publish(now, [position], "yes" if st.session_state[key] else "no")


def _publish(now: Making, positions: Sequence[int], label: Label) -> None:
    decided = now.decisions(positions, label, person=visitor.person())
    problem.keep(lambda: decisions.decide(cache.store(), decided), draft_box.PROBLEM, problem.NOT_SAVED)


def _draw_publishing(now: Making) -> None:
    asks = not now.to_publish and unread_empty.is_unread(now.report, now.issue)
    with st.container(horizontal=True):
        is_clicked = st.button(
            "Publish report",
            key="publish-it",
            type="primary",
            disabled=bool(now.maybe),
            on_click=None if asks else _publish_report,
            args=None if asks else (now,),
        )
        if now.maybe:
            st.button(
                f"Leave {counted_in_words(len(now.maybe), 'maybe')} undecided and publish",
                key="leave-maybes",
                on_click=_publish_report,
                args=(now,),
            )
    if asks:
        st.markdown(words.UNREAD_EMPTY)
        if is_clicked:
            unread_empty.ask(now.report, now.issue, partial(_publish_report, now))
        return
    st.markdown(words.goes_out(len(now.to_publish), len(now.relevant)) if now.to_publish else words.EMPTY)
    for warning in filter(None, (words.passed_over(_n_passed_over(now)), _stops_early(now))):
        st.markdown(warning)
    _draw_left(now)


def _n_passed_over(now: Making) -> int:
    """Return how many papers were read and not decided."""
    store, of_issue = cache.store(), (now.report, now.issue)
    decided = decisions.labels(store, *of_issue)
    read = read_positions(store, *of_issue).tolist()
    return sum(now.papers[position - 1].paper_id not in decided for position in read)


def _stops_early(now: Making) -> str:
    """State that a sorted list was read less far than told, before it goes out so; nothing else is said."""
    relevance_model = cache.relevance_model_for(now.shown)
    if relevance_model is None:
        return ""
    review_progress = progress.review_progress(cache.store(), now.report, now.issue, now.shown, relevance_model)
    n_papers = len(now.papers)
    return (
        words.stops_early(n_papers - len(review_progress.unread), n_papers) if review_progress.ended == "early" else ""
    )


@visitor.one_snapshot()
def _publish_report(now: Making) -> None:
    if _is_published(now):
        st.session_state[NOTICE] = words.PUBLISHED_ALREADY
        return
    if not draft_box.save_notes(now):  # one may still be on its way when the button is clicked
        return
    by_now = making(cache.store(), now.report, now.issue, now.shown)
    has_other_note = by_now.draft.note != now.draft.note and not draft_box.is_changed(now, "note")
    if has_other_note or (by_now.to_publish, by_now.maybe) != (now.to_publish, now.maybe):
        st.session_state[NOTICE] = words.CHANGED_MEANWHILE
        return
    try:
        relevance_model = cache.relevance_model_for(now.shown)
        who = visitor.person()
        workflow.publish_report_issue(
            cache.store(),
            now.report,
            now.issue,
            now.shown,
            person=who,
            relevance_model=relevance_model,
            approved=by_now.approved,
        )
    except OutdatedError:  # another window was quicker than the lock
        st.session_state[NOTICE] = words.CHANGED_MEANWHILE
    except DataError as error:
        if _is_published(now):  # another window was quicker
            st.session_state[NOTICE] = words.PUBLISHED_ALREADY
        else:
            problem.note(draft_box.PROBLEM, words.not_published(str(error)))
    else:
        reranking.rerank_newer(now.report, now.issue)


def _is_published(now: Making) -> bool:
    return now.issue in publications.published(cache.store(), now.report)


def _draw_maybes(now: Making) -> None:
    """Draw the papers that are maybe, each with a click to decide it; nothing where there are none."""
    if not now.maybe:
        return
    with st.container(border=True, key="maybes", gap="xsmall"):
        st.markdown(words.maybes_say(len(now.maybe)))
        for position in now.maybe:
            _draw_maybe(now, position)


def _draw_maybe(now: Making, position: int) -> None:
    paper = now.papers[position - 1]
    with st.container(horizontal=True, vertical_alignment="top", key=f"maybe-{position}"):
        with st.container(gap=None, width="stretch"):
            st.text(shortened(spelled_out(paper.title)))
            st.caption(plain(shortened("; ".join(paper.authors) or NO_AUTHOR)))
            if paper.abstract:
                st.expander("Abstract", type="compact").text(spelled_out(paper.abstract))
        with st.container(horizontal=True, width="content"):
            for label, text in {"yes": "Relevant", "no": "Not relevant"}.items():
                key = f"maybe-{now.name}-{paper.paper_id}-{label}"
                st.button(text, key=key, on_click=_decide, args=(now, paper.paper_id, label))


def _decide(now: Making, paper_id: str, label: Label) -> None:
    """Decide a paper as of the list in which it was called maybe: this page tells nothing of how far that was read."""
    store = cache.store()
    current = decisions.current_decisions(store, now.report, now.issue)[paper_id]
    decision = Decision(
        now.report,
        now.issue,
        paper_id,
        label,
        visitor.person(),
        ranking_id=current.ranking_id,
        is_alone=current.is_alone,  # else a paper found by a search would say that all papers above it were read
    )
    problem.keep(lambda: decisions.decide(store, [decision]), draft_box.PROBLEM, problem.NOT_SAVED)


def _draw_left(now: Making) -> None:
    """Draw the estimate below the draft. Draws nothing if the list has no stop advice or was read to the end."""
    relevance_model = cache.relevance_model_for(now.shown)
    if relevance_model is not None and (line := _left_says(now, relevance_model)):
        st.caption(plain(line))


def _left_says(now: Making, relevance_model: RelevanceModel) -> str:
    """Format the interval, its basis, and the spot check of this list."""
    store, of_issue = cache.store(), (now.report, now.issue)
    if now.shown is None:
        return ""
    order = order_now(store, now.shown, len(now.papers))
    context = ReviewContext(*of_issue, [*now.papers], now.shown, order, relevance_model)
    label_of, read = decisions.labels(store, *of_issue), read_positions(store, *of_issue)
    chosen = target_recall(store, now.report)
    is_read = context.is_read(read)
    reading = stop_advice.advise(relevance_model, now.shown.ranking.scores, context.in_order(label_of), is_read, chosen)
    if is_read.all():
        return ""
    by_position = {
        place: label_of[paper.paper_id] for place, paper in enumerate(now.papers, 1) if paper.paper_id in label_of
    }
    draws = read_papers.draws(store, *of_issue)
    check = spot_check.state(read, draws, by_position) if draws else "No spot check in this list"
    interval = f"Relevant papers you did not read: {spot_check.interval(reading)} (90 % interval)."
    basis = stop_advice.basis_says(relevance_model.basis, is_first=not relevance_model.is_ready)
    return f"{interval} {basis} {check}."


def _draw_next(report: str) -> None:
    """Draw a button that opens the next list that waits, or say that none does."""
    found = next_list(cache.store(), report, today=date.today())
    if found is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("Nothing else waits.", width="content")
            st.page_link(pages.link("week"), label="This week", icon=":material/arrow_forward:")
        return
    label = plain(words.next_says(found.report, found.issue, date.today()))
    if st.button(label, key="next-list", type="primary", icon=":material/arrow_forward:"):
        query = {"report": found.report, "issue": str(found.issue)}
        st.switch_page(pages.link("review"), query_params=query)
