"""Forecasts for the next issue from earlier ones, before and during reading."""

import math
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.ranker.stopping.background import SHARES
from presort.ranker.stopping.finished_list import Basis, FinishedList
from presort.ranker.stopping.forecast import MARGIN
from presort.ranker.stopping.relevance_model import ENOUGH, fit_relevance_models
from tests.ranker.lists import (
    LATER,
    START,
    drawn_list,
    drawn_service,
    flags,
    lists,
    read_list,
    relevance_models_of,
    services,
    stopped_at,
    unread,
)

# ---- slow reference


def log_of_sigmoid(x):
    return -math.log1p(math.exp(-x)) if x > 0 else x - math.log1p(math.exp(x))


def sigmoid(x):
    return math.exp(log_of_sigmoid(x))


def slow_log_odds(curves, report, score, place):
    low, high = curves.bends
    standard = (score - low) / (high - low)
    x = [1, standard, min(standard, 0), min(standard - 1, 0), -place]
    return x, sum(a * b for a, b in zip(x, curves.of(report)[0].tolist(), strict=True))


def slow_backgrounds(relevance_model):
    """Return four backgrounds with their probabilities: means of parts of the posterior of the share."""
    background = relevance_model.curves.background
    posterior = background.own.get(relevance_model.report, background.service).tolist()
    rate = background.rates.get(relevance_model.report, background.service_rate)
    found = []
    for low, high in ((0.0, 0.4), (0.4, 0.7), (0.7, 0.9), (0.9, 1.0)):
        up_to, total = 0.0, 0.0
        for probability, share in zip(posterior, SHARES.tolist(), strict=True):
            total += share * max(min(up_to + probability, high) - max(up_to, low), 0)
            up_to += probability
        found.append((high - low, rate * total / (high - low)))
    return found


def with_either(log_odds, background):
    chance = 1 - (1 - sigmoid(log_odds)) * (1 - background)
    return math.log(chance) - math.log1p(-chance)


def slow_forecast(relevance_model, one):
    """Return probabilities, papers left below each position, and the stop point for missing 1 in 20, paper by paper."""
    n_papers, curves = len(one.scores), relevance_model.curves
    xs, log_odds, least = [], [], 30.0
    for number, score in enumerate(one.scores.tolist()):
        share = (number + 0.5) / n_papers
        x, odds = slow_log_odds(curves, relevance_model.report, score, math.log(share / (1 - share)))
        least = max(min(least, odds), -30)
        xs.append(x)
        log_odds.append(least)
    steps = [-3 + 0.2 * step for step in range(31)]
    normal = [math.exp(-(s**2) / 2) for s in steps]
    normal = [w / sum(normal) for w in normal]
    relevant = [sigmoid(odds) for odds in log_odds]
    typical = np.array([sum(p * x[i] for p, x in zip(relevant, xs, strict=True)) for i in range(5)]) / sum(relevant)
    width = math.sqrt(curves.spread**2 + typical @ curves.of(relevance_model.report)[1] @ typical)
    straight = []
    for odds in log_odds:
        mean = sum(w * sigmoid(odds + curves.spread * s) for w, s in zip(normal, steps, strict=True))
        straight.append(2 * odds - math.log(mean / (1 - mean)))
    backgrounds = slow_backgrounds(relevance_model)
    cases = [(v * w, b, s) for v, b in backgrounds for w, s in zip(normal, steps, strict=True)]
    log_weights = []
    for w, b, s in cases:
        likely = math.log(w)
        for odds, is_read, is_relevant in zip(straight, one.is_read, one.is_relevant, strict=True):
            if is_relevant or is_read:
                likely += log_of_sigmoid(with_either(odds + width * s, b) * (1 if is_relevant else -1))
        log_weights.append(likely)
    weights = [math.exp(x - max(log_weights)) for x in log_weights]
    weights = [w / sum(weights) for w in weights]

    def chances(of_cases):
        return [
            sum(w * sigmoid(with_either(odds + width * s, b)) for w, (_, b, s) in zip(of_cases, cases, strict=True))
            for odds in straight
        ]

    now = chances(weights)
    hidden = [0 if read or found else c for c, read, found in zip(now, one.is_read, one.is_relevant, strict=True)]
    pool = [(c, 1.0) for c in chances([w for w, _, _ in cases])]
    mean = sum(v * b for v, b in backgrounds)
    if relevance_model.finished is not None:
        for score, place, n, _, _, weight in zip(*relevance_model.finished, strict=True):
            log_odds = slow_log_odds(curves, relevance_model.report, score, place)[1]
            pool.append((sigmoid(with_either(log_odds, mean)), n * weight))
    given_up = 0.0
    for threshold, n in sorted(pool):
        given_up += threshold * n
        if given_up > MARGIN * 0.05 * sum(c * n for c, n in pool):
            break
    stop = max(sum(c >= threshold for c in now), 1)
    return now, [sum(hidden[position:]) for position in range(1, n_papers + 1)], stop


