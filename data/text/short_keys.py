"""Texts that things are looked up by, no longer than an index of PostgreSQL takes: 2,704 bytes."""

import hashlib

LONGEST, HEAD = 200, 100  # letters


def short_key(text: str) -> str:
    """Return a text, or of a long one its beginning and a digest of all of it.

    Examples
    --------
    >>> short_key("wages"), len(short_key("wages" * 1_000))
    ('wages', 164)
    """
    if len(text) <= LONGEST:
        return text
    return text[:HEAD] + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
