"""Matrix and table of Unanimous Improvement Ratios of many systems."""

import math
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.improvement import uir_matrix, uir_table
from presort.metrics.reliability import f_measure
from presort.metrics.unanimous import unanimous_improvement_ratio
from tests.metrics.strategies import SCORES_OR_NAN, systems

RUNS = Path(__file__).parents[2].parent / "shared" / "reference" / "clustering_runs.csv"
NAN = math.nan
GOOD = [[0.5, 0.5], [0.4, 0.6]]


def slow_ratio(a, b) -> float:
    """Count the cases in which each system is at least as good as the other."""
    a_as_good = sum(all(x >= y for x, y in zip(*case, strict=True)) for case in zip(a, b, strict=True))
    b_as_good = sum(all(y >= x for x, y in zip(*case, strict=True)) for case in zip(a, b, strict=True))
    return (a_as_good - b_as_good) / len(a)


def mean_of_f(scores, alpha=0.5) -> float:
    return float(np.mean([f_measure(p, r, alpha) for p, r in scores]))


@pytest.fixture(scope="module")
def clustering_runs():
    if not RUNS.exists():
        pytest.skip("needs the reference data, which is not part of the project")
    runs = pd.read_csv(RUNS).sort_values("lemma")
    return {name: cases[["bcubed_p", "bcubed_r"]].to_numpy() for name, cases in runs.groupby("system")}


def test_the_all_in_one_baseline_beats_every_system_by_f_and_none_unanimously(clustering_runs):
    """MEASURES section 3: a single cluster has recall 1, which F rewards."""
    table = uir_table(clustering_runs)
    real = [name for name in table.index if name.startswith("systems__")]
    beaten = table.loc[real, "mean_f"] < table.loc["trivial__all-in-one", "mean_f"]
    assert beaten.sum() == 11
    assert not set(table.loc["trivial__all-in-one", "improves"]) & set(real)
    assert (uir_matrix(clustering_runs).loc["trivial__all-in-one", real] < 0.25).all()
    assert (table.n_cases == 50).all()
    assert (table.n_left_out == 0).all()


def test_table_of_the_clustering_runs_agrees_with_loops(clustering_runs):
    table = uir_table(clustering_runs)
    assert table.mean_f.is_monotonic_decreasing
    for name, row in table.iterrows():
        improved_by = {}
        assert row.mean_f == pytest.approx(mean_of_f(clustering_runs[name]), abs=1e-14)
        for other in table.index:
            improved_by[other] = slow_ratio(clustering_runs[other].tolist(), clustering_runs[name].tolist())
            assert (other in row.improves) == (-improved_by[other] >= 0.25)
        strongest = max(improved_by, key=improved_by.get)  # the first of tied systems
        if improved_by[strongest] >= 0.25:
            assert (row.reference, row.reference_uir) == (strongest, improved_by[strongest])
        else:
            assert row.reference is None
            assert math.isnan(row.reference_uir)


@given(systems(n_systems=4, values=SCORES_OR_NAN))
def test_matrix_leaves_the_same_cases_out_for_all(scores):
    complete = scores[:, ~np.isnan(scores).any(axis=(0, 2))]
    names = list("dbca")
    matrix = uir_matrix(dict(zip(names, scores, strict=True)))
    assert matrix.index.to_list() == matrix.columns.to_list() == names
    for (row, a), (column_, b) in permutations(zip(names, complete, strict=True), 2):
        assert matrix.loc[row, column_] == pytest.approx(unanimous_improvement_ratio(a, b), nan_ok=True)


SYSTEMS = {
    "low": [[0.2, 0.2], [0.2, 0.2], [0.2, 0.2]],
    "high": [[0.6, 0.6], [0.6, 0.6], [0.6, 0.6]],
    "middle": [[0.4, 0.4], [0.4, 0.4], [0.1, 0.9]],
    "twin": [[0.6, 0.6], [0.6, 0.6], [0.6, 0.6]],
}


