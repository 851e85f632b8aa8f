"""Plan of the rankings to compute: their reports and issues, and the state of the decision log to train on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, product

from presort.data.editing import decisions
from presort.data.editing.hints import hints, newest_example
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.learning.missing_rankings import MissingRanking
from presort.data.learning.rankings import RankingKey, TrainingWatermark
from presort.data.records import Cutoff, Hints, Issue
from presort.data.store import Store
from presort.ranker.recipe import Recipe
from presort.ranker.train import Block, blocks

Task = tuple[Block, str]  # the issues between two trainings, and the report to rank them for


@dataclass(frozen=True, kw_only=True)
class RankingRequest:
    """Request to rank some issues for some reports.

    Attributes
    ----------
    recipes : sequence of Recipe
    issues : sequence of Issue
        All issues of the workspace, oldest first.
    first, last : date
        First and last issue to rank.
    reports : sequence of str
        Codes of existing reports.
    retrain_every : int
        Number of issues between trainings.
    n_jobs : int
        Number of processes for training.
    replay : int or None
        Id of the replay that the rankings belong to. None for rankings that editors see.
    cutoff : Cutoff or None
        Log entries after this cutoff are not used. It is set if the reports have already published the issue.
    only : collection of MissingRanking or None
        Report issues to rank. None ranks all report issues.
    """

    recipes: Sequence[Recipe]
    issues: Sequence[Issue]
    first: date
    last: date
    reports: Sequence[str]
    retrain_every: int = 1
    n_jobs: int = 1
    replay: int | None = None
    cutoff: Cutoff | None = None
    only: Collection[MissingRanking] | None = None


@dataclass(frozen=True)
class Watermarks:
    """State of the logs just before the rankings are computed.

    Attributes
    ----------
    decisions : mapping
        Id of each report's newest decision before each block of issues: first issue of the block -> report -> id.
    hints : mapping
        Hints by report.
    newest_example : int
        Id of the newest example over all reports.
    n_past : mapping
        For each issue, the number of papers in all earlier issues.
    """

    decisions: Mapping[date, Mapping[str, int]]
    hints: Mapping[str, Hints]
    newest_example: int
    n_past: Mapping[date, int]

    def watermark(self, recipe: Recipe, day: date, report: str) -> TrainingWatermark:
        """Return the watermark for a report's ranking whose training data ends before the issue of `day`."""
        hints_up_to = self.hints[report].up_to if report in self.hints else 0
        own = TrainingWatermark(self.decisions[day].get(report, 0), hints_up_to, self.n_past[day])
        if not recipe.method.learns_together:
            return own
        return own.with_others(max(self.decisions[day].values(), default=0), self.newest_example)


@dataclass(frozen=True)
class RankingPlan:
    """Rankings that have to be computed for a request.

    Attributes
    ----------
    request : RankingRequest
    days : sequence of date
        All issues of the workspace, oldest first.
    start, stop : int
        The issues to rank are `days[start:stop]`.
    watermarks : Watermarks
    tasks : mapping
        Tasks whose ranking is missing or outdated, by ranker.
    """

    request: RankingRequest
    days: Sequence[date]
    start: int
    stop: int
    watermarks: Watermarks
    tasks: Mapping[str, set[Task]]

    @property
    def n_rankings(self) -> int:
        """Number of rankings to compute."""
        return sum(end - start for tasks in self.tasks.values() for (start, end), _ in tasks)

    @property
    def skip(self) -> dict[str, set[Task]]:
        """Tasks whose ranking is up to date, by ranker."""
        every = set(product(blocks(self.start, self.stop, self.request.retrain_every), self.request.reports))
        return {name: every - tasks for name, tasks in self.tasks.items()}

    def watermark(self, ranker: str, trained_before: int, report: str) -> TrainingWatermark:
        """Return the watermark for a ranking.

        `trained_before` is the index of the issue before which its training data ends.
        """
        (recipe,) = (one for one in self.request.recipes if one.name == ranker)
        return self.watermarks.watermark(recipe, self.days[trained_before], report)


def plan_rankings(store: Store, request: RankingRequest) -> RankingPlan:
    """Find the rankings that are missing or outdated.

    Raises
    ------
    RefusedError
        If the first issue doesn't exist.
    """
    days = [issue.date for issue in request.issues]
    if request.first not in days:
        raise RefusedError(f"There is no issue of {request.first}. Newest issue: {days[-1]}.")
    start, stop = days.index(request.first), days.index(request.last) + 1
    parts = blocks(start, stop, request.retrain_every)
    watermarks = _watermarks(store, request, [days[first] for first, _ in parts])
    tasks = {recipe.name: _tasks(store, request, recipe, parts, watermarks) for recipe in request.recipes}
    return RankingPlan(request, days, start, stop, watermarks, tasks)


def _watermarks(store: Store, request: RankingRequest, trained_before: list[date]) -> Watermarks:
    """Read the state of the logs.

    This must run before the history is read. A decision made in between is then used for training, but still counts as
    new, so the next run ranks again. In the opposite order, the decision would be missed.
    """
    cutoff = request.cutoff
    if cutoff is None:
        decided = decisions.newest_decisions_before(store, trained_before)
    else:
        decided = {request.first: decisions.newest_decisions(store, request.first, cutoff)}
    sizes = accumulate((issue.n_papers for issue in request.issues), initial=0)
    n_past = dict(zip((issue.date for issue in request.issues), sizes, strict=False))
    if request.replay is not None:  # a replay uses no hints, because they are newer than its issues
        return Watermarks(decided, {}, 0, n_past)
    up_to = None if cutoff is None else cutoff.hints_up_to
    return Watermarks(decided, hints(store, up_to=up_to), newest_example(store, up_to=up_to), n_past)


def _tasks(
    store: Store, request: RankingRequest, recipe: Recipe, parts: Sequence[Block], watermarks: Watermarks
) -> set[Task]:
    """Return the tasks that have no ranking based on the current state of the logs."""
    finished = rankings.finished_rankings(store, recipe.name, request.replay)
    # The ranking that the editor read before publication is never replaced.
    fixed = set() if request.cutoff is None else rankings.ranked_reports(store, recipe.name, request.first)
    issues, only = request.issues, request.only

    def is_done(part: Block, report: str) -> bool:
        before = issues[part[0]].date
        watermark = watermarks.watermark(recipe, before, report)
        keys = (RankingKey(report, one.date, before, one.n_papers, watermark) for one in issues[slice(*part)])
        return finished.issuperset(keys)

    return {
        (part, report)
        for part in parts
        for report in request.reports
        if report not in fixed
        and (only is None or MissingRanking(report=report, issue=issues[part[0]].date) in only)
        and not is_done(part, report)
    }
