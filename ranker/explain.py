"""Explanation of a paper's rank: contributions to its score, and similar papers that were relevant in past issues."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from presort.data.records import RUN, Paper, Rows, person_key, short_key, split_unspaced
from presort.ranker.recipe import Reason, Similar, Table
from presort.ranker.text import plain_text


def shares(amounts: Iterable[tuple[str, str, float]]) -> list[Reason]:
    """Convert contributions to a score into reasons, largest first.

    A contribution consists of field, text and amount. Contributions with the same field and text are summed.

    Examples
    --------
    >>> shares([("word", "trade", 3.0), ("author", "Bo Ek", -2.0), ("word", "trade", 3.0), ("word", "of", 0.0)])
    [Reason(field='word', text='trade', share=0.75), Reason(field='author', text='Bo Ek', share=-0.25)]
    """
    sums: defaultdict[tuple[str, str], float] = defaultdict(float)
    for field, text, amount in amounts:
        sums[field, text] += amount
    whole = sum(abs(amount) for amount in sums.values())
    found = [Reason(field, text, amount / whole) for (field, text), amount in sums.items() if amount]
    return sorted(found, key=lambda reason: (-abs(reason.share), reason.field, reason.text))


def find_spelling(paper: Paper, field: str, term: str) -> tuple[str, str]:
    """Return the field of a paper in which a term occurs, and the term's spelling in that field.

    Parameters
    ----------
    field : str
        Field from which the ranker read the term: "authors", "codes", or any other value for running text.
    term : str
        Term in the ranker's vocabulary.

    Examples
    --------
    >>> paper = Paper("p1", "Trust", authors=("Zoë Núñez",), codes=("E51",))
    >>> find_spelling(paper, "authors", "zoe_nunez"), find_spelling(paper, "words", "zoe nunez")
    (('author', 'Zoë Núñez'), ('author', 'Zoë Núñez'))
    >>> find_spelling(paper, "codes", "E5")
    ('code', 'E5')
    >>> find_spelling(Paper("p1", "经济学"), "words", "经济 济学")
    ('word', '经济学')
    """
    if field == "authors":
        return "author", next((name for name in paper.authors if short_key(person_key(name)) == term), term)
    if field == "codes":
        return "code", term
    words = set(term.split())
    if not words:  # the term is whitespace, from a ranker with character n-grams
        return "word", term
    if words <= _words(f"{paper.title} {paper.abstract}"):
        return "word", _merge_pairs(term)
    if name := next((name for name in paper.authors if words & _words(name)), None):
        return "author", name
    if words <= _words(" ".join(paper.codes)):
        return "code", term
    return ("series" if words <= _words(paper.series) else "word"), term


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", split_unspaced(plain_text(text))))


def _merge_pairs(term: str) -> str:
    """Merge a term's overlapping character pairs into one string, for scripts that don't use spaces."""
    first, *others = term.split()
    for word in others:
        is_overlap = RUN.fullmatch(word) and first[-1] == word[0]
        first += word[1:] if is_overlap else f" {word}"
    return first


def find_similar(of_paper: Any, others: Any, rows: Sequence[int], n: int) -> list[Similar]:
    """Return the papers that are most similar to a given paper, as measured by the cosine between their terms.

    Parameters
    ----------
    of_paper, others : CSR arrays of shape (1, n_terms) and (n_others, n_terms)
        Terms of the paper and of the other papers.
    rows : sequence of int
        Rows of the other papers in the `Task`.
    n : int
        Maximum number of papers to return. Papers that share no term with the paper are not returned.
    """
    lengths = np.sqrt(_squares(others) * _squares(of_paper)[0])
    cosines = (others @ of_paper.T).toarray().ravel() / np.where(lengths > 0, lengths, 1)
    best = np.argsort(-cosines, kind="stable")[:n]
    return [Similar(int(rows[one]), float(cosines[one])) for one in best if cosines[one] > 0]


def find_similar_vectors(vectors: Table, row: int, rows: Rows, n: int) -> list[Similar]:
    """Return the papers that are most similar to a given paper, as measured by the cosine between their vectors.

    Parameters
    ----------
    vectors : array of shape (n_papers, n_numbers)
        Sentence vectors of all papers.
    row : int
        Row of the paper.
    rows : array of shape (n_others,)
        Rows of the other papers. Papers without a vector are not returned.
    n : int
        Maximum number of papers to return.
    """
    of_paper, others = vectors[row].astype(np.float64), vectors[rows].astype(np.float64)
    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(of_paper)
    cosines = (others @ of_paper) / np.where(lengths > 0, lengths, 1)
    best = np.argsort(-cosines, kind="stable")[:n]
    return [Similar(int(rows[one]), min(float(cosines[one]), 1.0)) for one in best if cosines[one] > 0]


def _squares(rows: Any) -> Table:
    squares: Table = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return squares


def terms_of(row: Any, names: Sequence[tuple[str, str]], weights: Table) -> list[tuple[str, str, float]]:
    """Return the field, name and contribution of each term in a paper's row, a CSR array of shape (1, n_terms)."""
    amounts = row.data * weights[row.indices]
    return [(*names[term], float(amount)) for term, amount in zip(row.indices.tolist(), amounts, strict=True)]


def spell_terms(paper: Paper, amounts: Iterable[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    """Replace each term with its spelling in the paper."""
    return [(*find_spelling(paper, field, term), amount) for field, term, amount in amounts]
