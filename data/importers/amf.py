"""Importer for the Academic Metadata Format (AMF), RePEc's XML format: http://amf.openlib.org/doc/nagano.html.

The children of the root element ``amf`` are called nouns, and the noun ``text`` represents a paper. A noun's children
are properties (such as ``title``) and verbs, which contain other nouns (``hasauthor`` contains a ``person``).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import to_paper
from presort.data.importers.xml_records import RecordKind, XmlRecord, read_records
from presort.data.records import Entry

NAMESPACE = "http://amf.openlib.org"
# AMF has no DOI element, but allows elements from other vocabularies.
PRISM_DOI = "{http://prismstandard.org/namespaces/basic/2.0/}doi"
KIND = RecordKind("AMF", ("amf",), ("text",), 1)
REPEC_IN_FRONT = re.compile(r"^info:lib/(?=(info:lib/)*RePEc:)")
JEL_CODES = re.compile(r"[A-Z][0-9]{1,2}(?:[\s,;.]+[A-Z][0-9]{1,2})+[\s,;.]*")  # two or more codes in one element


def read_amf(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers in an AMF file, in file order.

    Skips papers nested in other nouns, and references to papers that are described elsewhere.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repair, and each paper that has no title or can't be parsed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or isn't AMF, or a paper is too large. The error is raised during iteration.
    """
    for record in read_records(path, KIND, problems):
        if record.element.tag != _name("text"):
            raise UnreadableFileError(
                path, f"not AMF: its elements are not in the namespace {NAMESPACE}", line=record.line
            )
        if not len(record.element):
            continue
        try:
            entry = _entry(path, record, problems)
        except UnreadableFileError as error:
            problems.skip(error)
        else:
            yield entry


def _entry(path: Path, record: XmlRecord, problems: Problems) -> Entry:
    text = record.element

    def texts(*names: str) -> list[str]:
        return ["".join(found.itertext()) for found in text.iterfind("/".join(map(_name, names)))]

    collections = text.iterfind("/".join(map(_name, ("ispartof", "collection"))))
    paper = to_paper(
        path,
        record.line,
        problems,
        ids=[REPEC_IN_FRONT.sub("", text.get("id", ""), count=1)],
        titles=texts("title"),
        authors=texts("hasauthor", "*", "name"),
        abstracts=texts("abstract"),
        codes=[code for content in texts("classification") for code in _codes(content)],
        series=[
            *texts("ispartof", "collection", "title"),
            *texts("serial", "journaltitle"),
            *(found.get("ref", "") for found in collections),
        ],
        dates=[*texts("date"), *texts("serial", "issuedate")],
        dois=["".join(found.itertext()) for found in text.iterfind(PRISM_DOI)],
        urls=[*texts("displaypage"), *texts("file", "url")],
        types=texts("type"),
    )
    return Entry(paper, record.line)


def _codes(content: str) -> list[str]:
    return re.split(r"[\s,;.]+", content) if JEL_CODES.fullmatch(content.strip()) else [content]


def _name(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"
