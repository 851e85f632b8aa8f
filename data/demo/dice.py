"""Random choices that come out the same on every machine and every Python.

Python promises the sequence of ``random.Random.random()`` only, so every choice here is made from that alone, and
with nothing but arithmetic and square roots: a power, a sine or a logarithm is rounded differently by some C libraries.
"""

from collections.abc import Sequence
from math import fsum, sqrt
from random import Random
from typing import TypeVar

T = TypeVar("T")
SQRT_3 = sqrt(3)


class Dice:
    """A stream of random choices; two streams of one seed with other names are independent."""

    def __init__(self, seed: int, stream: str) -> None:
        self._random = Random(f"{seed}/{stream}").random

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self._random() < probability

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def between(self, low: float, high: float) -> float:
        """Draw a number from `low` up to `high`."""
        return low + self._random() * (high - low)

    def wobble(self) -> float:
        """Draw from a bell curve around 0 with variance 1, never beyond 3 (four uniforms added up)."""
        draw = self._random
        return (draw() + draw() + draw() + draw() - 2) * SQRT_3

    def pick(self, items: Sequence[T]) -> T:
        """Draw one item, all alike."""
        return items[int(self._random() * len(items))]

    def early(self, items: Sequence[T]) -> T:
        """Draw one item, the first ones more often: half of the draws fall in the first third or so."""
        draw = self._random()
        return items[int(draw * sqrt(draw) * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """Draw one item with chances proportional to the weights."""
        rest = self._random() * fsum(weights)  # sum() rounds otherwise from Python 3.12 on
        for item, weight in zip(items, weights, strict=True):
            rest -= weight
            if rest < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.whole(0, last)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
