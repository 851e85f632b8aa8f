import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from presort.data.records import Paper
from presort.ranker import terms
from presort.ranker.published.counts import TermCounts
from presort.ranker.terms import Limits
from presort.ranker.text import title_abstract

WORDS = st.lists(st.sampled_from(["ox", "bee", "cat", "dog", "elk", "a", "the"]), max_size=8)
TEXTS = st.lists(WORDS.map(" ".join), min_size=1, max_size=12)
LIMITS = {"min_df": 2, "max_df": 0.6}


def to_papers(texts):
    return [Paper(f"p{number}", text) for number, text in enumerate(texts)]


def table(matrix, names):
    """Return each term's counts, independent of the order of the columns."""
    return {name: column.tolist() for name, column in zip(names, matrix.toarray().T, strict=True)}


@given(TEXTS, TEXTS, st.booleans(), st.sampled_from([(), ("the", "cat")]))
def test_counts_as_scikit_learn_does(texts, new_texts, pairs, stop_words):
    ours = TermCounts(title_abstract, stop_words=stop_words, limits=Limits(pairs=pairs))
    theirs = CountVectorizer(ngram_range=(1, 2 if pairs else 1), stop_words=list(stop_words) or None)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # no words
        assert ours.fit_transform(to_papers(texts)).toarray().tolist() == [[0.0]] * len(texts)
        return
    names = theirs.get_feature_names_out()
    assert table(ours.fit_transform(to_papers(texts)), ours.get_feature_names_out()) == table(expected, names)
    new = table(ours.transform(to_papers(new_texts)), ours.get_feature_names_out())
    assert new == table(theirs.transform(new_texts), names)


@given(TEXTS)
def test_limits_are_those_of_scikit_learn(texts):
    ours = TermCounts(title_abstract, limits=Limits(pairs=True, **LIMITS))
    theirs = CountVectorizer(ngram_range=(1, 2), **LIMITS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "FEW_PAPERS", 0)
        found = ours.fit_transform(to_papers(texts))
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # no term passes the limits, so Presort keeps all
        theirs = CountVectorizer(ngram_range=(1, 2))
        expected = theirs.fit_transform(texts) if len(" ".join(texts).replace("a", "").split()) else None
    if expected is not None:
        assert table(found, ours.get_feature_names_out()) == table(expected, theirs.get_feature_names_out())


def test_most_frequent_terms_are_kept_and_the_first_met_of_equals():
    vectorizer = TermCounts(title_abstract, limits=Limits(max_features=2))
    vectorizer.fit(to_papers(["bee ox cat", "cat dog"]))
    assert vectorizer.get_feature_names_out().tolist() == ["bee", "cat"]


def test_limits_do_not_apply_to_few_papers():
    vectorizer = TermCounts(title_abstract, limits=Limits(min_df=5, max_df=0.1))
    vectorizer.fit(to_papers(["bee ox"] * 40))
    assert vectorizer.get_feature_names_out().tolist() == ["bee", "ox"]


def test_limits_apply_from_a_thousand_papers_on():
    vectorizer = TermCounts(title_abstract, limits=Limits(min_df=5, max_df=0.1))
    vectorizer.fit(to_papers(["bee ox cat"] * 4 + ["ox cat"] + ["cat"] * 995))
    assert vectorizer.get_feature_names_out().tolist() == ["ox"]


def test_a_pair_never_crosses_from_one_paper_to_the_next():
    vectorizer = TermCounts(title_abstract, limits=Limits(pairs=True))
    vectorizer.fit(to_papers(["bee ox", "cat dog"]))
    assert "ox cat" not in vectorizer.get_feature_names_out()


def test_an_unknown_word_separates_a_pair():
    vectorizer = TermCounts(title_abstract, limits=Limits(pairs=True)).fit(to_papers(["bee ox"]))
    assert vectorizer.transform(to_papers(["bee new ox", "bee ox"])).toarray().tolist() == [[1, 1, 0], [1, 1, 1]]


def test_indices_have_the_width_that_liblinear_reads():
    matrix = TermCounts(title_abstract).fit_transform(to_papers(["bee ox"]))
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
