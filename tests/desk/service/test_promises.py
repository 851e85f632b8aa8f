"""What would have been told of each list before it was read, from the lists of earlier days alone."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from data.learning import promises
from data.learning.sorted_lists import sorted_lists
from data.records import SortedList
from desk.service import workflow
from desk.service.promises import make_promises, promise_of
from desk.sheet.recalls import recalls_before
from tests.ranker.lists import drawn_list, drawn_service, recalls_of

RANKER = "krichel-2007"
RECALL = recalls_of(drawn_service(5))["report 0"]


def sorted_list(read_to=200):
    one = drawn_list(np.random.default_rng(7))
    is_read = np.arange(200) < read_to
    return SortedList(7, "lab", date(2026, 1, 5), one.scores, is_read, one.is_relevant & is_read)


def test_what_was_told_is_held_against_what_was_read():
    one = sorted_list()
    nothing = np.zeros(200, dtype=bool)
    forecast = RECALL.forecast(one.scores, nothing, nothing)
    stop = forecast.stop(0.05)
    assert stop < 200
    promise = promise_of(RECALL, one)
    assert (promise.ranking_id, promise.stop_at, promise.n_read_below) == (7, stop, 200 - stop)
    assert promise.expected == pytest.approx(sum(forecast.chances))
    assert promise.expected_below == pytest.approx(sum(forecast.chances[stop:]))
    assert promise.expected_below == pytest.approx(forecast.left()[stop - 1])
    assert promise.found == one.is_relevant.sum()
    assert promise.found_below == one.is_relevant[stop:].sum()


@pytest.mark.parametrize("more", [0, 20])
def test_a_list_that_was_not_read_whole_is_held_against_nothing(more):
    stop = promise_of(RECALL, sorted_list()).stop_at
    promise = promise_of(RECALL, sorted_list(stop + more))
    assert (promise.n_read_below, promise.expected_below, promise.found_below) == (0, 0, 0)


def test_while_too_little_is_known_nothing_is_promised():
    promise = promise_of(recalls_of({"new": []})["new"], sorted_list())
    assert (promise.stop_at, promise.n_read_below, promise.expected, promise.expected_below) == (200, 0, 0, 0)


def test_a_replay_and_learning_make_what_is_missing(finished):
    made = promises.kept_promises(finished)
    lists = sorted_lists(finished, RANKER)
    assert [(one.report, one.issue) for one in made] == [(x.report, x.issue) for some in lists.values() for x in some]
    assert make_promises(finished) == 0
    with finished.writing() as connection:
        connection.exec_driver_sql("DELETE FROM promise WHERE ranking_id % 2 = 0")
    assert promises.missing(finished)
    workflow.learn(finished)
    assert promises.kept_promises(finished) == made
    assert promises.missing(finished) == {}


def test_later_lists_tell_nothing_of_earlier_promises(finished):
    last = max(one.issue for one in promises.kept_promises(finished))
    lists = sorted_lists(finished, RANKER)["lab"]
    (kept,) = [one.promise for one in promises.kept_promises(finished) if (one.report, one.issue) == ("lab", last)]
    one = lists[-1]
    assert one.issue == last
    recall = recalls_before(finished, RANKER, last)["lab"]
    assert promise_of(recall, one) == kept
    knowing_more = recalls_before(finished, RANKER, last + timedelta(days=1))["lab"]
    assert promise_of(knowing_more, replace(one)) != kept
