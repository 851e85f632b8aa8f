"""Say what will change before it does, and that it did."""

from collections.abc import Callable, Sequence

import streamlit as st

from data.errors import DataError
from desk.words import manage as words
from desk.words.text import plain

DONE, PROBLEM = "manage-done", "manage-problem"
Change = Callable[[], None]


def ask(says: str, change: Change, *, clears: Sequence[str] = ()) -> None:
    """Say in a window over the page what will change, and change it when told to.

    Parameters
    ----------
    says : str
        What will change, in a sentence or two; plain text.
    change : callable
        Changes it; what it refuses is said in the window.
    clears : sequence of str
        Keys of text fields that are emptied then.
    """
    st.session_state.pop(PROBLEM, None)
    st.dialog(words.ASK)(_draw)(says, change, clears)


def say() -> None:
    """Say once what was changed, or why it was not."""
    with st.container():  # always there: what is open further down stays open
        if done := st.session_state.pop(DONE, None):
            st.success(plain(done), icon=":material/check:")
        if problem := st.session_state.pop(PROBLEM, None):
            st.error(plain(problem))


def _draw(says: str, change: Change, clears: Sequence[str]) -> None:
    if DONE in st.session_state:
        st.rerun()  # closes the window, and the page says it
    st.write(plain(says))
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(plain(problem))
    with st.container(horizontal=True):
        st.button(words.DO, key="change-it", type="primary", on_click=_change, args=(says, change, clears))
        if st.button(words.LEAVE, key="leave-it"):
            st.rerun()


def _change(says: str, change: Change, clears: Sequence[str]) -> None:
    try:
        change()
    except DataError as error:
        st.session_state[PROBLEM] = str(error)
    else:
        st.session_state[DONE] = says
        for key in clears:
            st.session_state[key] = ""