@given(services(), lists(0), st.data())
def test_the_forecast_agrees_with_a_slow_reference(service, one, data):
    relevance_models = relevance_models_of(service)
    relevance_model = relevance_models[data.draw(st.sampled_from(sorted(relevance_models)))]
    if relevance_model.is_ready:
        forecast = relevance_model.forecast(one.scores, one.is_read, one.is_relevant)
        chances, left, stop = slow_forecast(relevance_model, one)
        np.testing.assert_allclose(forecast.chances, chances, rtol=1e-6)
        np.testing.assert_allclose(forecast.left(), left, rtol=1e-6, atol=1e-9)
        assert abs(forecast.stop() - stop) <= (np.diff(forecast.chances) > -1e-9).sum()  # ties, except for rounding


# ---- training data


@given(services(), st.data())
def test_later_lists_do_not_change_a_forecast(service, data):
    week = data.draw(st.integers(0, 4))
    before = START + timedelta(weeks=week)
    changed = {
        report: [
            one if one.day < before else replace(data.draw(lists(0)), day=one.day)
            for one in of_report
        ]
        for report, of_report in service.items()
    }  # fmt: skip
    one = data.draw(lists(0))
    for report, relevance_model in fit_relevance_models(service, before=before).items():
        other = fit_relevance_models(changed, before=before)[report]
        assert other.is_ready == relevance_model.is_ready
        a, b = (known.forecast(one.scores, one.is_read, one.is_relevant) for known in (relevance_model, other))
        np.testing.assert_array_equal(a.chances, b.chances)
        np.testing.assert_array_equal(a.left(), b.left())
        assert a.stop() == b.stop()


