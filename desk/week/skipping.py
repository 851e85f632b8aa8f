"""Skip an issue, and offer to undo the last skip."""

import time
from datetime import date

import streamlit as st

from presort.data.editing.skipping import skip, skippings, undo_skip
from presort.desk.text import escape
from presort.desk.ui import cache, problem, visitor
from presort.desk.ui.problem import try_save

LAST = "skipped-last"  # session key for the report, issue and monotonic time of the last skip
SHOWN_FOR = 20  # seconds
SKIP = "Skip"
SKIP_HELP = "Leaves this issue unpublished. Decisions stay saved, and you can undo this."

# Style of a toast with a button, which Streamlit's own toast can't contain. After the toast disappears, the list of
# skipped issues still offers *Undo*.
STYLE = f"""
<style>
[data-testid="stLayoutWrapper"]:has(> .st-key-skipped-toast) {{ position: absolute; }} /* no gap in the page */
.st-key-skipped-toast {{ position: fixed; top: 4.5rem; right: 1rem; z-index: 999990; width: auto !important;
    padding: .4rem 1rem; border: 1px solid #8888; border-radius: .5rem; background: Canvas; color: CanvasText;
    box-shadow: 0 .2rem .8rem #0004; animation: end-of-skipped-toast 0s {SHOWN_FOR}s forwards; }}
@keyframes end-of-skipped-toast {{ to {{ visibility: hidden; }} }}
</style>
"""


def skip_now(report: str, issue: date, place: str) -> None:
    """Skip an issue. Errors are stored, and `presort.desk.ui.problem.show` displays them at `place`."""
    if try_save(lambda: skip(cache.store(), report, issue, person=visitor.person()), place, problem.NOT_SAVED):
        st.session_state[LAST] = (report, issue, time.monotonic())


def undo_skip_now(report: str, issue: date, place: str) -> None:
    """Undo skipping an issue. Errors are stored, and `presort.desk.ui.problem.show` displays them at `place`."""
    try_save(lambda: undo_skip(cache.store(), report, issue, person=visitor.person()), place, problem.NOT_SAVED)
    st.session_state.pop(LAST, None)


def show(place: str, report: str | None = None) -> None:
    """Draw a toast about the issue that this user has just skipped, with an undo button.

    If a report is given, the toast is drawn only if the issue belongs to that report.
    """
    skipped_report, issue, at = st.session_state.get(LAST, ("", date.min, 0.0))
    is_recent = skipped_report and time.monotonic() - at < SHOWN_FOR
    if not is_recent or report not in (None, skipped_report) or not _is_skipped(skipped_report, issue):
        return
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="skipped-toast"):
        st.markdown(escape(f"{skipped_report} {issue} skipped"), width="content")
        st.button("Undo", key="undo-skip", type="tertiary", on_click=undo_skip_now, args=(skipped_report, issue, place))


def _is_skipped(report: str, issue: date) -> bool:
    found = skippings(cache.store(), report, issue)
    return bool(found) and not found[-1].is_taken_back
