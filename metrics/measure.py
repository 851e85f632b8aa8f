"""The `Measure` class: a registry entry with a measure's functions, properties and descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from presort.metrics.arguments import short_repr
from presort.metrics.batch import Batch, Floats
from presort.metrics.outcome import Outcome

BEYOND = 2**31  # position assigned to relevant papers that are missing from the list; larger than any n
SMALL = 1e-6  # tolerance for changes of a value: at positions from BEYOND, a discount such as 1/position counts as 0
EXAMPLE = Outcome([1, 2, 6], n=8)  # default outcome for the worked examples
# scores of the example's papers; the sixth and seventh are tied
EXAMPLE_SCORES = (2.0, 1.5, 0.5, 0.0, -0.5, -1.0, -1.0, -1.5)
NAME = re.compile(r"[a-z][a-z0-9_]*")
TEXTS = ("unit", "range", "source", "meaning", "misleads", "formula", "worked")
NEEDS = Literal["outcome", "scores"]
ORDER_IN_WORDS = {
    "strict": "respected strictly (a better outcome always scores better)",
    "weak": "respected weakly (a better outcome never scores worse, but may score the same)",
    "violates": "violated (the measure may prefer the worse of two outcomes)",
    "–": "not applicable (the measure evaluates the ranker's scores)",  # noqa: RUF001
}


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Registry entry for a measure: its functions, properties and descriptions.

    Attributes
    ----------
    name : str
        Name in code: lowercase letters, digits and underscores.
    label : str
        Display name.
    unit : str
        Unit of the value. Empty for a dimensionless number.
    range : str
        Worst and best value, as formulas in r (number of relevant papers) and n (number of papers).
    higher_is_better : bool
        True if higher values are better, False if lower values are.
    natural_order : str
        "strict" if a better outcome always scores better, "weak" if it never scores worse, "violates" if it may score
        worse. A dash if the natural order does not apply.
    scales : bool or None
        True if repeating every paper t times does not change the value. None if not applicable.
    needs : str
        Input that `compute` needs: "outcome", or "scores" for the ranker's scores.
    ignores_tail : bool
        True if the measure only compares positions with a cut, so that it is also defined if relevant papers are
        missing from the list. The missing papers get the positions `BEYOND`, `BEYOND` + 1, … Requires `compute_each`.
    cut : int or None
        Number of papers at the top of the list that the measure evaluates. None if it evaluates the whole list or if
        the number varies.
    source : str
        Publication or library that defines the measure.
    meaning : str
        Meaning of the value, for an editor.
    misleads : str
        Situations in which the measure misleads.
    formula : str
        Formula in LaTeX.
    worked : str
        Formula with the numbers of `example`, as a Python expression with ``ln``, ``sqrt``, ``C`` and ``max``.
    example : Outcome
        Outcome of the worked example. Measures that need scores use `EXAMPLE_SCORES`.
    compute : callable
        Function that returns the value, NaN if undefined. Its argument is an outcome; if `needs` is "scores", its
        arguments are the scores and the relevance flags.
    compute_each : callable or None
        Vectorised version of `compute`: returns one value per outcome of a `Batch`. None if there is no such version
        or if the measure needs scores.
    loss : callable or None
        Function that returns the exact distance from the best value, for measures whose good values round to the best
        value as floats.

    Raises
    ------
    ValueError
        If a field has an invalid value.
    """

    name: str
    label: str
    unit: str = ""
    range: str
    higher_is_better: bool = True
    natural_order: Literal["strict", "weak", "violates", "–"]  # noqa: RUF001
    scales: bool | None
    needs: NEEDS = "outcome"
    ignores_tail: bool = False
    cut: int | None = None
    source: str
    meaning: str
    misleads: str
    formula: str
    worked: str
    example: Outcome = EXAMPLE
    compute: Callable[..., float]
    compute_each: Callable[[Batch], Floats] | None = None
    loss: Callable[[Outcome], Fraction | float] | None = None

    def __post_init__(self) -> None:
        rules = {
            "name": ("lowercase letters, digits and _", isinstance(self.name, str) and NAME.fullmatch(self.name)),
            **{name: ("a string", isinstance(getattr(self, name), str)) for name in TEXTS},
            "label": ("a non-empty string", isinstance(self.label, str) and self.label.strip()),
            "higher_is_better": ("True or False", isinstance(self.higher_is_better, bool)),
            "natural_order": (f"one of {', '.join(ORDER_IN_WORDS)}", self.natural_order in list(ORDER_IN_WORDS)),
            "scales": ("True, False or None", isinstance(self.scales, bool | None)),
            "needs": (f"one of {', '.join(get_args(NEEDS))}", self.needs in get_args(NEEDS)),
            "ignores_tail": (
                "True or False, and False without compute_each",
                isinstance(self.ignores_tail, bool) and not (self.ignores_tail and self.compute_each is None),
            ),
            "cut": ("a positive integer or None", self.cut is None or (isinstance(self.cut, int) and self.cut >= 1)),
            "example": ("an Outcome", isinstance(self.example, Outcome)),
            "compute": ("a function", callable(self.compute)),
            "compute_each": ("a function or None", self.compute_each is None or callable(self.compute_each)),
            "loss": ("a function or None", self.loss is None or callable(self.loss)),
        }
        for field, (rule, holds) in rules.items():
            if not holds:
                raise ValueError(f"{field} of a Measure must be {rule}, got {short_repr(getattr(self, field))}")

    def example_value(self) -> float:
        """Return the measure's value for `example`. The formula `worked` shows how to compute it."""
        if self.needs == "outcome":
            return self.compute(self.example)
        is_relevant = [position in self.example.positions for position in range(1, self.example.n + 1)]
        return self.compute(EXAMPLE_SCORES, is_relevant)


def check_ignores_tail(name: str, compute_each: Callable[[Batch], Floats], batch: Batch, values: Floats) -> None:
    """Check that a measure ignores the positions of relevant papers that are missing from the lists.

    Parameters
    ----------
    name : str
        Name of the measure, for the error message.
    compute_each : callable
        Vectorised version of the measure, which has computed `values` from `batch`.
    batch : Batch
        Outcomes. The positions of missing papers are at least `BEYOND`.
    values : ndarray of float64, shape (n_outcomes,)
        Values of the measure for `batch`.

    Raises
    ------
    ValueError
        If a value changes when the missing papers move further down.
    """
    is_missing = batch.positions >= BEYOND
    if not is_missing.any():
        return
    moved = Batch(np.where(is_missing, 2 * batch.positions, batch.positions), batch.r, batch.n)
    if not np.allclose(values, compute_each(moved), rtol=SMALL, atol=SMALL, equal_nan=True):
        raise ValueError(f"{name} needs the positions of relevant papers missing from a list: set ignores_tail=False")
