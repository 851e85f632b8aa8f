"""Randomised Tukey HSD compared with a slow loop, and with all permutations of a small table."""

import math
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from presort.metrics import tukey, tukey_hsd
from presort.metrics.paired_tests import paired_tests

N = 2_000  # permutations of a test


def some_scores(n_topics, n_systems, seed=0, lead=0.0):
    scores = np.random.default_rng(seed).uniform(size=(n_topics, n_systems)).round(2)
    scores[:, 0] += lead
    names = [f"s{number}" for number in range(n_systems)]
    return pd.DataFrame(scores, columns=names, index=[f"t{number}" for number in range(n_topics)])


def slow_p_values(scores, seed, n_permutations):
    """Carterette's algorithm 1, one permutation at a time, with other random numbers."""
    random, values = np.random.default_rng(seed), scores.to_numpy()
    as_far = dict.fromkeys(combinations(range(values.shape[1]), 2), 1)
    for _ in range(n_permutations):
        means = np.mean([random.permutation(row) for row in values], axis=0)
        for a, b in as_far:
            as_far[a, b] += max(means) - min(means) >= abs(np.mean(values[:, a]) - np.mean(values[:, b])) - 1e-12
    return {frozenset(scores.columns[list(pair)]): n / (n_permutations + 1) for pair, n in as_far.items()}


def p_values(scores, **options):
    found = tukey_hsd(scores, **options)
    return {frozenset(pair): p for *pair, p in found[["system", "other", "p"]].itertuples(index=False)}


def deviation(p, n):
    """Return four standard deviations of a share of n permutations, plus the added permutation."""
    return 4 * math.sqrt(p * (1 - p) / n) + 1 / n


def test_tukey_agrees_with_a_slow_loop():
    scores = some_scores(8, 5, lead=0.25)
    found, slow = p_values(scores, n_permutations=N), slow_p_values(scores, 1, N)
    assert found.keys() == slow.keys()
    assert min(slow.values()) < 0.5 < max(slow.values())
    for pair, p in found.items():
        assert p == pytest.approx(slow[pair], abs=2 * deviation(slow[pair], N))


def test_tukey_approximates_all_permutations():
    """3 systems on 4 topics: all 6^4 permutations."""
    scores = some_scores(4, 3, seed=5, lead=0.6)
    ways = product(*(list(permutations(row)) for row in scores.to_numpy()))
    ranges = np.array([np.ptp(np.mean(way, axis=0)) for way in ways])
    assert len(ranges) == 6**4
    found = tukey_hsd(scores)
    exact = [(ranges >= difference - 1e-12).mean() for difference in found["difference"]]
    assert min(exact) < 0.1
    for p, true in zip(found["p"], exact, strict=True):
        assert p == pytest.approx(true, abs=deviation(true, 10_000))


def test_pairs_are_in_the_order_of_the_paired_tests():
    scores = some_scores(6, 7)
    found, paired = tukey_hsd(scores, n_permutations=10), paired_tests(scores)
    assert found[["system", "other"]].equals(paired[["system", "other"]])
    assert found["difference"].to_numpy() == pytest.approx(paired["difference"].to_numpy())


def test_the_block_size_does_not_matter(monkeypatch):
    scores = some_scores(5, 4)
    whole = tukey_hsd(scores, n_permutations=97)
    monkeypatch.setattr(tukey, "CELLS_AT_ONCE", 10 * scores.size)
    pd.testing.assert_frame_equal(tukey_hsd(scores, n_permutations=97), whole)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 8))
def test_a_larger_difference_never_has_a_larger_p(seed, n_systems, n_topics):
    found = tukey_hsd(some_scores(n_topics, n_systems, seed), n_permutations=199).sort_values("difference")
    assert found["p"].between(1 / 200, 1).all()
    assert all(p >= further for p, further in pairwise(found["p"]))


def test_units_and_topics_of_different_ease_do_not_matter():
    """Scores are permuted within topics, so adding a constant to a topic changes no difference."""
    scores = some_scores(6, 4, lead=0.4)
    plain = p_values(scores, n_permutations=N)
    assert p_values(scores * 1e6, n_permutations=N) == plain
    assert p_values(scores.add(np.arange(6.0), axis="index"), n_permutations=N) == plain


def test_systems_that_never_differ_have_p_1():
    assert set(tukey_hsd(pd.DataFrame({"a": [0.1, 0.7], "b": [0.1, 0.7], "c": [0.1, 0.7]}))["p"]) == {1.0}


def test_chance_is_rarely_significant():
    """Of 100 tables without any difference, about one in twenty has a pair below 0.05.

    Each table is tested as a whole.
    """
    tables = np.random.default_rng(0).normal(size=(100, 12, 6))
    found = [tukey_hsd(pd.DataFrame(table), n_permutations=199)["p"].min() <= 0.05 for table in tables]
    assert 0 < sum(found) <= 13  # more than 13 have a probability of 0.0005


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        pytest.param({"a": [0.1], "b": [math.nan]}, "scores must not contain NaN", id="nan"),
        pytest.param({"a": [0.1], "b": [math.inf]}, "scores must be between -1e100", id="inf"),
        pytest.param(
            {"a": [0.1]},
            r"topics as rows \(at least 1\) and systems as columns \(at least 2\), got shape \(1, 1\)",
            id="one-system",
        ),
        pytest.param(
            {"a": [], "b": []},
            r"topics as rows \(at least 1\) and systems as columns \(at least 2\), got shape \(0, 2\)",
            id="no-topic",
        ),
    ],
)
def test_invalid_tables_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        tukey_hsd(pd.DataFrame(scores, dtype=float))


def test_columns_may_have_different_types_of_numbers():
    mixed = pd.DataFrame({"a": [True, False, True], "b": [0.1, 0.5, 0.2], "c": [1, 0, 3]})
    expected = tukey_hsd(mixed.astype(float))
    for scores in (mixed, mixed.convert_dtypes()):
        pd.testing.assert_frame_equal(tukey_hsd(scores), expected)


@pytest.mark.parametrize("n_permutations", [0, 10.5])
def test_at_least_one_permutation_is_required(n_permutations):
    with pytest.raises(ValueError, match=f"n_permutations must be an integer of at least 1, got {n_permutations}"):
        tukey_hsd(some_scores(2, 2), n_permutations=n_permutations)
    assert set(p_values(some_scores(2, 2), n_permutations=1).values()) <= {0.5, 1.0}
