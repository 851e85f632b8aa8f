"""Widgets for adding examples of a subject, either by pasting a text or by searching for a paper by title."""

from collections.abc import Callable, Sequence

import streamlit as st

from presort.data.records import ListedPaper
from presort.data.search import find_papers
from presort.desk.ui import cache, field, problem

N_FOUND = 8
LONGEST_QUESTION = 200  # characters


def draw_pasting(
    form: str, text: str, button: str, on_click: Callable[..., None], *args: object, problem_at: str
) -> None:
    """Draw a text field, a button that adds its text as an example, and the last click's error if there was one.

    Parameters
    ----------
    form, button : str
        Widget keys of the form and the button.
    text : str
        Name of the field, from which `presort.desk.ui.field.key_of` derives its widget key.
    on_click : callable
        Function that is called with `args` on a click.
    problem_at : str
        Place where the error is shown, as passed to `presort.desk.ui.problem.show`.
    """
    with st.form(form, border=False):  # a form, because it submits the text together with the click
        st.text_area(
            "Paste a title followed by an abstract, or a paragraph on the subject",
            key=field.key_of(text),
            height=150,
        )
        st.form_submit_button("Add as example", key=button, on_click=on_click, args=args)
    problem.show(problem_at)


def ask_for_papers(key: str) -> Sequence[ListedPaper]:
    """Draw a field for searching titles, and return up to `N_FOUND` papers, newest issue first."""
    query = st.text_input("Or search past issues by words in the title", key=key, max_chars=LONGEST_QUESTION)
    found = find_papers(cache.store(), query, N_FOUND)
    if query.strip() and not found:
        st.caption("No title contains all of these words.")
    return found
