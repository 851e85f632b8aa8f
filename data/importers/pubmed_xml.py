"""Importer for PubMed XML: https://dtd.nlm.nih.gov/ncbi/pubmed/doc/out/250101/."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import first_doi, to_paper
from presort.data.importers.xml_records import RecordKind, XmlRecord, read_records
from presort.data.records import Entry

RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")
ROOTS = ("PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet", *RECORDS)
KIND = RecordKind("PubMed XML", ROOTS, RECORDS, 1)


def read_pubmed_xml(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in a PubMed XML file, in file order.

    The paper id is the DOI, or else the PubMed id in the form ``pmid:12345``. MeSH headings and keywords are imported
    as codes. The labels of the sections in a structured abstract are preserved.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each record that has no title or can't be parsed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or isn't PubMed XML, or a record is too large. The error is raised during iteration.
    """
    for record in read_records(path, KIND, problems):
        try:
            entry = _entry(path, record, problems)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            yield entry


def _entry(path: Path, record: XmlRecord, problems: Problems) -> Entry:
    whole = record.element
    citation = _first(whole, "MedlineCitation", "BookDocument")
    article = _first(citation, "Article")
    dois = [
        *_texts(whole, "PubmedData/ArticleIdList/ArticleId[@IdType='doi']"),  # not the DOIs of cited works
        *_texts(article, "ELocationID[@EIdType='doi']", "ArticleIdList/ArticleId[@IdType='doi']"),
    ]
    doi = first_doi(dois)
    dates = [*article.iterfind("Journal/JournalIssue/PubDate"), *article.iterfind("ArticleDate")]
    paper = to_paper(
        path,
        record.line,
        problems,
        ids=[doi, *(f"pmid:{number}" for number in _texts(citation, "PMID"))],
        titles=_texts(article, "ArticleTitle", "Book/BookTitle", "VernacularTitle"),
        authors=map(_author, article.iterfind("AuthorList/Author")),
        abstracts=[_abstract(article, "Abstract"), _abstract(citation, "OtherAbstract")],
        codes=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName", "KeywordList/Keyword"),
        series=_texts(citation, "Article/Journal/Title", "MedlineJournalInfo/MedlineTA", "Book/BookTitle"),
        dates=[text for date in [*dates, *article.iterfind("Book/PubDate")] for text in _dates(date)],
        dois=[doi],
        types=_texts(article, "PublicationTypeList/PublicationType", "PublicationType"),
    )
    return Entry(paper, record.line)


def _first(element: etree._Element, *places: str) -> etree._Element:
    """Return the first element at any of the paths, tried in order, or the given element if there is none."""
    return next((found for place in places for found in element.iterfind(place)), element)


def _texts(element: etree._Element, *places: str) -> list[str]:
    return ["".join(found.itertext()) for place in places for found in element.iterfind(place)]


def _author(author: etree._Element) -> str:
    given = _texts(author, "ForeName") or _texts(author, "Initials")
    names = [*_texts(author, "LastName")[:1], *given[:1], *_texts(author, "Suffix")[:1]]
    return ", ".join(names) or "".join(_texts(author, "CollectiveName"))


def _abstract(element: etree._Element, name: str) -> str:
    parts = []
    for part in element.iterfind(f"{name}/AbstractText"):
        label = part.get("Label", "")
        parts.append(f"{label}: {''.join(part.itertext())}" if label else "".join(part.itertext()))
    return " ".join(parts)


def _dates(date: etree._Element) -> list[str]:
    """Return a date in each available form, the most precise first."""
    year, month, day = ("".join(_texts(date, name)[:1]) for name in ("Year", "Month", "Day"))
    if month.isdecimal():
        exact = [f"{year}-{int(month):02}-{int(day):02}" if day.isdecimal() else f"{year}-{int(month):02}"]
    else:
        exact = [f"{year} {month} {day}".strip()]
    return [*exact, year, *_texts(date, "MedlineDate")]
