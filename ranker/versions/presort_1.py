"""presort-1 (2026): SVMs that use words, titles, authors and codes, corrected by a network for all reports."""

from presort.ranker.recipe import Recipe
from presort.ranker.stacked.fields import Field
from presort.ranker.stacked.method import CorrectedSvms
from presort.ranker.stacked.network import Network
from presort.ranker.stacked.svms import Svms
from presort.ranker.terms import Limits
from presort.ranker.tokens import side_by_side

WORDS = Limits(pairs=True, min_df=3, max_df=0.1, max_features=100_000)
FIELDS = {
    "words": Field(lambda tokens: side_by_side(tokens.title, tokens.abstract), WORDS, weight=1.0),
    "title": Field(lambda tokens: tokens.title, Limits(pairs=True, min_df=3, max_df=0.1), weight=0.5),
    "authors": Field(lambda tokens: tokens.authors, Limits(min_df=2), weight=1.0),
    "codes": Field(lambda tokens: tokens.codes, Limits(min_df=2), weight=0.7),
}

SVMS, NETWORK = Svms(), Network()

RECIPE = Recipe(
    name="presort-1",
    description="Support vector machines over words, authors and codes, corrected by a network over all reports.",
    method=CorrectedSvms(FIELDS, SVMS, NETWORK),
)
