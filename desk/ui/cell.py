"""A small picture with a name and figures; the whole of it is a button or a link."""

from collections.abc import Callable, Sequence
from uuid import uuid4

import streamlit as st

from presort.desk.ui.landing import SCROLL

STYLE = """
<style>
#one-measure { scroll-margin-top: 4rem; }
[class*="st-key-cell-"] { position: relative; width: 100%; }
[class*="st-key-cell-"] > :has(button, a) {
    position: absolute; inset: 0; z-index: 1; margin: 0 !important; width: 100% !important; }
[class*="st-key-cell-"] :is(.stButton, .stPageLink) { height: 100%; width: 100%; }
[class*="st-key-cell-"] .stPageLink > div { height: 100%; }
[class*="st-key-cell-"] :is(button, a) {
    width: 100%; height: 100%; min-height: 0; padding: 0; margin: 0; justify-content: flex-start;
    align-items: flex-start; background: none; }
[class*="st-key-cell-"] :is(button, a) * { width: 100%; }
[class*="st-key-cell-"] :is(button, a):is(:hover, :focus-visible) {
    outline: 1px solid currentColor; outline-offset: 3px; }
[class*="st-key-cell-"] :is(button, a) p {
    font-size: .75rem; line-height: 1.25rem; font-weight: 600; text-align: left; width: 100%;
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[class*="st-key-cell-"] .figures {
    padding-top: 1.25rem; font-size: .75rem; line-height: 1.25rem; font-variant-numeric: tabular-nums; }
[class*="st-key-cell-"] .figures small { font-size: .6875rem; opacity: .7; }
[class*="st-key-cell-"] img { display: block; width: 100%; height: 26px; }
[class*="st-key-cell-"] img + img { height: 20px; margin-top: 2px; }
</style>
"""


SCROLLED = "cell-scrolled"
ANCHOR = "one-measure"  # of the heading that a click leads to


def choose(name: str, value: str) -> None:
    """Choose an option of a box, and have what it changes come into sight."""
    st.session_state[name] = value
    st.session_state[SCROLLED] = uuid4().hex


def scroll() -> None:
    """Bring what was chosen by a picture into sight: it stands above, where nobody would see it change."""
    if click := st.session_state.pop(SCROLLED, None):
        SCROLL(key=f"scroll-{click}", data={"anchor": ANCHOR})  # another one each time, else it would run once


def draw_cell(
    key: str,
    draw_name: Callable[[], object],
    figures: tuple[str, str],
    pictures: Sequence[str],
    *,
    colour: str = "transparent",
) -> None:
    """Draw a cell of a grid; `STYLE` must be on the page.

    The name is drawn as a button or a link, which takes all of the cell. Figures, a main one and one beside it, are our
    own words and numbers; the colour is that of a line above. Pictures are by `spark`, the main one first.
    """
    main, beside = figures
    drawn = "".join(f'<img src="{picture}" alt="">' for picture in pictures)
    with st.container(key=f"cell-{key}", gap=None):
        draw_name()
        st.html(
            f'<div class="figures" style="border-top: 2px solid {colour}">{main} <small>{beside}</small></div>{drawn}'
        )
