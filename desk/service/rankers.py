"""The rankers in use: the active one, which sorts for the editors, and its shadows."""

from collections.abc import Iterable, Mapping
from datetime import date

from presort.data.editing.pending import SortedBy, rankers_of
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.learning.first_publications import first_publication
from presort.data.records import Pending, StoredRanking
from presort.data.running import service
from presort.data.store import Store
from presort.ranker.recipe import Recipe
from presort.ranker.versions import DEFAULT, RECIPES


def active(store: Store, issue: date | None = None) -> str:
    """Name the ranker that sorts for the editors from the next issue on, or that of an issue."""
    return service.active_ranker(store, issue) or DEFAULT


def describe_choice(store: Store, active: str, shadows: Iterable[str]) -> str:
    """Describe the choice of a ranker and its shadows, with the issue after which it holds."""
    newest = service.newest_sorted(store)
    since = f"For issues after {newest}" if newest else "For all issues"
    return f"{since}: {active}. Shadows: {', '.join(shadows) or 'none'}."


def opened(
    store: Store, report: str, issue: date, *, at_hand: Mapping[str, StoredRanking] | None = None
) -> StoredRanking | None:
    """Return the ranking with which Review opens an issue; None for list order.

    It is the active ranker's, if it has one. From the first publication on it is the one shown then, also after
    reopening, so that the editor finds the place again.

    Parameters
    ----------
    at_hand : mapping, optional
        The `rankings.newest_rankings` of the issue. Read if not given.
    """
    published = first_publication(store, report, issue)
    if published is not None and published.ranking_id is not None:
        return rankings.ranking(store, published.ranking_id)
    if at_hand is None:
        at_hand = rankings.newest_rankings(store, report, issue)
    first, among = active(store, issue), list(at_hand.values())
    if published is not None and published.source != "file":  # read in list order, perhaps by choice
        among = [one for one in among if one.id <= published.rankings_up_to]
    return min(among, key=lambda one: one.ranking.ranker != first, default=None)


def in_use(store: Store, issue: date | None = None) -> list[Recipe]:
    """Return the recipe of the active ranker and then those of its shadows, from the next issue on or of an issue.

    Raises
    ------
    RefusedError
        If one is not known: it was chosen in another version of Presort, or its package was uninstalled.
    """
    names = [active(store, issue), *service.shadows(store, issue)]
    if unknown := [name for name in names if name not in RECIPES]:
        raise RefusedError(
            f"{store.folder} is sorted by {unknown[0]}, which this Presort doesn't know; upgrade it, install the "
            f"package of {unknown[0]}, or choose another of {', '.join(RECIPES)} with 'presort rankers use' or on the "
            "page Manage."
        )
    return [RECIPES[name] for name in names]


def known(name: str) -> Recipe:
    """Return the recipe by which something was sorted.

    Raises
    ------
    RefusedError
        If it is not known here any more.
    """
    if name not in RECIPES:
        raise RefusedError(
            f"This Presort doesn't know the ranker {name}: its package was uninstalled, or it is of another version. "
            "What it sorted stays as it is."
        )
    return RECIPES[name]


def known_rankers_of(store: Store, issues: Iterable[Pending]) -> dict[tuple[str, date], dict[str, SortedBy]]:
    """Return `pending.rankers_of`, without rankers that are not known here any more: nothing can be sorted by these."""
    together = [name for name, recipe in RECIPES.items() if recipe.method.learns_together]
    by_rankers = rankers_of(store, issues, together=together)
    return {key: {name: by for name, by in found.items() if name in RECIPES} for key, found in by_rankers.items()}
