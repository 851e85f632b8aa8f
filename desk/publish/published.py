"""A published report issue: when and by whom, the figures of its list, and its text."""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pandas as pd
import streamlit as st

from presort.data.editing import decisions
from presort.data.editing.publications import publication_log
from presort.data.errors import DataError
from presort.data.records import Paper, Positions, Publication, ReportIssue
from presort.desk.access import person_name
from presort.desk.components.mail_frame import mail_frame
from presort.desk.scores.effort import effort, minutes_per_paper, pace, work_done
from presort.desk.sending import box
from presort.desk.sending.letters import Desk, Letter
from presort.desk.sending.mail import Written
from presort.desk.sending.sender import write
from presort.desk.service import rankers
from presort.desk.session.progress import shown_order
from presort.desk.session.publication import published_papers
from presort.desk.text import counted, moment, plain, shortened
from presort.desk.ui import cache, cards
from presort.desk.ui.cards import UNKNOWN, Card
from presort.desk.ui.report_choice import Chosen

TEXT = "As plain text"
PACE_SINCE = timedelta(weeks=52)  # issues from which the report's own pace is known


def show(chosen: Chosen, published_issue: ReportIssue, papers: Sequence[Paper]) -> None:
    """Show when a report issue was published, the figures of its list, and its text.

    Parameters
    ----------
    papers : sequence of Paper
        Papers of the issue, in list order.
    """
    *before, last = publication_log(cache.store(), chosen.report, chosen.issue)
    later = papers[published_issue.n_papers :]
    papers = papers[: published_issue.n_papers]
    published = published_papers(cache.store(), published_issue, papers)
    is_mailed = box.is_mailed(chosen.report, chosen.issue)
    st.success(plain(publication_text(last, len(published), is_mailed=is_mailed)), icon=":material/check:")
    if published_issue.source != "file":
        _draw_figures(chosen, published_issue, papers)
    for line in filter(None, map(reopening_text, before)):
        st.caption(plain(line))
    _draw_readable(published_issue, published)
    if later:
        with st.expander(f"Added later: {counted(len(later), 'paper')}", key="came-later"):
            st.caption("These papers joined the issue after it was published. They have no decision.")
            for paper in later:
                st.markdown(plain(shortened(paper.title)))


def publication_text(publication: Publication, n_published: int, *, is_mailed: bool) -> str:
    """Describe a publication: papers, time, person, and whether it was mailed."""
    published_issue = publication.report_issue
    how = "Imported" if published_issue.source == "file" else "Published"
    mail = [] if published_issue.source == "file" else ["mailed" if is_mailed else "not mailed"]
    person = person_name(published_issue.person)
    facts = [counted(n_published, "paper"), *mail, f"{moment(publication.made_at)} UTC", person]
    return f"{how}: {published_issue.report} {published_issue.issue} · {' · '.join(facts)}"


def reopening_text(publication: Publication) -> str:
    """Return when a report issue was published before, and why it was reopened. Empty if it was not reopened."""
    if publication.reopened is None:
        return ""
    first, reopened = publication.report_issue, publication.reopened
    return (
        f"Published before: {counted(len(first.published), 'paper')} · {moment(publication.made_at)} UTC · "
        f"{person_name(first.person)}. Reopened {moment(reopened.made_at)} UTC by {person_name(reopened.person)}: "
        f"{reopened.reason}"
    )


def figures(
    relevant: Sequence[int],
    n_papers: int,
    n_read: int,
    stop_at: int | None,
    saved: tuple[float, float] | None,
    minutes_unread: float,
) -> list[Card]:
    """Return the figures of a published list as cards.

    Parameters
    ----------
    relevant : sequence of int
        Ranks of the relevant papers, ascending, from 1.
    n_papers, n_read : int
    stop_at : int or None
        Stop point, in papers. None if there was no stop advice.
    saved : (papers, minutes) or None
        Saved against list order. None if unknown: then the papers not read are shown instead.
    minutes_unread : float
        Time for the papers not read, at the pace of the report.

    Examples
    --------
    >>> [card.value for card in figures([1, 9, 81], 612, 84, 60, (120.0, 3.4), 15.0)]
    ['81 of 612', '84 of 612', '2 of 3', '3']
    >>> figures([1, 9, 81], 612, 84, 60, None, 15.2)[-1].value
    '528 papers'
    """
    n_above = sum(rank <= (stop_at or 0) for rank in relevant)
    return [
        Card(
            "Last relevant paper",
            f"{relevant[-1]:,} of {n_papers:,}" if relevant else UNKNOWN,
            "Its rank in the list. Lower is better.",
            f"{100 * relevant[-1] / n_papers:.0f} % of the list" if relevant else "",
        ),
        Card("Read", f"{n_read:,} of {n_papers:,}", "Papers read, of all papers in the list."),
        Card(
            "Found above the stop point",
            f"{n_above:,} of {len(relevant):,}" if stop_at else UNKNOWN,
            "Relevant papers ranked at or above the stop point, of all that you found.",
            f"stop point {stop_at:,}" if stop_at else "",
        ),
        _saved_card(saved) if saved or n_read == n_papers else _not_read(n_papers - n_read, minutes_unread),
    ]


