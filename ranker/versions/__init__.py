"""All recipes by name: Presort's own recipes, each in its own module, and those from installed packages."""

from presort.ranker.plugins import Recipes
from presort.ranker.recipe import Recipe
from presort.ranker.versions import (
    arxiv_sanity,
    asreview_u4,
    krichel_2007,
    presort_1,
    presort_2,
    presort_2_vectors,
    presort_3,
    presort_3_vectors,
)

_MODULES = (
    krichel_2007,
    arxiv_sanity,
    asreview_u4,
    presort_1,
    presort_2,
    presort_2_vectors,
    presort_3,
    presort_3_vectors,
)
OURS: dict[str, Recipe] = {module.RECIPE.name: module.RECIPE for module in _MODULES}
RECIPES = Recipes(OURS)
DEFAULT = "presort-3"


def find_recipe(name: str) -> Recipe:
    """Return the recipe with this name.

    Raises
    ------
    ValueError
        If no recipe has this name. The message lists the available names.

    Examples
    --------
    >>> find_recipe("krichel-2007").name
    'krichel-2007'
    """
    try:
        return RECIPES[name]
    except KeyError:
        raise ValueError(f"name must be one of {', '.join(RECIPES)}, got {name!r}") from None
