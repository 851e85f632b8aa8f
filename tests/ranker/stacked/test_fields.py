"""Fields of papers as weighted terms: the same numbers as scikit-learn, for any numbering of the words."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from presort.data.records import Paper
from presort.ranker import terms
from presort.ranker.stacked.fields import Field, fields_from, learn_fields
from presort.ranker.terms import Limits
from presort.ranker.tokens import side_by_side, tokenise, tokens_of
from presort.ranker.versions.presort_1 import FIELDS

WORDS = st.lists(st.sampled_from(["ox", "bee", "cat", "dog", "elk"]), max_size=6).map(" ".join)
PAPERS = st.builds(
    Paper,
    st.just("p"),
    WORDS,
    WORDS,
    st.lists(st.sampled_from(["Ada Low", "Bo Ek", "Cy Dee"]), max_size=2).map(tuple),
    st.lists(st.sampled_from(["E51", "E52", "L1"]), max_size=2).map(tuple),
)
PAST, NEW = st.lists(PAPERS, min_size=1, max_size=10), st.lists(PAPERS, max_size=5)
EMPTY = Paper("empty", "")

# each field as trained here, and the same text of a paper for scikit-learn
LEARNED = {
    "words": Field(lambda tokens: side_by_side(tokens.title, tokens.abstract), Limits(pairs=True), weight=1.0),
    "title": Field(lambda tokens: tokens.title, Limits(pairs=True, min_df=2, max_df=0.7), weight=0.5),
    "authors": Field(lambda tokens: tokens.authors, Limits(min_df=2), weight=1.0),
    "codes": Field(lambda tokens: tokens.codes, Limits(), weight=0.7),
}
READ = {
    "words": lambda paper: with_pairs([*paper.title.split(), *paper.abstract.split()]),
    "title": lambda paper: with_pairs(paper.title.split()),
    "authors": lambda paper: tokenise(paper).authors,
    "codes": lambda paper: tokenise(paper).codes,
}


def with_pairs(words):
    return [*words, *(f"{first} {last}" for first, last in pairwise(words))]


def by_scikit_learn(past, new):
    """Return the column of each field and term, for past and new papers, from vectorisers fitted to past papers."""
    columns = {}
    for name, field in LEARNED.items():
        read, limits = READ[name], field.limits
        settings = {"analyzer": read, "sublinear_tf": True}
        vectorizer = TfidfVectorizer(**settings, min_df=limits.min_df, max_df=limits.max_df)
        try:
            X = vectorizer.fit_transform(past)
        except ValueError:  # no term passes the limits, so Presort keeps all
            vectorizer = TfidfVectorizer(**settings)
            if not any(read(paper) for paper in past):
                continue
            X = vectorizer.fit_transform(past)
        X_new = vectorizer.transform(new).toarray() if new else np.zeros((0, X.shape[1]))
        for term, column in vectorizer.vocabulary_.items():
            columns[name, term] = X.toarray()[:, column] * field.weight, X_new[:, column] * field.weight
    return columns


def names_of_columns(fields, X):
    """Return the names of the columns, except those of fields without terms."""
    assert len(fields.names()) == X.shape[1]
    return {name: column for column, name in enumerate(fields.names()) if name[1]}


def same_rows(found, expected):
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    assert found.dtype == np.float32
    assert found.has_sorted_indices


@given(PAST, NEW)
def test_rows_are_those_of_scikit_learn_times_the_weight(past, new):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "FEW_PAPERS", 0)
        fields, X = learn_fields(LEARNED, tokens_of(past))
    X_new = fields.rows(tokens_of(new))
    expected = by_scikit_learn(past, new)
    columns = names_of_columns(fields, X)
    assert columns.keys() == expected.keys()
    for name, (of_past, of_new) in expected.items():
        np.testing.assert_allclose(X[:, columns[name]].toarray().ravel(), of_past, atol=1e-6)
        np.testing.assert_allclose(X_new[:, columns[name]].toarray().ravel(), of_new, atol=1e-6)


@given(PAST, NEW, st.permutations(["ox", "bee", "cat", "dog", "elk", "zoe", "bo_ek", "E5", "gnu"]))
def test_the_numbering_of_words_does_not_matter(past, new, vocabulary):
    fields, X = learn_fields(LEARNED, tokens_of(past))
    others, other_X = learn_fields(LEARNED, tokens_of(past, vocabulary))
    same_rows(other_X, X)
    assert others.names() == fields.names()
    same_rows(fields.rows(tokens_of(new, vocabulary)), fields.rows(tokens_of(new)))
    same_rows(fields.rows(tokens_of(past, vocabulary)), X)


@given(PAST, NEW)
def test_arrays_contain_the_complete_fields(past, new):
    fields, X = learn_fields(FIELDS, tokens_of(past))
    arrays = fields.arrays()
    assert not any(array.dtype.hasobject for array in arrays.values())
    taken = fields_from(FIELDS, arrays)
    same_rows(taken.rows(tokens_of(past)), X)
    same_rows(taken.rows(tokens_of(new)), fields.rows(tokens_of(new)))
    assert taken.names() == fields.names()


@pytest.mark.parametrize(
    "past",
    [
        pytest.param([EMPTY, EMPTY], id="nothing-at-all"),
        pytest.param([Paper("p", "", codes=("E51",))], id="codes-alone"),
        pytest.param([Paper("p", "Old money", codes=("E51",))], id="no-authors"),
    ],
)
def test_a_field_without_terms_is_a_column_of_zeros(past):
    fields, X = learn_fields(FIELDS, tokens_of(past))
    new = tokens_of([Paper("new", "Old money", "trust", ("Ada Low",), ("E51",)), EMPTY])
    for one in (fields, fields_from(FIELDS, fields.arrays())):
        same_rows(one.rows(tokens_of(past)), X)
        assert one.rows(new).shape == (2, X.shape[1])
        assert not one.rows(new)[1].count_nonzero()
        assert len(one.names()) == X.shape[1]
        found = {one.names()[column] for column in one.rows(new)[[0]].indices}
        assert found == {name for name in one.names() if name[1]}


def test_each_field_of_a_paper_has_the_length_of_its_weight():
    past = [Paper("a", "ox bee", "cat", ("Ada Low",), ("E51",)), Paper("b", "dog elk", "cat", ("Bo Ek",), ("L1",))]
    fields, X = learn_fields(FIELDS, tokens_of(past))
    names = [field for field, _ in fields.names()]
    for name, field in FIELDS.items():
        columns = [column for column, of_column in enumerate(names) if of_column == name]
        np.testing.assert_allclose(np.linalg.norm(X[:, columns].toarray(), axis=1), field.weight, rtol=1e-6)
