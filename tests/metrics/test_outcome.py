import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics import Outcome, score
from presort.metrics.outcome import MOST_PAPERS
from tests.metrics.strategies import outcomes


def test_an_outcome_has_its_counts():
    outcome = Outcome([2, 5], n=6)
    assert (outcome.r, outcome.n, outcome.last) == (2, 6, 5)
    assert outcome.positions.tolist() == [2, 5]
    assert outcome.positions.dtype == np.int64


def test_nothing_relevant_has_no_last_position():
    outcome = Outcome([], n=3)
    assert outcome.r == 0
    assert math.isnan(outcome.last)


def test_an_outcome_does_not_change_with_its_source_array():
    given_positions = np.array([1, 2])
    outcome = Outcome(given_positions, n=3)
    given_positions[0] = 7
    assert outcome.positions.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        outcome.positions[0] = 7
    with pytest.raises(AttributeError):
        outcome.n = 7


def test_equal_outcomes_are_equal():
    assert Outcome([1, 3], 4) == Outcome(np.array([1, 3], dtype=np.uint8), np.int32(4))
    assert len({Outcome([1, 3], 4), Outcome([1, 3], 4), Outcome([1, 3], 5), Outcome([1, 4], 4)}) == 3
    assert Outcome([1], 2) != "an outcome"
    assert pickle.loads(pickle.dumps(Outcome([1, 3], 4))) == Outcome([1, 3], 4)


@pytest.mark.parametrize(
    "positions",
    [
        pytest.param([0, 1], id="below-1"),
        pytest.param([1, 6], id="beyond-n"),
        pytest.param([2, 2], id="twice"),
        pytest.param([3, 2], id="not-sorted"),
        pytest.param([1.0, 2.0], id="floats"),
        pytest.param([math.nan], id="nan"),
        pytest.param([True], id="bool"),
        pytest.param(["1"], id="text"),
        pytest.param([[1, 2]], id="two-dimensional"),
        pytest.param(3, id="a-number"),
        pytest.param([1, 2, 3, 4, 5, 6], id="more-than-n"),
        pytest.param([2**63 + 1], id="beyond-int64"),
        pytest.param([[1], [2, 3]], id="uneven"),
    ],
)
def test_wrong_positions(positions):
    with pytest.raises(ValueError, match=r"positions must be strictly increasing integers from 1 to n = 5, got "):
        Outcome(positions, n=5)


@pytest.mark.parametrize("n", [0, -1, 2.0, True, None, math.nan, 10_000_001, 2**63])
def test_wrong_n(n):
    with pytest.raises(ValueError, match=re.escape(f"n must be an integer from 1 to 10,000,000, got {n!r}")):
        Outcome([], n)


def test_products_do_not_overflow_in_the_longest_list():
    middle = np.arange(MOST_PAPERS // 4 + 1, 3 * MOST_PAPERS // 4 + 1)
    table = score([Outcome([1], MOST_PAPERS), Outcome(middle, MOST_PAPERS)], ["aselt", "nosel"])
    assert table["aselt"].tolist() == [1, 0]
    assert table["nosel"].tolist() == pytest.approx([1, 0.5 - 1 / MOST_PAPERS], abs=1e-12)


@pytest.mark.parametrize(
    "flags",
    [[1, 0, 1], [True, False, True], [1.0, 0.0, 1.0], np.array([1, 0, 1], dtype=np.int8), (1, False, 1)],
)
def test_from_relevance(flags):
    assert Outcome.from_relevance(flags) == Outcome([1, 3], n=3)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param([], "flags must be a non-empty list of 0 and 1, got []", id="empty"),
        pytest.param([0, 2], "flags must be 0 or 1, got 2 at position 2", id="two"),
        pytest.param([math.nan, 1], "flags must be 0 or 1, got nan at position 1", id="nan"),
        pytest.param([0.5], "flags must be 0 or 1, got 0.5 at position 1", id="half"),
        pytest.param([[0, 1]], "flags must be a non-empty list of 0 and 1, got [[0, 1]]", id="two-dimensional"),
        pytest.param([[1], [0, 1]], "flags must be a non-empty list of 0 and 1, got [[1], [0, 1]]", id="uneven"),
        pytest.param(["0", "1"], "flags must be a non-empty list of 0 and 1, got ['0', '1']", id="text"),
        pytest.param([None, 1], "flags must be a non-empty list of 0 and 1, got [None, 1]", id="none"),
    ],
)
def test_wrong_flags(flags, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Outcome.from_relevance(flags)


@pytest.mark.parametrize(
    ("scores", "relevant", "expected"),
    [
        pytest.param([1.0, 3.0, 2.0], [1, 0, 0], [3], id="highest-first"),
        pytest.param([5, 5, 5, 5], [0, 1, 0, 1], [2, 4], id="ties-keep-list-order"),
        pytest.param([1, 2, 1, 2], [1, 0, 1, 1], [2, 3, 4], id="ties-at-two-levels"),
        pytest.param([-math.inf, 0, math.inf], [1, 0, 0], [3], id="infinite"),
        pytest.param(np.array([1, 2], dtype=np.uint8), [True, False], [2], id="unsigned"),
    ],
)
def test_from_scores(scores, relevant, expected):
    assert Outcome.from_scores(scores, relevant).positions.tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1))
