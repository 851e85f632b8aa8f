"""Weekly job: its steps in order. Each is done once, whichever process runs it."""

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
    """One run of the weekly job, with the inputs of its steps.

    Attributes
    ----------
    store : Store
    day : date
        The day on which the job of this week began. Papers without an issue date come into the issue of this day.
    today : date
        Current day, by which lateness is computed.
    week : Week
        Settings of the weekly job.
    server : MailServer or str
        Mail server, or why there is none.
    clock : Clock
        Clock of the rate limit of requests.
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
    """A step failed after partial work that later steps depend on."""


class PassedOver(Exception):  # noqa: N818  (nothing is wrong)
    """A step has nothing to do, or can't be done here. This is no failure."""


class Step(NamedTuple):
    """A step of the job.

    Attributes
    ----------
    name : str
        Name in the log.
    do : function
        Run the step, and return a message. Work that is done already is not repeated.
    plan : function
        Describe what it would do, without changing anything.
    needs : str
        Step that must not have failed; else this one is skipped. May be empty.
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

    A failed step doesn't stop the others, except those that need it. Steps after one that was done now, even partly,
    are repeated because there may be more to do.

    Parameters
    ----------
    again : bool
        Repeat all steps, also those that are done.
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
    """Return the result of a step, and whether it failed after partial work."""
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
