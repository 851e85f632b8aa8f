"""Rankers from other packages, which are found by their entry points in the group `presort.rankers`."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from presort.data.errors import BrokenRankerError
from presort.ranker.plugin_guard import BrokenPlugin, broken_ranker_error, call_plugin, guard_recipe, package_of
from presort.ranker.recipe import Recipe

GROUP = "presort.rankers"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class Recipes(Mapping[str, Recipe]):
    """Recipes by name: Presort's own recipes, followed by installed ones, which are loaded on first access.

    A recipe that can't be loaded is included, but raises an error when it is used.
    """

    def __init__(self, ours: Mapping[str, Recipe]) -> None:
        self._ours = ours

    def __getitem__(self, name: str) -> Recipe:
        """Return the recipe with this name."""
        return self._ours[name] if name in self._ours else load_recipe(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all recipes, Presort's own first."""
        yield from self._ours
        yield from self.plugins

    def __len__(self) -> int:
        """Return the number of recipes."""
        return len(self._ours) + len(self.plugins)

    @property
    def plugins(self) -> list[str]:
        """Names of installed recipes, except those that are invalid or already used by Presort's own recipes."""
        return [name for name in points() if name not in self._ours and NAME.fullmatch(name)]

    def faults(self) -> list[str]:
        """Load all installed recipes, and return an error message for each recipe that can't be used."""
        methods = [self[name].method for name in self.plugins]
        return [
            *(_describe_ignored(name, found[0]) for name, found in points().items() if name not in self.plugins),
            *(method.fault for method in methods if isinstance(method, BrokenPlugin)),
        ]


@cache
def points() -> dict[str, Sequence[EntryPoint]]:
    """Return the group's entry points by name. They are cached, because the search reads every installed package."""
    found = defaultdict(list)
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, package_of(point))):
        found[point.name].append(point)
    return dict(found)


@cache
def load_recipe(name: str) -> Recipe:
    """Load an installed recipe.

    Raises
    ------
    KeyError
        If no installed package provides a recipe with this name.
    """
    point, *others = points()[name]
    try:
        if others:
            fault = f"is also provided by {package_of(others[0])}; uninstall one of the two packages"
            raise broken_ranker_error(point, fault)
        recipe = call_plugin(point, point.load)
        if not isinstance(recipe, Recipe):
            raise broken_ranker_error(point, f"must be a Recipe, got {type(recipe).__name__}")
        if recipe.name != name:
            raise broken_ranker_error(point, f"has a Recipe named {recipe.name}; use this name for its entry point too")
        return call_plugin(point, guard_recipe, point, recipe)
    except BrokenRankerError as error:
        return Recipe(name, f"Can't be used. {error}", BrokenPlugin(name, str(error)))


def _describe_ignored(name: str, point: EntryPoint) -> str:
    is_well_named = NAME.fullmatch(name)
    rule = "its name must have at most 40 characters, all of them a-z, 0-9 or . _ -, and start with a letter or digit"
    fault = "its name is reserved" if is_well_named else rule
    return str(broken_ranker_error(point, f"is ignored: {fault}"))
