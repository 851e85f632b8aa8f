"""Draft of a report issue: the order of its papers, and its notes. Changes are saved immediately."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import streamlit as st

from presort.data.editing import drafts
from presort.data.records import Draft
from presort.desk.components.order_list import order_list
from presort.desk.preferences.keys import preferences
from presort.desk.session.publication import PendingPublication, reorder
from presort.desk.text import shorten
from presort.desk.ui import cache, field, visitor
from presort.desk.ui.problem import NOT_SAVED, try_save

Which = Literal["note", "private_note"]

PROBLEM = "publish"  # name of the part of the page in which errors are shown
NOTES: dict[Which, str] = {
    "note": "Note to readers, shown above the titles",
    "private_note": "Private note to the editors of this report",
}


def show_order(making: PendingPublication) -> None:
    """Draw a reorderable list of the papers to publish. Draws nothing if there are fewer than two papers."""
    if len(making.to_publish) < 2:
        return
    if preferences(cache.store(), visitor.person()).is_plain:
        _draw_plain_order(making)
    else:
        order_list(making.papers_to_publish, key=f"order-{making.name}", on_order=partial(_save_order, making))
    is_presorted = not making.draft.order
    st.button("Restore ranked order", key="as-presorted", on_click=_presort, args=(making,), disabled=is_presorted)


def show_notes(making: PendingPublication) -> None:
    """Draw a text box for each note."""
    for which, label in NOTES.items():
        name, saved_key, saved = _name_of_box(making, which), _saved_key(making, which), _note(making.draft, which)
        key = field.key_of(name)
        # Show the newest saved note, which another editor may have written. A typed note that could not be saved stays
        # in the text box.
        if key not in st.session_state or st.session_state.get(saved_key) != saved:
            st.session_state[saved_key], key = saved, field.key_showing(name, saved)
        st.text_area(label, saved, key=key, max_chars=drafts.MAX_NOTE, on_change=_take_notes, args=(making,))


def is_changed(making: PendingPublication, which: Which) -> bool:
    """Return True if the text box differs from the saved note that this window last showed."""
    return bool(_typed(making, which) != st.session_state[_saved_key(making, which)])


def save_notes(making: PendingPublication) -> bool:
    """Save the notes that were changed in their text boxes. Return True if they were saved."""
    changed: dict[str, Any] = {which: _typed(making, which) for which in NOTES if is_changed(making, which)}
    return _save(making, lambda draft: replace(draft, **changed))


def _draw_plain_order(making: PendingPublication) -> None:
    for place, (position, paper) in enumerate(making.papers_to_publish.items()):
        with st.container(horizontal=True, vertical_alignment="center", key=f"line-{position}"):
            st.text(f"{place + 1} · {shorten(paper.title)}", width="stretch")
            for label, to in (("Up", place - 1), ("Down", place + 1), ("To top", 0)):
                is_there = to == place or not 0 <= to < len(making.to_publish)
                key = f"{label}-{making.name}-{position}"
                st.button(label, key=key, disabled=is_there, on_click=_move, args=(making, position, to))


def _move(making: PendingPublication, position: int, to: int) -> None:
    order = [one for one in making.to_publish if one != position]
    _save_order(making, [*order[:to], position, *order[to:]])


def _take_notes(making: PendingPublication) -> None:
    save_notes(making)


def _save_order(making: PendingPublication, order: Sequence[int]) -> None:
    _save(making, lambda draft: replace(draft, order=reorder(making.relevant, order)))


def _presort(making: PendingPublication) -> None:
    _save(making, lambda draft: replace(draft, order=()))


def _save(making: PendingPublication, changed: Callable[[Draft], Draft]) -> bool:
    """Save a change to the draft. `changed` receives the current draft and returns the new draft."""
    change = drafts.DraftChange(making.report, making.issue, changed)
    return try_save(lambda: drafts.save_draft(cache.store(), change, person=visitor.person()), PROBLEM, NOT_SAVED)


def _typed(making: PendingPublication, which: Which) -> str:
    return field.text_of(_name_of_box(making, which))


def _name_of_box(making: PendingPublication, which: Which) -> str:
    return f"{which}-{making.name}"


def _saved_key(making: PendingPublication, which: Which) -> str:
    return f"saved-{_name_of_box(making, which)}"


def _note(draft: Draft, which: Which) -> str:
    return draft.note if which == "note" else draft.private_note
