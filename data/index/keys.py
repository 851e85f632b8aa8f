"""The keys by which a paper is looked up: words of title and authors, id and DOI, whatever way they are written."""

import re
from typing import Literal, NamedTuple

from presort.data.text.plain_words import plain_words
from presort.data.text.short_keys import short_key

Kind = Literal["word", "id", "doi"]

ARXIV = re.compile(r"(?:oai:)?(?:https?://)?(?:export\.)?arxiv(?:\.org)?(?:/abs/|/pdf/|:)(.+?)(?:v\d+)?(?:\.pdf)?")
DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)")
ARXIV_DOI = "10.48550/arxiv."
RECORD = re.compile("repec:|arxiv:|oai:")
EVERYWHERE = re.compile(r"repec:|arxiv:|oai:|https?://|(?:doi:\s*)?10\.[0-9]{4,9}/", re.IGNORECASE)


class Keys(NamedTuple):
    """The keys of a paper.

    Attributes
    ----------
    words : tuple of str
        Once each, in the order in which they stand in the title and then in the authors' names.
    id, doi : str
        Empty if the paper has none.
    """

    words: tuple[str, ...]
    id: str
    doi: str


def keys_of(paper_id: str, title: str, authors: tuple[str, ...], doi: str = "") -> Keys:
    """Return the keys of a paper; an id that is a DOI itself is one, too.

    Examples
    --------
    >>> keys_of("arXiv:1701.1v2", "Wages and more wages", ("Zoë Núñez",))
    Keys(words=('wages', 'and', 'more', 'zoe', 'nunez'), id='arxiv:1701.1', doi='')
    """
    words = dict.fromkeys(plain_words(" ".join([title, *authors])))
    return Keys(tuple(map(short_key, words)), short_key(id_key(paper_id)), short_key(plain_doi(doi or paper_id)))


def id_key(paper_id: str) -> str:
    """Return what the ids of all versions of a paper have in common.

    Examples
    --------
    >>> id_key("http://arxiv.org/abs/1701.00317v2"), id_key("oai:arXiv.org:1701.00317"), id_key("RePEc:nbr:nberwo:1")
    ('arxiv:1701.00317', 'arxiv:1701.00317', 'repec:nbr:nberwo:1')
    """
    key = paper_id.strip().casefold()
    if doi := DOI.fullmatch(key):
        key = doi[1].replace(ARXIV_DOI, "arxiv:")
    found = ARXIV.fullmatch(key)
    return f"arxiv:{found[1]}" if found else key


def means_one_paper(paper_id: str) -> bool:
    """Return whether an id means the same paper in every file: a handle, DOI, number of arXiv or address.

    Examples
    --------
    >>> means_one_paper("RePEc:nbr:nberwo:1"), means_one_paper("lee2019"), means_one_paper("3")
    (True, False, False)
    """
    return EVERYWHERE.match(paper_id) is not None


def is_of_record(paper_id: str) -> bool:
    """Return whether an id is that of a record in an archive: a handle, a number of arXiv or of OAI.

    Examples
    --------
    >>> is_of_record("RePEc:nbr:nberwo:1"), is_of_record("10.1257/aer.1")
    (True, False)
    """
    return RECORD.match(id_key(paper_id)) is not None


def plain_doi(text: str) -> str:
    """Return a DOI in lower case, without what may stand before it; empty if the text is none.

    Examples
    --------
    >>> plain_doi("doi: 10.1257/AER.1"), plain_doi("none")
    ('10.1257/aer.1', '')
    """
    found = DOI.fullmatch(text.strip().casefold())
    return found[1] if found else ""