def test_a_model_is_ready_after_enough_relevant_papers():
    scores = np.linspace(3, -3, 50)
    found = flags(50, *range(1, ENOUGH // 2 + 1))
    enough = [read_list(scores, found, week=week) for week in range(2)]
    assert relevance_models_of({"trade": enough})["trade"].is_ready
    assert relevance_models_of({"trade": enough[:1], "health": [enough[0]]})["health"].is_ready
    assert not relevance_models_of({"trade": enough[:1]})["trade"].is_ready
    assert not fit_relevance_models({"trade": enough}, before=enough[1].day)["trade"].is_ready


def test_only_the_newest_lists_count():
    rng = np.random.default_rng(4)
    newest = [drawn_list(rng, week=week, n_papers=60) for week in range(2, 54)]
    old = [read_list(newest[0].scores, flags(60, 59, 60), week=week) for week in range(2)]
    a, b = (relevance_models_of({"trade": some})["trade"] for some in (old + newest, newest))
    np.testing.assert_array_equal(a.curves.mean, b.curves.mean)


def test_a_report_with_few_lists_borrows_from_the_service():
    service = drawn_service(6, n_reports=10, n_weeks=12)
    rng = np.random.default_rng(60)
    rich = [drawn_list(rng, week=week, level=1.5) for week in range(12)]
    nothing, scores = unread(200), rich[-1].scores
    expected = [
        relevance_models_of(service | {"rich": rich[:n]})["rich"].forecast(scores, nothing, nothing).left()[0]
        for n in (0, 1, 11)
    ]
    assert expected[0] < 0.75 * expected[2]
    assert expected[0] < expected[1] < 1.1 * expected[2]


def test_unread_papers_do_not_count_as_irrelevant():
    service = drawn_service(7, n_reports=10, n_weeks=16)
    early = {report: [stopped_at(one, 0.25) for one in some] for report, some in service.items()}
    as_if_read = {report: [replace(one, is_read=~unread(200)) for one in some] for report, some in early.items()}
    next_one, nothing = drawn_list(np.random.default_rng(8)), unread(200)
    whole, censored, misled = (
        relevance_models_of(known)["report 0"].forecast(next_one.scores, nothing, nothing).left()[49]
        for known in (service, early, as_if_read)
    )
    assert 0.6 * whole < censored < 2.5 * whole
    assert misled < 0.3 * whole


def test_a_skipped_list_changes_little_and_a_read_empty_list_much():
    service = drawn_service(9, n_reports=6, n_weeks=8)
    nothing, scores = unread(200), service["report 0"][0].scores
    later = [START + timedelta(weeks=week) for week in range(8, 12)]
    skipped = service["report 0"] + [FinishedList(scores, nothing, nothing, day) for day in later]
    empty = service["report 0"] + [FinishedList(scores, ~nothing, nothing, day) for day in later]
    as_it_is, with_skipped, with_empty = (
        relevance_models_of(service | {"report 0": known})["report 0"].forecast(scores, nothing, nothing).chances.sum()
        for known in (service["report 0"], skipped, empty)
    )
    assert with_skipped == pytest.approx(as_it_is, rel=0.1)
    assert with_empty < 0.8 * as_it_is


# ---- while reading


def test_finds_raise_the_expected_papers_and_the_stop_point():
    relevance_model = relevance_models_of(drawn_service(10, spread=0.6))["report 0"]
    scores = drawn_list(np.random.default_rng(11)).scores
    is_read = np.arange(200) < 30
    before = relevance_model.forecast(scores, unread(200), unread(200))
    usual = int(before.chances[:30].sum().round())
    none, some, many = (
        relevance_model.forecast(scores, is_read, flags(200, *range(1, n + 1))) for n in (0, usual, min(2 * usual, 30))
    )
    assert none.left()[29] < some.left()[29] < many.left()[29]
    assert some.left()[29] == pytest.approx(before.left()[29], rel=0.25)
    assert none.stop() <= some.stop() <= many.stop()
    assert many.n_found == min(2 * usual, 30)


def test_a_sample_of_the_rest_changes_the_expected_papers():
    relevance_model = relevance_models_of(drawn_service(12, spread=0.6))["report 0"]
    scores = drawn_list(np.random.default_rng(13)).scores
    is_read, found = np.arange(200) < 60, flags(200, 1, 2, 3, 5, 8, 13)
    drawn = np.isin(np.arange(200), np.random.default_rng(1).choice(np.arange(60, 200), 30, replace=False))
    deep = drawn & (np.arange(200) >= 150)
    read_only, nothing_there, much_there = (
        relevance_model.forecast(scores, *these).chances[60:].sum()
        for these in ((is_read, found), (is_read | drawn, found), (is_read | drawn, found | deep))
    )
    assert nothing_there < read_only < much_there


def test_relevant_papers_are_implicitly_read():
    relevance_model = relevance_models_of(drawn_service(1, n_reports=3))["report 0"]
    scores, found = drawn_list(np.random.default_rng(1)).scores, flags(200, 4)
    a, b = relevance_model.forecast(scores, unread(200), found), relevance_model.forecast(scores, found, found)
    np.testing.assert_array_equal(a.hidden, b.hidden)


def test_the_basis_counts_the_lists_of_the_report_before_that_day():
    service = drawn_service(1, n_reports=2, n_weeks=6)
    basis = fit_relevance_models(service, before=START + timedelta(weeks=4))["report 0"].basis
    assert basis == Basis(n_lists=4, n_whole=4, n_spot_checked=0)
    assert relevance_models_of({"new": []})["new"].basis == Basis()


# ---- stop audits


@pytest.fixture(scope="module")
def walked_forward():
    """Lists of 18 weeks, and the forecasts from earlier weeks for each."""
    service = drawn_service(14, n_reports=20, n_weeks=30, spread=0.4)
    expected = []
    for week in range(12, 30):
        relevance_models = fit_relevance_models(service, before=START + timedelta(weeks=week))
        for report, some in service.items():
            one = some[week]
            expected.append((one, relevance_models[report].forecast(one.scores, unread(200), unread(200))))
    return expected


@pytest.mark.whole
@pytest.mark.parametrize("miss", [0.1, 0.05])
def test_targets_are_reached_walking_forward(walked_forward, miss):
    above, relevant, left, inside, read = [], [], [], [], []
    for one, forecast in walked_forward:
        at = forecast.stop(miss)
        n_below = one.is_relevant[at:].sum()
        low, high = forecast.between()
        above.append(one.is_relevant[:at].sum())
        relevant.append(one.is_relevant.sum())
        left.append(forecast.left()[at - 1])
        inside.append(low[at - 1] <= n_below <= high[at - 1])
        read.append(at / 200)
    missed = 1 - sum(above) / sum(relevant)
    assert 0.6 * miss < missed < miss
    assert sum(left) / sum(relevant) == pytest.approx(missed, abs=0.01)
    assert np.mean(inside) >= 0.9
    assert np.mean(read) < 0.5


@pytest.mark.whole
def test_the_target_all_is_reached_walking_forward(walked_forward):
    missed, read = [], []
    for one, forecast in walked_forward:
        at = forecast.stop_for_all()
        missed.append(one.is_relevant[at:].any())
        read.append(at / 200)
    assert 0.02 < np.mean(missed) < 0.05 + 0.0115  # a standard deviation of 360 lists
    assert np.mean(read) < 0.8


# ---- invalid input


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        pytest.param(np.empty(0), "one-dimensional array of finite numbers", id="empty"),
        pytest.param(np.array([1.0, 2.0]), "highest first", id="rising"),
        pytest.param(np.array([1.0, math.nan]), "one-dimensional array of finite numbers", id="nan"),
        pytest.param(np.array([math.inf, 1.0]), "one-dimensional array of finite numbers", id="infinite"),
        pytest.param(np.ones((2, 2)), "one-dimensional array of finite numbers", id="table"),
    ],
)
def test_scores_must_be_descending(scores, message):
    nothing = np.zeros(scores.shape, dtype=bool)
    with pytest.raises(ValueError, match=message):
        FinishedList(scores, nothing, nothing, START)
    with pytest.raises(ValueError, match=message):
        relevance_models_of({"new": []})["new"].forecast(scores, nothing, nothing)


@pytest.mark.parametrize(
    ("is_read", "is_relevant"),
    [
        pytest.param(unread(3), unread(4), id="lengths"),
        pytest.param(unread(4), unread(4), id="other-length-than-scores"),
        pytest.param(np.zeros(3), np.zeros(3), id="numbers"),
    ],
)
def test_flags_must_have_one_value_per_score(is_read, is_relevant):
    with pytest.raises(
        ValueError, match="is_read and is_relevant must be arrays of bool, one for each of 3 scores, got "
    ):
        FinishedList(np.array([3.0, 2.0, 1.0]), is_read, is_relevant, START)


@pytest.mark.parametrize("weeks", [pytest.param((1, 1), id="same-day"), pytest.param((2, 1), id="newest-first")])
def test_lists_of_a_report_must_be_sorted_by_day(weeks):
    some = [read_list(np.ones(2), flags(2, 1), week=week) for week in weeks]
    with pytest.raises(ValueError, match="the lists of trade must be sorted by date"):
        fit_relevance_models({"trade": some}, before=LATER)


def test_an_empty_service_has_no_models():
    assert fit_relevance_models({}, before=date(2026, 1, 1)) == {}
