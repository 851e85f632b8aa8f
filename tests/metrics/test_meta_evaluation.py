import math
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from presort.metrics.meta_evaluation import (
    robustness,
    robustness_topics,
    strictness,
    strictness_of_each,
    strictness_topics,
)

TREC8 = Path(__file__).parents[2] / ".." / "shared" / "reference" / "trec8_ap.csv"

# Few distinct values, so that ties and NaN are frequent. In half precision, so that their third power is exact.
VALUES = st.one_of(st.sampled_from([0, 0.25, 0.5, 1]), st.floats(-1, 1, width=16), st.just(math.nan))


@st.composite
def scores(draw):
    shape = draw(st.tuples(st.integers(0, 6), st.integers(1, 6)))
    return {name: draw(arrays(float, shape, elements=VALUES)) for name in ("f", "g", "h")}


def slow_rank(column, i):
    """Rank from 1, best first. Tied systems share their mean rank."""
    better, level = sum(other > column[i] for other in column), sum(other == column[i] for other in column)
    return better + (level + 1) / 2


def slow_strictness(tables, measure, others):
    drops = []
    for topic in range(len(tables[measure])):
        ours, theirs = tables[measure][topic], [tables[other][topic] for other in others]
        if any(math.isnan(value) for column in [ours, *theirs] for value in column):
            continue
        for system in range(len(ours)):
            drops += [(slow_rank(column, system) - slow_rank(ours, system)) / len(ours) for column in theirs]
    return -max(drops) if drops else math.nan


def slow_robustness(table):
    pairs = []
    for one, other in combinations(table, 2):
        if not np.isnan([one, other]).any() and len(set(one)) > 1 and len(set(other)) > 1:
            pairs.append(spearmanr(one, other).statistic)
    return np.mean(pairs) if pairs else math.nan


@given(scores())
def test_strictness_against_every_output_one_by_one(tables):
    slow = slow_strictness(tables, "f", ["g", "h"])
    assert strictness(tables, "f") == pytest.approx(slow, nan_ok=True)
    assert math.isnan(slow) or -(1 - 1 / tables["f"].shape[1]) - 1e-12 <= slow <= 0
    assert strictness(tables, "f", ["g"]) == pytest.approx(slow_strictness(tables, "f", ["g"]), nan_ok=True)


@given(scores())
def test_robustness_against_every_pair_of_topics(tables):
    slow = slow_robustness(tables["f"])
    assert robustness(tables, "f") == pytest.approx(slow, nan_ok=True, abs=1e-12)


def test_robustness_of_average_precision_in_trec8():
    """SciPy correlates all 1,225 pairs of 50 topics with 129 systems each."""
    if not TREC8.exists():
        pytest.skip("shared/reference/trec8_ap.csv is not here")
    table = pd.read_csv(TREC8, index_col="topic")
    pairs = spearmanr(table.to_numpy().T).statistic[np.triu_indices(50, k=1)]
    assert pairs.size == 1225
    assert robustness({"AP": table}, "AP") == pytest.approx(pairs.mean(), rel=1e-12)


@given(scores(), st.randoms(use_true_random=False))
def test_only_the_order_within_a_topic_counts(tables, random):
    topics, systems = (random.sample(range(size), size) for size in tables["f"].shape)
    changed = {name: values[topics][:, systems] ** 3 for name, values in tables.items()}
    assert strictness(changed, "f") == pytest.approx(strictness(tables, "f"), nan_ok=True)
    assert robustness(changed, "f") == pytest.approx(robustness(tables, "f"), nan_ok=True)


@given(scores())
def test_strictness_of_each_agrees_with_one_by_one(tables):
    np.testing.assert_equal(strictness_of_each(tables), {name: strictness(tables, name) for name in tables})


def test_strictness_of_each_accepts_another_measure():
    with pytest.raises(ValueError, match="others must be one or more measures other than 'f'"):
        strictness_of_each({"f": [[1.0, 0.5]]})


def test_strictness_worked_by_hand():
    """Topic 2: ranks by f are 3, 1.5, 1.5, and by g 1, 2, 3. The worst is system 3: (3 - 1.5)

    3.
    """
    tables = {"f": [[0.9, 0.5, 0.1], [0.1, 0.4, 0.4]], "g": [[0.7, 0.6, 0.2], [0.9, 0.8, 0.3]]}
    assert strictness(tables, "f") == -0.5
    assert strictness(tables, "g") == pytest.approx(-2 / 3)


def test_the_strictest_possible_measure():
    tables = {"f": [[0.1, 0.2], [0.2, 0.1]], "g": [[1, 2], [2, 1]]}
    assert strictness(tables, "f") == 0
    assert math.copysign(1, strictness(tables, "f")) == 1  # never "-0 %" on a page


def test_robustness_worked_by_hand():
    """Correlations 1, -1, -1 between the three topics."""
    assert robustness({"f": [[1, 2, 3], [2, 3, 4], [9, 8, 7]]}, "f") == pytest.approx(-1 / 3)


