"""Validate email addresses and convert their domains between Unicode and ASCII (punycode)."""

import re
import unicodedata

from presort.data.errors import RefusedError

LONGEST_ADDRESS, LONGEST_LOCAL = 254, 64  # maximum length in characters: whole address, and part before the @
LONGEST_TEXT = 1_000  # maximum length of input before normalisation, which may compose combining marks
LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")  # dot-atom of RFC 5322
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")  # domain label in ASCII


def validate_address(text: str) -> str:
    """Validate an email address and return it in the form to store, with the domain in lower-case Unicode.

    Raises
    ------
    RefusedError
        If `text` is not exactly one valid email address, for example because it includes a display name.

    Examples
    --------
    >>> validate_address(" Ann.Lee@Bücher.Example "), ascii_address("Ann.Lee@bücher.example")
    ('Ann.Lee@bücher.example', 'Ann.Lee@xn--bcher-kva.example')
    """
    if len(text) > LONGEST_TEXT:  # check this first, because normalising or encoding a long string can take minutes
        raise RefusedError(f"The address is longer than {LONGEST_ADDRESS} characters: {text[:50]!r}….")
    local, _, domain = text.strip().rpartition("@")
    written, shown = _ascii_and_unicode(domain)
    address = f"{local}@{shown}"
    if not written or not LOCAL.fullmatch(local) or len(local) > LONGEST_LOCAL:
        raise RefusedError(f"{text!r} is not an email address. Enter a single address, such as ann@example.org.")
    if len(f"{local}@{written}") > LONGEST_ADDRESS:
        raise RefusedError(f"The address is longer than {LONGEST_ADDRESS} characters: {text!r}.")
    return address


def ascii_address(address: str) -> str:
    """Return an email address with the domain in ASCII, as mail servers require.

    Raises
    ------
    RefusedError
        If the address is invalid.
    """
    local, _, domain = validate_address(address).rpartition("@")
    return f"{local}@{_ascii_and_unicode(domain)[0]}"


def _ascii_and_unicode(domain: str) -> tuple[str, str]:
    """Return a domain in ASCII, for mail servers, and in Unicode. Returns two empty strings if it is invalid.

    Python implements the old IDNA 2003 standard, which replaces some letters, such as ß with ss. Domains with these
    letters are accepted only in their ASCII form.
    """
    asked = unicodedata.normalize("NFC", domain).lower()
    try:
        written = asked if asked.isascii() else asked.encode("idna").decode("ascii")
    except UnicodeError:
        return "", ""
    try:
        shown = written.encode("ascii").decode("idna")
    except UnicodeError:
        shown = written
    labels = written.split(".")
    is_domain = len(labels) > 1 and all(LABEL.fullmatch(label) for label in labels) and not labels[-1].isdigit()
    return (written, shown) if is_domain and asked in (written, shown) else ("", "")
