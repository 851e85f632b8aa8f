"""Published report issue: its time, its editor, figures about its list, and its text."""

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
from presort.desk.publish import delivery_status
from presort.desk.scores.effort import effort, minutes_per_paper, pace, work_done
from presort.desk.sending import box
from presort.desk.sending.letters import Desk, Letter
from presort.desk.sending.mail import RenderedLetter
from presort.desk.sending.sender import write
from presort.desk.service import rankers
from presort.desk.session.progress import current_order, shown_order
from presort.desk.session.publication import published_papers
from presort.desk.text import count_text, escape, shorten, time_text
from presort.desk.ui import cache, cards
from presort.desk.ui.cards import UNKNOWN, Card
from presort.desk.ui.report_choice import ReportChoice

TEXT = "As plain text"
PACE_SINCE = timedelta(weeks=52)  # period from which the editors' reading pace is estimated


def show(chosen: ReportChoice, published_issue: ReportIssue, papers: Sequence[Paper]) -> None:
    """Draw a published report issue: when it was published, figures about its list, and its text.

    Parameters
    ----------
    chosen : ReportChoice
        Selected report, issue and ranking.
    published_issue : ReportIssue
        Published report issue.
    papers : sequence of Paper
        Papers of the issue, in list order.
    """
    *before, last = publication_log(cache.store(), chosen.report, chosen.issue)
    later = papers[published_issue.n_papers :]
    papers = papers[: published_issue.n_papers]
    published = published_papers(cache.store(), published_issue, papers)
    is_mailed = box.is_mailed(chosen.report, chosen.issue)
    st.success(escape(publication_text(last, len(published), is_mailed=is_mailed)), icon=":material/check:")
    delivery_status.show(last)
    if published_issue.source != "file":
        _draw_figures(chosen, published_issue, papers)
    for line in filter(None, map(reopening_text, before)):
        st.caption(escape(line))
    _draw_readable(published_issue, published)
    if later:
        with st.expander(f"Added later: {count_text(len(later), 'paper')}", key="came-later"):
            st.caption("These papers were added to the issue after publication. They have no decisions.")
            for paper in later:
                st.markdown(escape(shorten(paper.title)))


def publication_text(publication: Publication, n_published: int, *, is_mailed: bool) -> str:
    """Describe a publication: the number of papers, whether it was mailed, the time and the editor."""
    published_issue = publication.report_issue
    how = "Imported" if published_issue.source == "file" else "Published"
    mail = [] if published_issue.source == "file" else ["mailed" if is_mailed else "not mailed"]
    person = person_name(published_issue.person)
    facts = [count_text(n_published, "paper"), *mail, f"{time_text(publication.made_at)} UTC", person]
    return f"{how}: {published_issue.report} {published_issue.issue} · {' · '.join(facts)}"


def reopening_text(publication: Publication) -> str:
    """Describe an earlier publication, and when, by whom and why it was reopened.

    Returns an empty string if it was not reopened.
    """
    if publication.reopened is None:
        return ""
    first, reopened = publication.report_issue, publication.reopened
    return (
        f"Published before: {count_text(len(first.published), 'paper')} · {time_text(publication.made_at)} UTC · "
        f"{person_name(first.person)}. Reopened {time_text(reopened.made_at)} UTC by {person_name(reopened.person)}: "
        f"{reopened.reason}"
    )


def figures(
    relevant: Sequence[int],
    n_papers: int,
    last_ranked: int,
    n_read: int,
    stop_at: int | None,
    saved: tuple[float, float] | None,
    minutes_unread: float,
) -> list[Card]:
    """Return the figures about a published list as cards.

    Parameters
    ----------
    relevant : sequence of int
        1-based positions of the relevant papers in the list as it was read, in ascending order.
    n_papers : int
        Number of papers in the list.
    last_ranked : int
        Position of the last relevant paper in the original ranking. It differs from the last of `relevant` if the list
        was re-ranked.
    n_read : int
        Number of papers read.
    stop_at : int or None
        Stop point in the order in which the list was read. None if there was no stop advice.
    saved : (float, float) or None
        Papers and minutes saved compared with list order. If it is None and the list has unread papers, their number is
        shown instead.
    minutes_unread : float
        Estimated minutes to read the unread papers, at the pace of the report's editors.

    Examples
    --------
    >>> [card.value for card in figures([1, 9, 81], 612, 81, 84, 60, (120.0, 3.4), 15.0)]
    ['81 of 612', '84 of 612', '2 of 3', '3']
    >>> figures([1, 9, 81], 612, 81, 84, 60, None, 15.2)[-1].value
    '528 papers'
    >>> figures([1, 9, 81], 612, 95, 84, 60, None, 15.2)[0].below
    '13 % of the list · 95 before re-ranking'
    """
    n_above = sum(position <= stop_at for position in relevant) if stop_at else 0
    before = f" · {last_ranked:,} before re-ranking" if relevant and last_ranked != relevant[-1] else ""
    return [
        Card(
            "Last relevant paper",
            f"{relevant[-1]:,} of {n_papers:,}" if relevant else UNKNOWN,
            "Position of the last relevant paper in your list. Lower is better. *My report* shows the position before "
            "re-ranking, because it evaluates the ranker.",
            f"{100 * relevant[-1] / n_papers:.0f} % of the list{before}" if relevant else "",
        ),
        Card("Read", f"{n_read:,} of {n_papers:,}", "Papers read, out of all papers in the list."),
        Card(
            "Found above the stop point",
            f"{n_above:,} of {len(relevant):,}" if stop_at else UNKNOWN,
            "Relevant papers at or above the stop point in your list, out of all relevant papers found.",
            f"stop point {stop_at:,}" if stop_at else "",
        ),
        _saved_card(saved) if saved or n_read == n_papers else _unread_card(n_papers - n_read, minutes_unread),
    ]


