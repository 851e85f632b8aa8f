"""Guard around rankers from other packages, which may fail in any way.

Every failure becomes a `BrokenRankerError` that names the ranker. Training and scoring run in a separate process, which
is killed after a time limit.
"""

import logging
import os
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from joblib.externals.loky import ProcessPoolExecutor

from presort.data.errors import BrokenRankerError
from presort.ranker.parallel import end_with, end_workers
from presort.ranker.recipe import Explainer, MemoryModelStore, Reason, Recipe, ReportScores, Similar, Table, Task

SECONDS = 60  # seconds per minute
MOST_LETTERS = 200  # maximum length of a plugin's error in a message, in characters; the log contains the whole error
LAST_CALLS = 8  # maximum number of traceback frames in the log, because log lines are limited to 2,000 characters
Result = TypeVar("Result")
LOG = logging.getLogger(__name__)
OF_ERROR = {"is_of_error": True}  # marks log entries with details of an error, which commands don't print


class Failure(NamedTuple):
    """Failure of a ranking method: a short message and the Python traceback."""

    fault: str
    traceback: str


@dataclass(frozen=True)
class GuardedPlugin:
    """Guard around the method of an installed recipe.

    Attributes
    ----------
    point : EntryPoint
        Entry point of the package that provides the recipe.
    method : object
        Original method.
    minutes : float
        Time limit, in minutes, for training and scoring for all reports.
    learns_together, needs_past_texts, reads_vectors : bool
        As in `Method`.
    """

    point: EntryPoint
    method: Any
    minutes: float
    learns_together: bool
    needs_past_texts: bool
    reads_vectors: bool

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Do nothing, because only Presort's own models can be stored."""
        return False

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[ReportScores]:
        """Score the papers in a separate process. Yields results only after all reports have been scored.

        Raises
        ------
        BrokenRankerError
            If the ranker fails, returns invalid scores, ends its process, or exceeds its time limit.
        """
        executor = ProcessPoolExecutor(max_workers=1, initializer=end_with, initargs=(os.getpid(),))
        task = replace(task, models=MemoryModelStore())
        try:
            done = executor.submit(attempt, self.point.name, self.point.value, task, list(reports), n_jobs)
            scored = done.result(timeout=self.minutes * SECONDS)
        except TimeoutError as error:
            fault = f"did not finish within {self.minutes:g} minutes; set a higher limit in its Recipe"
            raise broken_ranker_error(self.point, fault) from error
        except BrokenProcessPool as error:
            raise broken_ranker_error(self.point, "ended its process, perhaps because it ran out of memory") from error
        finally:
            executor.shutdown(wait=True, kill_workers=True)
        if isinstance(scored, Failure):
            LOG.warning("The ranker %s failed:\n%s", self.point.name, scored.traceback, extra=OF_ERROR)
            raise broken_ranker_error(self.point, f"failed: {scored.fault}")
        yield from scored

    def explainer(self, task: Task) -> Explainer:
        """Train in this process, without a time limit, and return an explainer."""
        return _GuardedExplainer(self.point, call_plugin(self.point, self.method.explainer, task), task)


@dataclass(frozen=True)
class _GuardedExplainer:
    point: EntryPoint
    explainer: Explainer
    task: Task

    def scores(self, report: str) -> Table:
        """Return the scores of the new papers."""
        return call_plugin(self.point, lambda: _numbers(self.explainer.scores(report), len(self.task.new)))

    def reasons(self, report: str, row: int) -> list[Reason] | None:
        """Return the reasons for a paper's score, or None if the ranker can't explain it."""

        def ask() -> list[Reason] | None:
            found = self.explainer.reasons(report, row)
            return found and [Reason(str(field), str(text), float(share)) for field, text, share in found]

        return call_plugin(self.point, ask)

    def similar(self, report: str, row: int, n: int) -> list[Similar]:
        """Return a report's `n` relevant past papers that are most similar to a paper."""

        def ask() -> list[Similar]:
            found = [Similar(int(row), float(cosine)) for row, cosine in self.explainer.similar(report, row, n)]
            if not all(0 <= one.row < self.task.n_past for one in found):
                raise ValueError("similar papers must be past papers")
            return found

        return call_plugin(self.point, ask)


