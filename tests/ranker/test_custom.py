"""Recipes from any scikit-learn estimator, and ranking of tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold, chi2
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from sklearn.svm import SVC, LinearSVC

from presort.data.records import Paper
from presort.ranker import rank_papers, recipe_of
from presort.ranker.classifiers import fit, weights_of
from presort.ranker.gather import gather
from presort.ranker.published.separate import NOT_CONVERGED
from presort.ranker.recipe import MemoryModelStore, ReportScores, TrainingLabels
from presort.ranker.text import title_abstract
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, listed_scores, make_history

N_ISSUES = 6
HISTORY = make_history(N_ISSUES, 20)
START = int(HISTORY.starts[-2])
GRID = {"C": [0.1, 1.0]}
BOOSTED = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5, random_state=0)
BASES = [("neighbours", KNeighborsClassifier(5)), ("forest", RandomForestClassifier(5, random_state=0))]
STACKED = StackingClassifier(BASES, RidgeClassifier())


def as_dense(X):
    return X.toarray()


def without_digits(texts):
    return ["".join(letter for letter in text if not letter.isdigit()) for text in texts]


LINEAR = {
    "ridge": RidgeClassifier(),
    "complement-nb": ComplementNB(),
    "linear-svc": SVC(kernel="linear"),
    "sgd": SGDClassifier(random_state=0),
    "pipeline": make_pipeline(TfidfVectorizer(), LogisticRegression()),
    "chosen-terms": make_pipeline(TfidfVectorizer(), SelectKBest(chi2, k=15), ComplementNB()),
    "searched": make_pipeline(TfidfVectorizer(), GridSearchCV(LinearSVC(random_state=0), GRID, cv=2)),
    "changed-texts": make_pipeline(FunctionTransformer(without_digits), TfidfVectorizer(), LogisticRegression()),
    "regressor": make_pipeline(TfidfVectorizer(), VarianceThreshold(), "passthrough", Ridge()),
}
OTHERS = {
    "forest": RandomForestClassifier(10, random_state=0),
    "svc": SVC(),
    "bernoulli-nb": BernoulliNB(),
    "mixed-terms": make_pipeline(TfidfVectorizer(), TruncatedSVD(5, random_state=0), LogisticRegression()),
    "neighbours": make_pipeline(TfidfVectorizer(), KNeighborsClassifier(5)),
    "stacked": make_pipeline(TfidfVectorizer(), STACKED),
    "boosted": make_pipeline(TfidfVectorizer(), FunctionTransformer(as_dense, accept_sparse=True), BOOSTED),
    "boosted-made-dense": make_pipeline(TfidfVectorizer(), BOOSTED),
    "function": make_pipeline(TfidfVectorizer(), FunctionTransformer(np.sqrt, accept_sparse=True), LinearSVC()),
    "votes": make_pipeline(TfidfVectorizer(), VotingClassifier(BASES)),
    "searched-pipeline": GridSearchCV(make_pipeline(TfidfVectorizer(), KNeighborsClassifier()), {}, cv=2),
    "hashed": make_pipeline(HashingVectorizer(), LinearSVC(random_state=0)),
    "scaled-anew": make_pipeline(TfidfVectorizer(), SelectKBest(k=9), MaxAbsScaler(), LogisticRegression()),
}
EVERY = [pytest.param(estimator, id=name) for name, estimator in (LINEAR | OTHERS).items()]


def scored(estimator, **given):
    """Rank the newest issue for all reports."""
    recipe = recipe_of("own", estimator, **given)
    return list(rank_block(recipe, HISTORY, N_ISSUES - 1, N_ISSUES, list(SUBJECTS)))


def explained(estimator):
    """Return task and explainer of the newest issue."""
    task = gather("own", HISTORY, N_ISSUES - 1, N_ISSUES, list(SUBJECTS), {}, MemoryModelStore()).task
    return task, recipe_of("own", estimator).method.explainer(task)


def directly(estimator, task, report, names):
    """Score with scikit-learn only, step by step.

    Terms are in the order of `names`, which matters for some estimators.
    """
    texts = [title_abstract(paper) for paper in task.papers]
    X, X_new = texts[: task.n_past], texts[task.n_past :]
    rows, y = task.decided[report]
    if isinstance(estimator, Pipeline):
        *before, last = [step for _, step in estimator.steps if step != "passthrough"]
    elif isinstance(estimator, GridSearchCV):
        X, X_new, before, last = np.array(X, dtype=object), X_new, [], estimator
    else:
        learned = TfidfVectorizer(min_df=2).fit(X).vocabulary_
        assert sorted(learned) == sorted(names)
        before, last = [TfidfVectorizer(vocabulary=names, sublinear_tf=True)], estimator
    for_all = True
    for step in map(clone, before):
        for_all = for_all and not isinstance(step, SelectKBest)
        step.fit(X if for_all else X[rows], None if for_all else y)
        X, X_new = step.transform(X), step.transform(X_new)
    if isinstance(last, HistGradientBoostingClassifier) and issparse(X):
        X, X_new = X.toarray(), X_new.toarray()
    last = clone(last).fit(X[rows], y)
    if isinstance(last, ComplementNB | BernoulliNB):
        return np.diff(last.predict_joint_log_proba(X_new)).ravel()
    if hasattr(last, "decision_function"):
        return last.decision_function(X_new)
    return last.predict_proba(X_new)[:, 1] if hasattr(last, "predict_proba") else last.predict(X_new)


@pytest.mark.parametrize("estimator", EVERY)
def test_scores_are_those_of_scikit_learn_itself(estimator):
    task, explainer = explained(estimator)
    names = [term for _, term in explainer.names or ()]
    found = listed_scores(scored(estimator))
    for report in SUBJECTS:
        expected = directly(estimator, task, report, names)
        np.testing.assert_allclose(found[report, N_ISSUES - 1], expected, atol=2e-9, rtol=0)


@pytest.mark.parametrize("estimator", EVERY)
def test_papers_of_the_subject_come_first(estimator):
    of_trade = next(one for one in scored(estimator) if one.report == "trade")
    subjects = [HISTORY.papers[START + place].authors[0].split()[0] for place in of_trade.order]
    n_relevant = subjects.count("Trade")
    assert subjects[:n_relevant].count("Trade") > n_relevant / 2 > 1


@pytest.mark.parametrize("estimator", LINEAR.values(), ids=LINEAR)
def test_a_linear_estimator_explains_and_highlights_words(estimator):
    task, explainer = explained(estimator)
    scores = explainer.scores("trade")
    best, last = (int(place) + task.n_past for place in (scores.argmax(), scores.argmin()))
    up, down = (explainer.reasons("trade", row) for row in (best, last))
    assert sum(abs(one.share) for one in up) == pytest.approx(1)
    assert up[0].share > 0
    assert up[0].text in SUBJECTS["trade"]
    assert sum(one.share for one in up) > sum(one.share for one in down)
    words = next(one for one in scored(estimator) if one.report == "trade").words
    assert len(set(words) & set(SUBJECTS["trade"])) >= 2


@pytest.mark.parametrize("estimator", LINEAR.values(), ids=LINEAR)
def test_weights_times_terms_are_the_score_up_to_a_constant(estimator):
    _, explainer = explained(estimator)
    scores = explainer.scores("work")
    of_terms = explainer.X_new @ weights_of(explainer.trained["work"])
    np.testing.assert_allclose(of_terms - of_terms[0], scores - scores[0], atol=1e-8)


@pytest.mark.parametrize("estimator", OTHERS.values(), ids=OTHERS)
def test_a_nonlinear_estimator_says_that_it_cannot_explain(estimator):
    task, explainer = explained(estimator)
    assert explainer.reasons("trade", task.n_past) is None
    assert {one.words for one in scored(estimator)} == {()}


@pytest.mark.parametrize("estimator", [LINEAR["ridge"], OTHERS["forest"], OTHERS["mixed-terms"]])
def test_every_estimator_finds_similar_papers(estimator):
    task, explainer = explained(estimator)
    row = task.n_past + int(explainer.scores("trade").argmax())
    similar = explainer.similar("trade", row, 3)
    assert len(similar) == 3
    assert {one.row for one in similar} <= set(task.relevant("trade").tolist())
    assert 1 >= similar[0].similarity >= similar[-1].similarity > 0


def test_character_terms_are_named_including_spaces():
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 2))
    task, explainer = explained(make_pipeline(letters, LogisticRegression()))
    named = [one.text for one in explainer.reasons("trade", task.n_past)]
    assert " " in named
    assert all(1 <= len(text) <= 2 for text in named)


def test_each_report_chooses_its_own_terms_and_all_share_the_vocabulary():
    _, explainer = explained(LINEAR["chosen-terms"])
    for report in ("trade", "work"):
        explainer.scores(report)
    chosen = {
        report: {explainer.names[column][1] for column in step[0].get_support(indices=True)}
        for report, step in explainer.trained.items()
    }
    assert all(len(chosen[report] & set(SUBJECTS[report])) >= 7 for report in chosen)
    assert chosen["trade"] != chosen["work"]


def test_a_training_that_stopped_early_is_noted():
    stopped = LinearSVC(loss="hinge", C=1000, max_iter=1, random_state=0)
    assert {one.note for one in scored(stopped)} == {NOT_CONVERGED}
    assert {one.note for one in scored(LinearSVC(random_state=0))} == {""}


def test_the_requested_texts_are_read():
    by_authors = scored(LINEAR["pipeline"], text=lambda paper: " ".join(paper.authors))
    assert {word for one in by_authors for word in one.words} == set()  # no word of a title is informative
    of_work = next(one for one in by_authors if one.report == "work")
    assert HISTORY.papers[START + of_work.order[0]].authors[0].startswith("Work")


def test_the_recipe_keeps_the_estimator_as_it_was():
    ridge = RidgeClassifier()
    recipe = recipe_of("own", ridge, minutes=3)
    ridge.set_params(alpha=1e9)
    assert recipe.method.make_classifier().alpha == 1
    assert (recipe.name, recipe.minutes) == ("own", 3)
    assert recipe_of("own", ridge, description="By ridge.").description == "By ridge."


@pytest.mark.parametrize("estimator", [MaxAbsScaler(), make_pipeline(TfidfVectorizer(), MaxAbsScaler())])
def test_an_estimator_without_scores_is_refused(estimator):
    with pytest.raises(ValueError, match="estimator must be a classifier or a regressor, got"):
        recipe_of("own", estimator)


def test_a_matrix_that_is_too_large_to_be_dense_is_refused():
    X, decided = csr_array((4, 10**9)), TrainingLabels(np.arange(4), np.array([0, 1, 0, 1]))
    with pytest.raises(ValueError, match="HistGradientBoostingClassifier needs a dense matrix"):
        fit(clone(BOOSTED), X, decided)


def test_a_text_estimator_finds_no_similar_papers():
    task, explainer = explained(OTHERS["searched-pipeline"])
    assert explainer.similar("trade", task.n_past, 3) == []


def test_term_names_are_only_read_for_explanations_and_words():
    class Nameless(TfidfVectorizer):
        def get_feature_names_out(self, input_features=None):
            raise NotImplementedError

    nameless = recipe_of("nameless", make_pipeline(Nameless(), LogisticRegression()))
    named = recipe_of("named", make_pipeline(TfidfVectorizer(), LogisticRegression()))
    assert rank_papers(PAST, NEW, nameless)["score"].tolist() == rank_papers(PAST, NEW, named)["score"].tolist()


# ---- papers of a table

PAST = pd.DataFrame(
    {
        "title": ["Wages", "Wages and jobs", "Prices", "Prices and rents", "Unknown"],
        "relevant": [True, True, False, False, None],
    }
)
NEW = pd.DataFrame({"title": ["Rents", "Jobs", "Wages and unions"]}, index=[7, 8, 9])
RIDGE = recipe_of("ridge", RidgeClassifier())


def test_papers_of_a_table_are_ranked_with_all_their_columns():
    found = rank_papers(PAST, NEW.assign(url=["a", "b", "c"]), RIDGE)
    assert found.columns.tolist() == ["title", "url", "position", "score"]
    assert found.index[-1] == 7
    assert found["position"].tolist() == [1, 2, 3]
    assert found["score"].is_monotonic_decreasing
    assert found.loc[9, "url"] == "c"


def test_an_undecided_paper_is_read_but_not_trained_on():
    terms = TfidfVectorizer().fit(PAST["title"].str.lower())
    directly = ComplementNB().fit(terms.transform(PAST["title"][:4]), [1, 1, 0, 0])
    expected = np.diff(directly.predict_joint_log_proba(terms.transform(NEW["title"]))).ravel()
    found = rank_papers(PAST, NEW, recipe_of("nb", make_pipeline(TfidfVectorizer(), ComplementNB())))
    np.testing.assert_allclose(found["score"].sort_index(), expected, atol=2e-9)


def test_columns_may_have_the_names_of_an_import():
    past, new = PAST.rename(columns={"title": "Article Title"}), NEW.rename(columns={"title": "TI"})
    assert rank_papers(past, new, RIDGE)["score"].tolist() == rank_papers(PAST, NEW, RIDGE)["score"].tolist()


def test_ties_keep_the_order_of_the_table():
    new = pd.DataFrame({"title": ["Jobs", "Rents", "Jobs", "Jobs"]}, index=list("abcd"))
    assert rank_papers(PAST, new, RIDGE).index.tolist() in (list("acdb"), list("bacd"))


def test_without_new_papers_there_are_no_rows():
    found = rank_papers(PAST, NEW[:0], RIDGE)
    assert (len(found), found.columns.tolist()) == (0, ["title", "position", "score"])


def test_all_columns_are_read():
    past = pd.DataFrame(
        {
            "title": ["x"] * 4,
            "authors": [["Ann Lee"], "Ann Lee; Bo Ek", ("Bo Ek",), np.nan],
            "codes": ["E51", None, "J3", "J3"],
            "abstract": ["", np.nan, "Text", "Text"],
            "series": [None] * 4,
            "relevant": [1, 1, 0, 0],
        }
    )
    new = pd.DataFrame({"title": ["x", "x"], "authors": ["Bo Ek", "Ann Lee"]})
    authors = recipe_of("authors", make_pipeline(TfidfVectorizer(), MultinomialNB()), text=all_of)
    assert rank_papers(past, new, authors).index.tolist() == [1, 0]


def all_of(paper: Paper) -> str:
    return " ".join([paper.title, paper.abstract, paper.series, *paper.authors, *paper.codes])


def test_built_in_rankers_rank_tables_too():
    for name, recipe in RECIPES.items():
        assert rank_papers(PAST, NEW, recipe)["position"].tolist() == [1, 2, 3], name


def test_a_method_that_leaves_list_order_has_no_scores():
    class Silent:
        def score(self, task, reports, n_jobs):
            yield from (ReportScores(report, None) for report in reports)

    found = rank_papers(PAST, NEW, replace(RIDGE, method=Silent()))
    assert found.index.tolist() == [7, 8, 9]
    assert found["score"].isna().all()


@pytest.mark.parametrize(
    ("past", "new", "message"),
    [
        pytest.param(PAST.drop(columns="relevant"), NEW, "past must have a column named relevant", id="no-labels"),
        pytest.param(PAST.drop(columns="title"), NEW, "past: no column for title", id="no-past-title"),
        pytest.param(PAST, NEW.rename(columns={"title": "name"}), "new: no column for title", id="no-new-title"),
        pytest.param(PAST, NEW.replace("Jobs", " "), "new, row 2, column title: no title", id="blank-title"),
        pytest.param(PAST, NEW.assign(abstract=[{}] * 3), "new, column abstract: contains dict", id="no-text"),
        pytest.param(PAST[1:], NEW, "at least 2 relevant papers and 1 irrelevant paper, got 1 and 2", id="few"),
        pytest.param(PAST[:2], NEW, "got 2 and 0", id="all-relevant"),
        pytest.param(PAST[:0], NEW, "got 0 and 0", id="nothing"),
        pytest.param(PAST.assign(relevant="no"), NEW, "true, false or missing, got 'no'", id="words"),
    ],
)
def test_errors_in_a_table_are_named(past, new, message):
    with pytest.raises(ValueError, match=message):
        rank_papers(past, new, RIDGE)
