"""What would have been told of past lists before they were read, each from the lists of earlier days alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

import numpy as np

from presort.data.records import Promise, SortedList
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import RelevanceModel, fit_relevance_models


@dataclass(frozen=True, eq=False, slots=True)
class Unpromised:
    """What one ranker sorted, and of which lists promises are wanted.

    Attributes
    ----------
    known : mapping from report code to sequence of FinishedList
        What earlier lists teach, oldest first.
    wanted : mapping from date of the issue to sequence of SortedList
    """

    known: Mapping[str, Sequence[FinishedList]]
    wanted: Mapping[date, Sequence[SortedList]]

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[SortedList]], numbers: Set[int]) -> "Unpromised":
        """Return what there is to learn from lists, by report and oldest first, and those of the rankings wanted."""
        wanted = defaultdict(list)
        for of_report in lists.values():
            for one in of_report:
                if one.ranking_id in numbers:
                    wanted[one.issue].append(one)
        return cls({report: [FinishedList.of(one) for one in of_report] for report, of_report in lists.items()}, wanted)


def promises_of(unpromised: Sequence[Unpromised], place: int, days: Sequence[date]) -> list[Promise]:
    """Make the promises of one of several rankers, of the lists wanted of some days."""
    of_ranker = unpromised[place]
    made = []
    for day in days:
        relevance_models = fit_relevance_models(of_ranker.known, before=day, for_all=False)
        made += [promise_of(relevance_models[one.report], one) for one in of_ranker.wanted[day]]
    return made


def promise_of(relevance_model: RelevanceModel, one: SortedList) -> Promise:
    """Compare the forecast of a list with the papers found."""
    nothing = np.zeros(len(one.scores), dtype=bool)
    stop_at = relevance_model.forecast(one.scores, nothing, nothing).stop()
    read_below = one.is_read & (np.arange(len(one.scores)) >= stop_at)
    told = relevance_model.chances_when_read(one.scores, one.is_read, one.is_relevant)
    return Promise(
        one.ranking_id,
        n_read_below=int(read_below.sum()),
        told_below=float(told[read_below].sum()),
        found_below=int(one.is_relevant[read_below].sum()),
        found=int(one.is_relevant.sum()),
    )
