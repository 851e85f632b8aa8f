"""The rankers in use: the active one, which sorts for the editors, and its shadows."""

from datetime import date

from data.errors import RefusedError
from data.learning import rankings
from data.records import StoredRanking
from data.running import service
from data.store import Store
from ranker.recipe import Recipe
from ranker.versions import DEFAULT, RECIPES

# Of these a list is sorted by what all reports decided.
LEARNING_TOGETHER = frozenset(name for name, recipe in RECIPES.items() if recipe.method.learns_together)


def active(store: Store, issue: date | None = None) -> str:
    """Name the ranker that sorts for the editors from the next issue on, or that of an issue."""
    return service.active_ranker(store, issue) or DEFAULT


def opened(store: Store, report: str, issue: date) -> StoredRanking | None:
    """Return the ranking with which Review opens an issue that has not gone out: the active ranker's, if it has one."""
    first, at_hand = active(store, issue), rankings.newest_rankings(store, report, issue)
    return min(at_hand.values(), key=lambda one: one.ranking.ranker != first, default=None)


def in_use(store: Store, issue: date | None = None) -> list[Recipe]:
    """Return the recipe of the active ranker and then those of its shadows, from the next issue on or of an issue.

    Raises
    ------
    RefusedError
        If one is not known: it was chosen in another version of Presort.
    """
    names = [active(store, issue), *service.shadows(store, issue)]
    if unknown := [name for name in names if name not in RECIPES]:
        raise RefusedError(
            f"{store.folder} is sorted by {unknown[0]}, which this Presort doesn't know; upgrade it, or choose "
            f"another of {', '.join(RECIPES)} with 'presort rankers use' or on the page Manage."
        )
    return [RECIPES[name] for name in names]