def test_table_of_systems():
    table = uir_table(SYSTEMS)
    assert table.index.name == "system"
    assert table.index.to_list() == ["high", "twin", "middle", "low"], "equals keep their order"
    assert table.columns.to_list() == ["mean_f", "improves", "reference", "reference_uir", "n_cases", "n_left_out"]
    assert table.mean_f.to_list() == pytest.approx([0.6, 0.6, (0.4 + 0.4 + 0.18) / 3, 0.2])
    assert table.improves.to_list() == [("middle", "low"), ("middle", "low"), ("low",), ()]
    assert table.reference.to_list() == [None, None, "high", "high"], "of equal references the one with the better F"
    assert table.reference_uir.to_list() == pytest.approx([NAN, NAN, 2 / 3, 1.0], nan_ok=True)


def test_many_systems_of_the_same_f_keep_their_order():
    scores = {f"system {number}": [[number % 3 / 3, number % 3 / 3]] for number in range(60)}
    for _, group in uir_table(scores).groupby("mean_f"):
        assert group.index.to_list() == [name for name in scores if name in group.index]


def test_the_reference_with_the_better_f_wins_a_tie():
    scores = {"old": [[0.1, 0.1]], "good": [[0.2, 0.2]], "best": [[0.3, 0.3]]}
    for order in permutations(scores):
        table = uir_table({name: scores[name] for name in order})
        assert table.reference.to_dict() == {"best": None, "good": "best", "old": "best"}
        assert table.improves.to_dict() == {"best": ("good", "old"), "good": ("old",), "old": ()}


def test_threshold_includes_its_value():
    scores = {"a": [[0.5], [0.4], [0.4], [0.4]], "b": [[0.4], [0.4], [0.4], [0.4]]}
    assert uir_table(scores).loc["b", "reference"] == "a"
    assert uir_table(scores).loc["a", "improves"] == ("b",)
    assert uir_table(scores, threshold=0.26).reference.to_list() == [None, None]
    assert uir_table(scores, threshold=0.26).improves.to_list() == [(), ()]


def test_atol_makes_small_losses_count_as_none():
    scores = {"a": [[0.5, 0.50]], "b": [[0.4, 0.51]]}
    assert uir_matrix(scores).loc["a", "b"] == 0
    assert uir_matrix(scores, atol=0.05).loc["a", "b"] == 1
    assert uir_table(scores, atol=0.05).loc["b", "reference"] == "a"


def test_alpha_weighs_the_first_metric():
    scores = {"precise": [[0.9, 0.3]], "complete": [[0.3, 0.8]]}
    assert uir_table(scores, alpha=1).mean_f.to_dict() == {"precise": 0.9, "complete": 0.3}
    assert uir_table(scores, alpha=0).index.to_list() == ["complete", "precise"]
    assert uir_table(scores, alpha=0.2).loc["precise", "mean_f"] == pytest.approx(1 / (0.2 / 0.9 + 0.8 / 0.3))


def test_f_of_three_metrics_is_their_harmonic_mean():
    table = uir_table({"a": [[0.2, 0.4, 0.8], [0.5, 0.0, 0.5]], "b": [[0.5, 0.5, 0.5]] * 2})
    assert table.mean_f.to_dict() == pytest.approx({"b": 0.5, "a": (3 / (5 + 2.5 + 1.25) + 0) / 2})


@pytest.mark.parametrize("f", [1e-320, 1e-200, 1e100])
@pytest.mark.parametrize("n_metrics", [1, 2, 3])
def test_f_of_equal_metrics_equals_them_at_any_scale(f, n_metrics):
    assert uir_table({"a": [[f] * n_metrics]}).loc["a", "mean_f"] == f


def test_f_of_one_metric_is_its_mean():
    assert uir_table({"a": [[0.2], [0.6]]}).loc["a", "mean_f"] == pytest.approx(0.4)


