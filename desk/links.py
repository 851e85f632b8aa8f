"""Web addresses for a paper, derived from its DOI, its id and the URL given by its source."""

import re
from urllib.parse import quote

from presort.data.records import Paper
from presort.data.text.web_addresses import doi_link, is_web_address

ARXIV = re.compile(r"arxiv:(\d{4}\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7})", re.IGNORECASE)
DOI = re.compile(r"(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
REPEC = re.compile(r"repec:[a-z0-9]{3}:[a-z0-9]{6}:\S+", re.IGNORECASE)
NBER = re.compile(r"nber:(w\d+)", re.IGNORECASE)


def links_of(paper: Paper) -> list[str]:
    """Return up to two web addresses for a paper: its landing page and the URL given by its source.

    The landing page is at the first of these sites for which the paper has an identifier: arXiv, the DOI resolver,
    RePEc, NBER.

    Examples
    --------
    >>> links_of(Paper("RePEc:nbr:nberwo:8697", "", doi="10.3386/w8697", url="https://a.example/1.pdf"))
    ['https://doi.org/10.3386/w8697', 'https://a.example/1.pdf']
    >>> links_of(Paper("arXiv:1906.10651", "")), links_of(Paper("RePEc:nbr:nberwo:8697", ""))
    (['https://arxiv.org/abs/1906.10651'], ['https://econpapers.repec.org/RePEc:nbr:nberwo:8697'])
    >>> links_of(Paper("p1", "", url="javascript:alert(1)"))
    []
    """
    own = next((text for text in (paper.url, paper.paper_id) if is_web_address(text) and not DOI.fullmatch(text)), "")
    return list(dict.fromkeys(filter(None, (_page(paper), own))))


def link_of(paper: Paper) -> str | None:
    """Return the first address from `links_of`, or None if the paper has no address.

    Examples
    --------
    >>> link_of(Paper("doi:10.1257/aer.84.4.772", "")), link_of(Paper("p1", ""))
    ('https://doi.org/10.1257/aer.84.4.772', None)
    """
    return next(iter(links_of(paper)), None)


def _page(paper: Paper) -> str:
    if found := ARXIV.fullmatch(paper.paper_id):
        return f"https://arxiv.org/abs/{found[1]}"
    if found := DOI.fullmatch(paper.paper_id) or DOI.fullmatch(paper.doi):
        return doi_link(found[1])
    if REPEC.fullmatch(paper.paper_id):
        return f"https://econpapers.repec.org/{quote(paper.paper_id, safe='/:;().-_')}"
    if found := NBER.fullmatch(paper.paper_id):
        return f"https://www.nber.org/papers/{found[1].lower()}"
    return ""
