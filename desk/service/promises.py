"""What editors were told of the papers below where they may stop, kept to be held against what was found there."""

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
    for (ranker, replay), numbers in promises.missing(store).items():
        named = [one for of_report in counting(store, ranker, replay=replay) for one in of_report]
        days = {one.issue for one in named if one.ranking_id in numbers}
        if not days:  # others count in their place
            continue
        lists = sorted_lists(store, ranker, replay=replay)
        known = {report: [finished(one) for one in of_report] for report, of_report in lists.items()}
        for day in sorted(days):
            recalls = fit_recalls(known, before=day)
            of_day = [one for of_report in lists.values() for one in of_report if one.issue == day]
            new = [promise_of(recalls[one.report], one) for one in of_day if one.ranking_id in numbers]
            promises.add_promises(store, new)
            n_new += len(new)
    return n_new


def promise_of(recall: Recall, one: SortedList) -> Promise:
    """Hold what was told of a list against what was found. While too little is known, nothing is told."""
    nothing = np.zeros(len(one.scores), dtype=bool)
    stop_at = recall.forecast(one.scores, nothing, nothing).stop()
    read_below = one.is_read & (np.arange(len(one.scores)) >= stop_at)
    told = recall.chances_when_read(one.scores, one.is_read, one.is_relevant)
    return Promise(
        one.ranking_id,
        n_read_below=int(read_below.sum()),
        told_below=float(told[read_below].sum()),
        found_below=int(one.is_relevant[read_below].sum()),
        found=int(one.is_relevant.sum()),
    )
