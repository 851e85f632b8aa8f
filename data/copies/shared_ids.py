"""Decide whether papers that share an id, a DOI or an address are the same, or only from one book or page."""

from typing import Literal

from presort.data.copies.same_abstract import Agreement, agreement
from presort.data.copies.same_authors import LEAST_SHARE, names_of, same_authors
from presort.data.copies.same_title import is_generic, same_title
from presort.data.copies.title_words import other_words
from presort.data.records import Paper
from presort.data.text.plain_words import plain_words

Relation = Literal["same", "possible", "different"]


def relation(one: Paper, other: Paper, *, is_of_record: bool) -> Relation:
    """Return how two papers with a common identifier are related.

    Parameters
    ----------
    is_of_record : bool
        Whether the identifier is that of a record in an archive, of which all texts may change: a handle, a number of
        arXiv or of OAI. A DOI or an address may be that of a book, a supplement or a page with many papers.

    Examples
    --------
    >>> wages, trade = Paper("", "Wages in towns", authors=("Ann Lee",)), Paper("", "Trade", authors=("Cy Oz",))
    >>> relation(wages, trade, is_of_record=False), relation(wages, trade, is_of_record=True)
    ('different', 'different')
    >>> retitled = Paper("", "Pay and work", authors=("Ann Lee",))
    >>> relation(wages, retitled, is_of_record=False), relation(wages, retitled, is_of_record=True)
    ('possible', 'same')
    """
    texts, other_texts = ((paper.title, paper.authors, paper.abstract) for paper in (one, other))
    if texts == other_texts and not is_generic(one.title):  # most papers that come in again; saves time
        return "same"
    authors, abstracts = _same_authors(one, other), agreement(one.abstract, other.abstract)
    if _alike_titles(one, other, authors, abstracts):
        return "same"
    if is_of_record:
        is_another = not abstracts if authors is False else authors is None and abstracts is Agreement.UNLIKE
        return "different" if is_another else "same"
    if abstracts is not None and abstracts >= Agreement.CLOSE and authors is not False:
        return "same"
    return "possible" if authors or abstracts else "different"


def _same_authors(one: Paper, other: Paper) -> bool | None:
    if not names_of(one.authors) or not names_of(other.authors):
        return None
    return same_authors(one.authors, other.authors).share >= LEAST_SHARE


def _alike_titles(one: Paper, other: Paper, authors: bool | None, abstracts: Agreement | None) -> bool:
    """Return whether two titles agree and nothing else contradicts that the papers are the same."""
    if authors is False and abstracts is Agreement.UNLIKE:
        return False
    if is_generic(one.title) or is_generic(other.title):
        is_one_title = plain_words(one.title) == plain_words(other.title)
        return (
            is_one_title and _is_one_series(one, other) and authors is not False and abstracts is not Agreement.UNLIKE
        )
    titles = same_title(one.title, other.title)
    if titles is None or titles.is_far or other_words(titles.slips, one, other):
        return False
    return titles.is_whole or abstracts is not Agreement.UNLIKE


def _is_one_series(one: Paper, other: Paper) -> bool:
    return not one.series or not other.series or plain_words(one.series) == plain_words(other.series)
