"""Shared helpers for tests of measures: strategies for outcomes, and the tolerance for floats."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from presort.metrics import Outcome

FIXED = settings(derandomize=True, deadline=None, max_examples=300)
BRIEF = settings(FIXED, max_examples=100)  # for tests whose examples take milliseconds
SMALL = [(r, n) for n in range(2, 10) for r in range(1, n)]  # all r < n <= 9

# Few distinct scores, so that ties are common. NaN is rare, so that some cases are left.
FEW = [0.0, 0.1, 0.25, 0.5, 0.6, 0.7, 0.9, 1.0]
SCORES = st.sampled_from(FEW)
SCORES_OR_NAN = st.sampled_from([*FEW, *FEW, *FEW, math.nan])


def all_outcomes(r: int, n: int) -> Iterator[Outcome]:
    return (Outcome(positions, n) for positions in combinations(range(1, n + 1), r))


@st.composite
def outcomes(draw, max_n=5000, least_r=0):
    """Draw outcomes of every kind: random, crowded at the top or the end, with few or nearly all papers relevant."""
    n = draw(st.integers(max(least_r, 1), max_n))
    r = draw(st.one_of(st.integers(least_r, n), st.integers(least_r, min(n, 12)), st.integers(max(least_r, n - 3), n)))
    reach = draw(st.one_of(st.just(n), st.integers(r, n), st.integers(r, min(n, r + 5))))
    positions = random.Random(draw(st.integers(0, 2**32))).sample(range(1, reach + 1), r)
    if draw(st.booleans()):
        positions = [n + 1 - position for position in positions]
    return Outcome(sorted(positions), n)


@st.composite
def systems(draw, n_systems=2, values=SCORES, least_cases=0):
    """Draw the scores of systems, shape (n_systems, n_cases, n_metrics)."""
    n_cases, n_metrics = draw(st.integers(least_cases, 8)), draw(st.integers(1, 4))
    size = n_systems * n_cases * n_metrics
    drawn = draw(st.lists(values, min_size=size, max_size=size))
    return np.array(drawn).reshape(n_systems, n_cases, n_metrics)


def is_near(value: float, exact: Fraction, *, always_absolute: bool = False) -> bool:
    """Accept a relative error of 1e-12, or an absolute one below 0.01 (MEASURES: exactness)."""
    allowed = Fraction(1, 10**12)
    if not always_absolute and abs(exact) >= Fraction(1, 100):
        allowed *= abs(exact)
    return abs(Fraction(value) - exact) <= allowed
