"""The *Publish* page: select papers, order them, preview the report issue and publish it."""

from collections.abc import Sequence
from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.pending import lateness, pending
from presort.data.records import Decision, Label, PendingIssue, ReportIssue
from presort.data.store import Store
from presort.data.text.formulas import formulas_to_unicode
from presort.desk import pages
from presort.desk.publish import draft as draft_box
from presort.desk.publish import publication, publishing, reopen
from presort.desk.sending import box
from presort.desk.sending.texts import NO_AUTHOR
from presort.desk.session.publication import PendingPublication, read_pending_publication
from presort.desk.text import age_text, count_text, escape, shorten
from presort.desk.ui import cache, field, problem, reranking, visitor, window
from presort.desk.ui.report_choice import ReportChoice, choose
from presort.desk.week import skipping
from presort.desk.week.skipping import SKIP, SKIP_HELP

DRAFT = "DRAFT"

# Draws a watermark on the preview.
STYLE = f"""
<style>
.st-key-as-a-mail {{ position: relative; }}
.st-key-draft pre, .st-key-draft .st-key-as-a-mail::after {{
    background-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='460' height='300'%3E\
%3Ctext x='230' y='170' text-anchor='middle' transform='rotate(-18 230 150)' font-family='sans-serif' font-size='84' \
font-weight='700' letter-spacing='8' fill='gray' fill-opacity='.2'%3E{DRAFT}%3C/text%3E%3C/svg%3E");
    background-repeat: repeat-y; background-position: 3rem 0; }}
.st-key-draft .st-key-as-a-mail::after {{ content: ""; position: absolute; inset: 0; pointer-events: none;
    background-position: center top; background-size: min(460px, 100%); }}
</style>
"""


@visitor.one_snapshot()
def show() -> None:
    """Draw the steps for publishing an issue's relevant papers."""
    st.title("Publish", anchor=False)
    if chosen := choose():
        reranking.show(chosen.report)
        _draw(chosen)
    window.show()


def next_list(store: Store, report: str, *, today: date) -> PendingIssue | None:
    """Return a report's oldest pending issue or, if it has none, the oldest pending issue of any report.

    Returns None if no issue is pending.
    """
    reports = [one.code for one in catalogue.reports(store)]
    pending_issues = pending(store, reports, today=today)
    return min(pending_issues, key=lambda one: (one.report != report, one.issue), default=None)


@st.fragment
@visitor.one_snapshot()
def _draw(chosen: ReportChoice) -> None:
    published_issue = publications.published(cache.store(), chosen.report).get(chosen.issue)
    if (published_issue is None) != (chosen.published_issue is None):
        st.rerun()  # redraw the whole page, because the select boxes also show whether the issue is published
    problem.show(draft_box.PROBLEM)
    if notice := st.session_state.pop(publishing.NOTICE, None):
        st.info(escape(notice))
    box.show_progress(chosen.report, chosen.issue)
    st.page_link(pages.link("review"), label="Back to the list", icon=":material/arrow_back:")
    if not visitor.may_edit(chosen.report):
        st.info(f"You can view {chosen.report}, but not publish it.", icon=":material/visibility:")
        return
    if published_issue is None:
        _draw_older(chosen.report, chosen.issue)
        _draw_steps(
            read_pending_publication(
                cache.store(), chosen.report, chosen.issue, chosen.ranking if chosen.is_sorted else None
            )
        )
    else:
        publication.show(chosen, published_issue, catalogue.papers(cache.store(), chosen.issue))
        _draw_next(chosen.report)
        box.show(chosen.report, chosen.issue)
        reopen.show(chosen)


def _draw_older(report: str, issue: date) -> None:
    """List a report's older pending issues. Each issue can be continued, published without papers, or skipped."""
    older = [one for one in pending(cache.store(), [report], today=date.today()) if one.issue < issue]
    if older:
        with st.container(border=True, key="older", gap="xsmall"):
            st.markdown(f"**Older lists to finish: {len(older):,}**")
            for one in older:
                _draw_older_list(one)
    skipping.show(draft_box.PROBLEM, report)


def _draw_older_list(one: PendingIssue) -> None:
    name = f"{one.report}-{one.issue}"
    of_issue = (one.report, one.issue)
    with st.container(horizontal=True, vertical_alignment="center", key=f"older-{name}"):
        read = f"{one.n_decided:,} of {count_text(one.n_papers, 'paper')} decided"
        late = f":orange-badge[{how_late.capitalize()}]" if (how_late := lateness(one)) else ""
        st.markdown(f"**{one.issue}** · {read} · {age_text(one.days_old)} {late}", width="stretch")
        query = {"report": one.report, "issue": str(one.issue)}
        st.page_link(pages.link("review"), label="Continue", icon=":material/edit:", query_params=query)
        if st.button("Publish without papers", key=f"empty-{name}"):
            publishing.ask_publish_empty(*of_issue)
        st.button(
            SKIP, key=f"skip-{name}", on_click=skipping.skip_now, args=(*of_issue, draft_box.PROBLEM), help=SKIP_HELP
        )


