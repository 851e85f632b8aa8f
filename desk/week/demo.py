"""Look at a demo first: it is built in a folder of its own, beside the workspace."""

import streamlit as st

from presort.data.errors import DataError, WorkspaceError
from presort.desk.jobs.background import BackgroundJobs, demo_of
from presort.desk.text import plain
from presort.desk.week import again, words

LOOKED_AFTER = 0.5  # seconds


def offer() -> None:
    """Draw a button that has the demo built; then how that goes, and how to open it and to be rid of it."""
    queue = again.queue()
    if queue.demo is None:
        with st.container(horizontal=True, vertical_alignment="center", key="offer-demo"):
            st.button("Look at a demo first", key="build-demo", icon=":material/science:", on_click=queue.build_demo)
            st.markdown(words.DEMO, width="content")
    elif queue.demo.done():
        _say_end(queue)
    else:
        _watch(queue)


@st.fragment(run_every=LOOKED_AFTER)
def _watch(queue: BackgroundJobs) -> None:
    if queue.demo is not None and queue.demo.done():
        st.rerun()
    st.info(words.DEMO_BUILDS, icon=":material/autorenew:")


def _say_end(queue: BackgroundJobs) -> None:
    if queue.demo is None:
        return
    error, address = queue.demo.exception(), ""
    if error is None:
        try:
            with st.spinner(words.DEMO_OPENS):
                address = queue.open_demo()
        except WorkspaceError as wrong:
            error = wrong
    if error is not None:
        queue.demo = None  # it can be tried again
        if not isinstance(error, DataError):
            raise error
        st.error(plain(str(error)))
        return
    st.success(words.DEMO_READY, icon=":material/check:")
    st.link_button("Open the demo", address, icon=":material/open_in_new:", type="primary")
    st.caption(plain(words.ends_demo(demo_of(queue.workspace))))
