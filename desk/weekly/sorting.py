"""Sorting what waits, and learning ahead."""

from presort.data.editing.pending import pending
from presort.data.errors import BrokenRankerError, raise_broken
from presort.data.records import WeeklyStep
from presort.data.running import service
from presort.desk.service import workflow
from presort.desk.service.past_lists import rank_past
from presort.desk.service.pending import rank_pending
from presort.desk.service.rankers import active, known_rankers_of
from presort.desk.service.workflow import Progress
from presort.desk.text import counted
from presort.desk.weekly.job import Job


def rank(job: Job) -> str:
    """Sort the newest issue for all reports, and all others that wait, by all that is known."""
    steps: list[Progress] = []
    broken: list[BrokenRankerError] = []
    for work in (workflow.rank(job.store, n_jobs=job.n_jobs), rank_pending(job.store, n_jobs=job.n_jobs)):
        try:
            steps.extend(work)
        except BrokenRankerError as error:
            broken.append(error)
    if any(active(job.store) in error.rankers for error in broken):
        raise_broken(broken)
    said = f"{counted(len(steps), 'list')} sorted." if steps else "All was sorted already."
    return " ".join([said, *dict.fromkeys(map(str, broken))])


def is_due(job: Job, last: WeeklyStep) -> bool:
    """Return whether another command, or the page *Import*, has brought papers since they were sorted last."""
    return any(one.summary.new_listings and one.made_at > last.began_at for one in service.imports(job.store))


def plan_rank(job: Job) -> str:
    """Return how many lists wait."""
    waiting = pending(job.store, workflow.known_reports(job.store), today=job.today)
    n_unsorted = sum(not by for by in known_rankers_of(job.store, waiting).values())
    return f"Would sort what is new: {counted(len(waiting), 'list')} waiting now, {n_unsorted:,} not sorted yet."


def learn(job: Job) -> str:
    """Learn what rankers start from in the weeks to come."""
    names = workflow.learn(job.store, n_jobs=job.n_jobs)
    steps = list(rank_past(job.store, n_jobs=job.n_jobs))
    said = [f"Learned ahead: {', '.join(names)}."] if names else []
    if steps:
        said.append(f"{counted(steps[-1].done, 'past list')} sorted by {steps[-1].ranker}, to tell where to stop.")
    return " ".join(said) or "Nothing was due."


def plan_learn(job: Job) -> str:
    """Return what would be learned."""
    return "Would learn ahead what is due."
