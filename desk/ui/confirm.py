"""Show what will change before it does, and that it did."""

from collections.abc import Callable, Sequence

import streamlit as st

from presort.data.errors import DataError
from presort.desk.text import plain
from presort.desk.ui import field

DONE, PROBLEM = "manage-done", "manage-problem"
Change = Callable[[], None]


def ask(
    says: str,
    change: Change,
    *,
    clears: Sequence[str] = (),
    question: str = "What will change",
    verb: str = "Change it",
) -> None:
    """Show in a window over the page what will change, as plain text, and make the change on confirmation.

    What the change refuses is said in the window; text fields of the names to clear are emptied then. The question is
    the head of the window, and the verb stands on the button.
    """
    st.session_state.pop(PROBLEM, None)
    st.dialog(plain(question))(_draw)(says, verb, change, clears)


def say() -> None:
    """Show once what was changed, or why it was not."""
    with st.container():  # always there: what is open further down stays open
        if done := st.session_state.pop(DONE, None):
            st.success(plain(done), icon=":material/check:")
        if problem := st.session_state.pop(PROBLEM, None):
            st.error(plain(problem))


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
