"""What is told of the end of lists, held against what was found there."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranker.doubts import CAUTION, NOTHING_COUNTED, PRIOR, TRIED, Doubts, count_doubts
from ranker.recall import fit_recalls
from tests.ranker.lists import LATER, START, drawn_list, drawn_service, recalls_of, services, stopped_at, unread


def doubts_of(service):
    return recalls_of(service)["report 0"].doubts


def test_what_was_told_is_believed_where_nothing_was_counted():
    assert count_doubts([]).n_lists == 0
    for doubt in (0.01, 0.05, 0.3):
        assert NOTHING_COUNTED.threshold(doubt) == pytest.approx(CAUTION * doubt)
        assert NOTHING_COUNTED.found(np.array([doubt])) == pytest.approx(doubt)


def test_by_hand():
    missed = np.where(TRIED < 0.5, 0.0, 40.0)
    doubts = Doubts(100, missed)
    at = TRIED[TRIED >= 0.5][0]
    assert doubts.found(np.array([at])) == pytest.approx((PRIOR * at + 40) / (PRIOR + 100))
    below = TRIED[TRIED < 0.5][-1]  # so far nothing was missed: only what was told counts, and weighs half
    assert doubts.threshold(0.1) == pytest.approx(0.1 * CAUTION * (PRIOR + 100) / PRIOR)
    assert below < doubts.threshold(0.4) < at


def test_twice_as_many_missed_as_told_asks_for_more_care():
    told = Doubts(1000, 1000 * TRIED)
    often = Doubts(1000, np.minimum(2000 * TRIED, 1000))
    seldom = Doubts(1000, 500 * TRIED)
    assert often.threshold(0.05) < told.threshold(0.05) < 0.05 < seldom.threshold(0.05)


@given(services(), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_counts_and_thresholds_keep_their_ranges(service, a, b):
    doubts = recalls_of(service)["new"].doubts
    assert (np.diff(doubts.missed) >= -1e-9).all()
    assert ((doubts.missed >= -1e-9) & (doubts.missed <= doubts.n_lists + 1e-9)).all()
    strict, lax = (doubts.threshold(one) for one in sorted((a, b)))
    assert 0 < strict <= lax <= 1
    found = doubts.found(TRIED)
    assert found[-1] == pytest.approx(1)


def test_a_list_that_was_read_to_the_end_counts_as_it_was_found():
    doubts = doubts_of(drawn_service(3, n_reports=4, n_weeks=12, n_papers=60))
    assert 0 < doubts.n_lists <= 4 * 12
    np.testing.assert_allclose(doubts.missed, doubts.missed.round(), atol=1e-9)


def test_a_list_whose_reading_stopped_counts_by_what_was_to_be_expected():
    service = drawn_service(3, n_reports=4, n_weeks=12, n_papers=60)
    curves = recalls_of(service)["report 0"].curves
    cut = [stopped_at(one, 0.1) for one in service["report 0"]]
    as_if_read = [replace(one, is_read=np.ones(60, dtype=bool)) for one in cut]
    early, wrongly = (count_doubts([(curves, "report 0", one.groups) for one in some]) for some in (cut, as_if_read))
    assert early.n_lists == wrongly.n_lists == 12
    assert (early.missed >= wrongly.missed - 1e-9).all()
    assert early.threshold(0.1) < wrongly.threshold(0.1)


def test_only_lists_of_earlier_days_are_counted():
    service = drawn_service(5, n_reports=3, n_weeks=14, n_papers=60)
    before = START + timedelta(weeks=10)
    known = {report: [one for one in lists if one.day < before] for report, lists in service.items()}
    a, b = (fit_recalls(one, before=before)["report 0"].doubts for one in (service, known))
    assert a.n_lists == b.n_lists
    np.testing.assert_array_equal(a.missed, b.missed)


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
