"""Presort's ranker of 2026: presort-2 that also uses sentence vectors of the service's sentence model."""

from dataclasses import replace

from presort.ranker.recipe import Recipe
from presort.ranker.stacked.vectors import Vectored
from presort.ranker.versions import presort_2

RECIPE = Recipe(
    name="presort-2-vectors",
    description="What presort-2 learns, and what papers are about by sentence vectors, where a service has made them.",
    method=replace(presort_2.METHOD, vectored=Vectored(ridge=0.3, n_directions=64)),
)
