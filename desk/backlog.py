"""Pending issues, and sorting them again once there is more to learn from than they were sorted by."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from data.backlog import pending, rankers_of
from data.records import Pending
from data.store import Store
from desk.rankers import in_use
from desk.workflow import Progress, known_reports, rank
from ranker.recipe import Recipe
from ranker.versions import RECIPES


def rank_pending(
    store: Store, recipes: Sequence[Recipe] = (), *, reports: Sequence[str] = (), n_jobs: int = 1
) -> Iterator[Progress]:
    """Rank all pending issues that are not sorted by all that is known now, oldest first.

    Parameters
    ----------
    recipes : sequence of Recipe
        Unless told, each issue is ranked by the rankers that ranked it before for the report, or else by those in use.
    reports : sequence of str
        All that are not retired unless told.
    n_jobs : int
        Processes to train in.

    Yields
    ------
    Progress
        One for each ranking made; none if there is nothing left to do.
    """
    issues = pending(store, known_reports(store, reports), today=date.today())
    by_rankers = rankers_of(store, issues)
    asked = [recipe.name for recipe in recipes]
    unsorted = set() if asked else {one.issue for one in issues if not by_rankers[one.report, one.issue]}
    first_time = {day: [recipe.name for recipe in in_use(store, day)] for day in unsorted}
    left = defaultdict(list)
    for one in issues:
        is_up_to_date = by_rankers[one.report, one.issue]
        for ranker in asked or is_up_to_date or first_time[one.issue]:
            if not is_up_to_date.get(ranker):
                left[one.issue, ranker].append(one.report)
    total, done = sum(map(len, left.values())), 0
    for (issue, ranker), codes in left.items():
        for step in rank(store, [RECIPES[ranker]], issue=issue, reports=codes, n_jobs=n_jobs):
            yield dataclasses.replace(step, done=done + step.done, total=total)
        done += len(codes)


def outdated(store: Store, issues: Iterable[Pending]) -> list[Pending]:
    """Choose the pending issues that were sorted before something that is known now."""
    chosen = list(issues)
    by_rankers = rankers_of(store, chosen)
    return [one for one in chosen if not all(by_rankers[one.report, one.issue].values())]


def outdated_after(store: Store, report: str, issue: date) -> list[Pending]:
    """Choose the pending issues of a report, newer than one, that were sorted before something that is known now."""
    issues = pending(store, [report], today=date.today())
    return outdated(store, [one for one in issues if one.issue > issue])
