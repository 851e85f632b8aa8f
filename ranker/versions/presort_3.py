"""presort-3 (2026): presort-2 with a better cold start for new reports."""

from dataclasses import replace

from presort.ranker.recipe import Recipe
from presort.ranker.stacked.cold_start import ColdStart
from presort.ranker.versions import presort_2

COLD_START = ColdStart(of_hidden=1.0, of_margins=1.0, fewest=50, train_early_from=5)
METHOD = replace(presort_2.METHOD, cold_start=COLD_START)

RECIPE = Recipe(
    name="presort-3",
    description="presort-2 that also ranks for a new report by similarity to its first relevant papers or examples.",
    method=METHOD,
)
