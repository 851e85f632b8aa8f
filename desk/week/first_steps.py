"""The first steps of an empty desk: bring papers, add a report, sort; or look at a demo first."""

from datetime import date

import streamlit as st

from data import catalogue
from data.editing.pending import pending
from data.learning.outcomes import outcomes_state
from data.running import service
from desk import pages
from desk.ui import cache, empty
from desk.ui.empty import Way
from desk.week import again, demo, words

STYLE = """
<style>
.st-key-first-steps { max-width: 40rem; }
.st-key-first-steps [class*="st-key-step-"] { min-height: 2.5rem; row-gap: 0; }
.st-key-first-steps [data-testid="stPageLink"] a { border: 1px solid #8888; border-radius: .5rem; }
</style>
"""


def show() -> bool:
    """Draw what is left to do before there is a sorted list; return whether papers or reports are lacking."""
    store = cache.store()
    issues, reports = catalogue.issues(store), catalogue.reports(store)
    was_sorted = service.newest_sorted(store) is not None or outcomes_state(store)[0] > 0  # or replayed
    is_done = [bool(issues), bool(reports), was_sorted]
    if all(is_done):
        return False
    with st.container(key="first-steps", gap="xsmall"):
        st.html(STYLE)
        st.markdown(words.WELCOME)
        _draw_link(1, empty.TO_IMPORT, words.BRING, is_done=is_done[0])
        _draw_link(2, empty.TO_REPORTS, words.ADD, is_done=is_done[1])
        with _step(3, is_done=is_done[2]):
            waiting = pending(store, [report.code for report in reports], today=date.today()) if issues else []
            st.button(
                "Sort now",
                key="sort-first",
                icon=":material/sort:",
                type="primary" if waiting else "secondary",
                disabled=not waiting or again.is_busy(),
                on_click=again.begin,
                args=(list(dict.fromkeys(one.report for one in waiting)), len(waiting)),
            )
            st.markdown(words.SORT, width="content")
    if not issues and not reports:
        demo.offer()
    return not (issues and reports)


def _draw_link(number: int, way: Way, says: str, *, is_done: bool) -> None:
    with _step(number, is_done=is_done):
        st.page_link(pages.link(way.address), label=f"**{way.label}**", query_params=way.query or None)
        st.markdown(says, width="content")


def _step(number: int, *, is_done: bool):  # type: ignore[no-untyped-def]  # a container, which Streamlit does not name
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"step-{number}")
    row.markdown(":green[:material/check_circle:]" if is_done else f"{number}.", width="content")
    return row
