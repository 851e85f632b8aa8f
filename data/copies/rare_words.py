"""Which papers a paper may be a copy of: those that share its rarest words, of the title and of authors' names."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from presort.data.copies.papers import Papers
from presort.data.index.keys import keys_of
from presort.data.index.paper_index import Numbers

RAREST = 10  # words of a paper by which others are looked for
COMPARED = 10  # papers looked at closely for each new one


def alike(papers: Papers, words: Mapping[int, Sequence[str]]) -> dict[int, list[int]]:
    """Find the earlier papers that share rare words with each of some.

    Parameters
    ----------
    papers : Papers
        Those that they are among.
    words : mapping from number to words
        Those of the papers for which others are looked for.

    Returns
    -------
    dict from number to list of int
        At most `COMPARED` papers of lower numbers, likeliest first.
    """
    asked = sorted({word for of_paper in words.values() for word in of_paper})
    counts = papers.count(asked)
    wanted = {number: _rare(of_paper, counts) for number, of_paper in words.items()}
    having = papers.having("word", sorted({word for rare in wanted.values() for word in rare}))
    places = _first_places(papers, having, (rare for rare in wanted.values() if len(rare) > RAREST))
    weights = dict(zip(asked, _weights(papers.n_papers, [counts[word] for word in asked]), strict=True))
    sums = np.zeros(papers.end)
    found = {}
    for number, rare in wanted.items():
        rarest = sorted(rare, key=lambda word: (counts[word], places.get(word, (0, 0))))[:RAREST]
        found[number] = _likeliest(sums, [(having[word], weights[word]) for word in rarest], number)
    return found


def _rare(words: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return the rarest words of a paper: more than `RAREST` where some are as rare as the last of them."""
    if len(words) <= RAREST:
        return list(words)
    most = sorted(counts[word] for word in words)[RAREST - 1]
    return [word for word in words if counts[word] <= most]


def _first_places(
    papers: Papers, having: Mapping[str, Numbers], lists: Iterable[Sequence[str]]
) -> dict[str, tuple[int, int]]:
    """Return of words the first paper that has each, and its place there: of words as rare, the older go first."""
    first = {word: int(having[word][0]) for of_paper in lists for word in of_paper}
    at_hand = papers.read(set(first.values()))
    order = {number: keys_of(one.paper_id, one.title, one.authors).words for number, one in at_hand.items()}
    return {word: (number, order[number].index(word)) for word, number in first.items()}


def _weights(n_papers: int, counts: Sequence[int]) -> list[float]:
    found: list[float] = np.log(1 + n_papers / np.array(counts)).tolist()
    return found


def _likeliest(sums: NDArray[np.float64], of_words: Sequence[tuple[Numbers, float]], before: int) -> list[int]:
    """Return the papers, below a number, whose words weigh most; `sums` is a row of zeros, and is one again after it.

    A paper is added to once for each word, so that of the `RAREST` times as many highest sums none is missing.
    """
    touched = []
    for numbers, weight in of_words:
        earlier = numbers[: np.searchsorted(numbers, before)]
        sums[earlier] += weight
        touched.append(earlier)
    papers = np.concatenate(touched) if touched else np.empty(0, np.int64)
    weighed = sums[papers]
    sums[papers] = 0.0
    n = RAREST * COMPARED
    if len(papers) > n:
        is_high = weighed >= np.partition(weighed, -n)[-n]
        papers, weighed = papers[is_high], weighed[is_high]
    papers, at = np.unique(papers, return_index=True)
    best = np.lexsort((papers, -weighed[at]))[:COMPARED]
    likeliest: list[int] = papers[best].tolist()
    return likeliest
