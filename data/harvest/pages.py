"""Parser for a page of an OAI-PMH list: records, and the resumption token for the next page.

If a page is malformed, it is split at the start tags of its records, and each record is parsed separately and repaired
if necessary. That way, a stray character makes at most one record unreadable.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from lxml import etree  # type: ignore[import-untyped]

from presort.data.harvest.errors import HarvestError, LostTokenError
from presort.data.importers.xml_records import (
    DECLARED,
    LARGEST_START,
    NAMESPACE,
    IllFormedXmlError,
    document_start,
    parse_repaired,
)
from presort.data.safe_xml import UnsafeXmlError, parse_xml

RECORD = re.compile(r"<(?:[\w.-]+:)?record(?=[\s>])")
ENDS = re.compile(r"<(?:[\w.-]+:)?resumptionToken\b|</(?:[\w.-]+:)?ListRecords\s*>")
IDENTIFIER = re.compile(r"<(?:[\w.-]+:)?identifier[^>]*>([^<]{1,200})<")
DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
OAI = "{http://www.openarchives.org/OAI/2.0/}"
NOTHING_NEW = "noRecordsMatch"
LOST_TOKEN = "badResumptionToken"  # noqa: S105  (the name of an error)
REASONS = {
    "badArgument": "the repository rejected the options. Check the set and the dates",
    "badVerb": "this is not the URL of an OAI-PMH 2.0 repository",
    "cannotDisseminateFormat": "the repository doesn't offer this format. Try --format oai_dc",
    "idDoesNotExist": "the repository has no such record",
    "noMetadataFormats": "the repository offers no metadata formats",
    "noSetHierarchy": "the repository has no sets. Omit --set",
}


@dataclass(frozen=True, slots=True)
class Damage:
    """Fault in a record on a malformed page.

    Attributes
    ----------
    record : str
        Identifier of the record, or a placeholder if the identifier is unreadable.
    reason : str
        Description of the fault and of how it was repaired.
    is_skipped : bool
        True if the record could not be repaired and was skipped.
    """

    record: str
    reason: str
    is_skipped: bool


@dataclass(frozen=True)
class Page:
    """One page in a list of records.

    Attributes
    ----------
    root : Element
        Root element of the page.
    records : list of Element
        The ``record`` elements on the page.
    token : str
        Resumption token. Empty on the last page.
    answered : str
        Response date according to the repository's clock, as an unparsed string.
    n_total : int or None
        Number of records in the whole list, possibly an estimate. None if the repository doesn't report it.
    damages : tuple of Damage
        Faults in the records that were repaired or skipped.
    """

    root: etree._Element
    records: list[etree._Element]
    token: str
    answered: str
    n_total: int | None
    damages: tuple[Damage, ...] = ()


def read_page(url: str, content: bytes) -> Page:
    """Parse a page.

    Parameters
    ----------
    url : str
        URL of the repository, used in messages.
    content : bytes
        Response of the repository.

    Raises
    ------
    LostTokenError
        If the repository rejected the resumption token.
    HarvestError
        If the content is not an OAI-PMH page, or the repository rejected the request.
    """
    root, damages = _parse_page(url, content)
    if root.tag != f"{OAI}OAI-PMH":
        raise HarvestError(f"{url} is not an OAI-PMH 2.0 repository: its response begins with {root.tag}.")
    for refusal in root.iterfind(f"{OAI}error"):
        _raise_refusal(url, refusal.get("code", ""), " ".join("".join(refusal.itertext()).split()))
    found = root.find(f"{OAI}ListRecords/{OAI}resumptionToken")
    size = "" if found is None else found.get("completeListSize", "").strip()
    return Page(
        root=root,
        records=root.findall(f"{OAI}ListRecords/{OAI}record"),
        token="" if found is None else (found.text or "").strip(),
        answered=(root.findtext(f"{OAI}responseDate") or "").strip(),
        n_total=int(size) if size.isascii() and size.isdecimal() and len(size) < 12 else None,
        damages=damages,
    )


def request(url: str, arguments: Mapping[str, str]) -> str:
    """Return the URL for a request. The base URL may already contain a query.

    Examples
    --------
    >>> request("https://e.org/index.php?page=oai", {"verb": "Identify"})
    'https://e.org/index.php?page=oai&verb=Identify'
    """
    return f"{url}{'&' if '?' in url else '?'}{urlencode(arguments)}"


def holds_error(content: bytes) -> bool:
    """Return True if a response is an OAI-PMH error, which some servers send with an HTTP status such as 404.

    Examples
    --------
    >>> space = 'xmlns="http://www.openarchives.org/OAI/2.0/"'
    >>> holds_error(f'<OAI-PMH {space}><error code="noRecordsMatch"/></OAI-PMH>'.encode()), holds_error(b"<html/>")
    (True, False)
    """
    if b"error" not in content:
        return False
    try:
        root, _ = _parse_page("", content)
    except HarvestError:
        return False
    return root.tag == f"{OAI}OAI-PMH" and root.find(f"{OAI}error") is not None


def _parse_page(url: str, content: bytes) -> tuple[etree._Element, tuple[Damage, ...]]:
    try:
        return parse_xml(content), ()
    except UnsafeXmlError as error:
        root, has_declarations = document_start(content[:LARGEST_START])
        try:
            if root == "OAI-PMH" and not has_declarations and b"<!DOCTYPE" not in content:
                return _parse_records_separately(_decode(content))
        except IllFormedXmlError:
            pass
        where = f", line {error.line}," if error.line else ""
        raise HarvestError(f"{url}: the response{where} {error}.") from error


def _decode(content: bytes) -> str:
    declared = DECLARED.match(content.lstrip())
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        if encoding.lower() not in ("utf-8", "utf8"):
            return content.decode(encoding, "replace")
    except LookupError:
        pass
    return content.decode("utf-8-sig", "surrogateescape")


def _parse_records_separately(text: str) -> tuple[etree._Element, tuple[Damage, ...]]:
    starts = [found.start() for found in RECORD.finditer(text)]
    end = ENDS.search(text, starts[-1] if starts else 0)
    if not starts or end is None:
        return parse_repaired(DECLARATION.sub("", text, count=1))[0], ()
    frame = text[: starts[0]] + text[end.start() :]
    root, _ = parse_repaired(DECLARATION.sub("", frame, count=1))
    around = f"<records {' '.join(dict.fromkeys(NAMESPACE.findall(text[: starts[0]])))}>"
    records, damages = list[etree._Element](), list[Damage]()
    for begin, after in zip(starts, [*starts[1:], end.start()], strict=True):
        piece = text[begin:after]
        try:
            element, repairs = parse_repaired(f"{around}{piece}</records>")
        except IllFormedXmlError as error:
            damages.append(Damage(_identifier(piece), f"malformed XML: {error}", is_skipped=True))
            continue
        records.append(element[0])
        damages += [Damage(_identifier(piece), repair, is_skipped=False) for repair in repairs]
    if (found := root.find(f"{OAI}ListRecords")) is not None:
        found[:0] = records
    return root, tuple(damages)


def _identifier(record: str) -> str:
    found = IDENTIFIER.search(record)
    return found[1].strip() if found else "a record without an identifier"


def _raise_refusal(url: str, code: str, message: str) -> None:
    if code == NOTHING_NEW:
        return
    answer = f" Its message: {message[:500]!r} ({code})." if message else f" ({code})"
    if code == LOST_TOKEN:
        raise LostTokenError(f"{url}: the repository rejected the resumption token.{answer}")
    raise HarvestError(f"{url}: {REASONS.get(code, 'the repository rejected the request')}.{answer}")
