"""Inputs of the network other than margins: for past papers as if they were new, and for new papers."""

from math import log, log1p

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from presort.ranker.stacked.features import new_features, past_features

N_AUTHORS, N_REPORTS = 4, 2
AUTHORS = st.sets(st.integers(0, N_AUTHORS - 1), max_size=3)
WORDS = st.lists(st.integers(-1, 1), min_size=N_REPORTS, max_size=N_REPORTS)
TOPICS = st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-0.8, 0.6)])
PAST = st.lists(st.tuples(AUTHORS, WORDS, TOPICS), min_size=1, max_size=7)
NEW = st.lists(st.tuples(AUTHORS, TOPICS), min_size=1, max_size=3)


def written_by(papers):
    return csr_array([[float(author in paper[0]) for author in range(N_AUTHORS)] for paper in papers])


def slowly_seen(authors, topics, others, past):
    """Compute the features of a paper in loops over other papers and reports."""
    theirs = [other for author in authors for other in others if author in other[0]]
    profile = [sum(other[2][topic] for other in theirs) for topic in (0, 1)]
    length = np.hypot(*profile) + 1e-6
    seen = [np.sqrt(20) * value for value in topics] + [np.sqrt(20) * value / length for value in profile]
    for report in range(N_REPORTS):
        words = [paper[1][report] for paper in past]
        usual = (words.count(1) + 1e-6) / (len(words) - words.count(-1) + 1e-6)
        of_theirs = [other[1][report] for other in theirs]
        n_decided = len(of_theirs) - of_theirs.count(-1)
        seen.append(log((of_theirs.count(1) + 2 * usual) / (n_decided + 2) / usual))
    return [*seen, log1p(len(theirs)), log1p(len(authors))]


@given(PAST, NEW)
def test_features_agree_with_a_slow_reference(past, new):
    written, y = written_by(past), np.array([paper[1] for paper in past], dtype=np.int8)
    topics, new_topics = (np.array([paper[-1] for paper in papers]) for papers in (past, new))
    of_past = [slowly_seen(paper[0], paper[2], past[:row] + past[row + 1 :], past) for row, paper in enumerate(past)]
    of_new = [slowly_seen(paper[0], paper[1], past, past) for paper in new]
    np.testing.assert_allclose(past_features(topics, written, y, np.arange(len(past))), of_past, rtol=1e-4, atol=1e-4)
    found = new_features(new_topics, written_by(new), topics, written, y)
    np.testing.assert_allclose(found, of_new, rtol=1e-4, atol=1e-4)


@given(PAST, st.data())
def test_features_of_a_past_paper_exclude_its_own_decisions(past, data):
    row = data.draw(st.integers(0, len(past) - 1))
    authors, _, topics = past[row]
    listed_again = data.draw(st.lists(WORDS, max_size=2))
    past = [*past, *((authors, words, topics) for words in listed_again)]
    papers = np.array([*range(len(past) - len(listed_again)), *[row] * len(listed_again)])
    written, y = written_by(past), np.array([paper[1] for paper in past], dtype=np.int8)
    past_topics = np.array([paper[2] for paper in past])
    # as if it were new: its own record and topics are not among those of its authors
    as_past = past_features(past_topics, written, y, papers)[row]
    others = np.flatnonzero(papers != row)
    as_new = new_features(
        np.array([topics]), written_by([(authors,)]), past_topics[others], written[others], y[others]
    )[0]
    is_usual = slice(4, 4 + N_REPORTS)  # the rate at which reports select papers is included
    np.testing.assert_allclose(np.delete(as_past, is_usual), np.delete(as_new, is_usual), rtol=0, atol=1e-4)
