"""One question before a list of which nothing was read goes out with nothing in it."""

from collections.abc import Callable
from datetime import date

import streamlit as st

from presort.data.editing import decisions
from presort.data.editing.read_papers import read_positions
from presort.desk.publish import words
from presort.desk.text import plain
from presort.desk.ui import cache, window


def is_unread(report: str, issue: date) -> bool:
    """Return whether nobody has read or decided anything of an issue for a report."""
    store = cache.store()
    return not len(read_positions(store, report, issue)) and not decisions.labels(store, report, issue)


def ask(report: str, issue: date, publish: Callable[[], None]) -> None:
    """Ask in a window over the page whether to publish it."""
    window.ask(plain(f"Publish {report} {issue} with nothing in it?"), _draw, publish)


def _draw(publish: Callable[[], None]) -> None:
    st.write(words.UNREAD_EMPTY)
    with st.container(horizontal=True):
        if st.button(words.PUBLISH_EMPTY, key="publish-unread", type="primary", on_click=publish):
            st.rerun()  # closes the window, and the page says how it went
        if st.button("Leave it", key="leave-it"):
            st.rerun()
