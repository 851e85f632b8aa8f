"""The ⋯ menu of the list: criteria, muted and boosted terms, export, choice of ranking. Each item opens a dialog."""

from collections.abc import Callable
from functools import partial
from io import BytesIO

import streamlit as st

from presort.desk.export.formats import GROUPS, Format, PaperList, formats_of
from presort.desk.export.rows import ListView, exported_papers, file_name, title_of, view_text
from presort.desk.review import criteria
from presort.desk.session.progress import ReviewContext
from presort.desk.text import escape
from presort.desk.ui import cache
from presort.desk.ui.report_choice import ReportChoice, choose_ranker
from presort.desk.why import hints

MENU = "over-list"
OPEN = "open-over-list"
EVERY = 2  # seconds between checks for a change in the papers that the list shows


def show(chosen: ReportChoice, context: ReviewContext, shown_now: Callable[[], ListView]) -> None:
    """Draw the menu and, if a dialog is open, the dialog."""
    parts: dict[str, Callable[[], None]] = {"Criteria": partial(criteria.show, chosen.report)}
    if chosen.is_sorted and not chosen.is_published:
        parts["Mute or boost"] = partial(hints.show, chosen.report)
    parts["Export shown papers"] = partial(draw_export, context, shown_now)
    if len(chosen.rankers) > 1:
        parts["Choose another ranking"] = partial(choose_ranker, chosen)
    st.menu_button("⋯", list(parts), key=MENU, help="More: criteria, terms, export", on_click=_open, width="content")
    name = st.session_state.get(OPEN)
    if name in parts:
        st.dialog(name, width="medium", on_dismiss=_close)(parts[name])()


def draw_export(context: ReviewContext, shown_now: Callable[[], ListView]) -> None:
    """Describe which papers of the list are shown, and draw a download button for each file format.

    Polls `shown_now`, because the list may report a new filter shortly after the dialog opens.
    """
    shown = shown_now()
    st.markdown(f"{escape(view_text(shown))} Files include your decisions, tags and notes at the time of download.")
    for group, label in GROUPS.items():
        st.caption(label)
        with st.container(horizontal=True, key=f"export-{group}"):
            for kind in formats_of(group).values():
                _draw_download(context, shown, kind)
    _follow(shown, shown_now)


def _open() -> None:
    st.session_state[OPEN] = st.session_state[MENU]


def _close() -> None:
    st.session_state.pop(OPEN, None)


def _draw_download(context: ReviewContext, shown: ListView, kind: Format) -> None:
    store = cache.store()  # read here, because the file is generated in a thread that has no Streamlit session

    def make_file() -> bytes:
        file = BytesIO()
        kind.write(
            PaperList(exported_papers(store, context, shown), title_of(store, context.report, context.issue)), file
        )
        return file.getvalue()

    st.download_button(
        f"Download {kind.label}",
        make_file,
        file_name=file_name(context.report, context.issue, shown, kind.ending),
        mime=kind.mime,
        key=f"export-{kind.ending}",
        icon=":material/download:",
        on_click="ignore",  # a rerun would discard the file before the browser requests it
    )


@st.fragment(run_every=EVERY)
def _follow(drawn_for: ListView, shown_now: Callable[[], ListView]) -> None:
    """Redraw the page when the list no longer shows the papers that the buttons export.

    The buttons are not part of this fragment, because buttons that are redrawn every two seconds would miss some
    clicks.
    """
    if shown_now() != drawn_for:
        st.rerun()
