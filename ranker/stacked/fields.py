"""Term vectors of papers: the tf-idf vector of each field, scaled to the field's weight and concatenated."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from presort.data.records import TokenLists, Tokens
from presort.ranker.terms import Limits, Terms, learn_terms


@dataclass(frozen=True)
class Field:
    """Settings for a paper field.

    Attributes
    ----------
    lists : callable
        Function that extracts the field's token lists from the papers' tokens.
    limits : Limits
        Limits on the document frequency of terms.
    weight : float
        Weight relative to the other fields.
    """

    lists: Callable[[Tokens], TokenLists]
    limits: Limits
    weight: float


@dataclass(frozen=True, eq=False)
class FieldTerms:
    """A field's terms, and their inverse document frequencies, shape (n_terms,)."""

    terms: Terms
    idf: NDArray[np.float64]

    def weigh(self, counts: csr_array, weight: float) -> csr_array:
        """Convert counts to sublinear tf-idf in single precision. Each row is scaled to length `weight`."""
        values = (1 + np.log(counts.data.astype(np.float64))) * self.idf[counts.indices]
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(rows, values**2, minlength=counts.shape[0]))
        values *= weight / lengths[rows]
        return csr_array((values.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)


@dataclass(frozen=True, eq=False)
class LearnedFields:
    """Paper fields, with the terms that were learned from past papers."""

    fields: Mapping[str, Field]
    learned: Mapping[str, FieldTerms]

    def rows(self, tokens: Tokens) -> Any:
        """Return the term vectors of papers as a CSR array of shape (n_papers, n_terms)."""
        return _side_by_side(
            of_field.weigh(of_field.terms.counts(field.lists(tokens), tokens.vocabulary), field.weight)
            for field, of_field in zip(self.fields.values(), self.learned.values(), strict=True)
        )

    def names(self) -> list[tuple[str, str]]:
        """Return the field and the term of each column. An empty field has one column without a term."""
        return [(field, name) for field, of_field in self.learned.items() for name in of_field.terms.names() or [""]]

    def columns(self, field: str) -> slice:
        """Return the columns that belong to a field."""
        widths = [max(1, len(of_field.terms)) for of_field in self.learned.values()]
        place = list(self.learned).index(field)
        return slice(sum(widths[:place]), sum(widths[: place + 1]))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the terms and their inverse document frequencies as arrays, for storage."""
        found: dict[str, NDArray[Any]] = {}
        for field, of_field in self.learned.items():
            text = "\n".join(of_field.terms.words).encode()
            found[f"{field} words"] = np.frombuffer(text, dtype=np.uint8)
            found[f"{field} codes"] = of_field.terms.codes
            found[f"{field} idf"] = of_field.idf
        return found


def learn_fields(fields: Mapping[str, Field], tokens: Tokens) -> tuple[LearnedFields, Any]:
    """Learn terms from past papers. Also return the term vectors, a CSR array of shape (n_papers, n_terms)."""
    learned, parts = {}, []
    for name, field in fields.items():
        terms, counts = learn_terms(field.lists(tokens), tokens.vocabulary, field.limits)
        learned[name] = FieldTerms(terms, _idf(counts))
        parts.append(learned[name].weigh(counts, field.weight))
    return LearnedFields(fields, learned), _side_by_side(iter(parts))


def fields_from(fields: Mapping[str, Field], arrays: Mapping[str, NDArray[Any]]) -> LearnedFields:
    """Restore the fields from the arrays of `LearnedFields.arrays`."""
    learned = {}
    for name in fields:
        words: Sequence[str] = arrays[f"{name} words"].tobytes().decode().split("\n")
        learned[name] = FieldTerms(Terms(words, arrays[f"{name} codes"]), arrays[f"{name} idf"])
    return LearnedFields(fields, learned)


def _idf(counts: csr_array) -> NDArray[np.float64]:
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: NDArray[np.float64] = np.log((1 + counts.shape[0]) / (1 + df)) + 1
    return idf


def _side_by_side(parts: Iterator[csr_array]) -> Any:
    rows = hstack(list(parts), format="csr", dtype=np.float32)
    rows.sort_indices()
    return rows