def _saved_card(saved: tuple[float, float] | None) -> Card:
    meaning = (
        "Reading time saved because the last relevant paper is ranked earlier than in list order. The line "
        "below the figure shows the number of papers that you did not need to read."
    )
    if saved is None:
        return Card("Minutes saved", UNKNOWN, meaning)
    return Card("Minutes saved", f"{saved[1]:,.0f}", meaning, count_text(round(saved[0]), "paper"))


def _unread_card(n_papers: int, minutes: float) -> Card:
    meaning = (
        "Papers that you did not read, and the estimated time to read them. Minutes saved can be computed only for "
        "lists that were read until hardly any relevant papers were left."
    )
    return Card("Unread papers", count_text(n_papers, "paper"), meaning, f"about {minutes:,.0f} min")


def _draw_figures(chosen: ReportChoice, published_issue: ReportIssue, papers: Sequence[Paper]) -> None:
    store, of_issue, n_papers = cache.store(), (chosen.report, chosen.issue), len(papers)
    review_progress = published_issue.review_progress
    shown = rankers.review_ranking(store, *of_issue)
    is_sorted = shown is not None and shown.ranking.is_sorted
    ranking = shown if is_sorted else None
    labels = decisions.labels(store, *of_issue)
    positions = np.array([n for n, paper in enumerate(papers, 1) if labels.get(paper.paper_id) == "yes"], dtype=int)
    ranked, relevant = (
        (np.flatnonzero(np.isin(order, positions)) + 1).tolist()
        for order in (shown_order(ranking, n_papers), current_order(store, ranking, n_papers))
    )
    is_known = is_sorted and review_progress.ended == "all" and bool(relevant)
    work = work_done(store, chosen.issue - PACE_SINCE, [chosen.report])
    saved = _effort_saved(chosen, positions, ranked[-1], n_papers, work) if is_known else None
    n_unread = len(review_progress.unread)
    minutes = n_unread * float(minutes_per_paper(_row(chosen, n_papers, len(relevant)), pace(work))[0])
    stop_at = review_progress.stop_at if is_sorted else None
    last_ranked = ranked[-1] if ranked else 0
    cards.draw(figures(relevant, n_papers, last_ranked, n_papers - n_unread, stop_at, saved, minutes))
    if is_sorted and review_progress.ended == "early":
        st.caption("Reading ended before the stop point. This list is excluded from your figures.")


def _effort_saved(
    chosen: ReportChoice, positions: Positions, last: int, n_papers: int, work: pd.DataFrame
) -> tuple[float, float] | None:
    """Return the papers and minutes saved compared with list order, computed as on *Overview*."""
    table = _row(chosen, n_papers, len(positions)).assign(last_relevant_position=last, was_shown=True)
    saved = effort(table, {(chosen.report, chosen.issue): int(positions.max())}, work)
    return None if saved.empty else (float(saved["papers"].iloc[0]), float(saved["minutes"].iloc[0]))


def _row(chosen: ReportChoice, n_papers: int, n_relevant: int) -> pd.DataFrame:
    issue = pd.Timestamp(chosen.issue)
    return pd.DataFrame([{"report": chosen.report, "issue": issue, "n_papers": n_papers, "n_relevant": n_relevant}])


def show_text(report_issue: ReportIssue, published: Sequence[Paper], *, is_draft: bool) -> None:
    """Draw a report issue's email as HTML and as plain text. A draft's text has a download button."""
    if found := _write_mail(report_issue, published, is_draft=is_draft):
        _draw_forms(*found, is_draft=is_draft)


def _draw_readable(report_issue: ReportIssue, published: Sequence[Paper]) -> None:
    """Draw buttons to download and copy the published text, and a preview of the mail."""
    if (found := _write_mail(report_issue, published, is_draft=False)) is None:
        return
    letter, written = found
    with st.container(horizontal=True, key="take-along"):
        _offer_file(letter, written, is_draft=False)
        to_copy = st.popover("Copy as text", icon=":material/content_copy:", on_change="rerun", key="copy-as-text")
        if to_copy.open:  # drawn on demand, because the first code block on a page takes half a second
            to_copy.code(written.text, language=None, wrap_lines=True)
    with st.expander("Text as published", key="as-it-went-out"):
        _draw_forms(letter, written, is_draft=False)


def _write_mail(
    report_issue: ReportIssue, published: Sequence[Paper], *, is_draft: bool
) -> tuple[Letter, RenderedLetter] | None:
    """Return a report issue's email. If a template is invalid, draw the error and return None."""
    try:
        letter = Desk(cache.store()).letter(report_issue, published)
        return letter, write(cache.store(), letter, is_draft=is_draft)
    except DataError as error:
        st.error(escape(str(error)))
        return None


def _draw_forms(letter: Letter, written: RenderedLetter, *, is_draft: bool) -> None:
    as_mail, as_text = st.tabs(["As email", TEXT], on_change="rerun", key="written-as")
    with as_mail, st.container(key="as-a-mail"):
        mail_frame(
            written.html, title=f"{letter.code} {letter.issue} as an email", key=f"mail-{letter.code}-{letter.issue}"
        )
    if as_text.open:
        with as_text:
            st.code(written.text, language=None, wrap_lines=True)
            if is_draft:
                _offer_file(letter, written, is_draft=True)


def _offer_file(letter: Letter, written: RenderedLetter, *, is_draft: bool) -> None:
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
