"""The cache of the pages."""

import threading

import pytest

from presort.desk import settings
from presort.desk.scores import table
from presort.desk.ui import cache
from presort.desk.ui.cache import refresh
from presort.desk.ui.state_cache import (
    MOST_ENTRIES,
    MOST_STATES,
    Cache,
    State,
)


def test_scores_computed_in_the_background_are_found_by_pages(finished, no_cache, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(finished.folder))
    expected = table.scores(finished)
    refresh().join()
    monkeypatch.setattr(table, "scores_and_not_evaluable", lambda *_, **__: pytest.fail("made again"))
    assert cache.all_scores(None)["outcome"].to_list() == expected["outcome"].to_list()
    assert cache.not_evaluable_rankings(None).empty


def state(number, reports=None):
    return State("workspace", (number, number, 0), reports)


def test_an_entry_is_computed_once_for_all_waiting_threads():
    made, cache = [], Cache()

    def ask():
        return cache.entry(state(1), "key").value(lambda: made.append(1))

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_an_entry_that_failed_is_computed_by_the_next_caller():
    entry = Cache().entry(state(1), "key")
    with pytest.raises(ZeroDivisionError):
        entry.value(lambda: 1 / 0)
    assert entry.value(lambda: 2) == 2


def test_entries_differ_by_state_by_reports_and_by_key():
    cache = Cache()
    asked = [(state(1), "a"), (state(2), "a"), (state(2, ("lab",)), "a"), (state(2), "b")]
    for number, (of, key) in enumerate(asked):
        assert cache.entry(of, key).value(lambda number=number: number) == number
    assert [cache.entry(of, key).value(lambda: -1) for of, key in asked] == [0, 1, 2, 3]


def test_older_states_and_entries_are_evicted():
    cache = Cache()
    for number in range(MOST_STATES + 1):
        cache.entry(state(number), "key").value(lambda number=number: number)
    assert cache.entry(state(0), "key").value(lambda: "again") == "again"
    for number in range(MOST_ENTRIES):
        cache.entry(state(0), number)
    assert cache.entry(state(0), "key").value(lambda: "once more") == "once more"
