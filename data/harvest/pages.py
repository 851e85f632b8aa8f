"""One page of an answer of OAI-PMH: records, and the token that the next page is asked for by.

A page that is not well-formed XML is cut at the tags that begin its records, and each record is parsed alone, repaired
if need be: one stray character costs at most one record.
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
    "badArgument": "the repository doesn't take these options; it may know no such set or date",
    "badVerb": "the address is not that of an OAI-PMH 2.0 repository",
    "cannotDisseminateFormat": "the repository doesn't give records in this format; try --format oai_dc",
    "idDoesNotExist": "the repository doesn't know such a record",
    "noMetadataFormats": "the repository gives its records in no format",
    "noSetHierarchy": "the repository has no sets; leave --set out",
}


@dataclass(frozen=True, slots=True)
class Damage:
    """Fault of one record in a page that is not well-formed XML.

    Attributes
    ----------
    record : str
        Identifier of the record, as far as it can be read.
    reason : str
        The fault, and its repair.
    is_left_out : bool
        True if the record could not be repaired.
    """

    record: str
    reason: str
    is_left_out: bool


@dataclass(frozen=True)
class Page:
    """Page, with its information on the whole list.

    Attributes
    ----------
    root : Element
        Of all its XML.
    records : list of Element
    token : str
        Empty on the last page.
    answered : str
        Time of the response by the repository's clock, in its notation.
    n_total : int or None
        Records of all pages, where it says; an estimate, says the protocol.
    damages : tuple of Damage
        Records that were repaired or left out.
    """

    root: etree._Element
    records: list[etree._Element]
    token: str
    answered: str
    n_total: int | None
    damages: tuple[Damage, ...] = ()


def read_page(url: str, content: bytes) -> Page:
    """Read a page.

    Parameters
    ----------
    url : str
        Of the repository, for messages.

    Raises
    ------
    LostTokenError
        If the repository doesn't know the token that the page was asked for by.
    HarvestError
        If it is no page of OAI-PMH, or the repository says what is wrong with what we asked.
    """
    root, damages = _parsed(url, content)
    if root.tag != f"{OAI}OAI-PMH":
        raise HarvestError(f"{url} is no OAI-PMH 2.0 repository: its answer begins with {root.tag}.")
    for refusal in root.iterfind(f"{OAI}error"):
        _check(url, refusal.get("code", ""), " ".join("".join(refusal.itertext()).split()))
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
    """Return the address of a request. The address of some repositories has its own query.

    Examples
    --------
    >>> request("https://e.org/index.php?page=oai", {"verb": "Identify"})
    'https://e.org/index.php?page=oai&verb=Identify'
    """
    return f"{url}{'&' if '?' in url else '?'}{urlencode(arguments)}"


def holds_error(content: bytes) -> bool:
    """Return whether an answer is a refusal of the protocol; some servers send it with a status of HTTP, such as 404.

    Examples
    --------
    >>> space = 'xmlns="http://www.openarchives.org/OAI/2.0/"'
    >>> holds_error(f'<OAI-PMH {space}><error code="noRecordsMatch"/></OAI-PMH>'.encode()), holds_error(b"<html/>")
    (True, False)
    """
    if b"error" not in content:
        return False
    try:
        root, _ = _parsed("", content)
    except HarvestError:
        return False
    return root.tag == f"{OAI}OAI-PMH" and root.find(f"{OAI}error") is not None


def _parsed(url: str, content: bytes) -> tuple[etree._Element, tuple[Damage, ...]]:
    try:
        return parse_xml(content), ()
    except UnsafeXmlError as error:
        root, has_declarations = document_start(content[:LARGEST_START])
        try:
            if root == "OAI-PMH" and not has_declarations and b"<!DOCTYPE" not in content:
                return _record_by_record(_decoded(content))
        except IllFormedXmlError:
            pass
        where = f", line {error.line}" if error.line else ""
        raise HarvestError(f"{url}: the answer{where} {error}.") from error


def _decoded(content: bytes) -> str:
    declared = DECLARED.match(content.lstrip())
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        if encoding.lower() not in ("utf-8", "utf8"):
            return content.decode(encoding, "replace")
    except LookupError:
        pass
    return content.decode("utf-8-sig", "surrogateescape")


def _record_by_record(text: str) -> tuple[etree._Element, tuple[Damage, ...]]:
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
            damages.append(Damage(_identifier(piece), f"is not well-formed XML: {error}", is_left_out=True))
            continue
        records.append(element[0])
        damages += [Damage(_identifier(piece), repair, is_left_out=False) for repair in repairs]
    if (found := root.find(f"{OAI}ListRecords")) is not None:
        found[:0] = records
    return root, tuple(damages)


def _identifier(record: str) -> str:
    found = IDENTIFIER.search(record)
    return found[1].strip() if found else "a record without identifier"


def _check(url: str, code: str, message: str) -> None:
    if code == NOTHING_NEW:
        return
    answer = f" It says: {message[:500]!r} ({code})." if message else f" ({code})"
    if code == LOST_TOKEN:
        raise LostTokenError(f"{url}: the repository lost its place in the list.{answer}")
    raise HarvestError(f"{url}: {REASONS.get(code, 'the repository refuses')}.{answer}")
