"""Tokenisation of texts, and selection and concatenation of token lists."""

import unicodedata
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import Paper
from presort.ranker.explain import find_spelling
from presort.ranker.text import stop_words
from presort.ranker.tokens import (
    FIELDS,
    concatenate,
    map_fields,
    rows_of,
    select_papers,
    side_by_side,
    token_lists,
    tokenise,
    tokens_of,
    words_of,
)

PIECES = ["the", "The", "euro", "Économie", "naïve", "G7", "7th", "x", "_a", "don't", "re-ask", "İ", "ß", "αβ", "a²"]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join), st.text("aéZñ1_-' \n.İßόΣ²the", max_size=30)
)
PAPERS = st.builds(
    Paper,
    st.just("p"),
    TEXTS,
    TEXTS,
    st.lists(st.sampled_from(["Ada Low", "Zoë Núñez", "Ada Low, Bo Ek", "Ek, Bo", " "]), max_size=3).map(tuple),
    st.lists(st.sampled_from(["E51", "e5", "L", "G12 L1", ""]), max_size=3).map(tuple),
)
LISTS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6)


def slow_words(text):
    """Read a text character by character."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    # these texts consist only of accents
    plain = [letter for letter in decomposed if not unicodedata.combining(letter)]
    runs = groupby(plain, key=lambda letter: letter.isalnum() or letter == "_")
    words = ["".join(run) for is_word, run in runs if is_word]
    words = [word for word in words if len(word) > 1 and (word[0].isalpha() or word[0] == "_")]
    return [word for word in words if word not in stop_words(words)]


def as_lists(tokens):
    """Return the token numbers of each paper."""
    return [tokens.values[start:end].tolist() for start, end in pairwise(tokens.starts)]


def from_lists(lists):
    return token_lists([number for numbers in lists for number in numbers], [len(numbers) for numbers in lists])


def spelled_out(tokens):
    """Return the tokens of each field of each paper as strings."""
    return {
        field: [[tokens.vocabulary[number] for number in numbers] for numbers in as_lists(getattr(tokens, field))]
        for field in FIELDS
    }


@given(TEXTS)
def test_words_agree_with_a_reader_by_letter(text):
    assert words_of(text) == slow_words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The Euro, and THE trust", ["euro", "trust"], id="stop-words-and-case"),
        pytest.param("Économie naïve", ["economie", "naive"], id="accents"),
        pytest.param("7th G7 x 2020", ["g7"], id="digits-first-and-single-letters"),
        pytest.param("co-author's re_ask", ["author", "re_ask"], id="punctuation-parts"),
        pytest.param("αβδ abδ", ["αβδ", "abδ"], id="other-scripts"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_words_by_hand(text, expected):
    assert words_of(text) == expected


def test_a_long_token_is_hashed_but_spelled_in_full():
    """PostgreSQL accepts at most 2,704 bytes."""
    names = ", ".join(f"Ng{number}" for number in range(900))
    paper, other = (
        Paper("p", "\N{CYRILLIC SMALL LETTER A}" * 3_000, "", (one,), ("x" * 3_000,)) for one in (names, names + "0")
    )
    tokens = tokenise(paper)
    assert max(len(token.encode()) for field in tokens for token in field) < 300
    assert tokens.authors != tokenise(other).authors
    assert find_spelling(paper, "authors", tokens.authors[0]) == ("author", names)


@given(st.lists(PAPERS, max_size=5))
def test_tokens_of_papers_are_those_of_each_paper(papers):
    tokens = tokens_of(papers)
    assert len(tokens) == len(papers)
    each = [tokenise(paper) for paper in papers]
    assert spelled_out(tokens) == {field: [list(getattr(one, field)) for one in each] for field in FIELDS}
    assert len(set(tokens.vocabulary)) == len(tokens.vocabulary)
    assert {(lists.values.dtype, lists.starts.dtype) for lists in (tokens.title, tokens.codes)} == {
        (np.dtype(np.int32), np.dtype(np.int64))
    }


@given(st.lists(PAPERS, max_size=3), st.lists(PAPERS, max_size=3))
def test_a_vocabulary_is_continued(first, second):
    before = tokens_of(first)
    after = tokens_of(second, before.vocabulary)
    assert list(after.vocabulary[: len(before.vocabulary)]) == list(before.vocabulary)
    assert spelled_out(after) == spelled_out(tokens_of(second))
    both = map_fields(concatenate, before, after, vocabulary=after.vocabulary)
    assert spelled_out(both) == spelled_out(tokens_of([*first, *second]))


@given(LISTS.filter(len), st.data())
def test_token_lists_of_selected_papers(lists, data):
    rows = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=8))
    assert as_lists(rows_of(from_lists(lists), np.array(rows, dtype=np.intp))) == [lists[row] for row in rows]


@given(st.lists(LISTS, min_size=1, max_size=3))
def test_token_lists_are_concatenated(parts):
    expected = [numbers for part in parts for numbers in part]
    assert as_lists(concatenate(*(from_lists(part) for part in parts))) == expected


@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=4), st.lists(st.integers(0, 9), max_size=4))))
def test_fields_are_joined_side_by_side(papers):
    first, second = (from_lists([paper[field] for paper in papers]) for field in (0, 1))
    assert as_lists(side_by_side(first, second)) == [[*title, *abstract] for title, abstract in papers]


@given(st.lists(PAPERS, max_size=4), st.data())
def test_selection_applies_to_all_four_fields(papers, data):
    rows = data.draw(st.lists(st.integers(0, len(papers) - 1), max_size=5)) if papers else []
    found = select_papers(tokens_of(papers), np.array(rows, dtype=np.intp))
    assert spelled_out(found) == spelled_out(tokens_of([papers[row] for row in rows]))
