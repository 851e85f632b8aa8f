"""Publish a report issue: the warnings and the button, a dialog that lists the effects, and the publication itself."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple, NoReturn

import streamlit as st

from presort.data.editing import decisions, publications, read_papers
from presort.data.editing.read_papers import read_positions
from presort.data.errors import DataError, OutdatedError
from presort.data.records import Label, ReviewProgress
from presort.desk.components.unsaved import has_unsaved_entries
from presort.desk.publish import delivery_status, draft
from presort.desk.sending import box
from presort.desk.service import rankers, workflow
from presort.desk.session import progress, spot_check, stop_advice
from presort.desk.session.progress import ReviewContext, current_order, list_key
from presort.desk.session.publication import PendingPublication, read_pending_publication
from presort.desk.session.stop_advice import target_recall
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, problem, reranking, visitor, window
from presort.ranker.stopping.relevance_model import RelevanceModel

NOTICE = "publish-notice"  # session key: result of the last click, stored until it is shown
ASKED = "publish-asked"  # session key: set by a click on the button and removed when the dialog opens

NOT_PUBLISHED = "Not published: {}"
PUBLISHED_ALREADY = "Already published in another window. Nothing was sent twice."
CHANGED_MEANWHILE = "This report was changed in another window. Check it again before you publish."
UNSAVED = "Some changes in the list are not saved yet. If this message does not disappear, go back to the list."
NOTHING_READ = "You have not read this list."
KEEP_READING = "Stop advice: keep reading ({} of {} read). If you publish now, this list is excluded from your figures."


class _State(NamedTuple):
    """A list's reading progress, and its current labels by paper id."""

    progress: ReviewProgress
    labels: Mapping[str, Label]


def show(now: PendingPublication) -> None:
    """Draw warnings and the effects of publishing, then the button that opens the dialog."""
    state = _state(now)
    holds = has_unsaved_entries(list_key(cache.store(), now.report, now.issue, visitor.person()))
    warnings = _warnings(now, state)
    for warning in warnings + [UNSAVED] * holds:
        st.warning(escape(warning), icon=":material/warning:")
    st.markdown(escape(unmarked_text(*_n_unmarked(now, state))))
    if warnings != [NOTHING_READ]:
        _draw_forecast(now, state.labels)
    with st.container(horizontal=True):
        st.button(
            "Publish report", key="publish-it", type="primary", disabled=bool(now.maybe), on_click=_check, args=(now,)
        )
        if now.maybe:
            label = f"Publish and leave {count_text(len(now.maybe), 'maybe')} undecided"
            st.button(label, key="leave-maybes", on_click=_check, args=(now,))
    if st.session_state.pop(ASKED, False):
        _open_dialog(now, state)


@visitor.one_snapshot()
def _check(now: PendingPublication) -> None:
    """Open the dialog unless the report issue has changed since the button was drawn."""
    if _is_published(now.report, now.issue):
        st.session_state[NOTICE] = PUBLISHED_ALREADY
        return
    if not draft.save_notes(now):  # a note may still be unsaved if the button is clicked right after typing
        return
    by_now = read_pending_publication(cache.store(), now.report, now.issue, now.shown)
    has_other_note = by_now.draft.note != now.draft.note and not draft.is_changed(now, "note")
    if has_other_note or (by_now.to_publish, by_now.maybe) != (now.to_publish, now.maybe):
        st.session_state[NOTICE] = CHANGED_MEANWHILE
    else:
        st.session_state[ASKED] = True


def ask_publish_empty(report: str, issue: date) -> NoReturn:
    """Ask whether to publish an older issue without papers. Shows an error if a paper is marked relevant or maybe."""
    shown = rankers.review_ranking(cache.store(), report, issue)
    now = read_pending_publication(
        cache.store(), report, issue, shown if shown is not None and shown.ranking.is_sorted else None
    )
    if now.to_publish or now.maybe:
        marked = (
            count_text(len(now.to_publish), "relevant paper")
            if now.to_publish
            else f"{count_text(len(now.maybe), 'paper')} marked maybe"
        )
        problem.note(draft.PROBLEM, NOT_PUBLISHED.format(f"{issue} has {marked}. Finish the list, or skip it."))
        st.rerun()
    _open_dialog(now, _state(now))


def _open_dialog(now: PendingPublication, state: _State) -> NoReturn:
    """Open the dialog that asks whether to publish a report issue and lists the effects."""
    n_readers = box.n_readers(now.report, now.issue)
    maybes = [f"{count_text(len(now.maybe), 'paper')} marked maybe will stay undecided."] if now.maybe else []
    effects = [unmarked_text(*_n_unmarked(now, state)), *maybes, *_warnings(now, state)]
    window.ask(escape(question(len(now.to_publish), n_readers)), _draw_question, now, effects, n_readers)


def question(n_papers: int, n_readers: int) -> str:
    """Return the dialog's title.

    Examples
    --------
    >>> question(12, 214), question(0, 0)
    ('Publish 12 papers to 214 readers?', 'Publish an empty report?')
    """
    papers = count_text(n_papers, "paper") if n_papers else "an empty report"
    return f"Publish {papers} to {count_text(n_readers, 'reader')}?" if n_readers else f"Publish {papers}?"


