import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from ranker.authors import of_their_other_papers, of_their_papers, written_by
from ranker.tokens import token_lists
from tests.ranker.worlds import FIXED

AUTHORS = st.sets(st.integers(0, 4), max_size=3)


@FIXED
@given(st.lists(AUTHORS, min_size=1, max_size=8), st.lists(AUTHORS, min_size=1, max_size=3), st.booleans())
def test_sums_over_the_other_papers_of_each_author(past, new, is_sparse):
    values = np.arange(1.0, len(past) + 1).reshape(-1, 1) ** 2
    written, written_new = (
        csr_array([[float(author in paper) for author in range(5)] for paper in papers]) for papers in (past, new)
    )
    summed = csr_array(values) if is_sparse else values
    of_past, of_new = of_their_other_papers(written, summed), of_their_papers(written_new, written, summed)
    for number, paper in enumerate(past):
        others = [other for other in range(len(past)) if other != number]
        assert of_past[number, 0] == sum(
            values[other, 0] for author in paper for other in others if author in past[other]
        )
    for number, paper in enumerate(new):
        assert of_new[number, 0] == sum(
            values[other, 0] for author in paper for other in range(len(past)) if author in past[other]
        )


@FIXED
@given(st.lists(st.lists(st.integers(0, 6), max_size=4), max_size=6), st.sets(st.integers(0, 6)))
def test_who_wrote_what(papers, wanted):
    lists = token_lists([author for paper in papers for author in paper], [len(paper) for paper in papers])
    written = written_by(lists, np.array(sorted(wanted), dtype=np.int32))
    assert written.shape == (len(papers), len(wanted))
    assert written.toarray().tolist() == [[float(author in paper) for author in sorted(wanted)] for paper in papers]
