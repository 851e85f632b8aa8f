"""The job of a week: its steps in order, each done once, by whoever takes it up."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from presort.data.errors import DataError, RefusedError
from presort.data.harvest.polite import Clock
from presort.data.records import WeeklyStep
from presort.data.running import weekly
from presort.data.store import Store
from presort.desk.settings import MailServer, Week

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class WeeklyRun:
    """One run of the weekly job: what its steps need.

    Attributes
    ----------
    store : Store
    day : date
        The day on which the job of this week began; papers that say no issue come into the issue of this day.
    today : date
        The day by which somebody is late.
    week : Week
        What is set.
    server : MailServer or str
        Where mail goes, or why none does.
    clock : Clock
        By which requests are polite.
    n_jobs : int
        Processes to train in.
    """

    store: Store
    day: date
    today: date
    week: Week
    server: MailServer | str
    clock: Clock
    n_jobs: int = 1


class PartlyDoneError(RefusedError):
    """A step failed, but did something that the steps behind it have to do with."""


class PassedOver(Exception):  # noqa: N818  (nothing is wrong)
    """There is nothing to do for a step, or it can't be done here, and that is all right."""


class Step(NamedTuple):
    """A step of the job.

    Attributes
    ----------
    name : str
        Under which the log keeps it.
    do : function
        Do it, and return what was done. What was done already is not done again.
    plan : function
        Return what it would do; nothing is changed.
    needs : str
        The step without which it is passed over; may be empty.
    is_due : function
        Return whether a step that is done has to be done again. Defaults to never.
    """

    name: str
    do: Callable[[WeeklyRun], str]
    plan: Callable[[WeeklyRun], str]
    needs: str = ""
    is_due: Callable[[WeeklyRun, WeeklyStep], bool] = lambda _job, _done: False


def day_of_week(store: Store, today: date) -> date:
    """Return the day on which the job of this week began; today if it has not.

    A week is an ISO week, Monday to Sunday. Weeks recorded while the clock was ahead don't matter.
    """
    return weekly.began_on(store, today) or today


def run(
    job: WeeklyRun,
    steps: Sequence[Step],
    *,
    again: bool = False,
    on_done: Callable[[WeeklyStep], object] = lambda _: None,
) -> Iterator[WeeklyStep]:
    """Run the remaining steps of a week's job, and yield every step with its result, also earlier ones.

    A step that failed keeps no other from being done, but for those that need it. What stands behind a step that is
    done only now, be it in part, is done again: there may be more to do.

    Parameters
    ----------
    again : bool
        Whether to do all steps, also those that were done.
    on_done : callable
        Called with each step that is done by this call.
    """
    if dropped := weekly.drop_coming_weeks(job.store, job.today):
        LOG.warning("The clock was ahead: the job of %s counts as not done.", ", ".join(map(str, dropped)))
    known = {one.step: one for one in weekly.steps_of(job.store, job.day)}
    is_news = again
    ended: dict[str, str] = {}
    for step in steps:
        last = known.get(step.name)
        if last and last.state == "done" and not is_news and not step.is_due(job, last):
            ended[step.name] = "done"
            yield last
            continue
        one, is_partly_done = _do(job, step, is_needed=ended.get(step.needs) != "failed")
        on_done(one)
        yield one
        ended[step.name] = one.state
        is_news |= one.state == "done" or is_partly_done


def _do(job: WeeklyRun, step: Step, *, is_needed: bool) -> tuple[WeeklyStep, bool]:
    """Return how a step ended, and whether it failed though it did something."""
    weekly.begin(job.store, job.day, step.name)
    try:
        if not is_needed:
            raise PassedOver(f"Passed over: the step {step.needs!r} failed.")
        message = step.do(job)
    except PassedOver as reason:
        return weekly.end(job.store, job.day, step.name, "passed over", str(reason)), False
    except DataError as error:
        is_partly_done = isinstance(error, PartlyDoneError)
        return weekly.end(job.store, job.day, step.name, "failed", str(error)), is_partly_done
    return weekly.end(job.store, job.day, step.name, "done", message), False
