import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics import Outcome, compare_natural, natural_order_key
from tests.metrics.strategies import SMALL, all_outcomes

# all outcomes of r = 2, n = 5, best first (MEASURES section 1)
BEST_FIRST = ["11000", "10100", "01100", "10010", "01010", "00110", "10001", "01001", "00101", "00011"]


def test_all_ten_outcomes_in_natural_order():
    outcomes = [Outcome.from_relevance([int(flag) for flag in flags]) for flags in BEST_FIRST]
    shuffled = outcomes[1::2] + outcomes[::2]
    assert sorted(shuffled, key=natural_order_key) == outcomes
    for better, worse in pairwise(outcomes):
        assert compare_natural(better, worse) == -1
        assert compare_natural(worse, better) == 1


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param([2, 3], [1, 4], -1, id="last-decides"),
        pytest.param([1, 3, 9], [2, 3, 9], -1, id="first-decides-at-the-end"),
        pytest.param([4, 7, 9], [1, 8, 9], -1, id="second-to-last-decides"),
        pytest.param([4, 7, 9], [4, 7, 9], 0, id="same"),
        pytest.param([], [], 0, id="nothing-relevant"),
    ],
)
def test_compare_natural(a, b, expected):
    a, b = Outcome(a, n=9), Outcome(b, n=9)
    assert (compare_natural(a, b), compare_natural(b, a)) == (expected, -expected)


@pytest.mark.parametrize(("b_positions", "b_n"), [([1, 2], 6), ([1], 5)])
def test_outcomes_of_different_counts_are_not_comparable(b_positions, b_n):
    message = f"a and b must have the same r and n, got r=2, n=5 and r={len(b_positions)}, n={b_n}"
    with pytest.raises(ValueError, match=re.escape(message)):
        compare_natural(Outcome([1, 2], 5), Outcome(b_positions, b_n))


@pytest.mark.parametrize(("a", "b", "name"), [([1], Outcome([1], 2), "a"), (Outcome([1], 2), None, "b")])
def test_other_types_are_refused(a, b, name):
    with pytest.raises(
        ValueError, match=rf"^{name} must be an Outcome \(create one with Outcome.from_relevance\), got "
    ):
        compare_natural(a, b)
    with pytest.raises(ValueError, match=r"^outcome must be an Outcome .*, got \[1, 0\]"):
        natural_order_key([1, 0])


def slow_compare(a: list[int], b: list[int]) -> int:
    """Compare the last positions, and continue with the rest if they are equal."""
    if not a:
        return 0
    if a[-1] == b[-1]:
        return slow_compare(a[:-1], b[:-1])
    return -1 if a[-1] < b[-1] else 1


@given(st.sampled_from(SMALL).flatmap(lambda counts: st.tuples(*[st.sampled_from(list(all_outcomes(*counts)))] * 2)))
def test_compare_natural_is_the_definition(pair):
    a, b = pair
    assert compare_natural(a, b) == slow_compare(a.positions.tolist(), b.positions.tolist())
