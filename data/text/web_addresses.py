"""Addresses of the web: of these schemes only, because any other may run something."""

import re
from urllib.parse import quote

WEB_ADDRESS = re.compile(r"https?://[^\s/?#]\S*", re.IGNORECASE)


def is_web_address(text: str) -> bool:
    """Return whether a text is an address that may become a link: http or https, and without spaces.

    Examples
    --------
    >>> is_web_address("https://example.org/1"), is_web_address("javascript:alert(1)"), is_web_address("page 3")
    (True, False, False)
    """
    return WEB_ADDRESS.fullmatch(text) is not None


def doi_link(doi: str) -> str:
    """Return the address that a DOI resolves at.

    Examples
    --------
    >>> doi_link("10.1257/aer.1<2>")
    'https://doi.org/10.1257/aer.1%3C2%3E'
    """
    return f"https://doi.org/{quote(doi, safe='/:;().-_')}"
