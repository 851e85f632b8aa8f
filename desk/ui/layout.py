"""Layout of a page with figures: their basis below the title; filters in a row; then the answer.

On a phone, the answer comes before the filters.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.text import counted

PHONE = 640  # pixels: Streamlit stacks columns below this width


class Layout(NamedTuple):
    """Places to draw in: one line below the title, the row of filters, and the answer."""

    basis: DeltaGenerator
    filters: DeltaGenerator
    answer: DeltaGenerator


def draw(title: str, *, is_short: bool = False) -> Layout:
    """Draw the title, and reserve the places below it; a short answer is a row of cards."""
    st.title(title, anchor=False)
    basis = st.container(key="basis")
    with st.container(key="answer-first"):
        filters = st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="filters")
        answer = st.container(key="short-answer" if is_short else "answer")
    for place in (basis, answer):
        place.empty()  # Streamlit gives no height to a container without any element
    return Layout(basis, filters, answer)


def basis_text(cases: pd.DataFrame, *more: str) -> str:
    """Describe the report issues that figures are based on.

    Parameters
    ----------
    cases : DataFrame
        ``issue``, one row per report issue.
    more : sequence of str
        Further facts, such as the source of the rankings. Empty ones are left out.

    Examples
    --------
    >>> basis_text(pd.DataFrame({"issue": ["2026-11-09", "2026-11-09", "2026-11-16"]}), "replay", "")
    '2 issues · 3 report issues · replay'
    """
    parts: Sequence[str] = [counted(cases["issue"].nunique(), "issue"), counted(len(cases), "report issue"), *more]
    return " · ".join(part for part in parts if part)


def reserve(height: int, name: str) -> DeltaGenerator:
    """Return a place of a fixed height in pixels, for a chart or a table that the browser draws late.

    What follows it does not move then. The name is unique on the page.
    """
    return st.container(height=height, border=False, gap=None, key=f"reserved-{name}")
