"""Share of relevant papers missed below the stop points, estimated from spot checks."""

import math
from datetime import date

import numpy as np
import pytest

from presort.data.records import SpotCheckedList
from presort.desk.scores.stop_audit import estimate_missed_share


def checked(n_found=0, *, n_eligible=200, n_checked=4, n_found_above=10):
    return SpotCheckedList("lab", date(2026, 1, 5), "presort-2", n_eligible, n_checked, n_found, n_found_above)


def test_each_checked_paper_is_weighted_by_the_papers_it_represents():
    found = estimate_missed_share(
        [checked(1, n_eligible=100, n_checked=5), checked(0), checked(2, n_eligible=30, n_checked=10)]
    )
    assert found.share == pytest.approx((20 + 2 * 3) / (20 + 6 + 30))
    assert (found.n_lists, found.n_checked, found.n_found) == (3, 19, 3)
    assert 0 < found.low < found.share < found.high < 1


def test_a_check_of_all_papers_gives_the_exact_share():
    found = estimate_missed_share([checked(3, n_eligible=50, n_checked=50, n_found_above=57)] * 40)
    assert found.share == pytest.approx(0.05)
    assert 0.03 < found.low < found.share < found.high < 0.07


def test_finding_nothing_is_no_proof_that_nothing_was_missed():
    few, many = estimate_missed_share([checked()] * 10), estimate_missed_share([checked()] * 200)
    assert few.share == few.low == many.share == 0
    assert 0 < many.high < few.high < 1


def test_without_any_relevant_paper_or_any_check_no_share_is_known():
    assert math.isnan(estimate_missed_share([]).share)
    nothing = estimate_missed_share([checked(n_found_above=0)])
    assert math.isnan(nothing.share)
    assert nothing.high == 1


def test_the_estimate_is_unbiased_and_its_interval_covers_the_truth():
    """Services of 60 lists of different lengths, with 300 draws each."""
    dice = np.random.default_rng(3)
    eligible = dice.integers(100, 400, 60)
    below = dice.poisson(eligible * 0.004)  # relevant papers below the stop points
    above = dice.poisson(12, 60)
    size = np.minimum(np.ceil(eligible * 0.02), 10).astype(int)
    truth = below.sum() / (below.sum() + above.sum())
    estimates, covered = [], 0
    for _ in range(300):
        found = dice.hypergeometric(below, eligible - below, size)
        lists = [
            checked(int(x), n_eligible=int(n), n_checked=int(k), n_found_above=int(a))
            for x, n, k, a in zip(found, eligible, size, above, strict=True)
        ]
        one = estimate_missed_share(lists)
        estimates.append(float((found * eligible / size).sum()))
        covered += one.low <= truth <= one.high
    assert np.mean(estimates) == pytest.approx(below.sum(), rel=0.1)
    assert covered / 300 >= 0.95
