"""Recommender from arxiv-sanity-lite, with its 2022 settings."""

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from presort.ranker.published.counts import TermCounts
from presort.ranker.published.separate import SeparateReports
from presort.ranker.recipe import Recipe
from presort.ranker.terms import Limits
from presort.ranker.text import title_abstract_authors
from presort.ranker.tokens import WORD


def make_features() -> Pipeline:
    """Return a transformer to sublinear tf-idf of 20,000 frequent words and word pairs that are not too common."""
    counts = TermCounts(
        title_abstract_authors,
        word=WORD.pattern,
        stop_words=ENGLISH_STOP_WORDS,
        limits=Limits(pairs=True, min_df=5, max_df=0.1, max_features=20_000),
    )
    return make_pipeline(counts, TfidfTransformer(sublinear_tf=True))


def make_classifier() -> LinearSVC:
    """Return a linear support vector machine with balanced class weights."""
    return LinearSVC(class_weight="balanced", C=0.01, tol=1e-6, max_iter=10_000, random_state=0)


RECIPE = Recipe(
    name="arxiv-sanity",
    description="Tf-idf of frequent words and word pairs with a balanced support vector machine, as in arxiv-sanity.",
    method=SeparateReports(make_features, make_classifier),
)