def _saved_card(saved: tuple[float, float] | None) -> Card:
    meaning = (
        "Time for the papers that you did not need to read because the last relevant paper is ranked earlier than in "
        "list order."
    )
    if saved is None:
        return Card("Minutes saved", UNKNOWN, meaning)
    return Card("Minutes saved", f"{saved[1]:,.0f}", meaning, counted(round(saved[0]), "paper"))


def _not_read(n_papers: int, minutes: float) -> Card:
    meaning = (
        "Papers that you did not read, and the time for them. Minutes saved against list order are known only if a "
        "list was read until hardly any relevant paper was left."
    )
    return Card("Below your stop", counted(n_papers, "paper"), meaning, f"about {minutes:,.0f} min")


def _draw_figures(chosen: Chosen, published_issue: ReportIssue, papers: Sequence[Paper]) -> None:
    store, of_issue, n_papers = cache.store(), (chosen.report, chosen.issue), len(papers)
    review_progress = published_issue.review_progress
    shown = rankers.opened(store, *of_issue)
    is_sorted = shown is not None and shown.ranking.is_sorted
    order = shown_order(shown if is_sorted else None, n_papers)
    labels = decisions.labels(store, *of_issue)
    is_relevant = np.array([labels.get(papers[position - 1].paper_id) == "yes" for position in order.tolist()])
    relevant = (np.flatnonzero(is_relevant) + 1).tolist()
    is_known = is_sorted and review_progress.ended == "all" and bool(relevant)
    work = work_done(store, chosen.issue - PACE_SINCE, [chosen.report])
    saved = _saved(chosen, order[is_relevant], relevant[-1], n_papers, work) if is_known else None
    n_unread = len(review_progress.unread)
    minutes = n_unread * float(minutes_per_paper(_row(chosen, n_papers, len(relevant)), pace(work))[0])
    stop_at = review_progress.stop_at if is_sorted else None
    cards.draw(figures(relevant, n_papers, n_papers - n_unread, stop_at, saved, minutes))
    if is_sorted and review_progress.ended == "early":
        st.caption("Reading ended before the stop point, so this list is left out of your figures.")


def _saved(
    chosen: Chosen, positions: Positions, last: int, n_papers: int, work: pd.DataFrame
) -> tuple[float, float] | None:
    """Return the papers and minutes saved against list order, as *Overview* computes them."""
    table = _row(chosen, n_papers, len(positions)).assign(last_relevant_position=last, was_shown=True)
    saved = effort(table, {(chosen.report, chosen.issue): int(positions.max())}, work)
    return None if saved.empty else (float(saved["papers"].iloc[0]), float(saved["minutes"].iloc[0]))


def _row(chosen: Chosen, n_papers: int, n_relevant: int) -> pd.DataFrame:
    issue = pd.Timestamp(chosen.issue)
    return pd.DataFrame([{"report": chosen.report, "issue": issue, "n_papers": n_papers, "n_relevant": n_relevant}])


def show_text(report_issue: ReportIssue, published: Sequence[Paper], *, is_draft: bool) -> None:
    """Draw a report issue as its readers get it, in both forms of a mail, and offer the text as a file."""
    if found := _written(report_issue, published, is_draft=is_draft):
        _draw_forms(*found, is_draft=is_draft)


def _draw_readable(report_issue: ReportIssue, published: Sequence[Paper]) -> None:
    """Offer the published text, to copy and as a file, and show it as a mail."""
    if (found := _written(report_issue, published, is_draft=False)) is None:
        return
    letter, written = found
    with st.container(horizontal=True, key="take-along"):
        _offer_file(letter, written, is_draft=False)
        to_copy = st.popover("Copy as text", icon=":material/content_copy:", on_change="rerun", key="copy-as-text")
        if to_copy.open:  # a browser needs half a second to prepare for code
            to_copy.code(written.text, language=None, wrap_lines=True)
    with st.expander("Text as published", key="as-it-went-out"):
        _draw_forms(letter, written, is_draft=False)


def _written(report_issue: ReportIssue, published: Sequence[Paper], *, is_draft: bool) -> tuple[Letter, Written] | None:
    """Return a report issue as its readers get it. If a template is wrong, show the error and return None."""
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
