"""Past lists of a ranker that has none yet, as one newly chosen: by these its first list can say where to stop."""

from collections.abc import Iterator

from data.learning import rankings
from data.store import Store
from desk.service import workflow
from desk.service.rankers import in_use
from desk.service.workflow import Progress

NEWEST = 16  # issues: two periods of a model, and what a forecast leans on most


def sort_past(store: Store, *, n_jobs: int = 1) -> Iterator[Progress]:
    """Replay the newest issues that went out by the ranker that sorts from the next one on, if it has not seen most.

    Where to stop is foretold from lists of the same ranker. One that was chosen by now has none, nor has any in a
    service whose past came from files.

    Yields
    ------
    Progress
        As `workflow.replay` does; none if nothing is due.
    """
    went_out, left = rankings.unranked(store, (recipe := in_use(store)[0]).name, NEWEST)
    if len(left) > len(went_out) / 2:
        yield from workflow.replay(store, [recipe], first=went_out[0], last=went_out[-1], n_jobs=n_jobs)
