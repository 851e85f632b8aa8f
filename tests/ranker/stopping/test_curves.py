"""Curves: the probability that a paper is relevant, fitted to read papers."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from presort.ranker.stopping.background import OWN, PRIOR, SHARES
from presort.ranker.stopping.curves import SHIFTS, SPREADS, concatenate, features, fit_curves, group_papers, places_of
from tests.ranker.lists import drawn_list, drawn_service, stopped_at, unread


def counting(groups, weight):
    return groups._replace(weights=np.full_like(groups.weights, weight))


def groups_of(service, weight=1.0):
    """Group the lists of all reports."""
    both = {
        report: concatenate([counting(group_papers(one.scores, one.is_read, one.is_relevant), weight) for one in lists])
        for report, lists in service.items()
    }
    return {report: groups for report, (groups, _) in both.items()}, {r: starts for r, (_, starts) in both.items()}


def slow_features(score, place, bends):
    low, high = bends
    standard = (score - low) / (high - low)
    return np.array([1, standard, min(standard, 0), min(standard - 1, 0), -place])


def slow_log_likelihood(coefficients, groups, bends, shift=0.0):
    total = 0.0
    for score, place, _, n_read, n_relevant, weight in zip(*groups, strict=True):
        log_odds = float(slow_features(score, place, bends) @ coefficients) + shift
        total += weight * (n_relevant * log_odds - n_read * math.log1p(math.exp(log_odds)))
    return total


def slow_chance(log_odds, background):
    by_curve = 1 / (1 + math.exp(-log_odds))
    return 1 - (1 - by_curve) * (1 - background)


def by_curve_alone(groups, coefficients, bends, background):
    """Return the expected number of papers that are relevant according to the curve alone."""
    n_relevant = []
    for score, place, _, _, n, _ in zip(*groups, strict=True):
        log_odds = float(slow_features(score, place, bends) @ coefficients)
        n_relevant.append(n / (1 + math.exp(-log_odds)) / slow_chance(log_odds, background))
    return groups._replace(n_relevant=np.array(n_relevant))


def slow_backgrounds(groups, coefficients, bends):
    """Return the mean background probability by report, summed over shares of the service and of the report."""
    rate = {report: sum(one.n_relevant) / sum(one.n) for report, one in groups.items()}
    likely = {report: [1.0] * len(SHARES) for report in groups}
    if coefficients is not None:
        for report, one in groups.items():
            logs = []
            for share in SHARES:
                log = 0.0
                for score, place, _, n_read, n_relevant, _ in zip(*one, strict=True):
                    log_odds = float(slow_features(score, place, bends) @ coefficients[report])
                    chance = slow_chance(log_odds, rate[report] * share)
                    log += n_relevant * math.log(chance) + (n_read - n_relevant) * math.log(1 - chance)
                logs.append(log)
            likely[report] = [math.exp(log - max(logs)) for log in logs]
    of_service = []
    for k in range(len(SHARES)):
        weight = PRIOR[k]
        for report in groups:
            weight *= sum(OWN[k, j] * likely[report][j] for j in range(len(SHARES)))
        of_service.append(weight)
    means = {}
    for report in groups:
        joint = np.zeros(len(SHARES))
        for k in range(len(SHARES)):
            each = [OWN[k, j] * likely[report][j] for j in range(len(SHARES))]
            joint += of_service[k] * np.array(each) / sum(each)
        means[report] = rate[report] * float(joint @ SHARES / joint.sum())
    return means


def slow_fit(groups):
    """Fit as described in the module, with a general optimiser instead of Newton's method."""
    scored = sorted(
        (s, n * w) for g in groups.values() for s, n, w in zip(g.scores, g.n_relevant, g.weights, strict=True)
    )
    quantiles = []
    for share in (0.2, 0.5):
        below = 0.0
        for score, n in scored:
            below += n
            if below >= share * sum(n for _, n in scored):
                quantiles.append(score)
                break
    high, median = quantiles
    standard = NormalDist()
    bends = (median - (median - high) * standard.inv_cdf(0.02) / standard.inv_cdf(0.2), high)

    def likeliest(some, mean, pull, start):
        def unlikely(b):
            return 0.5 * (b - mean) @ pull @ (b - mean) - sum(slow_log_likelihood(b, one, bends) for one in some)

        return minimize(unlikely, start, method="BFGS").x

    background = slow_backgrounds(groups, None, bends)
    mean, covariance = np.zeros(5), np.eye(5)
    for _ in range(8):
        by_curve = [by_curve_alone(one, mean, bends, background[report]) for report, one in groups.items()]
        mean = likeliest(by_curve, np.zeros(5), 1e-3 * np.eye(5), mean)
    own, unsure = dict.fromkeys(groups, mean), {}
    for _ in range(5):
        for report, one in groups.items():
            by_curve = by_curve_alone(one, own[report], bends, background[report])
            own[report] = likeliest([by_curve], mean, np.linalg.inv(covariance), mean)
            curvature = np.linalg.inv(covariance)
            for score, place, _, n_read, _, weight in zip(*one, strict=True):
                x = slow_features(score, place, bends)
                chance = 1 / (1 + math.exp(-x @ own[report]))
                curvature = curvature + weight * n_read * chance * (1 - chance) * np.outer(x, x)
            unsure[report] = np.linalg.inv(curvature)
        mean = np.mean([*own.values()], axis=0)
        covariance = 1e-3 * np.eye(5)
        for report, b in own.items():
            covariance = covariance + (np.outer(b - mean, b - mean) + unsure[report]) / len(own)
        background = slow_backgrounds(groups, own, bends)
    return bends, own, unsure, background


