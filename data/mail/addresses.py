"""Mail addresses, checked and in the spellings of people and of mail servers."""

import re
import unicodedata

from presort.data.errors import RefusedError

LONGEST_ADDRESS, LONGEST_LOCAL = 254, 64  # characters that mail servers accept, in total and before the @
LONGEST_TEXT = 1_000  # characters that are looked at; of marks on letters, several can become one
LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")  # RFC 5322, dot-atom
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")  # between the dots of a domain, as mail servers write it


def checked_address(text: str) -> str:
    """Return a mail address as it is kept: the domain in lower case, with the letters of its language.

    Raises
    ------
    RefusedError
        If it is not exactly one plain address.

    Examples
    --------
    >>> checked_address(" Ann.Lee@Bücher.Example "), ascii_address("Ann.Lee@bücher.example")
    ('Ann.Lee@bücher.example', 'Ann.Lee@xn--bcher-kva.example')
    """
    if len(text) > LONGEST_TEXT:  # some take minutes to compose, or to turn into ASCII
        raise RefusedError(f"An address can have {LONGEST_ADDRESS} characters, this one is longer: {text[:50]!r}….")
    local, _, domain = text.strip().rpartition("@")
    written, shown = _spellings(domain)
    address = f"{local}@{shown}"
    if not written or not LOCAL.fullmatch(local) or len(local) > LONGEST_LOCAL:
        raise RefusedError(f"{text!r} is no mail address; write one alone, such as ann@example.org.")
    if len(f"{local}@{written}") > LONGEST_ADDRESS:
        raise RefusedError(f"An address can have {LONGEST_ADDRESS} characters, this one is longer: {text!r}.")
    return address


def ascii_address(address: str) -> str:
    """Return an address as mail servers write it: other letters of the domain in ASCII.

    Raises
    ------
    RefusedError
        If it is no address.
    """
    local, _, domain = checked_address(address).rpartition("@")
    return f"{local}@{_spellings(domain)[0]}"


def _spellings(domain: str) -> tuple[str, str]:
    """Return a domain in ASCII, for mail servers, and in its own letters. Empty if it is invalid.

    The rule for this is an older one: of what it would turn into another domain, such as ß into ss, only the spelling
    in ASCII is taken.
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
