"""What stands behind ⋯ and opens over the list: criteria, words muted and boosted, files, another ranker."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from presort.desk.export import box
from presort.desk.export.rows import Shown
from presort.desk.review import criteria
from presort.desk.sheet.progress import Sheet
from presort.desk.ui.report_choice import Chosen, choose_ranker
from presort.desk.why import hints

MENU = "over-list"
OPEN = "open-over-list"


def show(chosen: Chosen, sheet: Sheet, shown_now: Callable[[], Shown]) -> None:
    """Draw the menu, and over the page what was chosen from it, until its reader closes it."""
    parts: dict[str, Callable[[], None]] = {"What this report wants": partial(criteria.show, chosen.report)}
    if chosen.is_sorted and not chosen.is_issued:
        parts["Mute or boost"] = partial(hints.show, chosen.report)
    parts["Export what is shown"] = partial(box.show, sheet, shown_now)
    if len(chosen.rankers) > 1:
        parts["Sorted by another ranker"] = partial(choose_ranker, chosen)
    st.menu_button("⋯", list(parts), key=MENU, help="More: criteria, words, files", on_click=_open, width="content")
    name = st.session_state.get(OPEN)
    if name in parts:
        st.dialog(name, width="medium", on_dismiss=_close)(parts[name])()


def _open() -> None:
    st.session_state[OPEN] = st.session_state[MENU]


def _close() -> None:
    st.session_state.pop(OPEN, None)
