"""Rank pending issues that have no ranking, or whose rankings lack new decisions, hints or papers."""

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.hints import hints
from presort.data.editing.pending import SortedBy, pending
from presort.data.errors import BrokenRankerError, raise_ranker_errors
from presort.data.records import Hints, PendingIssue
from presort.data.rights import Right
from presort.data.store import Store
from presort.desk.service.rankers import known_rankers_of, recipes_in_use
from presort.desk.service.ranking_run import Progress
from presort.desk.service.workflow import known_reports, rank
from presort.ranker.recipe import Recipe
from presort.ranker.versions import RECIPES

ByRankers = Mapping[tuple[str, date], Mapping[str, SortedBy]]  # (report, issue) -> ranker -> data that it used


def rank_pending(
    store: Store, recipes: Sequence[Recipe] = (), *, reports: Sequence[str] = (), n_jobs: int = 1
) -> Iterator[Progress]:
    """Rank all pending issues that have no up-to-date ranking, oldest first.

    Parameters
    ----------
    recipes : sequence of Recipe
        Recipes of the rankers. By default, each issue is ranked by the rankers that have already ranked it for the
        report, or by the rankers in use if there are none.
    reports : sequence of str
        Codes of the reports. Defaults to all reports that are not retired.
    n_jobs : int
        Number of processes for training.

    Yields
    ------
    Progress
        One for each new ranking. Nothing is yielded if all rankings are up to date.

    Raises
    ------
    BrokenRankerError
        If a ranker from another package failed. It is raised after all other rankings have been computed.
    """
    store = store.without_guard()
    issues = pending(store, known_reports(store, reports), today=date.today())
    by_rankers = known_rankers_of(store, issues)
    asked = [recipe.name for recipe in recipes]
    unsorted = set() if asked else {one.issue for one in issues if not by_rankers[one.report, one.issue]}
    first_time = {day: [recipe.name for recipe in recipes_in_use(store, day)] for day in unsorted}
    left = defaultdict(list)
    for one in issues:
        sorted_by = by_rankers[one.report, one.issue]
        for ranker in asked or sorted_by or first_time[one.issue]:
            if sorted_by.get(ranker) is not SortedBy.ALL:
                left[one.issue, ranker].append(one.report)
    total, done = sum(map(len, left.values())), 0
    broken: dict[str, BrokenRankerError] = {}
    for (issue, ranker), codes in left.items():
        try:
            if ranker not in broken:
                for step in rank(store, [RECIPES[ranker]], issue=issue, reports=codes, n_jobs=n_jobs):
                    yield dataclasses.replace(step, done=done + step.done, total=total)
        except BrokenRankerError as error:
            broken[ranker] = error
        done += len(codes)
    raise_ranker_errors(broken.values())


def issues_to_rank(store: Store, issues: Iterable[PendingIssue], by_rankers: ByRankers) -> list[PendingIssue]:
    """Select the pending issues that are to be ranked automatically.

    Issues without a ranking are selected if the report has training examples. Issues with an outdated ranking are
    selected if the editor has not started reading them.

    Parameters
    ----------
    issues : iterable of PendingIssue
    by_rankers : mapping
        Result of `known_rankers_of` for these issues.
    """
    due = [one for one in issues if _is_due(one, by_rankers[one.report, one.issue].values())]
    unranked = sorted({one.report for one in due if not by_rankers[one.report, one.issue]})
    if not unranked:
        return due
    seen = store.without_guard(Right.SEE, *unranked)
    n_relevant, given = decisions.n_relevant(seen, unranked), hints(seen)
    cannot_learn = {code for code in unranked if not n_relevant[code] and not given.get(code, Hints()).seeds}
    return [one for one in due if one.report not in cannot_learn]


def reports_to_rank(store: Store) -> list[str]:
    """Return the codes of reports that have issues to rank automatically (see `issues_to_rank`)."""
    store = store.without_guard()
    issues = pending(store, [report.code for report in catalogue.reports(store)], today=date.today())
    return sorted({one.report for one in issues_to_rank(store, issues, known_rankers_of(store, issues))})


def _is_due(issue: PendingIssue, ranked_by: Collection[SortedBy]) -> bool:
    return not ranked_by or (SortedBy.LESS in ranked_by and not issue.is_started)


def outdated_issues(store: Store, issues: Iterable[PendingIssue]) -> list[PendingIssue]:
    """Select the pending issues whose report has decisions or hints that are newer than the ranking.

    Newer decisions for other reports are ignored. Otherwise, a list would become outdated with every decision of
    another report's editor.
    """
    chosen = list(issues)
    by_rankers = known_rankers_of(store, chosen)
    return [one for one in chosen if SortedBy.LESS in by_rankers[one.report, one.issue].values()]


def outdated_issues_after(store: Store, report: str, issue: date) -> list[PendingIssue]:
    """Select a report's pending issues that are outdated (see `outdated_issues`) and newer than a given issue."""
    issues = pending(store, [report], today=date.today())
    return outdated_issues(store, [one for one in issues if one.issue > issue])


def ranking_freshness(store: Store, report: str, issue: date, n_papers: int, ranker: str) -> SortedBy:
    """Return how much of the current data a ranker's newest ranking of an issue was trained on.

    For a ranker that is no longer installed, returns `SortedBy.ALL`, because it can't re-rank.
    """
    one = PendingIssue(report, issue, n_papers, n_decided=0, is_started=False, days_old=0)
    return known_rankers_of(store, [one])[report, issue].get(ranker, SortedBy.ALL)
