"""Replay published report issues that a ranker has not ranked, because its stop advice depends on past lists.

The model behind stop advice is fitted to past lists that the same ranker has ranked. A newly chosen ranker has no past
lists. If a report's past selections were imported from files, no ranker has past lists for that report.
"""

from collections.abc import Iterator
from datetime import date

from presort.data.learning.missing_rankings import MissingRanking, missing_rankings, newest_published_issues
from presort.data.store import Store
from presort.desk.service import workflow
from presort.desk.service.rankers import active_ranker, installed_recipe
from presort.desk.service.ranking_run import Progress

NEWEST = 16  # number of issues to rank, which span two retraining periods and have half of the weight in a forecast


def missing_lists(store: Store, ranker: str, before: date = date.max) -> list[MissingRanking]:
    """Return the newest published report issues that a ranker has not ranked.

    If `before` is given, only earlier issues are returned.
    """
    return missing_rankings(store, ranker, [day for day in newest_published_issues(store, NEWEST) if day < before])


def rank_past(store: Store, ranker: str = "", *, n_jobs: int = 1) -> Iterator[Progress]:
    """Replay the newest published report issues that a ranker has not ranked.

    Parameters
    ----------
    ranker : str
        Name of the recipe. Defaults to the active ranker for the next issue.
    n_jobs : int
        Number of processes for training.

    Yields
    ------
    Progress
        Progress of `workflow.rank_missing`. Nothing is yielded if no ranking is missing.

    Raises
    ------
    RefusedError
        If the ranker is not installed.
    BrokenRankerError
        If a ranker from another package failed.
    """
    recipe = installed_recipe(ranker or active_ranker(store))
    # Issues that are already ranked are included, so that an interrupted replay is found and resumed.
    issues = newest_published_issues(store, NEWEST)
    missing = frozenset(missing_rankings(store, recipe.name, issues))
    yield from workflow.rank_missing(store, recipe, issues, missing, n_jobs=n_jobs)
