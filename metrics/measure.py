"""What is known of a measure: a row of the registry."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from metrics.batch import Batch, Floats
from metrics.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What people and programs need to know of a measure.

    Attributes
    ----------
    name, label : str
        Its name in code, and for people.
    unit : str
        What one unit of it is; empty for a plain number.
    range : str
        Worst to best value, for r relevant papers of n.
    higher_is_better : bool
        Whether the larger of two values is the better.
    natural_order : str
        "strict": every better outcome scores better. "weak": it never scores worse. "violates": it may score worse.
        A dash: the natural order does not apply.
    scales : bool or None
        Whether the value stays when every paper is repeated t times; None if the question does not apply.
    needs : str
        "outcome" or the ranker's "scores".
    source, meaning : str
        Where it is defined, and what it tells an editor.
    compute : callable
        From an outcome to its value, NaN where undefined.
    compute_each : callable
        The same for every outcome of a batch.
    """

    name: str
    label: str
    unit: str
    range: str
    higher_is_better: bool
    natural_order: Literal["strict", "weak", "violates", "–"]  # noqa: RUF001
    scales: bool | None
    needs: Literal["outcome", "scores"] = "outcome"
    source: str
    meaning: str
    compute: Callable[[Outcome], float]
    compute_each: Callable[[Batch], Floats]