@dataclass(frozen=True)
class BrokenPlugin:
    """Placeholder for a ranker that couldn't be loaded."""

    name: str
    fault: str
    learns_together: bool = False
    needs_past_texts: bool = False
    reads_vectors: bool = False

    @property
    def error(self) -> BrokenRankerError:
        """Error that names the ranker. Every access creates a new error, because a raised error keeps its traceback."""
        return BrokenRankerError(self.fault, [self.name])

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Do nothing."""
        return False

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> NoReturn:
        """Raise the error."""
        raise self.error

    def explainer(self, task: Task) -> NoReturn:
        """Raise the error."""
        raise self.error


def guard_recipe(point: EntryPoint, recipe: Recipe) -> Recipe:
    """Wrap the method of an installed recipe in a guard. A missing property is replaced with a safe default."""
    method, minutes = recipe.method, float(recipe.minutes)
    if not minutes > 0:
        raise ValueError(f"minutes must be above 0, got {minutes:g}")
    method = GuardedPlugin(
        point,
        method,
        minutes,
        learns_together=bool(getattr(method, "learns_together", True)),
        needs_past_texts=bool(getattr(method, "needs_past_texts", True)),
        reads_vectors=bool(getattr(method, "reads_vectors", False)),
    )
    return Recipe(recipe.name, str(recipe.description), method, minutes)


def is_plugin(recipe: Recipe) -> bool:
    """Return True if a recipe comes from another package, which may be missing on other machines."""
    return isinstance(recipe.method, GuardedPlugin | BrokenPlugin)


def broken_ranker_error(point: EntryPoint, fault: str) -> BrokenRankerError:
    """Create an error that names a ranker and its package, and describes the fault."""
    return BrokenRankerError(f"The ranker {point.name} of {package_of(point)} {fault.rstrip('.')}.", [point.name])


def package_of(point: EntryPoint) -> str:
    """Return the name and version of an entry point's package."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def call_plugin(point: EntryPoint, function: Callable[..., Result], *arguments: Any) -> Result:
    """Call another package's code in this process.

    Raises
    ------
    BrokenRankerError
        If the code raises any exception or calls `sys.exit`.
    """
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:
        LOG.warning("The ranker %s failed", point.name, exc_info=error, extra=OF_ERROR)
        raise broken_ranker_error(point, f"failed: {_summarise_error(error)}") from error


def attempt(name: str, value: str, task: Task, reports: Sequence[str], n_jobs: int) -> list[ReportScores] | Failure:
    """Compute scores in this process, using the recipe from an entry point.

    Results are validated and converted to Presort's own types. A failure is returned as strings because other processes
    might not be able to unpickle the exception.
    """
    try:
        method = EntryPoint(name, value, "").load().method
        scored = [_validate_scores(one, len(task.new)) for one in method.score(task, reports, n_jobs)]
        if sorted(one.report for one in scored) != sorted(reports):
            raise ValueError(
                f"it returned scores for {', '.join(one.report for one in scored)} instead of {', '.join(reports)}"
            )
    except BaseException as error:  # noqa: BLE001 - code of other packages may fail in any way, or exit
        return Failure(_summarise_error(error), traceback.format_exc(limit=-LAST_CALLS))
    finally:
        end_workers()
    return scored


def _validate_scores(one: Any, n_new: int) -> ReportScores:
    if not isinstance(one, ReportScores):
        raise TypeError(f"score must yield ReportScores, got {type(one).__name__}")
    scores = None if one.scores is None else _numbers(one.scores, n_new)
    return ReportScores(str(one.report), scores, str(one.note), tuple(map(str, one.words)))


def _numbers(scores: Any, n_papers: int) -> Table:
    table = np.asarray(scores, dtype=np.float64)
    if table.shape != (n_papers,):
        raise ValueError(f"scores must have shape ({n_papers},), one number per new paper, got {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("scores must be finite, got NaN or infinity")
    return table


def _summarise_error(error: BaseException) -> str:
    reason = " ".join(str(error).split())
    text = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"
