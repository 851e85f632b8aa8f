"""Layout for pages with figures: the title, what the figures are based on, a row of filters, and the answer."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.text import count_text

PHONE = 640  # pixels: Streamlit stacks columns below this width


class Layout(NamedTuple):
    """Containers on a page: the line below the title, the row of filters, and the answer."""

    basis: DeltaGenerator
    filters: DeltaGenerator
    answer: DeltaGenerator


def draw(title: str) -> Layout:
    """Draw the title and reserve the containers below it."""
    st.title(title, anchor=False)
    basis = st.container(key="basis")
    filters = st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="filters")
    answer = st.container(key="answer")
    for place in (basis, answer):
        place.empty()  # Streamlit collapses containers that have no elements
    return Layout(basis, filters, answer)


def basis_text(cases: pd.DataFrame, *more: str) -> str:
    """Describe which report issues the figures are based on.

    Parameters
    ----------
    cases : DataFrame
        One row per report issue, with a column ``issue``.
    more : sequence of str
        Further facts, for example the source of the rankings. Empty strings are left out.

    Examples
    --------
    >>> basis_text(pd.DataFrame({"issue": ["2026-11-09", "2026-11-09", "2026-11-16"]}), "replay", "")
    '2 issues · 3 report issues · replay'
    """
    parts: Sequence[str] = [
        count_text(cases["issue"].nunique(), "issue"),
        count_text(len(cases), "report issue"),
        *more,
    ]
    return " · ".join(part for part in parts if part)


def reserve(height: int, name: str) -> DeltaGenerator:
    """Return a container with a fixed height in pixels, for a chart or table that the browser draws late.

    The fixed height prevents a layout shift. The name must be unique on the page.
    """
    return st.container(height=height, border=False, gap=None, key=f"reserved-{name}")
