"""Past lists that a ranker lacks: published report issues that it has not ranked, replayed for the stop advice.

Stop advice is learned from lists of the same ranker. A ranker that was just chosen has none. Neither has any ranker in
a service, or for a report, whose past selections came from files.
"""

from collections.abc import Iterator
from datetime import date

from presort.data.learning.missing_rankings import MissingRanking, missing_rankings, newest_published
from presort.data.store import Store
from presort.desk.service import workflow
from presort.desk.service.rankers import active, known
from presort.desk.service.workflow import Progress

NEWEST = 16  # issues: two periods of a model, and half of the weight in a forecast


def missing_lists(store: Store, ranker: str, before: date = date.max) -> list[MissingRanking]:
    """Return the past lists that a ranker lacks, of the newest issues, and of these before a date."""
    return missing_rankings(store, ranker, [day for day in newest_published(store, NEWEST) if day < before])


def rank_past(store: Store, ranker: str = "", *, n_jobs: int = 1) -> Iterator[Progress]:
    """Replay the newest published report issues that a ranker has not ranked.

    Parameters
    ----------
    ranker : str
        Name of the recipe. Defaults to the ranker that sorts from the next issue on.

    Yields
    ------
    Progress
        As `workflow.rank_missing` does; none if nothing is missing.

    Raises
    ------
    RefusedError
        If the ranker is not known.
    BrokenRankerError
        If a ranker of another package failed.
    """
    recipe = known(ranker or active(store))
    issues = newest_published(store, NEWEST)  # also those that are ranked: what is stopped goes on in the same replay
    missing = frozenset(missing_rankings(store, recipe.name, issues))
    yield from workflow.rank_missing(store, recipe, issues, missing, n_jobs=n_jobs)
