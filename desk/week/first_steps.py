"""The first steps of an empty desk: import papers, add a report; or look at a demo first."""

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError, WorkspaceError
from presort.desk import pages
from presort.desk.jobs.background import BackgroundJobs, demo_of
from presort.desk.text import plain
from presort.desk.ui import cache, empty, reranking, visitor
from presort.desk.ui.empty import Way
from presort.desk.week import words

STYLE = """
<style>
.st-key-first-steps { max-width: 40rem; }
.st-key-first-steps [class*="st-key-step-"] { min-height: 2.5rem; row-gap: 0; }
.st-key-first-steps [class*="st-key-step-"] > :first-child { min-width: 1.25rem; }
.st-key-first-steps [data-testid="stPageLink"] a { min-width: 8.5rem; border: 1px solid #8888; border-radius: .5rem; }
</style>
"""
LOOKED_AFTER = 0.5  # seconds between looks at the demo being built


def show() -> bool:
    """Draw what is to be done before there is a list, while papers or reports are lacking; return whether they are."""
    store = cache.store()
    has_papers, has_reports = bool(catalogue.issues(store)), bool(catalogue.reports(store))
    if has_papers and has_reports:
        return False
    if not visitor.may_open(empty.TO_IMPORT.address):
        st.info(words.NOT_YET)
        return True
    with st.container(key="first-steps", gap="xsmall"):
        st.html(STYLE)
        st.markdown(words.WELCOME)
        _draw_link(1, empty.TO_IMPORT, words.BRING, is_done=has_papers)
        _draw_link(2, empty.TO_REPORTS, words.ADD, is_done=has_reports)
        _draw_link(3, empty.TO_SORT, words.SORT, is_done=False)
    if not has_papers and not has_reports and not visitor.must_sign_in():  # a demo opens on this computer alone
        _offer_demo()
    return True


def _draw_link(number: int, way: Way, says: str, *, is_done: bool) -> None:
    with _step(number, is_done=is_done):
        st.page_link(pages.link(way.address), label=f"**{way.label}**", query_params=way.query or None)
        st.markdown(says, width="content")


def _step(number: int, *, is_done: bool):  # type: ignore[no-untyped-def]  # a container, which Streamlit does not name
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"step-{number}")
    row.markdown(":green[:material/check_circle:]" if is_done else f"{number}.", width="content")
    return row


def _offer_demo() -> None:
    """Draw a button that has the demo built; then how that goes, and how to open it and to be rid of it."""
    queue = reranking.queue()
    if queue.demo is None:
        with st.container(horizontal=True, vertical_alignment="center", key="offer-demo"):
            st.button("Look at a demo first", key="build-demo", icon=":material/science:", on_click=queue.build_demo)
            st.markdown(words.DEMO, width="content")
    elif queue.demo.done():
        _show_demo(queue)
    else:
        _watch_demo(queue)


@st.fragment(run_every=LOOKED_AFTER)
def _watch_demo(queue: BackgroundJobs) -> None:
    if queue.demo is not None and queue.demo.done():
        st.rerun()
    st.info(
        "The demo is being built, which takes about a minute. You can go on meanwhile.", icon=":material/autorenew:"
    )


def _show_demo(queue: BackgroundJobs) -> None:
    if queue.demo is None:
        return
    error, address = queue.demo.exception(), ""
    if error is None:
        try:
            with st.spinner("The demo is built; its desk is being opened."):
                address = queue.open_demo()
        except WorkspaceError as wrong:
            error = wrong
    if error is not None:
        queue.demo = None  # it can be tried again
        if not isinstance(error, DataError):
            raise error
        st.error(plain(str(error)))
        return
    st.success("The demo is ready, at a desk of its own beside this one.", icon=":material/check:")
    st.link_button("Open the demo", address, icon=":material/open_in_new:", type="primary")
    st.caption(plain(words.ends_demo(demo_of(queue.workspace))))
