"""The rankers in use: the active one, which sorts for the editors, and its shadows."""

from datetime import date

from data import service
from data.errors import RefusedError
from data.store import Store
from ranker.recipe import Recipe
from ranker.versions import DEFAULT, RECIPES


def active(store: Store, issue: date | None = None) -> str:
    """Name the ranker that sorts for the editors from the next issue on, or that of an issue."""
    return service.active_ranker(store, issue) or DEFAULT


def in_use(store: Store, issue: date | None = None) -> list[Recipe]:
    """Give the recipe of the active ranker and then those of its shadows, from the next issue on or of an issue.

    Raises
    ------
    RefusedError
        If one is not known: it was chosen in another version of Presort.
    """
    names = [active(store, issue), *service.shadows(store, issue)]
    if unknown := [name for name in names if name not in RECIPES]:
        raise RefusedError(
            f"{store.path.parent} is sorted by {unknown[0]}, which this Presort doesn't know; upgrade it, or choose "
            f"another of {', '.join(RECIPES)} with 'presort rankers use' or on the page Manage."
        )
    return [RECIPES[name] for name in names]
