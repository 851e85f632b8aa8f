"""Random choices that are the same on every machine and in every Python version.

Across versions, Python guarantees only the numbers that ``random.Random.random()`` returns, so all choices are computed
from them. The computations use only arithmetic and square roots, because C libraries differ in how they round powers,
sines and logarithms.
"""

from collections.abc import Sequence
from math import fsum, sqrt
from random import Random
from typing import TypeVar

T = TypeVar("T")
SQRT_3 = sqrt(3)


class Dice:
    """Stream of random choices. Streams that share a seed but have different names are independent."""

    def __init__(self, seed: int, stream: str) -> None:
        self._random = Random(f"{seed}/{stream}").random

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self._random() < probability

    def draw_integer(self, low: int, high: int) -> int:
        """Draw an integer from `low` to `high` inclusive."""
        return low + int(self._random() * (high - low + 1))

    def draw_uniform(self, low: float, high: float) -> float:
        """Draw a number uniformly from `low` to `high`."""
        return low + self._random() * (high - low)

    def draw_normal(self) -> float:
        """Draw a number from an approximately normal distribution with mean 0 and variance 1.

        The number is the scaled sum of four uniform numbers, and lies between about -3.5 and 3.5.
        """
        draw = self._random
        return (draw() + draw() + draw() + draw() - 2) * SQRT_3

    def pick(self, items: Sequence[T]) -> T:
        """Draw an item, with all items equally likely."""
        return items[int(self._random() * len(items))]

    def pick_early(self, items: Sequence[T]) -> T:
        """Draw an item, favouring those near the start. About half of the draws come from the first third."""
        draw = self._random()
        return items[int(draw * sqrt(draw) * len(items))]

    def pick_weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """Draw an item, with probabilities proportional to the weights."""
        rest = self._random() * fsum(weights)  # not sum(), whose rounding changed in Python 3.12
        for item, weight in zip(items, weights, strict=True):
            rest -= weight
            if rest < 0:
                return item
        return items[-1]

    def permute(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.draw_integer(0, last)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
