"""Where on the web a paper stands, told from its id."""

import re
from urllib.parse import quote

from data.records import Paper

ARXIV = re.compile(r"arxiv:(\d{4}\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7})", re.IGNORECASE)
DOI = re.compile(r"(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
REPEC = re.compile(r"repec:[a-z0-9]{3}:[a-z0-9]{6}:\S+", re.IGNORECASE)
NBER = re.compile(r"nber:(w\d+)", re.IGNORECASE)


def link_of(paper: Paper) -> str | None:
    """Return the address of a paper; None where its id tells none.

    Examples
    --------
    >>> link_of(Paper("arXiv:1906.10651", "")), link_of(Paper("RePEc:nbr:nberwo:8697", ""))
    ('https://arxiv.org/abs/1906.10651', 'https://econpapers.repec.org/RePEc:nbr:nberwo:8697')
    >>> link_of(Paper("doi:10.1257/aer.84.4.772", ""))
    'https://doi.org/10.1257/aer.84.4.772'
    """
    if found := ARXIV.fullmatch(paper.paper_id):
        return f"https://arxiv.org/abs/{found[1]}"
    if found := DOI.fullmatch(paper.paper_id):
        return f"https://doi.org/{quote(found[1], safe='/:;().-_')}"
    if REPEC.fullmatch(paper.paper_id):
        return f"https://econpapers.repec.org/{quote(paper.paper_id, safe='/:;().-_')}"
    if found := NBER.fullmatch(paper.paper_id):
        return f"https://www.nber.org/papers/{found[1].lower()}"
    return None
