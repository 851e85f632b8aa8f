"""Relevant papers scattered over lists: learned from spot checks, and not forgotten if nobody reads that far."""

import math
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from presort.ranker.stopping.background import (
    CASES,
    OWN,
    PRIOR,
    PRIOR_MEAN,
    SHARES,
    Evidence,
    add_background,
    evidence_of,
    fit_background,
    log_likelihoods,
)
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import fit_relevance_models
from presort.ranker.stopping.spot_check import draw_spot_check
from tests.ranker.lists import LATER, START, relevance_models_of

RATE = 0.05


def tail(n_read, n_relevant):
    """Papers read far below the stop point, where the curve expects no relevant paper."""
    return evidence_of(np.array([-12.0]), np.array([float(n_read)]), np.array([float(n_relevant)]))


def share_after(*evidence):
    reports = {f"report {number}": one for number, one in enumerate(evidence)}
    return fit_background(reports, dict.fromkeys(reports, RATE)).share("report 0")


PRIOR_SHARE = fit_background({}, {"report 0": RATE}).share("report 0")


# ---- posterior of a share


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 9)), min_size=1, max_size=3))
def test_posterior_agrees_with_the_sum_over_all_shares(counts):
    evidence = {str(i): tail(n + found, found) for i, (n, found) in enumerate(counts)}
    background = fit_background(evidence, dict.fromkeys(evidence, RATE))
    q = float(expit(-12.0))
    slow = np.zeros(len(SHARES))
    for k, prior in enumerate(PRIOR.tolist()):
        others, own = prior, np.zeros(len(SHARES))
        for i, (n, found) in enumerate(counts):
            each = np.zeros(len(SHARES))
            for j, share in enumerate(SHARES.tolist()):
                chance = 1 - (1 - q) * (1 - RATE * share)
                each[j] = OWN[k, j] * math.exp(found * math.log(chance / 0.01) + n * math.log1p(-chance))
            if i == 0:
                own = each
            else:
                others *= each.sum()
        slow += others * own
    np.testing.assert_allclose(background.own["0"], slow / slow.sum(), rtol=1e-6, atol=1e-12)


@given(st.integers(1, 3000), st.integers(0, 5))
def test_a_check_that_finds_nothing_lowers_the_share_and_one_more_find_raises_it(n_read, n_found):
    n_found = min(n_found, n_read)
    assert share_after(tail(n_read, 0)) < PRIOR_SHARE
    assert share_after(tail(n_read + 1, n_found + 1)) > share_after(tail(n_read + 1, n_found))
    assert share_after(tail(n_read + 1, n_found)) < share_after(tail(n_read, n_found))


@given(st.integers(100, 500), st.integers(1, 5))
def test_a_find_raises_the_share_of_its_report_most_and_of_the_others_too(n_read, n_found):
    nothing, some = tail(n_read, 0), tail(n_read, n_found)
    own, others, neither = share_after(some, nothing), share_after(nothing, some), share_after(nothing, nothing)
    assert own > others > neither


def test_papers_that_are_likely_by_their_curve_change_the_share_little():
    likely = Evidence(np.array([0.0]), np.array([500.0]), np.array([500.0]))  # as many as the curve expects
    assert share_after(likely) == pytest.approx(PRIOR_SHARE, rel=0.06)
    assert share_after(tail(1000, 0)) < 0.75 * PRIOR_SHARE


@given(st.floats(-700, 700), st.floats(1e-7, 0.5))
def test_background_and_curve_are_independent_causes(log_odds, background):
    either = 1 - (1 - expit(log_odds)) * (1 - background)
    assert expit(add_background(np.array(log_odds), background)) == pytest.approx(either, rel=1e-9)


@given(st.integers(0, 2000), st.integers(0, 5))
def test_cases_have_the_mean_of_the_posterior(n_read, n_found):
    background = fit_background({"a": tail(n_read + n_found, n_found)}, {"a": RATE, "new": 0.0})
    for report in ("a", "new", "unknown"):
        cases = background.chances(report)
        assert (np.diff(cases) >= 0).all()
        assert (cases > 0).all()
        assert (cases < 1).all()
        assert CASES @ cases == pytest.approx(background.chance(report))


def test_the_prior_has_its_documented_mean():
    assert (PRIOR * SHARES).sum() == pytest.approx(PRIOR_MEAN, rel=0.02)
    assert log_likelihoods(tail(0, 0), RATE) == pytest.approx(np.zeros(len(SHARES)))


# ---- forecasts


def scattered_list(rng, *, week, rate, shift, n_papers=150, scattered=0.06):
    """Draw a list in which some relevant papers score like the others."""
    is_relevant = rng.random(n_papers) < rate
    scores = rng.normal(size=n_papers) + shift * (is_relevant & (rng.random(n_papers) >= scattered))
    order = np.argsort(-scores)
    everything = np.ones(n_papers, dtype=bool)
    return FinishedList(scores[order], everything, is_relevant[order], START + timedelta(weeks=week))


