"""Importer for EndNote XML, which Zotero and Mendeley can also export."""

from collections.abc import Iterator
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import first_doi, to_paper
from presort.data.importers.xml_records import RecordKind, XmlRecord, read_records
from presort.data.records import Entry

KIND = RecordKind("EndNote XML", ("xml", "records"), ("record",), 2)


def read_endnote_xml(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in an EndNote XML file, in file order.

    The paper id is the DOI, or else the accession number or URL. All keywords are imported as codes.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each record that has no title or can't be parsed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or isn't EndNote XML, or a record is too large. The error is raised during iteration.
    """
    for record in read_records(path, KIND, problems):
        try:
            entry = _entry(path, record, problems)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            yield entry


def _entry(path: Path, record: XmlRecord, problems: Problems) -> Entry:
    def texts(*places: str) -> list[str]:
        return ["".join(found.itertext()) for place in places for found in record.element.iterfind(place)]

    doi = first_doi(texts("electronic-resource-num"))
    urls = texts("urls/related-urls/url", "urls/web-urls/url")
    days, years = texts("dates/pub-dates/date"), texts("dates/year")
    paper = to_paper(
        path,
        record.line,
        problems,
        ids=[doi, *texts("accession-num"), *urls],
        titles=texts("titles/title"),
        authors=texts("contributors/authors/author") or texts("contributors/secondary-authors/author"),
        abstracts=texts("abstract"),
        codes=texts("keywords/keyword"),
        series=texts("periodical/full-title", "titles/secondary-title", "titles/alt-title", "titles/tertiary-title"),
        dates=[*(f"{day} {year}" for day in days for year in years), *years, *days],
        dois=[doi],
        urls=urls,
        types=[kind.get("name", "") for kind in record.element.iterfind("ref-type")],
    )
    return Entry(paper, record.line)