@pytest.mark.parametrize("rest", [pytest.param([], id="two"), pytest.param([0.5], id="three")])
def test_a_system_with_a_negative_metric_lacks_only_f(rest):
    scores = {"neg": [[-0.1, 0.0, *rest], [0.5, 0.5, *rest]], "a": [[0.0, 0.2, *rest], [0.6, 0.6, *rest]]}
    table = uir_table(scores)
    assert table.index.to_list() == ["a", "neg"]
    assert math.isnan(table.loc["neg", "mean_f"])
    assert table.loc["a", "mean_f"] > 0
    assert table.loc["neg", "reference"] == "a"


def test_table_without_a_complete_case():
    table = uir_table({"a": [[0.5, NAN]], "b": [[0.5, 0.5]]})
    assert table.mean_f.isna().all()
    assert table.reference.to_list() == [None, None]
    assert table.improves.to_list() == [(), ()]
    assert (table.n_cases.to_list(), table.n_left_out.to_list()) == ([0, 0], [1, 1])


def test_table_of_one_system():
    table = uir_table({"only": GOOD})
    assert table.loc["only", "improves"] == ()
    assert table.loc["only", "reference"] is None


@given(systems(n_systems=4, least_cases=1), st.sampled_from([0.25, 0.5, 1.0]))
def test_table_and_matrix_agree(scores, threshold):
    named = dict(zip("abcd", scores, strict=True))
    table, matrix = uir_table(named, threshold=threshold), uir_matrix(named)
    for one, other in combinations("abcd", 2):
        assert (other in table.loc[one, "improves"]) == (matrix.loc[one, other] >= threshold)
        assert (one in table.loc[other, "improves"]) == (matrix.loc[other, one] >= threshold)
    for name, row in table.iterrows():
        has_reference = matrix[name].max() >= threshold
        assert (row.reference is not None) == has_reference
        if has_reference:
            assert row.reference_uir == matrix[name].max() == matrix.loc[row.reference, name]


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        pytest.param({}, {}, "scores must map at least one system name to its scores, got {}", id="empty"),
        pytest.param([GOOD], {}, "scores must map at least one system name to its scores, got", id="no-mapping"),
        pytest.param(
            {"a": GOOD, "b": GOOD[:1]},
            {},
            r"scores\['b'\] must have the shape \(2, 2\) of scores\['a'\], got \(1, 2\)",
            id="shapes-differ",
        ),
        pytest.param({"a": [0.5]}, {}, r"scores\['a'\] must have the shape \(n_cases, n_metrics\)", id="flat"),
        pytest.param({"a": GOOD}, {"threshold": 0}, "threshold must be a number above 0 and at most 1, got 0", id="0"),
        pytest.param({"a": GOOD}, {"threshold": "x"}, "threshold must be .* got 'x'", id="threshold-text"),
        pytest.param({"a": GOOD}, {"threshold": True}, "threshold must be .* got True", id="threshold-bool"),
        pytest.param({"a": GOOD}, {"threshold": 1.1}, "threshold must be .* got 1.1", id="threshold-above-1"),
        pytest.param({"a": GOOD}, {"threshold": NAN}, "threshold must be .* got nan", id="threshold-nan"),
        pytest.param({"a": GOOD}, {"alpha": 1.5}, "alpha must be a number from 0 to 1, got 1.5", id="alpha-above-1"),
        pytest.param({"a": GOOD}, {"alpha": "x"}, "alpha must be a number from 0 to 1, got 'x'", id="alpha-text"),
        pytest.param(
            {"a": [[0.5, 0.5, 0.5]]},
            {"alpha": 0.3},
            "alpha must be 0.5 unless there are two metrics, got 0.3 for 3 metrics",
            id="alpha-of-three-metrics",
        ),
    ],
)
def test_bad_table(scores, options, message):
    with pytest.raises(ValueError, match=message):
        uir_table(scores, **options)
