"""Our own, of 2026: machines over words, titles, authors and codes, corrected by a network that sees all reports."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfTransformer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from ranker.corrected import CorrectedMachines
from ranker.counts import TermCounts
from ranker.network import Network
from ranker.recipe import Recipe
from ranker.text import author_names, code_groups, plain_title, plain_title_abstract

WORD = r"\b[a-z_][a-z0-9_]+\b"
WHOLE = r"\S+"
WEIGHTS = {"words": 1.0, "title": 0.5, "authors": 1.0, "codes": 0.7}


def make_features() -> FeatureUnion:
    """Make tf-idf of words and word pairs, of those of the title again, of authors and of codes, each of length 1."""
    words = {"word": WORD, "stop_words": ENGLISH_STOP_WORDS, "pairs": True, "min_df": 3, "max_df": 0.1}
    fields = {
        "words": _weighted(TermCounts(plain_title_abstract, max_features=100_000, **words)),
        "title": _weighted(TermCounts(plain_title, **words)),
        "authors": _weighted(TermCounts(author_names, word=WHOLE, min_df=2)),
        "codes": _weighted(TermCounts(code_groups, word=WHOLE, min_df=2)),
    }
    return FeatureUnion(list(fields.items()), transformer_weights=WEIGHTS)


def make_classifier() -> LinearSVC:
    """Make a linear support vector machine for which both classes weigh the same.

    The tolerance is wide: a thousandth of it takes three times as long, and no figure of quality moves by 0.1 %.
    """
    return LinearSVC(class_weight="balanced", C=0.02, tol=1.0, random_state=0)


class Authors(TransformerMixin, BaseEstimator):
    """Turn papers into rows of 1 for each of their authors, whoever has a past paper."""

    def fit_transform(self, papers: Any, y: None = None, **_: Any) -> Any:
        """Learn who the authors are; give an array of shape (n_papers, n_authors)."""
        self.counts_ = TermCounts(author_names, word=WHOLE)
        return _ones(self.counts_.fit_transform(papers))

    def transform(self, papers: Any) -> Any:
        """Give an array of shape (n_papers, n_authors); unknown authors are left out."""
        return _ones(self.counts_.transform(papers))


def _weighted(counts: TermCounts) -> Pipeline:
    return make_pipeline(counts, TfidfTransformer(sublinear_tf=True))


def _ones(counts: Any) -> Any:
    counts.data = np.ones_like(counts.data)
    return counts


RECIPE = Recipe(
    name="presort-1",
    description="Support vector machines over words, authors and codes, corrected by a network that sees all reports.",
    method=CorrectedMachines(make_features, Authors, make_classifier, Network()),
)