def unmarked_text(n_irrelevant: int, n_undecided: int, n_unread: int = 0) -> str:
    """Describe which labels unmarked papers will get.

    Parameters
    ----------
    n_irrelevant : int
        Number of unmarked papers that will be labelled not relevant.
    n_undecided : int
        Number of unmarked papers that will have no label, because reading ended before the stop point.
    n_unread : int
        Number of unread papers among the `n_irrelevant` papers. They get this label because reading ended at the stop
        point or below it.

    Examples
    --------
    >>> unmarked_text(57, 0), unmarked_text(0, 150)
    ('57 unmarked papers count as not relevant.', '150 unread papers will have no label.')
    >>> unmarked_text(198, 0, n_unread=172)
    '198 unmarked papers count as not relevant, including the 172 unread ones, because you have read to the stop point.'
    """
    verb = "counts" if n_irrelevant == 1 else "count"
    unread = "the unread one" if n_unread == 1 else f"the {n_unread:,} unread ones"
    reason = f", including {unread}, because you have read to the stop point" if n_unread else ""
    parts = [f"{count_text(n_irrelevant, 'unmarked paper')} {verb} as not relevant{reason}."]
    if n_undecided:
        parts.append(f"{count_text(n_undecided, 'unread paper')} will have no label.")
    return " ".join(parts if n_irrelevant else parts[-1:])


def _draw_question(now: PendingPublication, effects: Sequence[str], n_readers: int) -> None:
    mail = [] if n_readers else [f"No mail will be sent: {box.no_mail_reason(now.report)}."]
    lines = [f"{now.report} · {now.issue}", *effects, *mail, *delivery_status.announcement(n_readers)]
    st.markdown("\n".join(f"- {escape(line)}" for line in lines))
    with st.container(horizontal=True):
        if st.button("Publish", key="publish-now", type="primary", on_click=_publish_report, args=(now,)):
            st.rerun()  # close the dialog
        if st.button("Cancel", key="leave-it"):
            st.rerun()


@visitor.one_snapshot()
def _publish_report(now: PendingPublication) -> None:
    store = cache.store()
    if _is_published(now.report, now.issue):
        st.session_state[NOTICE] = PUBLISHED_ALREADY
        return
    try:
        workflow.publish_report_issue(
            store,
            now.report,
            now.issue,
            now.shown,
            person=visitor.person(),
            relevance_model=cache.relevance_model_for(now.shown),
            approved=now.approved_state,
        )
    except OutdatedError:  # the report issue has changed since the dialog was opened
        st.session_state[NOTICE] = CHANGED_MEANWHILE
    except DataError as error:
        if _is_published(now.report, now.issue):  # another window has published it in the meantime
            st.session_state[NOTICE] = PUBLISHED_ALREADY
        else:
            problem.note(draft.PROBLEM, NOT_PUBLISHED.format(error))
    else:
        reranking.rerank_newer(now.report, now.issue)


def _is_published(report: str, issue: date) -> bool:
    return issue in publications.published(cache.store(), report)


def _state(now: PendingPublication) -> _State:
    store, of_issue, n_papers = cache.store(), (now.report, now.issue), len(now.papers)
    labels = decisions.labels(store, *of_issue)
    if not labels and not len(read_positions(store, *of_issue)):  # never opened, so the slow stop advice isn't needed
        return _State(ReviewProgress(tuple(range(1, n_papers + 1)), "early"), labels)
    model = cache.relevance_model_for(now.shown)
    return _State(progress.review_progress(store, *of_issue, now.shown, model), labels)


def _warnings(now: PendingPublication, state: _State) -> list[str]:
    """Return the reasons not to publish yet."""
    n_papers = len(now.papers)
    n_read = n_papers - len(state.progress.unread)
    if not n_read and not state.labels:
        return [NOTHING_READ]
    if now.shown is not None and state.progress.ended == "early":
        return [KEEP_READING.format(f"{n_read:,}", count_text(n_papers, "paper"))]
    return []


def _n_unmarked(now: PendingPublication, state: _State) -> tuple[int, int, int]:
    """Return the arguments of `unmarked_text`."""
    unread = set(state.progress.unread)
    open_ones = [place for place, paper in enumerate(now.papers, 1) if paper.paper_id not in state.labels]
    n_unread = sum(place in unread for place in open_ones)
    if state.progress.ended == "early":
        return len(open_ones) - n_unread, n_unread, 0
    return len(open_ones), 0, n_unread


def _draw_forecast(now: PendingPublication, label_of: Mapping[str, Label]) -> None:
    """Draw the forecast of unread relevant papers.

    Draws nothing if there is no stop advice or all papers are read.
    """
    relevance_model = cache.relevance_model_for(now.shown)
    if relevance_model is not None and (text := _forecast_text(now, relevance_model, label_of)):
        st.caption(escape(text))


def _forecast_text(now: PendingPublication, relevance_model: RelevanceModel, label_of: Mapping[str, Label]) -> str:
    """Format the forecast of unread relevant papers, its basis, and the spot check of this list."""
    store, of_issue = cache.store(), (now.report, now.issue)
    if now.shown is None:
        return ""
    order = current_order(store, now.shown, len(now.papers))
    context = ReviewContext(*of_issue, [*now.papers], now.shown, order, relevance_model)
    read = read_positions(store, *of_issue)
    chosen = target_recall(store, now.report)
    is_read = context.is_read(read)
    model = stop_advice.list_model(relevance_model, now.shown.ranking.scores, len(now.papers))
    reading = stop_advice.advise(model, context.labels_in_order(label_of), is_read, chosen)
    if is_read.all():
        return ""
    by_position = {
        place: label_of[paper.paper_id] for place, paper in enumerate(now.papers, 1) if paper.paper_id in label_of
    }
    draws = read_papers.draws(store, *of_issue)
    check = spot_check.state(read, draws, by_position) if draws else "No spot check in this list"
    interval = f"Unread relevant papers: {spot_check.interval(reading)} (90 % interval)."
    basis = stop_advice.basis_text(relevance_model.basis, is_first=not relevance_model.is_ready)
    return f"{interval} {basis} {check}."