def test_robustness_is_within_its_bounds():
    for n_systems in range(2, 40):
        same = np.tile(np.arange(n_systems), (3, 1))
        assert 1 - 1e-12 < robustness({"f": same}, "f") <= 1
        assert robustness({"f": same[:2] * [[1], [-1]]}, "f") == pytest.approx(-1)
        assert robustness({"f": same[:2] * [[1], [-1]]}, "f") >= -1


def test_left_out_cases_are_counted():
    nan = math.nan
    f, g = [[0.1, nan, 0.5, 0.2, 0.3], [0.2, 0.3, 0.5, 0.3, 0.1]], [[1, 2, 3, nan, 4], [2, 1, 4, 3, 5]]
    tables = {"f": np.transpose(f), "g": np.transpose(g)}
    assert strictness_topics(tables, "f").tolist() == [True, False, True, False, True]
    assert strictness_topics(tables, "f", ["g"]).tolist() == [True, False, True, False, True]
    assert robustness_topics(tables, "f").tolist() == [True, False, False, True, True]
    assert robustness_topics(tables, "g").tolist() == [True, True, True, False, True]
    assert robustness(tables, "f") == pytest.approx((1 - 1 - 1) / 3)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(np.empty((3, 0)), id="no-system"),
        pytest.param(np.empty((0, 3)), id="no-topic"),
        pytest.param([[math.nan, 0.2]], id="nan-in-every-topic"),
    ],
)
def test_no_topic_left(table):
    assert math.isnan(strictness({"f": table, "g": table}, "f"))
    assert math.isnan(robustness({"f": table}, "f"))


@pytest.mark.parametrize(
    "table",
    [
        pytest.param([[0.1, 0.2]], id="one-topic"),
        pytest.param([[0.1], [0.2]], id="one-system"),
        pytest.param([[0.1, 0.1], [0.2, 0.3]], id="one-topic-distinguishes-systems"),
    ],
)
def test_no_pair_of_topics(table):
    assert math.isnan(robustness({"f": table}, "f"))


def test_scores_are_not_modified():
    table = np.array([[0.1, math.nan], [0.3, 0.2]])
    tables = {"f": table, "g": table.copy()}
    strictness(tables, "f")
    robustness(tables, "f")
    assert np.array_equal(table, [[0.1, math.nan], [0.3, 0.2]], equal_nan=True)


@pytest.mark.parametrize(
    ("tables", "arguments", "message"),
    [
        pytest.param(
            {"f": [[1]], "g": [[1]]}, ("e",), "measure and others must be among ['f', 'g'], got ['e']", id="measure"
        ),
        pytest.param(
            {"f": [[1]], "g": [[1]]},
            ("f", ["g", "e"]),
            "measure and others must be among ['f', 'g'], got ['e']",
            id="others",
        ),
        pytest.param({"f": [[1]]}, ("f",), "others must be one or more measures other than 'f', got []", id="no-other"),
        pytest.param(
            {"f": [[1]]}, ("f", ["f"]), "others must be one or more measures other than 'f', got ['f']", id="itself"
        ),
        pytest.param({"f": [[1]], "g": [[1]]}, ("f", "g"), "others must be a list of names, got 'g'", id="a-bare-name"),
        pytest.param({"f": [[1]], "g": [[1]]}, ("f", 1), "others must be a list of names, got 1", id="no-names"),
        pytest.param(
            {"f": [[1]], "g": [[1, 2]]},
            ("f",),
            "scores must have the same shape for all measures, got {'f': (1, 1), 'g': (1, 2)}",
            id="shapes",
        ),
        pytest.param(
            {"f": [1], "g": [1]},
            ("f",),
            "scores['f'] must have the shape (n_topics, n_systems), got (1,)",
            id="one-dimension",
        ),
        pytest.param(
            {"f": [[1]], "g": [["high"]]},
            ("f",),
            "scores['g'] must contain only numbers, got <U4 [['high']]",
            id="not-numbers",
        ),
        pytest.param(
            {"f": [[1]], "g": [[math.inf]]},
            ("f",),
            "scores['g'] must be between -1e100 and 1e100 or NaN, got inf",
            id="inf",
        ),
    ],
)
def test_invalid_arguments(tables, arguments, message):
    for function in (strictness, strictness_topics):
        with pytest.raises(ValueError, match=re.escape(message)):
            function(tables, *arguments)


def test_invalid_arguments_of_robustness():
    for function in (robustness, robustness_topics):
        with pytest.raises(ValueError, match=re.escape("measure and others must be among ['f'], got ['e']")):
            function({"f": [[1]]}, "e")
        with pytest.raises(ValueError, match=re.escape("scores['f'] must have the shape (n_topics, n_systems)")):
            function({"f": [1, 2]}, "f")
