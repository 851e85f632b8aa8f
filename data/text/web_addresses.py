"""Web addresses that may be shown as links. Only http and https are allowed, because other schemes can run code."""

import re
from urllib.parse import quote

WEB_ADDRESS = re.compile(r"https?://[^\s/?#]\S*", re.IGNORECASE)


def is_web_address(text: str) -> bool:
    """Return True if a string is an http or https URL without spaces, so that it may be shown as a link.

    Examples
    --------
    >>> is_web_address("https://example.org/1"), is_web_address("javascript:alert(1)"), is_web_address("page 3")
    (True, False, False)
    """
    return WEB_ADDRESS.fullmatch(text) is not None


def doi_link(doi: str) -> str:
    """Return the URL of a DOI.

    Examples
    --------
    >>> doi_link("10.1257/aer.1<2>")
    'https://doi.org/10.1257/aer.1%3C2%3E'
    """
    return f"https://doi.org/{quote(doi, safe='/:;().-_')}"
