"""The editor's start: what the reports have yet to finish, oldest first, and what went out last."""

from datetime import date

import streamlit as st

from presort.data import catalogue
from presort.data.editing.log import PublishedIssue, published_issues
from presort.data.editing.pending import pending
from presort.data.records import Report
from presort.desk import pages
from presort.desk.preferences.own_reports import own_reports
from presort.desk.text import plain, report_named
from presort.desk.ui import cache, empty, visitor
from presort.desk.ui.choice import choice
from presort.desk.ui.report_choice import ranking_address
from presort.desk.ui.unknown import stop_at_unknown
from presort.desk.week import first_steps, log, pending_list, words

SHOWN_AT_ONCE = 50  # report issues that have gone out
MINE, ALL = "", "*"  # in the address

STYLE = """
<style>
[class*="st-key-out-"], [class*="st-key-due-"] { font-variant-numeric: tabular-nums; }
[class*="st-key-out-"], [class*="st-key-due-"], .st-key-which-week { max-width: 60rem; }
[class*="st-key-out-"] { flex-wrap: nowrap; }
.st-key-which-week button { min-height: 2.5rem; } /* as high as the box beside it */
[class*="st-key-out-"] > :first-child { min-width: 0; margin: 0; }
[class*="st-key-out-"] [data-testid="stPageLink"] * {
    white-space: normal; overflow-wrap: anywhere; line-height: 1.35; }
</style>
"""


def show() -> None:
    """Draw what waits, and what went out."""
    st.title("This week", anchor=False)
    if first_steps.show():
        return
    reports = catalogue.reports(cache.store())
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="bottom", key="which-week"):
        names, is_all = _asked(reports)
        part = st.segmented_control(
            "Show", [words.TO_FINISH, words.PUBLISHED], default=words.TO_FINISH, required=True, key="part-of-backlog"
        )
        _draw_ways()
    if part == words.PUBLISHED:
        _draw_published(names, of_all=len(names) > 1)
        return
    pending_list.show(names, pending(cache.store(), list(names), today=date.today()))
    _draw_newest_out(names)
    if is_all and len(reports) > 1:
        st.page_link(pages.link("preferences"), label="Choose which are mine", icon=":material/tune:")


def _asked(reports: list[Report]) -> tuple[dict[str, str], bool]:
    """Draw the box of reports, where there are several; return the names of those chosen, and whether they are all."""
    names = {report.code: report_named(report.code, report.name) for report in reports}
    own = [code for code in own_reports(cache.store(), visitor.person()) if code in names]
    if len(names) == 1:
        return names, True
    labels = {MINE: "my reports" if own else "all reports", ALL: "all reports"} | names
    options = [MINE, *([ALL] if own else []), *names]
    place = st.container(width=240)
    stop_at_unknown(place, "Report", options, name="only", named=labels.__getitem__)
    only = choice(place, "Report", options, name="only", named=labels.__getitem__)
    if only in names:
        return {only: names[only]}, False
    is_all = only == ALL or not own
    return (names if is_all else {code: names[code] for code in own}), is_all


def _draw_ways() -> None:
    """Draw where the next issue comes in and reports are added, for who may do it."""
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall", key="ways-in"):
        empty.draw_links([empty.TO_IMPORT, empty.TO_REPORTS])


def _draw_newest_out(names: dict[str, str]) -> None:
    for row in published_issues(cache.store(), list(names), 1):
        st.caption("Gone out last")
        _draw_row(row, f"{row.issue} · {names[row.report]}")


def _draw_published(names: dict[str, str], *, of_all: bool) -> None:
    n_shown = st.session_state.setdefault("n-gone-out", SHOWN_AT_ONCE)
    rows = published_issues(cache.store(), list(names), n_shown + 1)
    if not rows:
        empty.draw("Nothing has gone out yet: decide a list on Review, and publish it.", empty.TO_REVIEW)
        return
    with st.container(key="gone-out", gap="xsmall"):
        for row in rows[:n_shown]:
            _draw_row(row, f"{row.issue} · {names[row.report]}" if of_all else str(row.issue))
    if len(rows) > n_shown and st.button("Show more", key="more-gone-out"):
        st.session_state["n-gone-out"] += SHOWN_AT_ONCE
        st.rerun()


def _draw_row(row: PublishedIssue, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"out-{row.report}-{row.issue}"):
        st.page_link(
            pages.link("review"),
            label=f":primary[**{plain(name)}**]  {plain(words.went_out(row))}",
            query_params=_address(row),
            width="stretch",
        )
        if st.button("Log", key=f"log-{row.report}-{row.issue}", type="tertiary"):
            log.open_log(row.report, row.issue)


def _address(row: PublishedIssue) -> dict[str, str]:
    """Return the address of the list that a row is about."""
    if row.ranking_id is None:
        return {"report": row.report, "issue": str(row.issue)}
    return ranking_address(row.report, row.issue, row.ranking_id)
