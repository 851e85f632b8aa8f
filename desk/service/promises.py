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
    """Hold what was to be expected of a list, before anything was read, against what was found.

    Only of a list that was read whole: others are read on where more is found than expected, so that what they hold
    below would look like a broken promise. While too little is known, reading goes to the end and nothing is promised.
    """
    nothing = np.zeros(len(one.scores), dtype=bool)
    forecast = recall.forecast(one.scores, nothing, nothing)
    stop_at = forecast.stop()
    read_below = (np.arange(len(one.scores)) >= stop_at) & one.is_read.all()
    chances = forecast.chances if recall.is_ready else np.zeros(len(one.scores))
    return Promise(
        one.ranking_id,
        stop_at,
        n_read_below=int(read_below.sum()),
        expected=float(chances[one.is_read].sum()),
        expected_below=float(chances[read_below].sum()),
        found=int(one.is_relevant.sum()),
        found_below=int(one.is_relevant[read_below].sum()),
    )
