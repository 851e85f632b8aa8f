"""presort-2-vectors (2026): presort-2 plus vectors from the service's sentence model."""

from dataclasses import replace

from presort.ranker.recipe import Recipe
from presort.ranker.stacked.vectors import VectorSettings
from presort.ranker.versions import presort_2

METHOD = replace(presort_2.METHOD, vectored=VectorSettings(ridge=0.3, n_directions=64))

RECIPE = Recipe(
    name="presort-2-vectors",
    description="presort-2 with sentence vectors of the papers, if the service has a sentence model.",
    method=METHOD,
)
