"""Whether what editors were told of where to stop was kept."""

from datetime import date, timedelta

import numpy as np
import pytest

from presort.data.records import KeptPromise, Promise
from presort.desk.scores import promises
from presort.desk.scores.promises import Broken

START = date(2026, 1, 5)


def kept(report="lab", week=0, *, told=0.5, found=1, n_read=100, ranker="presort-1", replay=None):
    promise = Promise(week, n_read, told, found, found + 9)
    return KeptPromise(report, START + timedelta(weeks=week), ranker, replay, promise)


def service(rng, times, *, n_weeks=20, n_reports=30, told=0.6):
    """Draw what is found below, some times as much as told."""
    for number in range(n_reports):
        for week in range(n_weeks):
            found = rng.poisson(told * times.get(number, 1))
            yield kept(f"r{number:02}", week, told=told, found=int(found))


def test_what_was_read_below_counts_of_one_source():
    some = [
        kept(week=0),
        kept(week=1, n_read=0, found=0),
        kept(week=1, ranker="arxiv-sanity"),
        kept(week=1, replay=3),
        kept("mac", week=5, told=1.5, found=0),
        kept("mac", week=5, told=1.25, found=2),
    ]
    table = promises.table(some, None)
    assert table["ranker"].tolist() == ["presort-1", "arxiv-sanity", "presort-1"]
    table = table[table["ranker"] == "presort-1"]
    assert table["report"].tolist() == ["lab", "mac"]
    assert table[["told_below", "found_below"]].to_numpy().tolist() == [[0.5, 1], [1.25, 2]]
    assert promises.by_month(table)["found_below"].to_dict() == {"2026-01": 1, "2026-02": 2}
    assert promises.sums(table, "report").loc["mac", ["n_lists", "found"]].tolist() == [1, 11]
    assert len(promises.table(some, 3)) == 1
    assert promises.table([], None).empty
    assert promises.broken(promises.table([], None)) == []


def test_a_report_of_which_three_times_as_much_is_missed_is_found():
    table = promises.table(service(np.random.default_rng(4), {7: 3}), None)
    (found,) = promises.broken(table)
    newest = table[table["report"] == "r07"].tail(13)
    assert found == Broken("r07", 13, pytest.approx(13 * 0.6), newest["found_below"].sum(), found.chance)
    assert found.chance < 0.05


def test_kept_promises_raise_no_more_alarms_than_they_may():
    rng = np.random.default_rng(2)
    alarms = [bool(promises.broken(promises.table(service(rng, {}, n_reports=12), None))) for _ in range(60)]
    assert sum(alarms) <= 6  # 3 are to be expected of 60 at 5 %


def test_where_all_promises_are_broken_many_reports_are_named():
    rng = np.random.default_rng(3)
    table = promises.table(service(rng, dict.fromkeys(range(30), 2.5)), None)
    assert len(promises.broken(table)) > 20


def test_what_was_long_ago_raises_no_alarm():
    old = [kept("old", week, told=0.5, found=4) for week in range(13)]
    since = [kept("new", week, found=week % 2) for week in range(13, 30)]
    assert [one.report for one in promises.broken(promises.table(old, None))] == ["old"]
    assert promises.broken(promises.table([*old, *since], None)) == []


def test_a_promise_made_again_stands_for_the_old_one():
    again = promises.table([kept(found=5), kept(found=1, n_read=0)], None)
    assert again.empty


def test_too_little_to_tell_is_no_alarm():
    table = promises.table([kept(week=week, told=0.2, found=3) for week in range(13)], None)
    assert promises.sums(table, "report")["told_below"].sum() < promises.FEWEST
    assert promises.broken(table) == []
