"""Stop audits of past lists. Each list is forecast only from lists with earlier dates."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

import numpy as np

from presort.data.records import SortedList, StopAudit
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import RelevanceModel, fit_relevance_models


@dataclass(frozen=True, eq=False, slots=True)
class AuditTask:
    """Lists to audit, ranked by one ranker, and the lists that forecasts are fitted to.

    Attributes
    ----------
    known : mapping from report code to sequence of FinishedList
        All lists of each report, oldest first. Forecasts are fitted to the lists before the audited issue.
    wanted : mapping from date to sequence of SortedList
        Lists to audit, by issue date.
    """

    known: Mapping[str, Sequence[FinishedList]]
    wanted: Mapping[date, Sequence[SortedList]]

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[SortedList]], numbers: Set[int]) -> "AuditTask":
        """Create a task to audit rankings with the given ids. `lists` maps each report to its lists, oldest first."""
        wanted = defaultdict(list)
        for of_report in lists.values():
            for one in of_report:
                if one.ranking_id in numbers:
                    wanted[one.issue].append(one)
        return cls({report: [FinishedList.of(one) for one in of_report] for report, of_report in lists.items()}, wanted)


def audits_of(tasks: Sequence[AuditTask], place: int, days: Sequence[date]) -> list[StopAudit]:
    """Audit the lists of `tasks[place]` on the given dates."""
    task = tasks[place]
    made = []
    for day in days:
        relevance_models = fit_relevance_models(task.known, before=day, for_all=False)
        made += [audit_of(relevance_models[one.report], one) for one in task.wanted[day]]
    return made


def audit_of(relevance_model: RelevanceModel, one: SortedList) -> StopAudit:
    """Compare the forecast of a list with the relevant papers found below its stop point."""
    nothing = np.zeros(len(one.scores), dtype=bool)
    stop_at = relevance_model.forecast(one.scores, nothing, nothing).stop()
    read_below = one.is_read & (np.arange(len(one.scores)) >= stop_at)
    expected = relevance_model.chances_when_read(one.scores, one.is_read, one.is_relevant)
    return StopAudit(
        one.ranking_id,
        n_read_below=int(read_below.sum()),
        expected_below=float(expected[read_below].sum()),
        found_below=int(one.is_relevant[read_below].sum()),
        found=int(one.is_relevant.sum()),
    )
