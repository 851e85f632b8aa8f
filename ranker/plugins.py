"""Rankers of other packages: those with an entry point in the group `presort.rankers`."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from presort.data.errors import BrokenRankerError
from presort.ranker.plugin_guard import BrokenPlugin, broken, guarded, held, package_of
from presort.ranker.recipe import Recipe

GROUP = "presort.rankers"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class Recipes(Mapping[str, Recipe]):
    """Recipes by name: our own, and behind them the installed ones, which are loaded when they are first asked for.

    One that can't be loaded is there as well, and refuses to score.
    """

    def __init__(self, ours: Mapping[str, Recipe]) -> None:
        self._ours = ours

    def __getitem__(self, name: str) -> Recipe:
        """Return the recipe of that name."""
        return self._ours[name] if name in self._ours else loaded(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, our own first."""
        yield from self._ours
        yield from self.plugins

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ours) + len(self.plugins)

    @property
    def plugins(self) -> list[str]:
        """The names of those that aren't ours."""
        return [name for name in points() if name not in self._ours and NAME.fullmatch(name)]

    def faults(self) -> list[str]:
        """Load all that is installed, and return a sentence on each that can't be used."""
        methods = [self[name].method for name in self.plugins]
        return [
            *(_why_left_out(name, found[0]) for name, found in points().items() if name not in self.plugins),
            *(method.fault for method in methods if isinstance(method, BrokenPlugin)),
        ]


@cache
def points() -> dict[str, Sequence[EntryPoint]]:
    """Return the entry points in our group by name. Looked up once, because that reads every installed package."""
    found = defaultdict(list)
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, package_of(point))):
        found[point.name].append(point)
    return dict(found)


@cache
def loaded(name: str) -> Recipe:
    """Load an installed recipe.

    Raises
    ------
    KeyError
        If none of that name is offered.
    """
    point, *others = points()[name]
    try:
        if others:
            raise broken(point, f"is in {package_of(others[0])}, too; uninstall one of them")
        recipe = guarded(point, point.load)
        if not isinstance(recipe, Recipe):
            raise broken(point, f"must be a Recipe, got {type(recipe).__name__}")
        if recipe.name != name:
            raise broken(point, f"calls itself {recipe.name}; name its entry point so, too")
        return guarded(point, held, point, recipe)
    except BrokenRankerError as error:
        return Recipe(name, f"Can't be used. {error}", BrokenPlugin(name, str(error)))


def _why_left_out(name: str, point: EntryPoint) -> str:
    is_well_named = NAME.fullmatch(name)
    fault = "has a name of Presort's own" if is_well_named else "needs a name of a-z, 0-9 and . _ -, at most 40 of them"
    return str(broken(point, f"is left out: it {fault}"))
