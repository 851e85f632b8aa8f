"""Pending: what the reports have yet to finish, oldest first, and what has gone out."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data import catalogue
from data.backlog import pending, rankers_of
from data.records import Pending, Report
from data.review_log import GoneOut, gone_out
from desk import cache
from desk.boxes import again_box, log_box
from desk.choice import choice
from desk.pages import review
from desk.words import choosing
from desk.words import pending as words
from desk.words.text import plain

SHOWN_AT_ONCE = 50  # report issues that have gone out

# As many columns as there is room for: 65 reports have the same issue pending.
STYLE = """
<style>
[class*="st-key-pending-"] {
    display: grid; gap: 2px 1rem; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
[class*="st-key-pending-"], [class*="st-key-out-"] { font-variant-numeric: tabular-nums; }
[class*="st-key-pending-"] > [data-testid="stElementContainer"] { min-width: 0; margin: 0; }
.st-key-gone-out { max-width: 60rem; }
[class*="st-key-out-"] { flex-wrap: nowrap; }
[class*="st-key-out-"] > :first-child { min-width: 0; margin: 0; }
:is([class*="st-key-out-"], [class*="st-key-pending-"]) [data-testid="stPageLink"] * {
    white-space: normal; overflow-wrap: anywhere; line-height: 1.35; }
[class*="st-key-issue-"] { margin-top: 1rem; row-gap: 0; }
</style>
"""


def show() -> None:
    """Draw the backlog of the reports."""
    if "issue" in st.query_params:  # a link to Review, opened in a new tab: Streamlit writes it relative to this page
        st.switch_page(_review(), query_params=st.query_params.to_dict())
    st.title(words.TITLE, anchor=False)
    reports = catalogue.reports(cache.store())
    if not reports or not catalogue.issues(cache.store()):
        st.info(choosing.NO_ISSUE if reports else choosing.NO_REPORT)
        return
    names = {report.code: _named(report) for report in reports}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        only = choice(
            st.container(width=320),
            words.ONLY,
            ["", *names],
            name="only",
            named=lambda code: names.get(code, words.ALL_REPORTS),
        )
        part = st.segmented_control(
            words.PART, [words.TO_FINISH, words.GONE_OUT], default=words.TO_FINISH, required=True, key="part-of-backlog"
        )
    st.html(STYLE)
    asked = {only: names[only]} if only else names
    if part == words.TO_FINISH:
        _draw_pending(asked)
    else:
        _draw_gone_out(asked, of_all=not only)


def _named(report: Report) -> str:
    return report.code if report.name == report.code else f"{report.code} · {report.name}"


def _draw_pending(names: dict[str, str]) -> None:
    again_box.show(redraws=True)
    issues = pending(cache.store(), list(names), today=date.today())
    if not issues:
        st.success(words.NOTHING_PENDING, icon=":material/check:")
        return
    st.markdown(words.summary(issues))
    by_rankers = rankers_of(cache.store(), issues)
    _offer_sorting(issues, by_rankers)
    for day, group in groupby(issues, key=lambda one: one.issue):
        of_issue = list(group)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"issue-{day}"):
            st.subheader(str(day), anchor=False, width="content")
            st.markdown(words.of_issue(of_issue[0]), width="content")
        with st.container(key=f"pending-{day}", gap=None):
            for one in of_issue:
                said = words.progress(one, list(by_rankers[one.report, one.issue].values()))
                _draw_link(one.report, one.issue, names[one.report], said)


def _offer_sorting(issues: Sequence[Pending], by_rankers: dict[tuple[str, date], dict[str, bool]]) -> None:
    unsorted = [one.report for one in issues if not by_rankers[one.report, one.issue]]
    outdated = [one.report for one in issues if not all(by_rankers[one.report, one.issue].values())]
    if said := words.to_sort(len(unsorted), len(outdated)):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(said, width="content")
            reports = list(dict.fromkeys(unsorted + outdated))
            st.button(
                words.SORT_THEM,
                key="sort-pending",
                icon=":material/sort:",
                disabled=again_box.is_busy(),
                on_click=again_box.begin,
                args=(reports, len(unsorted) + len(outdated)),
            )


def _draw_gone_out(names: dict[str, str], *, of_all: bool) -> None:
    n_shown = st.session_state.setdefault("n-gone-out", SHOWN_AT_ONCE)
    rows = gone_out(cache.store(), list(names), n_shown + 1)
    if not rows:
        st.info(words.NOTHING_GONE_OUT)
        return
    with st.container(key="gone-out", gap="xsmall"):
        for row in rows[:n_shown]:
            _draw_row(row, f"{row.issue} · {names[row.report]}" if of_all else str(row.issue))
    if len(rows) > n_shown and st.button(words.MORE, key="more-gone-out"):
        st.session_state["n-gone-out"] += SHOWN_AT_ONCE
        st.rerun()


def _draw_row(row: GoneOut, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"out-{row.report}-{row.issue}"):
        _draw_link(row.report, row.issue, name, words.went_out(row))
        if st.button(words.LOG, key=f"log-{row.report}-{row.issue}", type="tertiary"):
            log_box.open_log(row.report, row.issue)


def _draw_link(report: str, issue: date, name: str, said: str) -> None:
    st.page_link(
        _review(),
        label=f":primary[**{plain(name)}**]  {plain(said)}",
        query_params={"report": report, "issue": str(issue)},
        width="stretch",
    )


def _review() -> StreamlitPage:
    return st.Page(review.show, url_path="review", default=True)
