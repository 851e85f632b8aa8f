"""What would have been told of past lists before they were read, each from the lists of earlier days alone."""

from collections.abc import Container, Mapping, Sequence
from datetime import date

import numpy as np

from data.records import Promise, SortedList
from ranker.recall import FinishedList, Recall, fit_recalls


def promises_of(
    lists: Mapping[str, Sequence[SortedList]], numbers: Container[int], days: Sequence[date]
) -> list[Promise]:
    """Make the promises of some rankings.

    Parameters
    ----------
    lists : mapping from report code to sequence of SortedList
        All that one ranker sorted, oldest first.
    numbers : container of int
        Of the rankings.
    days : sequence of date
        Of their issues.
    """
    known = {report: [FinishedList.of(one) for one in of_report] for report, of_report in lists.items()}
    made = []
    for day in days:
        recalls = fit_recalls(known, before=day)
        of_day = [one for of_report in lists.values() for one in of_report if one.issue == day]
        made += [promise_of(recalls[one.report], one) for one in of_day if one.ranking_id in numbers]
    return made


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