def _draw_steps(now: PendingPublication) -> None:
    st.html(STYLE)
    _draw_maybes(now)
    with st.expander(f"1 · Papers: {len(now.to_publish):,} of {len(now.relevant):,}", expanded=True, key="filter"):
        _draw_filter(now)
    with st.expander("2 · Order and notes", key="order"):
        draft_box.show_order(now)
        draft_box.show_notes(now)
    with st.expander("3 · Preview", key="draft"):
        draft = ReportIssue(now.report, now.issue, (), visitor.person(), note=now.draft.note)
        publication.show_text(draft, list(now.papers_to_publish.values()), is_draft=True)
    box.show_test(now.report, now.issue)
    publishing.show(now)


def _draw_filter(now: PendingPublication) -> None:
    if not now.relevant:
        st.caption(
            "No relevant papers. You can publish an empty report. Readers prefer an empty report to weak matches."
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Select all", key="publish-all", on_click=_publish, args=(now, now.relevant, "yes"))
        st.button("Select none", key="publish-none", on_click=_publish, args=(now, now.relevant, "no"))
        st.caption("Papers that you don't select still count as relevant for the ranker.", width="content")
    with st.container(gap="xsmall"):
        for place, position in enumerate(now.relevant, start=1):
            _draw_tick(now, place, position)


def _draw_tick(now: PendingPublication, place: int, position: int) -> None:
    paper = now.papers[position - 1]
    is_published = position in now.to_publish
    key = field.key_showing(f"publish-{now.name}-{paper.paper_id}", is_published)
    authors = escape(shorten("; ".join(paper.authors) or NO_AUTHOR))
    label = f"{place} · {escape(shorten(formulas_to_unicode(paper.title)))} :gray[{authors}]"
    st.checkbox(label, is_published, key=key, on_change=_save_tick, args=(now, position, key))


def _save_tick(now: PendingPublication, position: int, key: str) -> None:
    _publish(now, [position], "yes" if st.session_state[key] else "no")


def _publish(now: PendingPublication, positions: Sequence[int], label: Label) -> None:
    decided = now.decisions(positions, label, person=visitor.person())
    problem.try_save(lambda: decisions.decide(cache.store(), decided), draft_box.PROBLEM, problem.NOT_SAVED)


def _draw_maybes(now: PendingPublication) -> None:
    """Draw the papers marked maybe, with buttons to decide each paper."""
    if not now.maybe:
        return
    with st.container(border=True, key="maybes", gap="xsmall"):
        st.markdown(f"**Still maybe: {count_text(len(now.maybe), 'paper')}**")
        for position in now.maybe:
            _draw_maybe(now, position)


def _draw_maybe(now: PendingPublication, position: int) -> None:
    paper = now.papers[position - 1]
    with st.container(horizontal=True, vertical_alignment="top", key=f"maybe-{position}"):
        with st.container(gap=None, width="stretch"):
            st.text(shorten(formulas_to_unicode(paper.title)))
            st.caption(escape(shorten("; ".join(paper.authors) or NO_AUTHOR)))
            if paper.abstract:
                st.expander("Abstract", type="compact").text(formulas_to_unicode(paper.abstract))
        with st.container(horizontal=True, width="content"):
            for label, text in {"yes": "Relevant", "no": "Not relevant"}.items():
                key = f"maybe-{now.name}-{paper.paper_id}-{label}"
                st.button(text, key=key, on_click=_decide, args=(now, paper.paper_id, label))


def _decide(now: PendingPublication, paper_id: str, label: Label) -> None:
    """Decide a paper marked maybe.

    The new decision refers to the same ranking as the earlier decision, and doesn't change the reading progress.
    """
    store = cache.store()
    current = decisions.current_decisions(store, now.report, now.issue)[paper_id]
    decision = Decision(
        now.report,
        now.issue,
        paper_id,
        label,
        visitor.person(),
        ranking_id=current.ranking_id,
        is_alone=current.is_alone,  # if True, the papers above must not count as read, for example after a search
    )
    problem.try_save(lambda: decisions.decide(store, [decision]), draft_box.PROBLEM, problem.NOT_SAVED)


def _draw_next(report: str) -> None:
    """Draw a button that opens the next pending list, or a message if no list is pending."""
    found = next_list(cache.store(), report, today=date.today())
    if found is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("No pending lists.", width="content")
            st.page_link(pages.link("week"), label="This week", icon=":material/arrow_forward:")
        return
    if st.button(
        escape(f"Next: {found.report} {found.issue}"), key="next-list", type="primary", icon=":material/arrow_forward:"
    ):
        query = {"report": found.report, "issue": str(found.issue)}
        st.switch_page(pages.link("review"), query_params=query)
