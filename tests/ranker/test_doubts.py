"""What is told of the end of lists, held against what was found there."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from ranker.cases import NORMAL, cases_of
from ranker.curves import features
from ranker.doubts import NOTHING_COUNTED, PRICES, PRIOR, TRIED, Doubts, count_doubts
from ranker.recall import fit_recalls
from tests.ranker.lists import LATER, START, drawn_list, drawn_service, recalls_of, services, stopped_at, unread


def doubts_of(service):
    return recalls_of(service)["report 0"].doubts


def doubts_at(n_lists, missed_at_price):
    """What was counted of lists in which just as much is told to be left as is missed at each price."""
    return Doubts(n_lists, n_lists * TRIED, missed_at_price / n_lists, missed_at_price)


def test_what_was_told_is_believed_where_nothing_was_counted():
    assert count_doubts([]).n_lists == 0
    any_left = np.array([0.5, 0.2, 0.0451, 0.044, 0.0])
    for doubt, at in ((0.01, 5), (0.05, 4), (0.3, 2)):
        assert NOTHING_COUNTED.stop(any_left, np.ones(5, dtype=bool), doubt) == at
        assert NOTHING_COUNTED.found(np.array([doubt])) == pytest.approx(doubt)


def test_by_hand():
    missed = np.where(TRIED < 0.5, 0.0, 40.0)
    cheap = PRICES < 1
    doubts = Doubts(100, missed, np.where(cheap, 0.09, 0.18), np.where(cheap, 0.0, 20.0))
    at = TRIED[TRIED >= 0.5][0]
    assert doubts.found(np.array([at])) == pytest.approx((PRIOR * at + 40) / (PRIOR + 100))
    below, above = PRICES[cheap][-1], PRICES[~cheap][0]
    assert doubts.price(0.04) == pytest.approx(PRICES[0])  # told .09, which is taken for .1 and weighs half: .05
    assert doubts.price((0.05 + 0.2) / 2) == pytest.approx(np.sqrt(below * above))
    assert doubts.price(0.3) == pytest.approx(PRICES[-1])


def test_reading_ends_where_what_it_costs_and_what_is_left_are_least():
    doubts = doubts_at(1000, np.linspace(0, 1000, len(PRICES)))
    any_left = np.array([0.9, 0.3, 0.28, 0.05, 0.0])
    price = doubts.price(0.3)
    is_unread = np.array([False, True, True, False, True])
    costs = [left + price * n / 5 for left, n in zip(any_left, (0, 1, 2, 2, 3), strict=True)]
    assert doubts.stop(any_left, is_unread, 0.3) == 1 + costs.index(min(costs))
    assert doubts.stop(any_left, np.zeros(5, dtype=bool), 0.3) == 5


def test_more_is_risked_where_reading_on_would_cost_more():
    doubts = doubts_at(1000, np.linspace(0, 1000, len(PRICES)))
    steep, flat = (0.5 * np.exp(-np.arange(1, 101) / papers) for papers in (5, 25))
    ends = [doubts.stop(one, np.ones(100, dtype=bool), 0.65) for one in (steep, flat)]
    assert ends[0] < ends[1] < 100
    assert flat[ends[1] - 1] == pytest.approx(5 * steep[ends[0] - 1], rel=0.2)  # as slowly as it falls


def test_twice_as_many_missed_as_told_asks_for_more_care():
    told = np.linspace(0, 500, len(PRICES))
    as_told, often, seldom = (
        Doubts(1000, 1000 * TRIED, told / 1000, missed) for missed in (told, 2 * told, 0.5 * told)
    )
    assert often.price(0.05) < as_told.price(0.05) < seldom.price(0.05)


@given(services(), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_counts_and_prices_keep_their_ranges(service, a, b):
    doubts = recalls_of(service)["new"].doubts
    assert (np.diff(doubts.missed) >= -1e-9).all()
    assert (np.diff(doubts.told_at_price) >= -1e-9).all()
    for missed in (doubts.missed, doubts.missed_at_price):
        assert ((missed >= -1e-9) & (missed <= doubts.n_lists + 1e-9)).all()
    strict, lax = (doubts.price(one) for one in sorted((a, b)))
    assert PRICES[0] * (1 - 1e-9) <= strict <= lax <= PRICES[-1] * (1 + 1e-9)
    found = doubts.found(TRIED)
    assert found[-1] == pytest.approx(1)


def test_prices_are_counted_as_a_list_is_read_one_group_after_the_other():
    """The same, told slowly: of each list and price where reading ends, and whether any relevant paper is below."""
    service = drawn_service(4, n_reports=2, n_weeks=6, n_papers=40)
    curves = recalls_of(service)["report 0"].curves
    past = [(curves, report, one.groups) for report, lists in service.items() for one in lists]
    told, missed = np.zeros_like(PRICES), np.zeros_like(PRICES)
    for _, report, groups in past:
        cases = cases_of(curves, report, features(groups.scores, groups.places, curves.bends), groups.n)
        for at, price in enumerate(PRICES):
            costs, left = [], []
            for end in range(1, len(groups.n) + 1):
                none = np.prod((1 - expit(cases[:, end:])) ** groups.n[end:], axis=1)
                left.append(1 - NORMAL @ none)
                costs.append(left[-1] + price * groups.n[:end].sum() / groups.n.sum())
            end = int(np.argmin(costs))
            told[at] += left[end] / len(past)
            missed[at] += groups.n_relevant[end + 1 :].any()
    doubts = count_doubts(past)
    np.testing.assert_allclose(doubts.told_at_price, told, atol=1e-9)
    np.testing.assert_allclose(doubts.missed_at_price, missed, atol=1e-9)


def test_a_list_that_was_read_to_the_end_counts_as_it_was_found():
    doubts = doubts_of(drawn_service(3, n_reports=4, n_weeks=12, n_papers=60))
    assert 0 < doubts.n_lists <= 4 * 12
    for missed in (doubts.missed, doubts.missed_at_price):
        np.testing.assert_allclose(missed, missed.round(), atol=1e-9)


def test_a_list_whose_reading_stopped_counts_by_what_was_to_be_expected():
    service = drawn_service(3, n_reports=4, n_weeks=12, n_papers=60)
    curves = recalls_of(service)["report 0"].curves
    cut = [stopped_at(one, 0.1) for one in service["report 0"]]
    as_if_read = [replace(one, is_read=np.ones(60, dtype=bool)) for one in cut]
    early, wrongly = (count_doubts([(curves, "report 0", one.groups) for one in some]) for some in (cut, as_if_read))
    assert early.n_lists == wrongly.n_lists == 12
    assert (early.missed >= wrongly.missed - 1e-9).all()
    assert (early.missed_at_price >= wrongly.missed_at_price - 1e-9).all()
    assert early.price(0.1) < wrongly.price(0.1)


def test_only_lists_of_earlier_days_are_counted():
    service = drawn_service(5, n_reports=3, n_weeks=14, n_papers=60)
    before = START + timedelta(weeks=10)
    known = {report: [one for one in lists if one.day < before] for report, lists in service.items()}
    a, b = (fit_recalls(one, before=before)["report 0"].doubts for one in (service, known))
    assert a.n_lists == b.n_lists
    np.testing.assert_array_equal(a.missed, b.missed)
    np.testing.assert_array_equal(a.missed_at_price, b.missed_at_price)


def test_one_in_twenty_is_told_without_counting():
    service = drawn_service(6, n_reports=3, n_weeks=10, n_papers=60)
    counted, uncounted = (fit_recalls(service, before=LATER, for_all=flag)["report 0"] for flag in (True, False))
    one = service["report 0"][-1]
    a, b = (recall.forecast(one.scores, unread(60), unread(60)) for recall in (counted, uncounted))
    assert a.stop(0.05) == b.stop(0.05)
    assert (uncounted.doubts.n_lists, counted.doubts.n_lists > 0) == (0, True)


@pytest.mark.whole
def test_a_ranker_that_gets_better_asks_for_less_and_the_promise_holds():
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
    for week in range(20, 40):
        for report, recall in fit_recalls(service, before=START + timedelta(weeks=week)).items():
            one = service[report][week]
            forecast = recall.forecast(one.scores, unread(100), unread(100))
            at = forecast.stop_for_all(0.1)
            missed.append(one.is_relevant[at:].any())
            read.append(at / 100)
            read_uncounted.append(replace(forecast, doubts=NOTHING_COUNTED).stop_for_all(0.1) / 100)
    assert np.mean(missed) < 0.1
    assert np.mean(read) < 0.85 * np.mean(read_uncounted)