def test_from_scores_sorts_stably(papers):
    scores, relevant = zip(*papers, strict=True)
    flags = [flag for _, flag in sorted(papers, key=lambda paper: -paper[0])]
    assert Outcome.from_scores(scores, relevant) == Outcome.from_relevance(flags)


@pytest.mark.parametrize(
    ("scores", "relevant", "message"),
    [
        pytest.param([1.0, math.nan], [0, 1], "scores must be 2 numbers without NaN, one per paper, got", id="nan"),
        pytest.param([1.0], [0, 1], "scores must be 2 numbers without NaN, one per paper, got [1.0]", id="shorter"),
        pytest.param(["a", "b"], [0, 1], "scores must be 2 numbers", id="text"),
        pytest.param([1.0, 2.0], [0, 2], "relevant must be 0 or 1, got 2 at position 2", id="relevant"),
        pytest.param([1.0, [2.0]], [0, 1], "scores must be 2 numbers without NaN, one per paper, got", id="uneven"),
        pytest.param([1.0, 2.0], [0, [1]], "relevant must be a non-empty list of 0 and 1, got", id="uneven-flags"),
        pytest.param([], [], "relevant must be a non-empty list of 0 and 1, got []", id="empty"),
    ],
)
def test_wrong_scores(scores, relevant, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Outcome.from_scores(scores, relevant)


@given(outcomes(max_n=200))
def test_flags_and_positions_are_equivalent(outcome):
    flags = [int(position in set(outcome.positions.tolist())) for position in range(1, outcome.n + 1)]
    assert Outcome.from_relevance(flags) == outcome


@given(st.lists(outcomes(max_n=60), max_size=6))
def test_split_reverses_concatenation(expected):
    laid = [position for outcome in expected for position in outcome.positions.tolist()]
    found = Outcome.split(laid, [outcome.r for outcome in expected], [outcome.n for outcome in expected])
    assert found == expected
    assert all(type(outcome.n) is int and not outcome.positions.flags.writeable for outcome in found)
    assert score(found, ["aselt"]).equals(score(expected, ["aselt"]))


def test_split_outcomes_do_not_change_with_their_source_array():
    laid = np.array([1, 3, 2])
    found = Outcome.split(laid, np.array([2, 1]), np.array([4, 4]))
    laid[:] = 9
    assert found == [Outcome([1, 3], 4), Outcome([2], 4)]


@pytest.mark.parametrize(
    ("positions", "r", "n", "message"),
    [
        pytest.param([1, 2], [2, 1], [4, 4], "sum to 2, the number of positions", id="too-few"),
        pytest.param([1, 2], [1], [4], "sum to 2, the number of positions", id="too-many"),
        pytest.param([1, 2], [1, 1], [4], "r must be as long as n", id="a-length-missing"),
        pytest.param([1, 2], [3, -1], [4, 4], "r must be as long as n", id="below-none"),
        pytest.param([1, 2, 2, 3], [2, 2], [4, 4], "", id="fine"),
        pytest.param([1, 2, 3, 3], [2, 2], [4, 4], "strictly increasing integers from 1 to n = 4, got", id="twice"),
        pytest.param([1, 2, 0, 3], [2, 2], [4, 4], "from 1 to n = 4", id="zero"),
        pytest.param([1, 5, 1, 3], [2, 2], [4, 9], "from 1 to n = 4", id="beyond"),
        pytest.param([], [0], [0], "n must be an integer from 1 to", id="no-papers"),
        pytest.param([], [0], [MOST_PAPERS + 1], "n must be an integer from 1 to", id="too-long"),
        pytest.param([1.0], [1], [4], "positions must be a list of integers", id="floats"),
        pytest.param([1], [1], "4", "n must be a list of integers", id="text"),
    ],
)
def test_invalid_splits(positions, r, n, message):
    if not message:
        assert [outcome.positions.tolist() for outcome in Outcome.split(positions, r, n)] == [[1, 2], [2, 3]]
        return
    with pytest.raises(ValueError, match=message):
        Outcome.split(positions, r, n)


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1)))
def test_outcomes_of_a_matrix_are_those_of_its_rows(rows):
    expected = [Outcome.from_relevance(row) for row in rows]
    whole = np.array(rows)
    for matrix in (rows, whole, whole.astype(float), np.asfortranarray(whole), pd.DataFrame(whole).astype(int)):
        assert Outcome.from_matrix(matrix) == expected
    assert not any(outcome.positions.flags.writeable for outcome in Outcome.from_matrix(whole))
    assert Outcome.from_matrix(np.empty((0, 3))) == []


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param([1, 0], id="one-dimension"),
        pytest.param([[1, 0], [1]], id="uneven"),
        pytest.param([[], []], id="no-column"),
        pytest.param([[0, 2]], id="neither-0-nor-1"),
        pytest.param([[0, math.nan]], id="nan"),
        pytest.param([["0", "1"]], id="texts"),
    ],
)
def test_wrong_matrices(matrix):
    with pytest.raises(ValueError, match="flags must be"):
        Outcome.from_matrix(matrix)
