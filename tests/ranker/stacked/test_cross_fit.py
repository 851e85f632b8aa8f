"""Two or four folds of papers: each has relevant ones, and all rows of a paper are in one fold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from presort.ranker.stacked.cross_fit import folds, split_folds


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(0, 99))
def test_a_reports_relevant_papers_are_split_evenly(owners, seed):
    y = np.random.default_rng(seed).integers(-1, 1, (len(owners), 4)).astype(np.int8)
    for paper, owner in enumerate(owners):
        if owner < 4:
            y[paper, owner] = 1
    papers = np.arange(len(y))
    found = folds(y, papers)
    for n_folds, of_rows in ((2, found), (4, split_folds(found, y, papers))):
        for words in y.T:
            numbers = np.bincount(of_rows[words == 1], minlength=n_folds)
            assert len(numbers) == n_folds
            assert np.ptp(numbers) <= 1


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=1, max_size=30))
def test_two_reports_with_shared_papers_have_relevant_ones_in_each_fold(words):
    y = np.array(words, dtype=np.int8)
    found = folds(y, np.arange(len(y)))
    assert set(found.tolist()) <= {0, 1}
    for report in range(2):
        relevant = y[:, report] == 1
        assert len(set(found[relevant].tolist())) == min(2, np.count_nonzero(relevant))


def test_irrelevant_papers_are_in_both_folds():
    found = folds(np.zeros((1000, 3), dtype=np.int8), np.arange(1000))
    assert 400 < found.sum() < 600


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 1), st.integers(-1, 1)), min_size=1, max_size=30))
def test_all_rows_of_a_paper_are_in_one_fold_and_each_fold_has_relevant_papers(rows):
    _, papers = np.unique([paper for paper, *_ in rows], return_inverse=True)
    y = np.array([words for _, *words in rows], dtype=np.int8)
    found = folds(y, papers)
    for of_rows in (found, split_folds(found, y, papers)):
        for paper in set(papers.tolist()):
            assert len(set(of_rows[papers == paper].tolist())) == 1
    for words in y.T:
        n_relevant = len(set(papers[words == 1].tolist()))
        assert len(set(found[words == 1].tolist())) == min(2, n_relevant)
