"""Tokenisation of papers, and operations on token lists. Each paper is tokenised once, when it is imported."""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import SIGNS, Paper, PaperTokens, TokenLists, Tokens, short_key, split_unspaced
from presort.ranker.text import author_keys, code_groups, plain_text, remove_stop_words

Numbers = Sequence[int] | NDArray[Any]

FIELDS = PaperTokens._fields
WORD = re.compile(rf"(?<![\w{SIGNS}])[^\W\d][\w{SIGNS}]+")  # matches words in texts returned by `split_unspaced`
ASCII_WORD = re.compile(WORD.pattern, re.ASCII)  # used for ASCII texts, because it is faster
TOKENISATION = "2"  # version of stored tokens; increase it whenever a change to `tokenise` affects its output


def tokenise(paper: Paper) -> PaperTokens:
    """Split a paper into the words of title and abstract (no stop words), author keys, and codes with their groups.

    Examples
    --------
    >>> tokenise(Paper("p1", "The Euro and Trust", "We ask.", ("Zoë Núñez",), ("E51",)))
    PaperTokens(title=['euro', 'trust'], abstract=['ask'], authors=['zoe_nunez'], codes=['E', 'E5', 'E51'])
    """
    title, abstract = remove_stop_words(_words(paper.title), _words(paper.abstract))
    fields = (title, abstract, author_keys(paper), code_groups(paper).split())
    return PaperTokens(*([short_key(token) for token in field] for field in fields))


def words_of(text: str) -> list[str]:
    """Return the words in a text, in lower case and without accents or stop words.

    Examples
    --------
    >>> words_of("The euro: Экономика труда, 经济学")
    ['euro', 'экономика', 'труда', '经济', '济学']
    """
    return remove_stop_words(_words(text))[0]


def _words(text: str) -> list[str]:
    plain = plain_text(text)
    return (ASCII_WORD if plain.isascii() else WORD).findall(split_unspaced(plain))


def tokens_of(papers: Sequence[Paper], vocabulary: Sequence[str] = ()) -> Tokens:
    """Tokenise papers. New tokens are appended to the vocabulary, so that existing tokens keep their numbers.

    Examples
    --------
    >>> tokens = tokens_of([Paper("p1", "Trust in money"), Paper("p2", "Old money")], ["money"])
    >>> list(tokens.vocabulary), tokens.title.values.tolist(), tokens.title.starts.tolist()
    (['money', 'trust', 'old'], [1, 0, 2, 0], [0, 2, 4])
    """
    numbers: defaultdict[str, int] = defaultdict(count(len(vocabulary)).__next__)
    numbers.update((token, number) for number, token in enumerate(vocabulary))
    values, lengths = ({field: array("i") for field in FIELDS} for _ in range(2))
    for paper in papers:
        for field, tokens in zip(FIELDS, tokenise(paper), strict=True):
            values[field].extend([numbers[token] for token in tokens])
            lengths[field].append(len(tokens))
    return Tokens(list(numbers), **{field: token_lists(values[field], lengths[field]) for field in FIELDS})


def token_lists(values: Numbers, lengths: Numbers) -> TokenLists:
    """Build token lists from their concatenated token numbers and the length of each list."""
    return TokenLists(np.array(values, dtype=np.int32), np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))


def rows_of(lists: TokenLists, rows: NDArray[np.intp]) -> TokenLists:
    """Select the lists of the given papers, in the given order."""
    lengths = np.diff(lists.starts)[rows]
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    places = np.arange(starts[-1]) + np.repeat(lists.starts[:-1][rows] - starts[:-1], lengths)
    return TokenLists(lists.values[places], starts)


def concatenate(*parts: TokenLists) -> TokenLists:
    """Concatenate token lists of different papers."""
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return token_lists(np.concatenate([part.values for part in parts]), lengths)


def side_by_side(first: TokenLists, second: TokenLists) -> TokenLists:
    """Concatenate, for each paper, its tokens in two fields.

    Examples
    --------
    >>> title, abstract = token_lists([1, 2, 3], [2, 1]), token_lists([7, 8], [0, 2])
    >>> side_by_side(title, abstract).values.tolist()
    [1, 2, 3, 7, 8]
    """
    owner = np.concatenate([np.repeat(np.arange(len(lists)), np.diff(lists.starts)) for lists in (first, second)])
    order = np.argsort(owner, kind="stable")
    return TokenLists(np.concatenate([first.values, second.values])[order], first.starts + second.starts)


def map_fields(work: Callable[..., TokenLists], *tokens: Tokens, vocabulary: Sequence[str]) -> Tokens:
    """Apply a function of token lists to each of the four fields."""
    return Tokens(vocabulary, **{field: work(*(getattr(one, field) for one in tokens)) for field in FIELDS})


def select_papers(tokens: Tokens, rows: NDArray[np.intp]) -> Tokens:
    """Select the tokens of the given papers, in the given order."""
    return map_fields(lambda lists: rows_of(lists, rows), tokens, vocabulary=tokens.vocabulary)
