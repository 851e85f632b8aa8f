"""A line below figures for each measure of a package that could not be loaded, or has no value where it failed."""

import streamlit as st

from presort.desk.scores.registry import problems
from presort.desk.text import plain


def show() -> None:
    """Draw these lines, and nothing where there are none."""
    for problem in problems():
        st.caption(plain(problem))
