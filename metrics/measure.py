"""Entry of a measure in the registry."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from presort.metrics.arguments import shown
from presort.metrics.batch import Batch, Floats
from presort.metrics.outcome import Outcome

BEYOND = 2**31  # a position below the end of any list
EXAMPLE = Outcome([1, 2, 6], n=8)  # on which a measure is worked out by hand
EXAMPLE_SCORES = (2.0, 1.5, 0.5, 0.0, -0.5, -1.0, -1.0, -1.5)  # of its papers; the sixth and seventh are tied
NAME = re.compile(r"[a-z][a-z0-9_]*")
TEXTS = ("unit", "range", "source", "meaning", "misleads", "formula", "worked")
NEEDS = Literal["outcome", "scores"]
ORDER_IN_WORDS = {
    "strict": "kept strictly: a better outcome always scores better",
    "weak": "kept weakly: a better outcome never scores worse, but may score the same",
    "violates": "broken: it may prefer the worse of two outcomes",
    "–": "does not apply: it judges the ranker's scores",  # noqa: RUF001
}


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Measure: its formula, properties and texts.

    Attributes
    ----------
    name, label : str
        Its name in code, of small letters, digits and underscores; and for people.
    unit : str
        Unit; empty for a plain number.
    range : str
        Worst to best value, for r relevant papers of n.
    higher_is_better : bool
        The larger of two values is better.
    natural_order : str
        "strict": every better outcome scores better. "weak": it never scores worse. "violates": it may score worse.
        A dash: the natural order does not apply.
    scales : bool or None
        The value stays the same if every paper is repeated t times. None if the question does not apply.
    needs : str
        "outcome" or the ranker's "scores".
    sees_tail : bool
        Papers that nobody listed have a place, so that it is defined if a relevant one is missing:
        `BEYOND`, or right below it.
    cut : int or None
        Papers from the top that it looks at, of any list; None if it looks at all, or their number depends.
    source, meaning, misleads : str
        Reference of its definition; its meaning for an editor; when it misleads.
    formula : str
        LaTeX.
    worked : str
        The formula with the figures of `example`: sums in Python's notation, with ``ln``, ``sqrt``, ``C`` and ``max``.
    example : Outcome
        The outcome that is worked out; its scores, where they are needed, are `EXAMPLE_SCORES`.
    compute : callable
        From an outcome, or from scores and relevance, to its value; NaN where undefined.
    compute_each : callable or None
        The same for every outcome of a batch, of which many are measured at once; without one, or if scores are needed,
        None.
    loss : callable or None
        Exact distance from the best value, for measures whose good values a float can't distinguish from the best.

    Raises
    ------
    ValueError
        If a field holds what it can't be.
    """

    name: str
    label: str
    unit: str = ""
    range: str
    higher_is_better: bool = True
    natural_order: Literal["strict", "weak", "violates", "–"]  # noqa: RUF001
    scales: bool | None
    needs: NEEDS = "outcome"
    sees_tail: bool = False
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
            "name": ("small letters, digits and _", isinstance(self.name, str) and NAME.fullmatch(self.name)),
            **{name: ("a text", isinstance(getattr(self, name), str)) for name in TEXTS},
            "label": ("a text, not empty", isinstance(self.label, str) and self.label.strip()),
            "higher_is_better": ("True or False", isinstance(self.higher_is_better, bool)),
            "natural_order": (f"among {', '.join(ORDER_IN_WORDS)}", self.natural_order in list(ORDER_IN_WORDS)),
            "scales": ("True, False or None", isinstance(self.scales, bool | None)),
            "needs": (f"among {', '.join(get_args(NEEDS))}", self.needs in get_args(NEEDS)),
            "sees_tail": ("True or False", isinstance(self.sees_tail, bool)),
            "cut": ("a whole number from 1 or None", self.cut is None or (isinstance(self.cut, int) and self.cut >= 1)),
            "example": ("an Outcome", isinstance(self.example, Outcome)),
            "compute": ("a function", callable(self.compute)),
            "compute_each": ("a function or None", self.compute_each is None or callable(self.compute_each)),
            "loss": ("a function or None", self.loss is None or callable(self.loss)),
        }
        for field, (rule, holds) in rules.items():
            if not holds:
                raise ValueError(f"{field} of a Measure must be {rule}, got {shown(getattr(self, field))}")

    def example_value(self) -> float:
        """Measure the example that `worked` writes out."""
        if self.needs == "outcome":
            return self.compute(self.example)
        is_relevant = [position in self.example.positions for position in range(1, self.example.n + 1)]
        return self.compute(EXAMPLE_SCORES, is_relevant)
