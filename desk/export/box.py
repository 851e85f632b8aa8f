"""What the review list shows, to take along in a file."""

from collections.abc import Callable
from io import BytesIO

import streamlit as st

from presort.desk.export import words
from presort.desk.export.formats import GROUPS, Format, Listed, formats_of
from presort.desk.export.rows import Shown, exported, title_of
from presort.desk.sheet.progress import Sheet
from presort.desk.text import plain
from presort.desk.ui import cache

EVERY = 2  # seconds between looks at what the list shows


def show(sheet: Sheet, shown_now: Callable[[], Shown]) -> None:
    """Draw what the list shows, and a button for each kind of file.

    What is shown is asked for again and again: the list may tell it a moment after this was opened.
    """
    shown = shown_now()
    st.markdown(f"{plain(words.shown_says(shown))} With your decisions, tags and notes, as they are when you click.")
    for group, label in GROUPS.items():
        st.caption(label)
        with st.container(horizontal=True, key=f"export-{group}"):
            for kind in formats_of(group).values():
                _draw_button(sheet, shown, kind)
    _follow(shown, shown_now)


def _draw_button(sheet: Sheet, shown: Shown, kind: Format) -> None:
    store = cache.store()  # the file is made in a thread that knows no session

    def made() -> bytes:
        file = BytesIO()
        kind.write(Listed(exported(store, sheet, shown), title_of(store, sheet.report, sheet.issue)), file)
        return file.getvalue()

    st.download_button(
        f"Download {kind.label}",
        made,
        file_name=words.file_name(sheet.report, sheet.issue, shown, kind.ending),
        mime=kind.mime,
        key=f"export-{kind.ending}",
        icon=":material/download:",
        on_click="ignore",  # drawn anew, the button would no longer know the file that was asked for
    )


@st.fragment(run_every=EVERY)
def _follow(drawn_for: Shown, shown_now: Callable[[], Shown]) -> None:
    """Draw the page anew once the list shows something else than what the buttons offer.

    This part draws nothing: buttons that are drawn again every other second would sometimes miss a click.
    """
    if shown_now() != drawn_for:
        st.rerun()
