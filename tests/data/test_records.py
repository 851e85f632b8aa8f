import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import NamedPapers, Paper, TokenLists, Tokens, as_named_papers
from presort.data.records.paper_types import type_of


def make_lists(*papers: list[int]) -> TokenLists:
    starts = np.cumsum([0, *(len(paper) for paper in papers)], dtype=np.int64)
    return TokenLists(np.array([number for paper in papers for number in paper], dtype=np.int32), starts)


def as_papers(lists: TokenLists) -> list[list[int]]:
    ends = lists.starts[1:].tolist()
    return [lists.values[start:end].tolist() for start, end in zip(lists.starts.tolist(), ends, strict=False)]


PAPERS = st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=6)
PLACES = st.none() | st.integers(-8, 8)


@given(PAPERS, PLACES, PLACES)
def test_a_slice_holds_the_lists_of_these_papers(papers, first, last):
    part = make_lists(*papers)[first:last]
    assert as_papers(part) == papers[first:last]
    assert (len(part), part.starts[0], part.starts[-1]) == (len(papers[first:last]), 0, len(part.values))
    assert (part.values.dtype, part.starts.dtype) == (np.int32, np.int64)


def test_a_slice_of_a_slice():
    assert as_papers(make_lists([1], [2, 2], [], [3])[1:][:2]) == [[2, 2], []]


@pytest.mark.parametrize("step", [2, -1])
def test_a_slice_can_not_skip_or_reverse_papers(step):
    with pytest.raises(ValueError, match=f"papers must be a slice with step 1, got step {step}"):
        make_lists([1], [2])[::step]


def test_tokens_are_sliced_in_every_field():
    tokens = Tokens(
        vocabulary=["a", "b"],
        title=make_lists([0], [1]),
        abstract=make_lists([], [0, 1]),
        authors=make_lists([1], []),
        codes=make_lists([], []),
    )
    part = tokens[1:]
    assert (len(tokens), len(part), part.vocabulary) == (2, 1, ["a", "b"])
    fields = (part.title, part.abstract, part.authors, part.codes)
    assert [as_papers(field) for field in fields] == [[[1]], [[0, 1]], [[]], [[]]]


@given(st.lists(st.text(max_size=2), max_size=4), st.integers(0, 3), PLACES, PLACES)
def test_papers_known_by_their_ids_are_papers_like_others(names, n_whole, first, last):
    whole = [Paper(f"w{number}", "Wages") for number in range(n_whole)]
    papers, expected = NamedPapers(names, whole), [*(Paper(name, "") for name in names), *whole]
    assert [*papers] == expected
    assert [papers[place] for place in range(-len(expected), len(expected))] == [*expected, *expected]
    assert [*papers[first:last]] == expected[first:last]
    assert papers[first:last].ids == [paper.paper_id for paper in expected[first:last]]
    assert [*papers.with_papers(whole)] == [*expected, *whole]
    assert [*as_named_papers(expected)] == expected
    assert as_named_papers(papers) is papers


def test_there_is_no_paper_beyond_the_last():
    with pytest.raises(IndexError):
        NamedPapers(["p"], [])[1]
    with pytest.raises(ValueError, match="place must be a slice with step 1, got step 2"):
        NamedPapers(["p"], [])[::2]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("journalArticle", "journal article"),  # Zotero
        ("newspaperArticle", "newspaper article"),
        ("computerProgram", "software"),
        ("webpage", "web page"),
        ("BookChapter", "chapter"),  # DataCite
        ("Article; Early Access", "journal article"),  # Web of Science
        ("journal-article", "journal article"),  # Crossref
        ("other", ""),
    ],
)
def test_type_names_are_recognised_with_and_without_spaces(text, name):
    assert type_of(text) == name
