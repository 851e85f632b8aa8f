"""Rankers in use: the active ranker, whose lists editors see, and its shadows, which are only used for comparison."""

from collections.abc import Iterable, Mapping
from datetime import date

from presort.data.editing.pending import SortedBy, rankers_of
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.learning.first_publications import first_publication
from presort.data.records import PendingIssue, StoredRanking
from presort.data.running import service
from presort.data.store import Store
from presort.ranker.recipe import Recipe
from presort.ranker.versions import DEFAULT, RECIPES


def active_ranker(store: Store, issue: date | None = None) -> str:
    """Return the name of the ranker that is active for an issue. `issue` defaults to the next issue."""
    return service.active_ranker(store, issue) or DEFAULT


def describe_choice(store: Store, active: str, shadows: Iterable[str]) -> str:
    """Describe a choice of active ranker and shadows, and the first issue to which it applies."""
    newest = service.newest_ranked_issue(store)
    since = f"For issues after {newest}" if newest else "For all issues"
    return f"{since}: {active}. Shadows: {', '.join(shadows) or 'none'}."


def review_ranking(
    store: Store, report: str, issue: date, *, at_hand: Mapping[str, StoredRanking] | None = None
) -> StoredRanking | None:
    """Return the ranking that Review shows for an issue, or None if Review shows list order.

    Before the first publication, this is the active ranker's ranking or, if there is none, any other ranking.
    Afterwards, it is the ranking that was shown at the first publication. This also holds after reopening, so that the
    editor can continue where they stopped.

    Parameters
    ----------
    at_hand : mapping, optional
        Result of `rankings.newest_rankings` for the issue. It is read from the database if it is not given.
    """
    published = first_publication(store, report, issue)
    if published is not None and published.ranking_id is not None:
        return rankings.ranking(store, published.ranking_id)
    if at_hand is None:
        at_hand = rankings.newest_rankings(store, report, issue)
    first, among = active_ranker(store, issue), list(at_hand.values())
    # The editor published from list order, perhaps by choice, so rankings added later are ignored.
    if published is not None and published.source != "file":
        among = [one for one in among if one.id <= published.rankings_up_to]
    return min(among, key=lambda one: one.ranking.ranker != first, default=None)


def recipes_in_use(store: Store, issue: date | None = None) -> list[Recipe]:
    """Return the recipes of the active ranker and then its shadows. `issue` defaults to the next issue.

    Raises
    ------
    RefusedError
        If a ranker is not installed, because it comes from another version of Presort or its package was uninstalled.
    """
    names = [active_ranker(store, issue), *service.shadows(store, issue)]
    if unknown := [name for name in names if name not in RECIPES]:
        raise RefusedError(
            f"{store.folder} uses the ranker {unknown[0]}, which is not installed. Upgrade Presort, install the "
            "ranker's package, or switch to another ranker with 'presort rankers use' or on Manage. "
            f"Available rankers: {', '.join(RECIPES)}."
        )
    return [RECIPES[name] for name in names]


def installed_recipe(name: str) -> Recipe:
    """Return the recipe of the ranker that computed a stored ranking.

    Raises
    ------
    RefusedError
        If the ranker is no longer installed.
    """
    if name not in RECIPES:
        raise RefusedError(
            f"The ranker {name} is not installed: its package was uninstalled, or it comes from another version of "
            "Presort. Its rankings remain unchanged."
        )
    return RECIPES[name]


def known_rankers_of(store: Store, issues: Iterable[PendingIssue]) -> dict[tuple[str, date], dict[str, SortedBy]]:
    """Return the result of `rankers_of` without rankers that are no longer installed, because they can't re-rank."""
    together = [name for name, recipe in RECIPES.items() if recipe.method.learns_together]
    by_rankers = rankers_of(store, issues, together=together)
    return {key: {name: by for name, by in found.items() if name in RECIPES} for key, found in by_rankers.items()}