def scattered_service(seed, *, n_reports=5, n_weeks=40, **options):
    rng = np.random.default_rng(seed)
    shifts, rates = np.linspace(3.0, 4.5, n_reports), rng.permutation(np.geomspace(0.04, 0.1, n_reports))
    return {
        f"report {number}": [
            scattered_list(rng, week=week, rate=rate, shift=shift, **options) for week in range(n_weeks)
        ]
        for number, (rate, shift) in enumerate(zip(rates, shifts, strict=True))
    }


def read_as_advised(one, at, *, seed=None):
    """Return a list as known after reading ended at a position, with a spot check if there is a seed."""
    n_papers = len(one.scores)
    is_read, is_spot_check = np.arange(n_papers) < at, np.zeros(n_papers, dtype=bool)
    if seed is not None:
        is_spot_check[draw_spot_check(np.arange(at, n_papers, dtype=np.int32), seed=seed).positions] = True
    is_read |= is_spot_check
    return replace(one, is_read=is_read, is_relevant=one.is_relevant & is_read, is_spot_check=is_spot_check)


def advised(service, *, has_spot_check, since):
    """Let every editor stop where advised. Returns the last model and, from a week on, the papers found and missed."""
    known = {report: [] for report in service}
    found = relevant = n_exceeded = n_lists = 0
    for week in range(len(service["report 0"])):
        relevance_models = fit_relevance_models(known, before=START + timedelta(weeks=week), for_all=False)
        for number, (report, lists) in enumerate(service.items()):
            one, nothing = lists[week], np.zeros(len(lists[week].scores), dtype=bool)
            forecast = relevance_models[report].forecast(one.scores, nothing, nothing)
            at = forecast.stop(0.05)
            known[report].append(read_as_advised(one, at, seed=100 * week + number if has_spot_check else None))
            if week >= since:
                found += int(one.is_relevant[:at].sum())
                relevant += int(one.is_relevant.sum())
                n_exceeded += bool(one.is_relevant[at:].sum() > forecast.between()[1][at - 1])
                n_lists += 1
    return fit_relevance_models(known, before=LATER, for_all=False), found / relevant, n_exceeded / n_lists


@pytest.fixture(scope="module")
def three_services():
    """Services in which every editor stops where advised and reads the spot check."""
    return [advised(scattered_service(seed, scattered=0.03), has_spot_check=True, since=15) for seed in (1, 2, 3)]


def test_the_target_recall_is_reached_if_every_editor_stops_as_advised(three_services):
    assert np.mean([found for _, found, _ in three_services]) >= 0.94
    assert np.mean([exceeded for _, _, exceeded in three_services]) <= 0.06


def test_without_spot_checks_the_share_stays_near_its_prior():
    service = scattered_service(1, scattered=0.0, n_weeks=30)
    whole = relevance_models_of(service)
    cut = {}
    for report, lists in service.items():
        nothing = np.zeros(len(lists[0].scores), dtype=bool)
        stops = [whole[report].forecast(one.scores, nothing, nothing).stop(0.05) for one in lists]
        cut[report] = [read_as_advised(one, at) for one, at in zip(lists, stops, strict=True)]
    shares = [relevance_models_of(some)["report 0"].curves.background.share("report 0") for some in (service, cut)]
    assert shares[0] < 0.4 * PRIOR_SHARE  # every paper was read, and none was scattered
    assert shares[1] > 0.85 * PRIOR_SHARE


def checked_tail(service, n_found):
    """Return the expected number of papers below place 40 if a spot check of each list found some or none."""
    checked = {report: [read_as_advised(one, 30, seed=week) for week, one in enumerate(lists)]
               for report, lists in service.items()}  # fmt: skip
    for lists in checked.values():
        for place, one in enumerate(lists):
            is_relevant = one.is_relevant & ~one.is_spot_check
            if place < n_found:
                is_relevant[one.is_spot_check.nonzero()[0][-1]] = True
            lists[place] = replace(one, is_relevant=is_relevant)
    scores, nothing = service["report 0"][0].scores, np.zeros(150, dtype=bool)
    return relevance_models_of(checked)["report 0"].forecast(scores, nothing, nothing)


def test_spot_checks_that_find_something_raise_what_is_expected_and_the_bound():
    service = scattered_service(4, n_weeks=20)
    none, some = (checked_tail(service, n_found) for n_found in (0, 2))
    assert some.left()[40] > 1.3 * none.left()[40]
    assert some.between()[1][40] >= none.between()[1][40]
    assert some.none_left()[40] < none.none_left()[40]


def test_a_find_far_down_raises_what_is_expected_of_the_rest_of_the_list():
    relevance_model = relevance_models_of(scattered_service(5, n_weeks=12))["report 0"]
    scores = scattered_service(5, n_weeks=13)["report 0"][12].scores
    is_read = np.isin(np.arange(150), [*range(30), 90, 110])
    found = np.isin(np.arange(150), [0, 1, 2, 4])
    before, nothing_found, one_found = (
        relevance_model.forecast(scores, *flags).left()[120]
        for flags in (
            (np.arange(150) < 30, found),
            (is_read, found),
            (is_read, found | (np.arange(150) == 110)),
        )
    )
    assert nothing_found < before < one_found
