"""Sparklines: a series as a small picture, for many at once. SVG of nothing but numbers."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from uuid import uuid4

import numpy as np
import streamlit as st

from presort.desk.ui.colours import GREY
from presort.desk.ui.landing import SCROLL
from presort.metrics.batch import Floats

WIDTH, HEIGHT = 200, 40  # of the drawing; the page stretches it
DOT = 0.6  # of a step: half the length of a stroke that stands for a value between two gaps
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


def spark(values: Floats, *, low: float, high: float, colour: str = GREY, newest: int = 0) -> str:
    """Draw a series, oldest first, the larger values above.

    Parameters
    ----------
    values : array of shape (n_issues,)
        NaN leaves a gap; what lies beyond `low` and `high` is drawn at the edge.
    low, high : float
        What the lower and the upper edge stand for.
    colour : str
        Of the newest values; those before are grey.
    newest : int
        How many are newest; all, where there are no more.

    Returns
    -------
    str
        Address of the picture, ``data:image/svg+xml;base64,...``.
    """
    places = np.linspace(1, WIDTH - 1, max(len(values), 2))[: len(values)]
    heights = HEIGHT - 2 - (HEIGHT - 4) * (np.clip(values, low, high) - low) / ((high - low) or 1)
    first_new = max(len(values) - newest, 0)
    parts = [_line(places[: first_new + 1], heights[: first_new + 1], GREY, 1.2)] if first_new else []
    parts += [_line(places[first_new:], heights[first_new:], colour, 2)] if newest else []
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none">'
        f"{''.join(parts)}</svg>"
    )
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def limits(drawn: Floats, *, share: bool) -> tuple[float, float]:
    """Return the edges that many series have in common: 0 to 1 of a share, else where all but the outermost lie.

    What is not finite is left out.

    Examples
    --------
    >>> limits(np.array([0.2, 0.4]), share=True), limits(np.array([-np.inf, np.nan]), share=False)
    ((0.0, 1.0), (0.0, 1.0))
    """
    finite = drawn[np.isfinite(drawn)]
    if share or not len(finite):
        return 0.0, 1.0
    low, high = np.quantile(finite, [0.01, 0.99])
    return float(low), float(high)


def _line(places: Floats, heights: Floats, colour: str, width: float) -> str:
    """Return the strokes between gaps; a value by itself is a short one."""
    step = places[1] - places[0] if len(places) > 1 else WIDTH
    strokes = []
    for run in _runs(heights):
        points = [f"{x:.1f} {y:.1f}" for x, y in zip(places[run], heights[run], strict=True)]
        if len(points) == 1:
            points = [f"{places[run][0] + side * DOT * step:.1f} {heights[run][0]:.1f}" for side in (-0.5, 0.5)]
        strokes.append("M" + "L".join(points))
    return (
        f'<path d="{"".join(strokes)}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round" '
        'vector-effect="non-scaling-stroke"/>'
    )


def _runs(heights: Floats) -> Sequence[slice]:
    is_there = np.concatenate([[False], ~np.isnan(heights), [False]])
    edges = np.flatnonzero(np.diff(is_there.astype(int)))
    return [slice(first, end) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def choose(name: str, value: str) -> None:
    """Choose an option of a box, and have what it changes come into sight."""
    st.session_state[name] = value
    st.session_state[SCROLLED] = uuid4().hex


def scroll() -> None:
    """Scroll to the selection made in a chart: it is further up, where nobody would see it change."""
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
    main, detail = figures
    drawn = "".join(f'<img src="{picture}" alt="">' for picture in pictures)
    with st.container(key=f"cell-{key}", gap=None):
        draw_name()
        st.html(
            f'<div class="figures" style="border-top: 2px solid {colour}">{main} <small>{detail}</small></div>{drawn}'
        )
