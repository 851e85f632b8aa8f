"""presort-3-vectors (2026): presort-2-vectors with a better cold start for new reports."""

from dataclasses import replace

from presort.ranker.recipe import Recipe
from presort.ranker.versions import presort_2_vectors, presort_3

METHOD = replace(presort_2_vectors.METHOD, cold_start=replace(presort_3.METHOD.cold_start, of_vectors=1.5))

RECIPE = Recipe(
    name="presort-3-vectors",
    description="presort-3 with sentence vectors of the papers, if the service has a sentence model.",
    method=METHOD,
)
