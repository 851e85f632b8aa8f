"""What went out: when and by whom, how good the order was, and how it reads."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from presort.data.editing import decisions
from presort.data.editing.decisions import CurrentDecision, minutes_spent
from presort.data.editing.publications import publication_log
from presort.data.editing.read_papers import read_positions
from presort.data.errors import DataError
from presort.data.learning import outcomes
from presort.data.records import Paper, ReportIssue, StoredRanking
from presort.desk.components.mail_frame import mail_frame
from presort.desk.scores.outcomes import (
    LIST_ORDER,
    counted_in_words,
    judged_by_says,
    order_says,
    published_says,
    reopened_says,
    stopped_says,
    unread_says,
)
from presort.desk.sending import box
from presort.desk.sending.letters import Desk, Letter
from presort.desk.sending.mail import Written
from presort.desk.sending.sender import write
from presort.desk.service import rankers
from presort.desk.session import progress
from presort.desk.session.progress import ReviewContext, shown_order
from presort.desk.session.publication import published_papers
from presort.desk.text import plain, shortened
from presort.desk.ui import cache
from presort.desk.ui.report_choice import Chosen
from presort.metrics import Outcome

TEXT = "As plain text"


def show(chosen: Chosen, published_issue: ReportIssue, papers: Sequence[Paper]) -> None:
    """Show how a report issue went out, and what went out; papers are those of the issue, in list order."""
    *before, last = publication_log(cache.store(), chosen.report, chosen.issue)
    later = papers[published_issue.n_papers :]
    papers = papers[: published_issue.n_papers]
    published = published_papers(cache.store(), published_issue, papers)
    text = published_says(last, len(published), is_mailed=box.is_mailed(chosen.report, chosen.issue))
    judged_by, review_progress = "", published_issue.review_progress
    shown = None if published_issue.source == "file" else rankers.opened(cache.store(), chosen.report, chosen.issue)
    if shown is None or not shown.ranking.is_sorted:
        text += f" {LIST_ORDER} {unread_says(len(review_progress.unread))}"
    elif review_progress.ended == "early":
        text += f" {stopped_says(len(papers) - len(review_progress.unread), len(papers))}"
    else:
        order_text, judged_by = _order(chosen, papers, shown, is_evaluable=review_progress.ended == "all")
        text += f" {order_text}"
    st.success(plain(text.strip()), icon=":material/check:")
    for line in filter(None, map(reopened_says, before)):
        st.markdown(plain(line))
    if judged_by:
        with st.expander("How sure?", type="compact", key="judged-by"):
            st.markdown(plain(judged_by))
    _draw_readable(published_issue, published)
    if later:
        with st.expander(f"Came later: {counted_in_words(len(later), 'paper')}", key="came-later"):
            st.caption(
                "These papers joined the issue after the report went out. Nobody decided on them; nothing is learned."
            )
            for paper in later:
                st.markdown(plain(shortened(paper.title)))


def show_text(report_issue: ReportIssue, published: Sequence[Paper], *, is_draft: bool) -> None:
    """Draw a report issue as its readers get it, in both forms of a mail, and offer the text as a file."""
    if found := _written(report_issue, published, is_draft=is_draft):
        _draw_forms(*found, is_draft=is_draft)


def _draw_readable(report_issue: ReportIssue, published: Sequence[Paper]) -> None:
    """Offer what went out as text, to copy and as a file, and how it reads as a mail."""
    if (found := _written(report_issue, published, is_draft=False)) is None:
        return
    letter, written = found
    with st.container(horizontal=True, key="take-along"):
        _offer_file(letter, written, is_draft=False)
        to_copy = st.popover("Copy as text", icon=":material/content_copy:", on_change="rerun", key="copy-as-text")
        if to_copy.open:  # a browser takes half a second to make ready for code
            to_copy.code(written.text, language=None, wrap_lines=True)
    with st.expander("As it went out", key="as-it-went-out"):
        _draw_forms(letter, written, is_draft=False)


def _written(report_issue: ReportIssue, published: Sequence[Paper], *, is_draft: bool) -> tuple[Letter, Written] | None:
    """Return a report issue as its readers get it; None where a template of the workspace is wrong, which is said."""
    try:
        letter = Desk(cache.store()).letter(report_issue, published)
        return letter, write(cache.store(), letter, is_draft=is_draft)
    except DataError as error:
        st.error(plain(str(error)))
        return None


def _draw_forms(letter: Letter, written: Written, *, is_draft: bool) -> None:
    as_mail, as_text = st.tabs(["As a mail", TEXT], on_change="rerun", key="written-as")
    with as_mail, st.container(key="as-a-mail"):
        mail_frame(
            written.html, title=f"{letter.code} {letter.issue} as a mail", key=f"mail-{letter.code}-{letter.issue}"
        )
    if as_text.open:
        with as_text:
            st.code(written.text, language=None, wrap_lines=True)
            if is_draft:
                _offer_file(letter, written, is_draft=True)


def _offer_file(letter: Letter, written: Written, *, is_draft: bool) -> None:
    name = f"{letter.code}-{letter.issue}{'-draft' if is_draft else ''}.txt"
    st.download_button(
        "Download as text",
        written.text,
        file_name=name,
        mime="text/plain",
        icon=":material/download:",
        on_click="ignore",
        key=f"as-text-{name}",
    )


def _order(chosen: Chosen, papers: Sequence[Paper], shown: StoredRanking, *, is_evaluable: bool) -> tuple[str, str]:
    """Show how good an order was, and what it was judged by."""
    store, of_issue = cache.store(), (chosen.report, chosen.issue)
    context = ReviewContext(
        *of_issue, list(papers), shown, shown_order(shown, len(papers)), relevance_model=None, is_published=True
    )
    in_order = [papers[position - 1] for position in context.order.tolist()]
    current = decisions.current_decisions(store, *of_issue)
    relevant = [place for place, paper in enumerate(in_order, 1) if _label(current, paper) == "yes"]
    ranker = shown.ranking.ranker
    scored = outcomes.scored_rankings(store, chosen.report)
    earlier = progress.earlier_lists(scored, ranker, chosen.issue)
    judged_by = [Outcome(one.places, one.n_papers) for one in earlier if len(one.places)]
    order_text = order_says(
        Outcome(np.array(relevant, dtype=np.int64), len(papers)),
        [paper.title for paper in in_order],
        read_up_to=len(read_positions(store, *of_issue)),
        minutes=minutes_spent(store, *of_issue),
        earlier=judged_by,
        is_evaluable=is_evaluable,
    )
    return order_text, judged_by_says(len(judged_by), ranker) if relevant and is_evaluable else ""


def _label(current: Mapping[str, CurrentDecision], paper: Paper) -> str:
    return current[paper.paper_id].label if paper.paper_id in current else "undecided"
