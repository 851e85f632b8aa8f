"""Forecasts for the ends of lists, compared with the papers found there."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit

from presort.ranker.stopping.curves import CASE_PRIOR, cases_of, features
from presort.ranker.stopping.forecast import (
    CAUTION,
    DOUBT,
    FEWEST,
    MOST,
    PRICES,
    PRIOR,
    TRIED,
    UNCALIBRATED,
    StopCalibration,
    fit_calibration,
)
from presort.ranker.stopping.relevance_model import fit_relevance_models
from tests.ranker.lists import (
    LATER,
    START,
    drawn_list,
    drawn_service,
    relevance_models_of,
    services,
    stopped_at,
    unread,
)


def doubts_of(service):
    return relevance_models_of(service)["report 0"].calibration


def doubts_at(price):
    """Return a calibration in which 1 list of 20 misses a paper at this price, as forecast, and more above it."""
    shares = np.interp(np.log(PRICES), np.log([PRICES[0], price, PRICES[-1]]), [0, DOUBT, 1])
    return StopCalibration(1000, 1000 * TRIED, CAUTION * shares, 1000 * shares)


def test_forecasts_are_unchanged_if_few_lists_were_counted():
    assert fit_calibration([]).n_lists == 0
    any_left = np.array([0.5, 0.2, 0.0451, 0.044, 0.0])
    for calibration in (UNCALIBRATED, doubts_at(1.0)._replace(n_lists=7)):
        assert calibration.stop(any_left, np.ones(5, dtype=bool)) == 4
    assert UNCALIBRATED.calibrate(np.array([0.3])) == pytest.approx(0.3)


def test_by_hand():
    missed = np.where(TRIED < 0.5, 0.0, 40.0)
    cheap = PRICES < 1
    calibration = StopCalibration(100, missed, np.where(cheap, 0.036, 0.09), np.where(cheap, 0.0, 2.0))
    at = TRIED[TRIED >= 0.5][0]
    assert calibration.calibrate(np.array([at])) == pytest.approx((PRIOR * at + 40) / (PRIOR + 100))
    below, above = PRICES[cheap][-1], PRICES[~cheap][0]  # where (4 + 0) / 200 and (10 + 2) / 200 are missed
    assert calibration.price == pytest.approx(below * (above / below) ** ((0.05 - 0.02) / (0.06 - 0.02)))


def test_reading_ends_where_the_total_cost_is_lowest():
    calibration = doubts_at(0.3)
    any_left = np.array([0.9, 0.11, 0.09, 0.08, 0.0])
    is_unread = np.array([False, True, True, False, True])
    costs = [left + calibration.price * n / 5 for left, n in zip(any_left, (9, 9, 2, 2, 3), strict=True)]
    assert calibration.price == pytest.approx(0.3, rel=0.1)  # within the spacing of `PRICES`
    assert calibration.stop(any_left, is_unread) == 1 + costs.index(min(costs)) == 5
    assert doubts_at(1.0).stop(any_left, is_unread) == 4
    assert doubts_at(9.0).stop(any_left, np.ones(5, dtype=bool)) == 3  # not before 1 in 10, whatever the price
    assert calibration.stop(any_left, np.zeros(5, dtype=bool)) == 5


def test_a_higher_reading_cost_allows_a_higher_risk():
    steep, flat = (0.5 * np.exp(-np.arange(1, 101) / papers) for papers in (5, 25))
    ends = [doubts_at(0.3).stop(one, np.ones(100, dtype=bool)) for one in (steep, flat)]
    assert ends[0] < ends[1] < 100
    assert flat[ends[1] - 1] == pytest.approx(5 * steep[ends[0] - 1], rel=0.2)  # as slowly as it falls


def test_with_unknown_forecasts_the_whole_list_is_read():
    unknown = np.array([np.nan, np.nan, 0.0])
    assert doubts_at(1.0).stop(unknown, np.ones(3, dtype=bool)) == 3
    assert UNCALIBRATED.stop(unknown, np.ones(3, dtype=bool)) == 3


def test_twice_as_many_misses_as_forecast_make_stop_points_later():
    expected = np.linspace(0, 0.5, len(PRICES))
    as_expected, often, seldom = (
        StopCalibration(1000, 1000 * TRIED, expected, 1000 * expected * times) for times in (1, 2, 0.5)
    )
    assert often.price < as_expected.price < seldom.price


@given(services())
def test_counts_and_prices_are_within_their_ranges(service):
    calibration = relevance_models_of(service)["new"].calibration
    assert (np.diff(calibration.missed) >= -1e-9).all()
    assert (np.diff(calibration.expected_at_price) >= -1e-9).all()
    assert ((calibration.expected_at_price >= 0) & (calibration.expected_at_price <= MOST)).all()
    for missed in (calibration.missed, calibration.missed_at_price):
        assert ((missed >= -1e-9) & (missed <= calibration.n_lists + 1e-9)).all()
    assert PRICES[0] * (1 - 1e-9) <= calibration.price <= PRICES[-1] * (1 + 1e-9)
    assert calibration.calibrate(TRIED)[-1] == pytest.approx(1)


@pytest.mark.whole
def test_a_report_that_is_hard_to_rank_also_reaches_the_target():
    rng = np.random.default_rng(2)
    easy = {
        f"report {number}": [drawn_list(rng, week=week, level=-1, slope=1.5) for week in range(34)]
        for number in range(12)
    }
    service = easy | {"hard": [drawn_list(rng, week=week, level=-4.5, slope=0.15) for week in range(34)]}
    missed, read = [], []
    for week in range(24, 34):
        relevance_model = fit_relevance_models(service, before=START + timedelta(weeks=week))["hard"]
        one = service["hard"][week]
        is_read = np.zeros(200, dtype=bool)
        at = 0
        while at < (stop := relevance_model.forecast(one.scores, is_read, one.is_relevant & is_read).stop_for_all()):
            at = min(at + 10, stop)  # updated after every tenth paper
            is_read[:at] = True
        missed.append(one.is_relevant[at:].any())
        read.append(at)
    assert relevance_model.calibration.n_lists > 200
    assert np.mean(missed) <= 0.2
    assert np.mean(read) > 100


def test_counts_at_each_price_agree_with_a_slow_reference():
    """Slow reference: compute the end of reading for each list and price, and check for a relevant paper below."""
    service = drawn_service(4, n_reports=2, n_weeks=6, n_papers=40)
    curves = relevance_models_of(service)["report 0"].curves
    past = [(curves, report, one.groups) for report, lists in service.items() for one in lists]
    expected, missed = np.zeros_like(PRICES), np.zeros_like(PRICES)
    for _, report, groups in past:
        cases = cases_of(curves, report, features(groups.scores, groups.places, curves.bends), groups.n)
        for at, price in enumerate(PRICES):
            costs, left = [], []
            for end in range(1, len(groups.n) + 1):
                none = np.prod((1 - expit(cases[:, end:])) ** groups.n[end:], axis=1)
                left.append(1 - CASE_PRIOR @ none)
                is_allowed = left[-1] <= MOST + 1e-12
                costs.append(left[-1] + price * groups.n[:end].sum() / groups.n.sum() if is_allowed else np.inf)
            end = int(np.argmin(costs))
            expected[at] += left[end] / len(past)
            missed[at] += groups.n_relevant[end + 1 :].any()
    calibration = fit_calibration(past)
    np.testing.assert_allclose(calibration.expected_at_price, expected, atol=1e-9)
    np.testing.assert_allclose(calibration.missed_at_price, missed, atol=1e-9)


def test_some_drawn_services_have_enough_lists_for_calibration():
    assert relevance_models_of(drawn_service(0, 3, n_weeks=12, n_papers=90))["report 0"].calibration.n_lists >= FEWEST


def test_a_completely_read_list_counts_with_its_actual_papers():
    calibration = doubts_of(drawn_service(3, n_reports=4, n_weeks=12, n_papers=60))
    assert 0 < calibration.n_lists <= 4 * 12
    for missed in (calibration.missed, calibration.missed_at_price):
        np.testing.assert_allclose(missed, missed.round(), atol=1e-9)


def test_a_partly_read_list_counts_with_its_expected_papers():
    service = drawn_service(3, n_reports=4, n_weeks=12, n_papers=60)
    curves = relevance_models_of(service)["report 0"].curves
    cut = [stopped_at(one, 0.1) for one in service["report 0"]]
    as_if_read = [replace(one, is_read=np.ones(60, dtype=bool)) for one in cut]
    early, wrongly = (fit_calibration([(curves, "report 0", one.groups) for one in some]) for some in (cut, as_if_read))
    assert early.n_lists == wrongly.n_lists == 12
    assert (early.missed >= wrongly.missed - 1e-9).all()
    assert (early.missed_at_price >= wrongly.missed_at_price - 1e-9).all()
    assert early.price < wrongly.price


def test_only_lists_of_earlier_days_are_counted():
    service = drawn_service(5, n_reports=3, n_weeks=14, n_papers=60)
    before = START + timedelta(weeks=10)
    known = {report: [one for one in lists if one.day < before] for report, lists in service.items()}
    a, b = (fit_relevance_models(one, before=before)["report 0"].calibration for one in (service, known))
    assert a.n_lists == b.n_lists
    np.testing.assert_array_equal(a.missed, b.missed)
    np.testing.assert_array_equal(a.missed_at_price, b.missed_at_price)


def test_the_95_percent_target_needs_no_calibration():
    service = drawn_service(6, n_reports=3, n_weeks=10, n_papers=60)
    counted, uncounted = (
        fit_relevance_models(service, before=LATER, for_all=flag)["report 0"] for flag in (True, False)
    )
    one = service["report 0"][-1]
    a, b = (relevance_model.forecast(one.scores, unread(60), unread(60)) for relevance_model in (counted, uncounted))
    assert a.stop(0.05) == b.stop(0.05)
    assert (uncounted.calibration.n_lists, counted.calibration.n_lists > 0) == (0, True)


@pytest.mark.whole
def test_an_improving_ranker_needs_less_reading_at_the_same_target():
    rng = np.random.default_rng(1)
    levels = rng.normal(-1, 0.5, 15)
    service = {
        f"report {number}": [
            drawn_list(rng, week=week, level=level, slope=0.6 + 1.4 * week / 40, spread=0.4, n_papers=100)
            for week in range(40)
        ]
        for number, level in enumerate(levels)
    }
    read, read_uncounted, missed = [], [], []
    for week in range(20, 40, 2):
        for report, relevance_model in fit_relevance_models(service, before=START + timedelta(weeks=week)).items():
            one = service[report][week]
            forecast = relevance_model.forecast(one.scores, unread(100), unread(100))
            at = forecast.stop_for_all()
            missed.append(one.is_relevant[at:].any())
            read.append(at / 100)
            read_uncounted.append(replace(forecast, calibration=UNCALIBRATED).stop_for_all() / 100)
    assert np.mean(missed) < 0.05  # of 150 lists, 1 is missed; at 1 in 10, it would be 15 ± 4
    assert np.mean(read) < 0.9 * np.mean(read_uncounted)
