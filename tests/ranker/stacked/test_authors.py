import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from presort.ranker.stacked.features import (
    authorship_matrix,
    sum_over_other_papers_of_authors,
    sum_over_papers_of_authors,
)
from presort.ranker.tokens import token_lists

AUTHORS = st.sets(st.integers(0, 4), max_size=3)


@given(
    st.lists(st.tuples(st.integers(0, 5), AUTHORS), min_size=1, max_size=8),
    st.lists(AUTHORS, min_size=1, max_size=3),
    st.booleans(),
)
def test_sums_over_the_other_papers_of_each_author(listed, new, is_sparse):
    """The two rows of a paper that was listed twice are the same paper."""
    who = dict(listed)
    papers = pd.factorize(np.array([paper for paper, _ in listed]))[0]
    past = [who[paper] for paper, _ in listed]
    values = np.arange(1.0, len(past) + 1).reshape(-1, 1) ** 2
    written, written_new = (
        csr_array([[float(author in authors) for author in range(5)] for authors in rows]) for rows in (past, new)
    )
    summed = csr_array(values) if is_sparse else values
    of_past, of_new = (
        sum_over_other_papers_of_authors(written, summed, papers),
        sum_over_papers_of_authors(written_new, written, summed),
    )
    for row, authors in enumerate(past):
        others = [other for other in range(len(past)) if papers[other] != papers[row]]
        assert of_past[row, 0] == sum(
            values[other, 0] for author in authors for other in others if author in past[other]
        )
    for row, authors in enumerate(new):
        assert of_new[row, 0] == sum(
            values[other, 0] for author in authors for other in range(len(past)) if author in past[other]
        )


@given(st.lists(st.lists(st.integers(0, 6), max_size=4), max_size=6), st.sets(st.integers(0, 6)))
def test_authorship_matrix(papers, wanted):
    lists = token_lists([author for paper in papers for author in paper], [len(paper) for paper in papers])
    written = authorship_matrix(lists, np.array(sorted(wanted), dtype=np.int32))
    assert written.shape == (len(papers), len(wanted))
    assert written.toarray().tolist() == [[float(author in paper) for author in sorted(wanted)] for paper in papers]