def test_the_fit_agrees_with_a_slow_reference():
    groups, starts = groups_of(drawn_service(3, n_reports=3, n_weeks=4, n_papers=60), weight=0.7)
    curves = fit_curves(groups, starts)
    bends, own, unsure, background = slow_fit(groups)
    assert curves.bends == pytest.approx(bends)
    for report, one in groups.items():
        X = features(one.scores, one.places, bends)
        coefficients, covariance = curves.of(report)
        np.testing.assert_allclose(expit(X @ coefficients), expit(X @ own[report]), atol=0.006)
        np.testing.assert_allclose(covariance, unsure[report], rtol=0.2, atol=0.02)
        assert curves.background.chance(report) == pytest.approx(background[report], rel=0.05)


def test_spread_is_the_likeliest():
    groups, starts = groups_of(drawn_service(5, n_reports=4, n_weeks=6, spread=0.8))
    curves = fit_curves(groups, starts)
    totals = dict.fromkeys(SPREADS.tolist(), 0.0)
    for report, whole in groups.items():
        one = by_curve_alone(whole, curves.own[report][0], curves.bends, curves.background.chance(report))
        for start, end in zip(starts[report], [*starts[report][1:], len(one.n)], strict=True):
            part = type(one)(*(values[start:end] for values in one))._replace(weights=np.ones(end - start))
            shifted = [slow_log_likelihood(curves.own[report][0], part, curves.bends, s) for s in SHIFTS]
            for spread in totals:
                density = [math.exp(-((s / spread) ** 2) / 2) for s in SHIFTS]
                mean = sum(d * math.exp(x - max(shifted)) for d, x in zip(density, shifted, strict=True)) / sum(density)
                totals[spread] += math.log(mean) + max(shifted)
    assert curves.spread == max(totals, key=totals.__getitem__)


@pytest.mark.parametrize(("spread", "least", "most"), [(0.0, 0.15, 0.3), (0.7, 0.5, 0.9)])
def test_differences_between_issues_are_recovered(spread, least, most):
    curves = fit_curves(*groups_of(drawn_service(1, n_reports=10, n_weeks=15, spread=spread)))
    assert least <= curves.spread <= most


