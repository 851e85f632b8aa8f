"""Convert OAI-PMH records to papers, with one function per metadata format."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.harvest.pages import OAI
from presort.data.importers.feed import arxiv_id
from presort.data.importers.limits import long_id
from presort.data.importers.problems import Problems
from presort.data.importers.references import to_paper
from presort.data.importers.tex import plain
from presort.data.records import Entry

JEL_AND_NAME = re.compile(r"([A-Z]\d{1,2})\s+-\s")
NOTE = re.compile(
    r"(re)?submitted by |made available (in|by|on) |approved for entry |rejected by |deposited by "
    r"|item (withdrawn|reinstated|created|was) |restored (in|by)|workflow (started|step)|includes bibliograph",
    re.IGNORECASE,
)
DC = "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"
ARXIV = "{http://arxiv.org/OAI/arXiv/}"


def convert_record(path: Path, record: etree._Element, metadata: str, problems: Problems) -> Entry | None:
    """Convert a record to a paper. Returns None if the record was deleted.

    Parameters
    ----------
    path : Path
        File that contains the stored pages, used in messages.
    record : Element
        OAI-PMH element ``record``.
    metadata : str
        Metadata prefix, which must be a key of `FORMATS`.
    problems : Problems
        Receives a repair if the record's date is unreadable.

    Raises
    ------
    UnreadableFileError
        If the record is not in this format or has no title, or if its id is too long.
    """
    if record.find(f"{OAI}header[@status='deleted']") is not None:
        return None
    name = (record.findtext(f"{OAI}header/{OAI}identifier") or "").strip()
    tag, entry = FORMATS[metadata]
    found = record.find(f"{OAI}metadata/{tag}")
    if found is None:
        raise UnreadableFileError(path, f"{name!r} is not in the format {metadata}")
    made = entry(path, name, found, problems)
    if reason := long_id(made.paper.paper_id):
        raise UnreadableFileError(path, reason)
    return made


def _dublin_core(path: Path, name: str, dc: etree._Element, problems: Problems) -> Entry:
    def texts(element: str) -> list[str]:
        return list(_texts(dc.iterfind(f"{{*}}{element}")))

    is_arxiv = bool(arxiv_id(name))
    unwrapped = plain if is_arxiv else str
    descriptions = texts("description")
    paper = to_paper(
        path,
        None,
        problems,
        ids=[arxiv_id(name) or _handle(name), *texts("identifier")],
        titles=map(unwrapped, texts("title")),
        authors=map(unwrapped, _parts(texts("creator") or texts("contributor"))),
        abstracts=map(unwrapped, descriptions if is_arxiv else _abstracts(descriptions)),
        codes=dict.fromkeys(_codes(texts("subject"))),
        series=texts("source"),
        dates=_dates(texts("date")),
        dois=texts("identifier"),
        urls=texts("identifier"),
        types=["preprint"] if is_arxiv else texts("type"),
    )
    return Entry(paper)


def _arxiv(path: Path, name: str, about: etree._Element, problems: Problems) -> Entry:
    def text(element: str) -> str:
        return "".join(_texts(about.iterfind(f"{ARXIV}{element}")))

    authors = about.iterfind(f"{ARXIV}authors/{ARXIV}author")
    parts = ("forenames", "keyname", "suffix")
    classes = [code for element in ("msc-class", "acm-class") for code in text(element).replace(",", ";").split(";")]
    paper = to_paper(
        path,
        None,
        problems,
        ids=[arxiv_id(f"arXiv:{text('id')}"), arxiv_id(name), name],
        titles=[plain(text("title"))],
        authors=[
            plain(" ".join(_texts(one for part in parts for one in author.iterfind(ARXIV + part))))
            for author in authors
        ],
        abstracts=[plain(text("abstract"))],
        codes=dict.fromkeys([*text("categories").split(), *(code.strip() for code in classes)]),
        dates=[text("created")],
        dois=text("doi").split(),  # authors fill in this field themselves, and some enter several DOIs
        types=["preprint"],
    )
    return Entry(paper)


def _parts(texts: Iterable[str]) -> Iterator[str]:
    return (part for text in texts for part in text.split(";"))


def _abstracts(texts: Iterable[str]) -> list[str]:
    """Return a paper's descriptions, longest first, leaving out notes added by librarians or by DSpace."""
    return sorted((text for text in texts if not NOTE.match(text)), key=len, reverse=True)


def _codes(texts: Iterable[str]) -> Iterator[str]:
    """Yield the subject codes.

    The archive MPRA writes ``O14 - Industrialization ; Manufacturing``, in which only O14 is the code.
    """
    for text in texts:
        if found := JEL_AND_NAME.match(text):
            yield found[1]
        else:
            yield from (part.strip() for part in text.split(";"))


def _dates(texts: Sequence[str]) -> list[str]:
    """Return the dates that have no time of day or, if there are none, the sorted timestamps.

    The timestamps are less useful, because DSpace adds the times at which a paper was deposited.
    """
    days = [text for text in texts if "T" not in text]
    return days or sorted(texts)


def _texts(elements: Iterable[etree._Element]) -> Iterator[str]:
    return ("".join(element.itertext()).strip() for element in elements)


def _handle(name: str) -> str:
    """Remove ``oai:`` from a RePEc handle, so that the handle is the same as in ReDIF files."""
    return name.removeprefix("oai:") if name.startswith("oai:RePEc:") else name


FORMATS: dict[str, tuple[str, Callable[[Path, str, etree._Element, Problems], Entry]]] = {
    "oai_dc": (DC, _dublin_core),
    "arXiv": (f"{ARXIV}arXiv", _arxiv),
}
