"""Skip an issue, and offer to undo the last skip."""

from datetime import date

import streamlit as st

from presort.data.editing.skipping import skip, skippings, take_up
from presort.desk.text import plain
from presort.desk.ui import cache, problem, visitor
from presort.desk.ui.problem import keep
from presort.desk.week import words

LAST = "skipped-last"  # in the session: report and issue


def skip_now(report: str, issue: date, place: str) -> None:
    """Skip an issue; what keeps it from being saved is shown at a place of `presort.desk.ui.problem`."""
    if keep(lambda: skip(cache.store(), report, issue, person=visitor.person()), place, problem.NOT_SAVED):
        st.session_state[LAST] = (report, issue)


def take_up_now(report: str, issue: date, place: str) -> None:
    """Take an issue up again."""
    keep(lambda: take_up(cache.store(), report, issue, person=visitor.person()), place, problem.NOT_SAVED)


def show(place: str, report: str | None = None) -> None:
    """Draw what this visitor skipped last, of one report or of any, and a button that takes it back."""
    last: tuple[str, date] | None = st.session_state.get(LAST)
    if last is None or report not in (None, last[0]) or not _is_skipped(*last):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="skipped-now-line"):
        st.markdown(plain(words.was_skipped(*last)), width="content")
        st.button("Undo", key="undo-skip", type="tertiary", on_click=take_up_now, args=(*last, place))


def _is_skipped(report: str, issue: date) -> bool:
    found = skippings(cache.store(), report, issue)
    return bool(found) and not found[-1].is_taken_back