def test_the_true_curves_are_recovered():
    service = drawn_service(2, n_reports=8, n_weeks=25, spread=0.0)
    curves = fit_curves(*groups_of(service))
    levels = np.random.default_rng(2).normal(-1, 0.5, 8)
    scores = drawn_list(np.random.default_rng(3)).scores
    for report, level in zip(service, levels, strict=True):
        found = features(scores, places_of(200), curves.bends) @ curves.of(report)[0]
        np.testing.assert_allclose(expit(found), expit(level + 1.2 * scores), atol=0.15)
        assert expit(found).sum() == pytest.approx(expit(level + 1.2 * scores).sum(), rel=0.15)


def test_a_new_report_has_the_curve_of_the_service():
    curves = fit_curves(*groups_of(drawn_service(n_reports=4, n_weeks=3)))
    coefficients, covariance = curves.of("new")
    np.testing.assert_array_equal(coefficients, curves.mean)
    assert (np.diag(covariance) > np.diag(curves.of("report 0")[1])).all()


def test_a_report_without_read_papers_has_the_curve_of_the_service():
    service = drawn_service(n_reports=4, n_weeks=3)
    nothing = unread(200)
    service["report 3"] = [type(one)(one.scores, nothing, nothing, one.day) for one in service["report 3"]]
    curves = fit_curves(*groups_of(service))
    np.testing.assert_allclose(curves.of("report 3")[0], curves.mean, atol=0.25)


@pytest.mark.parametrize("seed", range(3))
def test_bends_change_little_if_every_list_is_partly_read(seed):
    service = drawn_service(seed, n_reports=8, n_weeks=20)
    cut = {report: [stopped_at(one, 0.4) for one in lists] for report, lists in service.items()}
    n_found = sum(one.is_relevant.sum() for lists in cut.values() for one in lists)
    missed = 1 - n_found / sum(one.is_relevant.sum() for lists in service.values() for one in lists)
    assert missed > 0.02
    bends, whole_bends = (np.array(fit_curves(*groups_of(each)).bends) for each in (cut, service))
    assert (abs(bends - whole_bends) < 0.3 * (whole_bends[1] - whole_bends[0])).all()


@pytest.mark.parametrize("n_papers", [1, 2, 7, 41, 600])
def test_groups_contain_every_paper_once(n_papers):
    rng = np.random.default_rng(n_papers)
    scores, is_read = np.sort(rng.normal(size=n_papers))[::-1], rng.random(n_papers) < 0.6
    is_relevant = is_read & (rng.random(n_papers) < 0.3)
    groups = group_papers(scores, is_read, is_relevant)
    assert len(groups.n) <= 40
    assert (groups.n >= 1).all()
    assert groups.n.sum() == n_papers
    assert groups.n_read.sum() == is_read.sum()
    assert groups.n_relevant.sum() == is_relevant.sum()
    assert (groups.scores * groups.n).sum() == pytest.approx(scores.sum())
    assert (groups.places * groups.n).sum() == pytest.approx(places_of(n_papers).sum(), abs=1e-9)
    assert (groups.weights == 1).all()


def test_places_by_hand():
    assert expit(places_of(4)).tolist() == pytest.approx([0.125, 0.375, 0.625, 0.875])


@given(st.floats(-50, 50), st.floats(-9, 9))
def test_features_agree_with_a_slow_reference(score, place):
    fast = features(np.array([score]), np.array([place]), (-2.0, 1.5))
    np.testing.assert_allclose(fast[0], slow_features(score, place, (-2.0, 1.5)), atol=1e-12)


def test_all_scores_may_be_equal():
    scores = np.zeros(80)
    groups, starts = concatenate([group_papers(scores, np.ones(80, dtype=bool), np.arange(80) < 40)])
    curves = fit_curves({"a": groups}, {"a": starts})
    assert curves.bends[0] < curves.bends[1] == 0
    assert np.isfinite(curves.mean).all()
