import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from presort.data.records import Paper
from presort.ranker import terms
from presort.ranker.published.separate import SeparateReports
from presort.ranker.recipe import Recipe
from presort.ranker.stacked.fields import learn_fields
from presort.ranker.stacked.svms import margins
from presort.ranker.tokens import tokens_of
from presort.ranker.train import rank_block
from presort.ranker.versions import DEFAULT, RECIPES, find_recipe
from presort.ranker.versions.asreview_u4 import balanced_weights
from tests.ranker.worlds import SUBJECTS, listed_scores, make_history

ALL = [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()]
PEERS = [
    pytest.param(recipe, id=name) for name, recipe in RECIPES.items() if isinstance(recipe.method, SeparateReports)
]
OF_TOKENS = [pytest.param(one, id=name) for name, one in RECIPES.items() if not one.method.needs_past_texts]

# the originals, computed with scikit-learn's own vectoriser
ORIGINALS = {
    "krichel-2007": TfidfVectorizer(use_idf=False, token_pattern=r"\S+"),
    "arxiv-sanity": TfidfVectorizer(
        strip_accents="unicode",
        stop_words="english",
        token_pattern=r"\b[a-zA-Z_][a-zA-Z0-9_]+\b",
        ngram_range=(1, 2),
        max_features=20_000,
        sublinear_tf=True,
        max_df=0.1,
        min_df=5,
    ),
    "asreview-u4": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_df=0.95),
}


def original_text(name: str, paper: Paper) -> str:
    authors = " ".join(paper.authors)
    return {
        "krichel-2007": f"{authors} {paper.title} {paper.abstract} {' '.join(paper.codes)} {paper.series}",
        "arxiv-sanity": f"{paper.title} {paper.abstract} {authors}",
        "asreview-u4": f"{paper.title} {paper.abstract}",
    }[name]


def test_every_recipe_is_registered_under_its_own_name():
    assert all(recipe.name == name for name, recipe in RECIPES.items())
    assert DEFAULT in RECIPES


def test_an_unknown_name_lists_the_known_ones():
    assert find_recipe("asreview-u4") is RECIPES["asreview-u4"]
    with pytest.raises(ValueError, match="got 'krichel'") as raised:
        find_recipe("krichel")
    assert ", ".join(RECIPES) in str(raised.value)


@pytest.mark.parametrize("recipe", PEERS)
def test_features_are_those_of_the_original(recipe: Recipe, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(terms, "FEW_PAPERS", 0)
    papers = make_history(3, 40).papers
    texts = [original_text(recipe.name, paper) for paper in papers]
    original = ORIGINALS[recipe.name]
    expected = original.fit_transform(texts[:100])
    features = recipe.method.make_features()
    X = features.fit_transform(papers[:100])
    names = features[0].get_feature_names_out()
    assert sorted(names) == sorted(original.vocabulary_)
    columns = [original.vocabulary_[name] for name in names]
    np.testing.assert_allclose(X.toarray(), expected.toarray()[:, columns])
    new = original.transform(texts[100:]).toarray()[:, columns]
    np.testing.assert_allclose(features.transform(papers[100:]).toarray(), new)


@pytest.mark.parametrize("recipe", PEERS)
def test_fits_the_sample(recipe: Recipe):
    history = make_history()
    y = np.isin(np.arange(len(history.papers)), history.relevant["trade"]).astype(np.int8)
    X = recipe.method.make_features().fit_transform(history.papers)
    classifier = recipe.method.make_classifier().fit(X, y)
    scores = classifier.decision_function(X)
    assert scores[y == 1].min() > scores[y == 0].max()
    assert classifier.n_iter_ < classifier.max_iter


def test_presort_fits_the_sample():
    history, method = make_history(), RECIPES["presort-1"].method
    y = np.column_stack([np.isin(np.arange(len(history.papers)), rows) for rows in history.relevant.values()])
    fields, X = learn_fields(method.fields, tokens_of(history.papers))
    scores = margins(X, method.svms.train(X, y.astype(np.int8)))
    for of_report, is_relevant in zip(scores.T, y.T, strict=True):
        assert of_report[is_relevant].min() > of_report[~is_relevant].max()
    np.testing.assert_array_equal(fields.rows(tokens_of(history.papers)).toarray(), X.toarray())


@pytest.mark.parametrize("recipe", PEERS)
def test_same_settings_every_time(recipe: Recipe):
    assert recipe.method.make_features() is not recipe.method.make_features()
    assert recipe.method.make_classifier().get_params() == recipe.method.make_classifier().get_params()
    assert recipe.method.make_classifier().random_state == 0


def test_settings_of_presort_can_be_stored_in_a_file():
    settings = RECIPES["presort-1"].method.settings()
    assert json.loads(json.dumps(settings)).keys() == settings.keys()
    assert settings["fields"]["title"] == {
        "weight": 0.5,
        **{"pairs": True, "min_df": 3, "max_df": 0.1, "max_features": None},
    }
    assert settings["svms"] == {"cost": 0.02, "n_passes": 2}
    assert settings["network"]["seeds"] == (0, 1)


@pytest.mark.parametrize("recipe", ALL)
def test_the_same_ranking_every_time(recipe: Recipe):
    history = make_history()
    once, again = (listed_scores(rank_block(recipe, history, 4, 6, list(SUBJECTS))) for _ in range(2))
    assert once == again


@pytest.mark.parametrize("recipe", OF_TOKENS)
def test_without_past_texts_the_ranking_is_the_same(recipe: Recipe):
    history = make_history()
    history = replace(history, tokens=tokens_of(history.papers))
    start = history.starts[4]
    papers = [*(Paper(paper.paper_id, "") for paper in history.papers[:start]), *history.papers[start:]]
    whole, bare = (
        [(one.order.tolist(), one.scores.tolist(), one.words) for one in rank_block(recipe, known, 4, 6, ["trade"])]
        for known in (history, replace(history, papers=papers))
    )
    assert whole == bare


def test_presort_3_ranks_a_small_service_like_presort_2():
    """All reports are new, and one has only an example. Models of fewer than 5,000 papers are not stored."""
    history = make_history()
    few = {code: rows[rows < history.starts[4]][-3:] for code, rows in history.relevant.items() if code != "work"}
    history = replace(history, relevant=few, seeds={"work": [Paper("example", "Wage and union")]})
    of_each = [
        listed_scores(rank_block(RECIPES[name], history, 4, 6, list(SUBJECTS))) for name in ("presort-2", "presort-3")
    ]
    assert of_each[0] == of_each[1]


def test_krichel_reads_words_without_punctuation():
    features = RECIPES["krichel-2007"].method.make_features()
    features.fit_transform([Paper("p1", "A co-author's (new) TEST.", codes=("E51",))])
    assert features[0].get_feature_names_out().tolist() == ["a", "coauthors", "new", "test", "e51"]


def test_krichel_rows_have_unit_length():
    X = RECIPES["krichel-2007"].method.make_features().fit_transform(make_history().papers)
    np.testing.assert_allclose(np.linalg.norm(X.toarray(), axis=1), 1.0)


@given(st.lists(st.booleans(), min_size=1).filter(any))
def test_balanced_weights_sum_to_their_number_at_the_ratio(flags):
    y = np.array(flags, dtype=np.int8)
    weights = balanced_weights(y)
    assert weights.sum() == pytest.approx(len(y))
    if not y.all():
        assert weights[y == 1].sum() == pytest.approx(9.8 * weights[y == 0].sum())
