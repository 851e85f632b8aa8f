"""Confirm changes: describe a change before it is made, and its result after."""

from collections.abc import Callable, Sequence

import streamlit as st

from presort.data.errors import DataError
from presort.desk.text import plain
from presort.desk.ui import field, window

DONE, PROBLEM, UNDO = "manage-done", "manage-problem", "manage-undo"
Change = Callable[[], object]


def ask(
    says: str,
    change: Change,
    *,
    clears: Sequence[str] = (),
    question: str = "What will change",
    verb: str = "Change it",
) -> None:
    """Describe a change in a dialog, as plain text, and make it on confirmation.

    If the change is refused, the reason is shown in the dialog, and the text fields with the names to clear are
    emptied. The question is the title of the dialog, and the verb is the label of its button.
    """
    st.session_state.pop(PROBLEM, None)
    st.dialog(plain(question))(_draw)(says, verb, change, clears)


def say() -> None:
    """Show the result of the last change once: the error, or the change with an *Undo* button if there is one."""
    with st.container():  # always there: what is open further down stays open
        done, undo = st.session_state.pop(DONE, None), st.session_state.pop(UNDO, None)
        if done:
            with st.container(key="toast", horizontal=True, vertical_alignment="center"):
                st.markdown(f":material/check: {plain(done)}", width="content")
                if undo is not None:
                    st.button("Undo", key="undo", type="tertiary", on_click=make, args=(f"Undone: {done}", undo))
        if problem := st.session_state.pop(PROBLEM, None):
            st.error(plain(problem))


def make(done: str, change: Change, undo: Change | None = None) -> None:
    """Make a change at once; `say` shows the result, or the error, in the next run.

    Parameters
    ----------
    done : str
        Description of the change, as plain text.
    undo : callable, optional
        Undoes the change. Without it no *Undo* is offered.
    """
    try:
        change()
    except DataError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        st.session_state[DONE], st.session_state[UNDO] = done, undo


def make_in_window(done: str, change: Change, undo: Change | None = None) -> None:
    """Make a change as `make` does and close the window that is kept open; an error is shown in the window."""
    make(done, change, undo)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(plain(problem))
    else:
        window.close()
        st.rerun()


def ask_in_window(question: str, says: str, done: str, change: Change, *, verb: str) -> None:
    """Ask before a change that can't be undone, in the place of the window that is kept open."""
    window.keep_open(plain(question), _ask, says, done, change, verb)
    st.rerun()


def _ask(says: str, done: str, change: Change, verb: str) -> None:
    st.write(plain(says))
    with st.container(horizontal=True):
        is_confirmed = st.button(verb, key="change-it", type="primary")
        if st.button("Cancel", key="leave-it"):
            window.close()
            st.rerun()
    if is_confirmed:
        make_in_window(done, change)


def _draw(says: str, verb: str, change: Change, clears: Sequence[str]) -> None:
    if DONE in st.session_state:
        st.rerun()  # closes the window, and the page says it
    st.write(plain(says))
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(plain(problem))
    answers(verb, "change-it", _change, says, change, clears)


def answers(label: str, key: str, on_click: Callable[..., None], *args: object) -> None:
    """Draw the two buttons of a window that asks: to do it, and to leave it, which closes the window."""
    with st.container(horizontal=True):
        st.button(label, key=key, type="primary", on_click=on_click, args=args)
        if st.button("Leave it", key="leave-it"):
            st.rerun()


def _change(says: str, change: Change, clears: Sequence[str]) -> None:
    try:
        change()
    except DataError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        st.session_state[DONE] = says
        for name in clears:
            field.empty(name)
