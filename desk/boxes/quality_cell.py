"""A small picture with a name and figures; the whole of it is a button."""

from collections.abc import Callable, Sequence
from uuid import uuid4

import streamlit as st

from desk.words.text import plain

STYLE = """
<style>
#one-report { scroll-margin-top: 4rem; }
[class*="st-key-cell-"] { position: relative; width: 100%; }
[class*="st-key-cell-"] > :has(button) { position: absolute; inset: 0; z-index: 1; width: 100% !important; }
[class*="st-key-cell-"] .stButton { height: 100%; }
[class*="st-key-cell-"] button {
    width: 100%; height: 100%; min-height: 0; padding: 0; justify-content: flex-start; align-items: flex-start; }
[class*="st-key-cell-"] button * { width: 100%; }
[class*="st-key-cell-"] button:is(:hover, :focus-visible) { outline: 1px solid currentColor; outline-offset: 3px; }
[class*="st-key-cell-"] button p {
    font-size: .75rem; line-height: 1.25rem; font-weight: 600; text-align: left; width: 100%;
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[class*="st-key-cell-"] .figures {
    padding-top: 1.25rem; font-size: .75rem; line-height: 1.25rem; font-variant-numeric: tabular-nums; }
[class*="st-key-cell-"] .figures small { font-size: .6875rem; opacity: .7; }
[class*="st-key-cell-"] img { display: block; width: 100%; height: 26px; }
[class*="st-key-cell-"] img + img { height: 20px; margin-top: 2px; }
</style>
"""


SCROLLED = "quality-scrolled"
ANCHOR = "one-report"  # of the heading that a click leads to
# Nothing of a file gets in here; the click makes it another one each time, else it would run once.
SCROLL = """<script>/* {click} */ document.getElementById("{anchor}")?.scrollIntoView();</script>"""


def choose(name: str, value: str) -> None:
    """Choose an option of a box, and have what it changes come into sight."""
    st.session_state[name] = value
    st.session_state[SCROLLED] = uuid4().hex


def scroll() -> None:
    """Bring what was chosen by a picture into sight: it stands below, where nobody would see it change."""
    if click := st.session_state.pop(SCROLLED, None):
        st.html(SCROLL.format(click=click, anchor=ANCHOR), unsafe_allow_javascript=True)


def draw_cell(
    name: str,
    value: str,
    on_click: Callable[[str], None],
    figures: tuple[str, str],
    pictures: Sequence[str],
    *,
    colour: str = "transparent",
) -> None:
    """Draw a cell of a grid; `STYLE` must be on the page.

    Parameters
    ----------
    name : str
        Shown; it may come from a file.
    value : str
        What a click hands to `on_click`.
    figures : (str, str)
        A main one and one beside it: our own words and numbers, no text of a file.
    pictures : sequence of str
        As `desk.charts.sparks.spark` gives them, the main one first.
    colour : str
        Of a line above, such as ``#0072b2``.
    """
    main, beside = figures
    drawn = "".join(f'<img src="{picture}" alt="">' for picture in pictures)
    with st.container(key=f"cell-{value}", gap=None):
        st.button(plain(name), key=f"open-{value}", type="tertiary", on_click=on_click, args=(value,))
        st.html(
            f'<div class="figures" style="border-top: 2px solid {colour}">{main} <small>{beside}</small></div>{drawn}'
        )
