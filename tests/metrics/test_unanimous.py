"""Unanimous Improvement Ratio of two systems, and its counts."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.improvement import uir_matrix, uir_table
from presort.metrics.parametric import parametric_uir
from presort.metrics.unanimous import UnanimousImprovement, unanimous_improvement, unanimous_improvement_ratio
from tests.metrics.strategies import SCORES_OR_NAN, systems

NAN, INF = math.nan, math.inf


def slow_counts(a, b, atol=0.0) -> dict[str, int]:
    """Count case by case and metric by metric."""
    counts = dict.fromkeys(("n_better", "n_worse", "n_equal", "n_undecided", "n_left_out"), 0)
    for scores_a, scores_b in zip(a.tolist(), b.tolist(), strict=True):
        pairs = list(zip(scores_a, scores_b, strict=True))
        if any(math.isnan(x) or math.isnan(y) for x, y in pairs):
            counts["n_left_out"] += 1
            continue
        a_ever_worse = any(x < y - atol for x, y in pairs)
        b_ever_worse = any(y < x - atol for x, y in pairs)
        verdicts = {
            (False, True): "n_better",
            (True, False): "n_worse",
            (False, False): "n_equal",
            (True, True): "n_undecided",
        }
        counts[verdicts[a_ever_worse, b_ever_worse]] += 1
    return counts


def test_table_3_of_the_paper():
    """Amigó and others 2011, Table 3: precision and recall of two systems on ten cases."""
    a = np.array([[5, 5, 5, 6, 7, 3, 4, 4, 3, 2], [5, 2, 2, 4, 5, 5, 5, 5, 5, 5]]).T / 10
    b = np.array([[5, 5, 4, 6, 6, 1, 5, 6, 1, 4], [5, 2, 2, 3, 4, 4, 6, 6, 6, 3]]).T / 10
    assert unanimous_improvement(a, b) == UnanimousImprovement(0.2, 10, 4, 2, 2, 2, 0)
    assert unanimous_improvement_ratio(a, b) == 0.2


@given(systems(values=SCORES_OR_NAN), st.sampled_from([0.0, 0.05, 0.125, 0.3]))
def test_counts_agree_with_a_loop(scores, atol):
    a, b = scores
    counts, expected = unanimous_improvement(a, b, atol=atol), slow_counts(a, b, atol)
    assert {name: getattr(counts, name) for name in expected} == expected
    assert counts.n_cases == len(a) - expected["n_left_out"]
    if counts.n_cases:
        assert counts.ratio == (expected["n_better"] - expected["n_worse"]) / counts.n_cases
    else:
        assert math.isnan(counts.ratio)


@given(systems(least_cases=1), st.sampled_from([0.0, 0.125]))
def test_range_and_antisymmetry(scores, atol):
    a, b = scores
    ratio = unanimous_improvement_ratio(a, b, atol=atol)
    assert -1 <= ratio <= 1
    assert ratio == -unanimous_improvement_ratio(b, a, atol=atol)
    assert unanimous_improvement_ratio(a, a, atol=atol) == 0


@given(systems(), st.sampled_from([np.exp, np.arctan, lambda x: x**3 + x, lambda x: 1000 * x - 7]), st.integers(0, 3))
def test_only_the_order_of_each_metric_matters(scores, transform, metric):
    changed = scores.copy()
    changed[..., metric % scores.shape[2]] = transform(scores[..., metric % scores.shape[2]])
    assert repr(unanimous_improvement(*changed)) == repr(unanimous_improvement(*scores))


@given(systems().filter(lambda scores: scores.shape[2] > 1))
def test_a_further_metric_never_makes_more_cases_at_least_as_good(scores):
    """Nor does it make more cases better, except those with ties in all other metrics, which it decides alone."""
    a, b = scores
    before, after = unanimous_improvement(a[:, 1:], b[:, 1:]), unanimous_improvement(a, b)
    assert after.n_better + after.n_equal <= before.n_better + before.n_equal
    assert after.n_worse + after.n_equal <= before.n_worse + before.n_equal
    assert after.n_undecided >= before.n_undecided
    assert after.n_better - before.n_better <= before.n_equal - after.n_equal


def test_ratio_is_not_transitive():
    """Three systems, each of which improves the next one in two cases of three."""
    a, b, c = np.array([[[3, 3], [1, 1], [2, 2]], [[2, 2], [3, 3], [1, 1]], [[1, 1], [2, 2], [3, 3]]])
    assert unanimous_improvement_ratio(a, b) == pytest.approx(1 / 3)
    assert unanimous_improvement_ratio(b, c) == pytest.approx(1 / 3)
    assert unanimous_improvement_ratio(c, a) == pytest.approx(1 / 3)


def test_one_case():
    assert unanimous_improvement([[0.5, 0.5]], [[0.5, 0.4]]) == UnanimousImprovement(1.0, 1, 1, 0, 0, 0, 0)


def test_no_case_left_is_nan():
    counts = unanimous_improvement([[0.5, NAN], [0.4, 0.3]], [[0.5, 0.1], [NAN, 0.3]])
    assert math.isnan(counts.ratio)
    assert (counts.n_cases, counts.n_left_out) == (0, 2)
    assert math.isnan(unanimous_improvement_ratio(np.empty((0, 2)), np.empty((0, 2))))
    assert math.isnan(parametric_uir(np.empty((0, 2)), np.empty((0, 2))))


def test_input_is_not_modified_and_may_be_a_table():
    a, b = pd.DataFrame({"p": [1, 0], "r": [1, 1]}), pd.DataFrame({"p": [0.5, NAN], "r": [1.0, 0.5]})
    kept = a.copy(), b.copy()
    assert unanimous_improvement(a, b) == UnanimousImprovement(1.0, 1, 1, 0, 0, 0, 1)
    uir_table({"a": a, "b": b})
    pd.testing.assert_frame_equal(a, kept[0])
    pd.testing.assert_frame_equal(b, kept[1])


@pytest.mark.parametrize("function", [unanimous_improvement, parametric_uir])
def test_tables_are_aligned_by_their_names(function):
    a = pd.DataFrame({"p": [0.5, 0.1, 0.9], "r": [0.4, 0.3, 0.8]}, index=["x", "y", "z"])
    b = pd.DataFrame({"p": [0.4, 0.2, 0.6], "r": [0.1, 0.1, 0.7]}, index=a.index)
    assert function(a, b.loc[["z", "x", "y"], ["r", "p"]]) == function(a, b) == function(a.to_numpy(), b.to_numpy())
    with pytest.raises(ValueError, match="must have the same topics as the first table"):
        function(a, b.rename({"x": "w"}))


GOOD = [[0.5, 0.5], [0.4, 0.6]]
BAD_SCORES = [
    pytest.param([], r"a must have the shape \(n_cases, n_metrics\), got \(0,\)", id="empty"),
    pytest.param([0.5, 0.4], r"a must have the shape \(n_cases, n_metrics\), got \(2,\)", id="one-dimensional"),
    pytest.param(0.5, r"a must have the shape \(n_cases, n_metrics\), got \(\)", id="a-number"),
    pytest.param([[0.5, 0.5], [0.4]], "a must have the shape .* got rows of different lengths", id="ragged"),
    pytest.param(
        [["x", "y"], ["z", "u"]], r"a must contain only numbers, got <U1 \[\['x', 'y'\], \['z', 'u'\]\]", id="text"
    ),
    pytest.param([[0.5, None], [0.4, 0.6]], r"a must contain only numbers, got object \[\[0.5, None\]", id="none"),
    pytest.param([[1j, 1j], [1j, 1j]], "a must contain only numbers, got complex128", id="complex"),
    pytest.param(
        [[0.5, INF], [0.4, 0.6]], r"a must be between -1e100 and 1e100 or NaN, got inf at \[0, 1\]", id="infinite"
    ),
    pytest.param([[0.5, 0.5], [-1e308, 0.6]], r"a must be between .* or NaN, got -1e\+308 at \[1, 0\]", id="huge"),
    pytest.param([[], []], r"a must have at least one metric, got \(2, 0\)", id="no-metric"),
    pytest.param([[0.5, 0.5]], r"b must have the shape \(1, 2\) of a, got \(2, 2\)", id="fewer-cases"),
    pytest.param([[0.5], [0.5]], r"b must have the shape \(2, 1\) of a, got \(2, 2\)", id="fewer-metrics"),
]


@pytest.mark.parametrize("function", [unanimous_improvement, unanimous_improvement_ratio, parametric_uir])
@pytest.mark.parametrize(("a", "message"), BAD_SCORES)
def test_bad_scores(function, a, message):
    with pytest.raises(ValueError, match=message):
        function(a, GOOD)


@pytest.mark.parametrize("atol", [-0.1, NAN, INF, "x", True])
def test_bad_atol(atol):
    with pytest.raises(ValueError, match=f"atol must be a finite number of at least 0, got {atol!r}"):
        unanimous_improvement(GOOD, GOOD, atol=atol)
    with pytest.raises(ValueError, match=f"atol must be a finite number of at least 0, got {atol!r}"):
        uir_table({"a": GOOD}, atol=atol)
    with pytest.raises(ValueError, match=f"atol must be a finite number of at least 0, got {atol!r}"):
        uir_matrix({"a": GOOD}, atol=atol)
