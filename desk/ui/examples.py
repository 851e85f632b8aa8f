"""Widgets to give examples of a subject: paste a text, or find a paper by words of its title."""

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
    """Draw a field of this name for a text, its button, and below them an error, if any."""
    with st.form(form, border=False):  # sends the text with the click
        st.text_area(
            "Paste a title and, below it, an abstract; or a paragraph on the subject",
            key=field.key_of(text),
            height=150,
        )
        st.form_submit_button("Add as example", key=button, on_click=on_click, args=args)
    problem.show(problem_at)


def ask_for_papers(key: str) -> Sequence[ListedPaper]:
    """Ask for words of a title, and return the papers found."""
    query = st.text_input("Or take papers of past issues: words of the title", key=key, max_chars=LONGEST_QUESTION)
    found = find_papers(cache.store(), query, N_FOUND)
    if query.strip() and not found:
        st.caption("No title has all of these words.")
    return found
