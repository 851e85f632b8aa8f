"""Colours, dashes, shapes and axis labels for charts."""

import math
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import NamedTuple, TypeVar

T = TypeVar("T")
# Colour-blind readers can distinguish these colours, partly by their lightness.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6A00", "#9A78DC"]
DASHES = [
    [1, 0],
    [8, 3],
    [3, 2],
    [10, 3, 2, 3],
    [5, 4],
    [12, 2],
    [2, 6],
    [14, 3, 2, 3, 2, 3],
]  # lines can be distinguished without colour and where they overlap
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
GREY = "#9AA0A6"  # visible on both white and black backgrounds
RED = "#D0342C"
WHITE, BLACK = "#ffffff", "#0e1117"  # background colours of pages
# Axis label for log10(percent), such as "0.005 %", or "3.2e-412 %", which is too small for a JavaScript number.
POWER_LABEL = (
    "(datum.value < -3 ? format(pow(10, datum.value - floor(datum.value)), '.2~g') + 'e' + floor(datum.value)"
    " : format(pow(10, datum.value), '.4~g')) + ' %'"
)
IN_LINES = "split(datum.label, '\\n')"  # axis label for names that were wrapped by `wrap_label`
# Vega aligns the first line with the tick. For two lines, this baseline is half a line higher and centres them.
CENTRED = {"condition": {"test": "indexof(datum.value, '\\n') >= 0", "value": "bottom"}, "value": "middle"}


class Marks(NamedTuple):
    """Rankers' colours, dashes and shapes in a chart, in the order of the rankers."""

    colours: list[str]
    dashes: list[list[int]]
    shapes: list[str]


def marks_of(rankers: Sequence[str]) -> Marks:
    """Return each ranker's colour, dash and shape. Presort's own rankers always have the same marks.

    The remaining marks are assigned to other rankers in alphabetical order.

    Examples
    --------
    >>> marks_of(["krichel-2007", "presort-3"]).colours, marks_of(["presort-3"]).colours
    (['#D55E00', '#0072B2'], ['#0072B2'])
    """
    from presort.ranker.versions import DEFAULT, RECIPES  # slow, and not needed by commands that draw nothing

    others = sorted(set(rankers) - set(RECIPES))
    every = list(dict.fromkeys([DEFAULT, *RECIPES, *others]))
    places = [every.index(name) for name in rankers]
    return Marks(_pick_marks(places, COLOURS), _pick_marks(places, DASHES), _pick_marks(places, SHAPES))


def _pick_marks(places: Iterable[int], marks: Sequence[T]) -> list[T]:
    return [marks[place % len(marks)] for place in places]


def ink_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast with a background colour.

    Examples
    --------
    >>> ink_on("#0072B2"), ink_on("#E69F00")
    ('#ffffff', '#0e1117')
    """
    return max((WHITE, BLACK), key=lambda ink: contrast(colour, ink))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 (equal) to 21 (black on white).

    References
    ----------
    Web Content Accessibility Guidelines 2.2, "contrast ratio".

    Examples
    --------
    >>> contrast("#000000", "#ffffff"), round(contrast("#0072b2", "#ffffff"), 1)
    (21.0, 5.2)
    """
    dark, light = sorted(_luminance(colour) for colour in (first, second))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def wrap_label(name: str, letters: int = 32) -> str:
    """Wrap a long name into lines of similar length, because chart axes truncate long labels.

    Examples
    --------
    >>> print(wrap_label("F of Reliability and Sensitivity of the first 30"))
    F of Reliability and
    Sensitivity of the first 30
    >>> print(wrap_label("Reading effort (relative last position)"))
    Reading effort (relative
    last position)
    """
    n_lines = math.ceil(len(name) / letters)
    widths = range(math.ceil(len(name) / n_lines), len(name) + 1)
    return next(text for width in widths if (text := "\n".join(wrap(name, width))).count("\n") < n_lines)
