"""presort-2 (2026): presort-1 plus boosted trees that combine the outputs of its SVMs and networks."""

from presort.ranker.recipe import Recipe
from presort.ranker.stacked.forest import Trees
from presort.ranker.stacked.forest_method import ForestSvms
from presort.ranker.stacked.term_network import TermNetwork
from presort.ranker.versions import presort_1

METHOD = ForestSvms(presort_1.FIELDS, presort_1.SVMS, presort_1.NETWORK, TermNetwork(), Trees(), few=1_500)

RECIPE = Recipe(
    name="presort-2",
    description="presort-1 with boosted trees that combine its outputs for each paper and report.",
    method=METHOD,
)
