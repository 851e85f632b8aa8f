"""Runner of the weekly job. Each step runs once a week, even if several processes start the job."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from presort.data.errors import DataError, RefusedError
from presort.data.harvest.polite import Clock
from presort.data.records import WeeklyStep
from presort.data.running import weekly
from presort.data.store import Store
from presort.desk import process
from presort.desk.settings import MailServer, Week

LOG = logging.getLogger(__name__)
BUG = "Unexpected error ({}). The log has the details."


@dataclass(frozen=True)
class WeeklyRun:
    """One run of the weekly job, with the inputs of its steps.

    Attributes
    ----------
    store : Store
    day : date
        Day on which this week's job began. Papers without an issue date are added to the issue of this day.
    today : date
        Current day, from which lateness is computed.
    week : Week
        Settings for the weekly job.
    server : MailServer or str
        Mail server, or a message that explains why none is set up.
    clock : Clock
        Clock for rate-limited requests and for mail that is due. Unlike `today`, it continues past midnight.
    n_jobs : int
        Number of processes for training.
    """

    store: Store
    day: date
    today: date
    week: Week
    server: MailServer | str
    clock: Clock
    n_jobs: int = 1


class PartlyDoneError(RefusedError):
    """A step failed, but it has done part of its work, which later steps must process."""


class SkipStep(Exception):  # noqa: N818  (not an error)
    """Raised by a step that is skipped because it has nothing to do or isn't set up. This is not a failure."""


class Step(NamedTuple):
    """One step in the weekly job.

    Attributes
    ----------
    name : str
        Name of the step in the log.
    do : callable
        Function that runs the step and returns a message. It must not repeat finished work.
    plan : callable
        Function that describes the planned work without changing anything.
    needs : str
        Name of a required step. If that step failed, this one is skipped. Empty if no step is required.
    is_due : callable
        Function that returns True if a finished step must be repeated. By default, finished steps are not repeated.
    """

    name: str
    do: Callable[[WeeklyRun], str]
    plan: Callable[[WeeklyRun], str]
    needs: str = ""
    is_due: Callable[[WeeklyRun, WeeklyStep], bool] = lambda _job, _done: False


def day_of_week(store: Store, today: date) -> date:
    """Return the day on which this week's job began. Defaults to today.

    A week is an ISO week, Monday to Sunday. Entries of later weeks, recorded while the clock was ahead, are ignored.
    """
    return weekly.began_on(store, today) or today


def run(
    job: WeeklyRun,
    steps: Sequence[Step],
    *,
    again: bool = False,
    on_done: Callable[[WeeklyStep], object] = lambda _: None,
) -> Iterator[WeeklyStep]:
    """Run the unfinished steps of a week's job, and yield the results of all steps, including earlier ones.

    If a step fails, the remaining steps still run, except for steps that need it. If a step runs and succeeds, or fails
    after part of its work, the finished steps after it are repeated, because there may be more to do.

    Parameters
    ----------
    job : WeeklyRun
    steps : sequence of Step
        Steps in order of execution.
    again : bool
        Repeat all steps, including finished steps.
    on_done : callable
        Function that is called with the result of each step that this call runs.
    """
    if dropped := weekly.drop_coming_weeks(job.store, job.today):
        LOG.warning(
            "The clock was ahead. Deleted the records of weekly jobs dated in the future: %s.",
            ", ".join(map(str, dropped)),
        )
    known = {one.step: one for one in weekly.steps_of(job.store, job.day)}
    is_news = again
    ended: dict[str, str] = {}
    for step in steps:
        last = known.get(step.name)
        if last and last.state == "done" and not is_news and not step.is_due(job, last):
            ended[step.name] = "done"
            yield last
            continue
        one, is_partly_done = _run_step(job, step, is_needed=ended.get(step.needs) != "failed")
        on_done(one)
        yield one
        ended[step.name] = one.state
        is_news |= one.state == "done" or is_partly_done


def _run_step(job: WeeklyRun, step: Step, *, is_needed: bool) -> tuple[WeeklyStep, bool]:
    """Run a step, or record that it is skipped because the step that it needs failed (`is_needed` is False).

    Returns the result, and True if the step failed but may have done part of its work.
    """
    weekly.begin(job.store, job.day, step.name)
    try:
        if not is_needed:
            raise SkipStep(f"Skipped because the step {step.needs!r} failed.")
        message = step.do(job)
    except SkipStep as reason:
        return weekly.end(job.store, job.day, step.name, "passed over", str(reason)), False
    except DataError as error:
        return _record_failure(job, step, error, str(error)), isinstance(error, PartlyDoneError)
    except Exception as error:  # a bug in one step must not prevent later steps, such as mail
        LOG.exception("Unexpected error in a step.", extra={"step": step.name})
        # The step may have done part of its work before the error, such as an import, which later steps must process.
        return _record_failure(job, step, error, BUG.format(type(error).__name__)), True
    return weekly.end(job.store, job.day, step.name, "done", message), False


def _record_failure(job: WeeklyRun, step: Step, error: Exception, message: str) -> WeeklyStep:
    return replace(weekly.end(job.store, job.day, step.name, "failed", message), reason=process.reason_of(error))
