"""First steps in an empty workspace: import papers and add a report, or open the demo."""

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError, WorkspaceError
from presort.desk import pages
from presort.desk.jobs.background import BackgroundJobs, demo_of
from presort.desk.text import escape
from presort.desk.ui import cache, empty, reranking, visitor
from presort.desk.ui.empty import Way

LOOKED_AFTER = 0.5  # seconds between checks on the demo's progress


def show() -> bool:
    """Draw the first steps if there are no papers or no reports yet. Returns True if anything was drawn.

    Users without the right to import papers see a message instead.
    """
    store = cache.store()
    has_papers, has_reports = bool(catalogue.issues(store)), bool(catalogue.reports(store))
    if has_papers and has_reports:
        return False
    if not visitor.may_open(empty.TO_IMPORT.address):
        st.info("No lists yet. First, the director must import papers and assign you a report.")
        return True
    with st.container(key="first-steps", gap="xsmall"):
        st.markdown("**Welcome.** Your first ranked list takes two steps.")
        _draw_link(
            1, empty.TO_IMPORT, "The papers of an issue, as RIS, BibTeX, CSV or another format.", is_done=has_papers
        )
        _draw_link(2, empty.TO_REPORTS, "A subject, for example *labour economics*.", is_done=has_reports)
        st.caption("After both steps, lists are ranked in the background.")
    if (
        not has_papers and not has_reports and not visitor.must_sign_in()
    ):  # the demo can be reached only from this computer
        _offer_demo()
    return True


def _draw_link(number: int, way: Way, explanation: str, *, is_done: bool) -> None:
    with _step(number, is_done=is_done):
        st.page_link(pages.link(way.address), label=f"**{way.label}**", query_params=way.query or None)
        st.markdown(explanation, width="content")


def _step(number: int, *, is_done: bool):  # type: ignore[no-untyped-def]  # Streamlit exports no type for a container
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"step-{number}")
    row.markdown(":green[:material/check_circle:]" if is_done else f"{number}.", width="content")
    return row


def _offer_demo() -> None:
    """Draw the button that builds the demo, the progress of building it, or the link that opens it."""
    queue = reranking.queue()
    if queue.demo is None:
        with st.container(horizontal=True, vertical_alignment="center", key="offer-demo"):
            st.button("Try the demo", key="build-demo", icon=":material/science:", on_click=queue.build_demo)
            st.markdown("12 made-up reports in a separate workspace.", width="content")
    elif queue.demo.done():
        _show_demo(queue)
    else:
        _watch_demo(queue)


@st.fragment(run_every=LOOKED_AFTER)
def _watch_demo(queue: BackgroundJobs) -> None:
    if queue.demo is not None and queue.demo.done():
        st.rerun()
    st.info("Building the demo. This takes about a minute, and you can leave this page.", icon=":material/autorenew:")


def _show_demo(queue: BackgroundJobs) -> None:
    if queue.demo is None:
        return
    error, address = queue.demo.exception(), ""
    if error is None:
        try:
            with st.spinner("Opening the demo"):
                address = queue.open_demo()
        except WorkspaceError as wrong:
            error = wrong
    if error is not None:
        queue.demo = None  # allows another attempt
        if not isinstance(error, DataError):
            raise error
        st.error(escape(str(error)))
        return
    st.success("The demo is ready, in a separate workspace.", icon=":material/check:")
    st.link_button("Open the demo", address, icon=":material/open_in_new:", type="primary")
    st.caption(escape(f"To remove it, delete the folder {demo_of(queue.workspace)}."))
