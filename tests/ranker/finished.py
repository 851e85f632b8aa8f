"""What the tests of the traffic light share: issues that were finished."""

import numpy as np
from hypothesis import strategies as st

from ranker.light import FinishedIssue


def issue(n_papers, *places):
    return FinishedIssue(np.array(places, dtype=np.int32), n_papers)


@st.composite
def finished_issues(draw):
    n_papers = draw(st.integers(1, 60))
    return issue(n_papers, *sorted(draw(st.sets(st.integers(1, n_papers), max_size=6))))


services = st.dictionaries(st.sampled_from("abcd"), st.lists(finished_issues(), max_size=9), min_size=1)
