"""Confirmation of changes: a dialog before a change, or a message with an *Undo* button after it."""

from collections.abc import Callable, Sequence

import streamlit as st

from presort.data.errors import DataError
from presort.desk.text import escape
from presort.desk.ui import field, window

DONE, PROBLEM, UNDO = "manage-done", "manage-problem", "manage-undo"
Change = Callable[[], object]


def ask(
    says: str,
    change: Change,
    *,
    clears: Sequence[str] = (),
    question: str = "Confirm the change",
    verb: str = "Change",
) -> None:
    """Describe a change in a dialog, and apply it if the user confirms. If it fails, the dialog shows the reason.

    Parameters
    ----------
    says : str
        Description of the change, as plain text.
    change : callable
        Function that applies the change. A `DataError` is shown in the dialog.
    clears : sequence of str
        Names of text fields that are cleared after the change.
    question : str
        Title of the dialog.
    verb : str
        Label of the confirmation button.
    """
    st.session_state.pop(PROBLEM, None)
    st.dialog(escape(question))(_draw)(says, verb, change, clears)


def say() -> None:
    """Show the last change's result once: its description, with an *Undo* button if it can be undone, or the error."""
    with st.container():  # drawn even if it is empty, so that expanders below it stay open
        done, undo = st.session_state.pop(DONE, None), st.session_state.pop(UNDO, None)
        if done:
            with st.container(key="toast", horizontal=True, vertical_alignment="center"):
                st.markdown(f":material/check: {escape(done)}", width="content")
                if undo is not None:
                    st.button("Undo", key="undo", type="tertiary", on_click=make, args=(f"Undone: {done}", undo))
        if problem := st.session_state.pop(PROBLEM, None):
            st.error(escape(problem))


def make(done: str, change: Change, undo: Change | None = None) -> None:
    """Apply a change immediately. In the next run, `say` shows the result or the error.

    Parameters
    ----------
    done : str
        Description of the applied change, as plain text.
    change : callable
        Function that applies the change.
    undo : callable, optional
        Function that undoes the change. If None, there is no *Undo* button.
    """
    try:
        change()
    except DataError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        st.session_state[DONE], st.session_state[UNDO] = done, undo


def make_in_window(done: str, change: Change, undo: Change | None = None) -> None:
    """Apply a change as `make` does, and close the open dialog. Errors are shown in the dialog."""
    make(done, change, undo)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(escape(problem))
    else:
        window.close()
        st.rerun()


def ask_in_window(question: str, says: str, done: str, change: Change, *, verb: str) -> None:
    """Ask for confirmation of a change that can't be undone. The question replaces the open dialog."""
    window.keep_open(escape(question), _ask, says, done, change, verb)
    st.rerun()


def _ask(says: str, done: str, change: Change, verb: str) -> None:
    st.write(escape(says))
    with st.container(horizontal=True):
        is_confirmed = st.button(verb, key="change-it", type="primary")
        if st.button("Cancel", key="leave-it"):
            window.close()
            st.rerun()
    if is_confirmed:
        make_in_window(done, change)


def _draw(says: str, verb: str, change: Change, clears: Sequence[str]) -> None:
    if DONE in st.session_state:
        st.rerun()  # closes the dialog, so that the page shows the result
    st.write(escape(says))
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(escape(problem))
    answers(verb, "change-it", _change, says, change, clears)


def answers(label: str, key: str, on_click: Callable[..., None], *args: object) -> None:
    """Draw a dialog's two buttons: one to confirm, and one to cancel, which closes the dialog."""
    with st.container(horizontal=True):
        st.button(label, key=key, type="primary", on_click=on_click, args=args)
        if st.button("Cancel", key="leave-it"):
            st.rerun()


def _change(says: str, change: Change, clears: Sequence[str]) -> None:
    try:
        change()
    except DataError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        st.session_state[DONE] = says
        for name in clears:
            field.renew(name)
