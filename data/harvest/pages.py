"""One page of an answer of OAI-PMH: records, and the token that the next page is asked for by."""

from dataclasses import dataclass

from lxml import etree  # type: ignore[import-untyped]

from data.harvest.errors import HarvestError, LostTokenError
from data.safe_xml import UnsafeXmlError, parse_xml

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


@dataclass(frozen=True)
class Page:
    """A page, and what it says of the whole list.

    Attributes
    ----------
    root : Element
        Of all its XML.
    records : list of Element
    token : str
        Empty on the last page.
    answered : str
        When the repository answered, by its own clock, as it writes it.
    n_total : int or None
        Records of all pages, where it says; an estimate, says the protocol.
    """

    root: etree._Element
    records: list[etree._Element]
    token: str
    answered: str
    n_total: int | None


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
    try:
        root = parse_xml(content)
    except UnsafeXmlError as error:
        where = f", line {error.line}" if error.line else ""
        raise HarvestError(f"{url}: the answer{where} {error}.") from error
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
    )


def _check(url: str, code: str, message: str) -> None:
    if code == NOTHING_NEW:
        return
    said = f" It says: {message[:500]!r} ({code})." if message else f" ({code})"
    if code == LOST_TOKEN:
        raise LostTokenError(f"{url}: the repository lost its place in the list.{said}")
    raise HarvestError(f"{url}: {REASONS.get(code, 'the repository refuses')}.{said}")
