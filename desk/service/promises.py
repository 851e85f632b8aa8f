"""What editors would have been told of each ranking before they read it, kept to be held against what was found."""

import numpy as np

from data.learning import promises
from data.learning.sorted_lists import counting, sorted_lists
from data.records import Promise, SortedList
from data.store import Store
from desk.sheet.recalls import finished
from ranker.recall import Recall, fit_recalls


def make_promises(store: Store) -> int:
    """Make what is missing, each promise from the lists of earlier days alone, and return how many are new.

    It is for the night, or for the time after a report went out: a year of a large service takes half a minute.
    """
    n_new = 0
    for ranker, numbers in promises.missing(store).items():
        days = {one.issue for of_report in counting(store, ranker) for one in of_report if one.ranking_id in numbers}
        if not days:  # a newer ranking counts
            continue
        lists = sorted_lists(store, ranker)
        known = {report: [finished(one) for one in of_report] for report, of_report in lists.items()}
        for day in sorted(days):
            recalls = fit_recalls(known, before=day)
            of_day = [one for of_report in lists.values() for one in of_report if one.issue == day]
            new = [promise_of(recalls[one.report], one) for one in of_day if one.ranking_id in numbers]
            promises.add_promises(store, new)
            n_new += len(new)
    return n_new


def promise_of(recall: Recall, one: SortedList) -> Promise:
    """Hold what was to be expected of a list, before anything was read, against what was read and found.

    While too little is known, reading goes to the end and nothing is promised.
    """
    nothing = np.zeros(len(one.scores), dtype=bool)
    forecast = recall.forecast(one.scores, nothing, nothing)
    stop_at = forecast.stop()
    read_below = one.is_read & (np.arange(len(one.scores)) >= stop_at)
    expected, below = (
        float(forecast.chances[which].sum()) if recall.is_ready else 0.0 for which in (one.is_read, read_below)
    )
    found, found_below = int(one.is_relevant.sum()), int(one.is_relevant[stop_at:].sum())
    return Promise(one.ranking_id, stop_at, int(read_below.sum()), expected, below, found, found_below)
