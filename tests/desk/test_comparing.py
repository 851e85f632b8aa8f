import time
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test, wilcoxon

from data.importers.score_table import read_score_table
from desk.comparing import MOST_SYSTEMS, compare_systems, complete_topics, holm, paired_tests
from metrics.improvement import uir_matrix
from tests.metrics.strategies import FIXED

TREC_8 = Path(__file__).parents[2] / ".." / "shared" / "reference" / "trec8_ap.csv"
needs_shared = pytest.mark.skipif(not TREC_8.exists(), reason="the shared reference files are not here")


def some_scores(n_topics, n_systems, seed=0):
    scores = np.random.default_rng(seed).uniform(size=(n_topics, n_systems)).round(2)
    names = [f"s{number}" for number in range(n_systems)]
    return pd.DataFrame(scores, columns=names, index=[f"t{number}" for number in range(n_topics)])


def slow_holm(p_values):
    """Step down as Holm tells it."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, so_far = {}, 0.0
    for rank, place in enumerate(order):
        so_far = max(so_far, p_values[place] * (len(order) - rank))
        corrected[place] = min(so_far, 1.0)
    return [corrected[place] for place in range(len(p_values))]


def slow_permutation(differences):
    """Every way of turning signs, counted one by one."""
    observed = abs(sum(differences))
    turned = (np.array(signs) * differences for signs in product((1, -1), repeat=len(differences)))
    sums = [abs(sum(values)) for values in turned]
    return sum(total >= observed - 1e-12 for total in sums) / len(sums)


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        pytest.param([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02], id="never-less-than-a-smaller-one"),
        pytest.param([0.5, 0.9], [1.0, 1.0], id="at-most-1"),
        pytest.param([0.02], [0.02], id="one"),
        pytest.param([0.02, 0.02], [0.04, 0.04], id="ties"),
    ],
)
def test_holm(p_values, expected):
    assert holm(np.array(p_values)) == pytest.approx(expected)


@FIXED
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_steps_down(p_values):
    assert holm(np.array(p_values)) == pytest.approx(slow_holm(p_values))


def test_every_pair_is_tested_the_better_one_first():
    scores = some_scores(8, 4)
    tests = paired_tests(scores)
    assert len(tests) == 6
    means = scores.mean()
    for row in tests.itertuples():
        differences = (scores[row.system] - scores[row.other]).round(12).to_list()
        assert row.difference == pytest.approx(means[row.system] - means[row.other])
        assert row.difference >= 0
        assert row.wilcoxon == pytest.approx(wilcoxon(differences).pvalue)
        assert row.permutation == pytest.approx(slow_permutation(differences))  # 256 sign flips: all of them
    for test in ("wilcoxon", "permutation"):
        assert tests[f"{test}_holm"].to_list() == pytest.approx(slow_holm(tests[test].to_list()))


def test_many_topics_give_what_scipy_gives_for_one_pair():
    scores = some_scores(40, 3)
    for row in paired_tests(scores).itertuples():
        alone = permutation_test(
            (scores[row.system], scores[row.other]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=19_999,
            rng=1,
        )
        assert row.permutation == pytest.approx(alone.pvalue, abs=0.02)


def test_the_same_scores_give_the_same_p_values():
    scores = some_scores(40, 3)
    pd.testing.assert_frame_equal(paired_tests(scores), paired_tests(scores))


def test_systems_that_never_differ_are_not_told_apart():
    scores = some_scores(6, 1).assign(twin=lambda table: table["s0"], worse=lambda table: table["s0"] - 0.1)
    tests = paired_tests(scores).set_index(["system", "other"])
    assert tests.loc[("s0", "twin"), ["wilcoxon", "permutation", "wilcoxon_holm"]].to_list() == [1, 1, 1]
    assert tests.loc[("s0", "worse"), "permutation"] == 2 / 64  # rounding of a constant difference breaks no tie
    assert tests.loc[("s0", "worse"), "wilcoxon"] == wilcoxon([0.1] * 6).pvalue


def test_two_topics_are_enough_for_tests_that_show_nothing():
    assert paired_tests(some_scores(2, 2))["wilcoxon_holm"].to_list() == [0.5]


def test_of_many_systems_the_best_is_tested_against_each():
    scores = some_scores(16, MOST_SYSTEMS + 1)
    tests = paired_tests(scores)
    best = scores.mean().idxmax()
    assert set(tests["system"]) == {best}
    assert set(tests["other"]) == set(scores) - {best}
    assert len(paired_tests(scores.iloc[:, 1:])) == len(list(combinations(range(MOST_SYSTEMS), 2)))


def test_topics_without_a_score_are_left_out_for_all():
    first, second = some_scores(5, 3), some_scores(5, 3, seed=1)
    first.loc["t1", "s0"] = second.loc["t3", "s2"] = np.nan
    complete = complete_topics({"a": first, "b": second})
    assert [table.index.to_list() for table in complete.values()] == [["t0", "t2", "t4"]] * 2
    comparison = compare_systems({"a": first, "b": second})
    assert comparison.left_out == ("t1", "t3")
    assert comparison.graph.topics.index.to_list() == ["t0", "t2", "t4"]
    assert (comparison.improvements["n_cases"] == 3).all()


def test_improvements_are_by_all_measures_at_once():
    scores = {"a": some_scores(7, 3), "b": some_scores(7, 3, seed=1)}
    comparison = compare_systems(scores)
    by_system = {name: np.column_stack([scores["a"][name], scores["b"][name]]) for name in scores["a"]}
    pd.testing.assert_frame_equal(comparison.uir, uir_matrix(by_system))
    for measure, table in scores.items():
        assert comparison.improvements[measure].to_dict() == pytest.approx(table.mean().to_dict())
    assert comparison.improvements["mean_f"].is_monotonic_decreasing
    assert list(comparison.tests) == ["a", "b"]


def test_systems_without_f_stand_by_their_mean():
    comparison = compare_systems({"a": some_scores(7, 4) - 1})
    assert comparison.improvements["mean_f"].isna().all()
    assert comparison.improvements["a"].is_monotonic_decreasing


@needs_shared
def test_trec_8():
    """Mizzaro and Robertson, SIGIR 2007, Table 3: Pearson's correlations, to two decimals; in a few seconds."""
    started = time.perf_counter()
    comparison = compare_systems({"AP": read_score_table(TREC_8)})
    assert time.perf_counter() - started < 10
    systems, topics = comparison.graph.systems.corr(), comparison.graph.topics.corr()
    assert systems.loc["mean", ["inlinks", "pagerank", "hub", "authority"]].round(2).to_list() == [1, 1, 0.8, 0.99]
    assert systems.loc["hub", "authority"].round(2) == 0.87
    assert topics.loc["mean", ["inlinks", "pagerank", "hub", "authority"]].round(2).to_list() == [1, 1, 0.92, 1]
    assert topics.loc["hub", "authority"].round(2) == 0.93
    assert len(comparison.tests["AP"]) == 128
    assert comparison.improvements.index[0] == "READWARE2"
