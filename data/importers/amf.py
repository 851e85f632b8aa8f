"""Papers in the Academic Metadata Format (AMF), the XML of RePEc: http://amf.openlib.org/doc/nagano.html.

A root ``amf`` holds nouns, of which ``text`` is a paper; a noun's children are what is said of it (``title``) and
verbs that lead to other nouns (``hasauthor`` to a ``person``).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lxml import etree  # type: ignore[import-untyped]

from data.errors import UnreadableFileError
from data.importers.problems import STRICT, Problems
from data.importers.references import naming, to_paper
from data.records import Entry

NAMESPACE = "http://amf.openlib.org"
PRISM_DOI = (
    "{http://prismstandard.org/namespaces/basic/2.0/}doi"  # AMF has no word for it, and takes other vocabularies'
)
CHUNK = 65_536  # bytes
LARGEST_PIECE = 10_000_000  # bytes between two tags; also the most that lxml takes as one text
MOST_ELEMENTS = 100_000  # within one paper
LAST_LINE = 65_534  # lxml counts no further
REPEC_IN_FRONT = re.compile(r"^info:lib/(?=(info:lib/)*RePEc:)")
JEL_CODES = re.compile(r"[A-Z][0-9]{1,2}(?:[\s,;.]+[A-Z][0-9]{1,2})+[\s,;.]*")  # several of them in one element


def read_amf(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of an AMF file, in file order.

    Those that other nouns lead to are left out, and so are texts that only refer to one described elsewhere.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each paper that has no title.

    Raises
    ------
    UnreadableFileError
        If the file is missing, not well-formed XML or not AMF, has a document type (which could make it read other
        files, or grow without end), or a paper is too large; the message names the line. Raised while iterating.
    """
    parser = etree.XMLPullParser(
        events=("start", "end"),
        **{"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False},
        **{"remove_comments": True, "remove_pis": True},
    )
    try:
        with naming(path), path.open("rb") as file:
            yield from _entries(path, _events(path, file, parser), problems)
    except etree.XMLSyntaxError as error:
        raise _ill_formed(path, error, parser.feed_error_log) from error


def _events(path: Path, file: BinaryIO, parser: etree.XMLPullParser) -> Iterator[tuple[str, etree._Element]]:
    n_waiting = 0  # bytes since the last event: the parser keeps a tag in memory until it ends, whatever its length
    while chunk := file.read(CHUNK):
        try:
            parser.feed(chunk)
        except etree.XMLSyntaxError:
            yield from parser.read_events()  # what came before may be wrong already, and say more
            raise
        n_waiting += len(chunk)
        for event in parser.read_events():
            n_waiting = 0
            yield event
        if n_waiting > LARGEST_PIECE:
            raise UnreadableFileError(path, f"no element begins or ends within {LARGEST_PIECE:,} bytes")
    parser.close()


def _entries(path: Path, events: Iterator[tuple[str, etree._Element]], problems: Problems) -> Iterator[Entry]:
    depth = n_elements = 0
    for event, element in events:
        if event == "start":
            depth += 1
            n_elements += 1
            if depth == 1:
                _check_root(path, element)
            if n_elements > MOST_ELEMENTS:
                raise UnreadableFileError(path, f"more than {MOST_ELEMENTS:,} elements in one", line=_line(element))
            continue
        depth -= 1
        if depth == 1:
            if element.tag == _name("text") and len(element):
                try:
                    entry = _entry(path, element)
                except UnreadableFileError as error:
                    problems.skip(error)
                else:
                    yield entry
            _forget(element)
            n_elements = 0


def _ill_formed(path: Path, error: etree.XMLSyntaxError, log: etree._ListErrorLog) -> UnreadableFileError:
    mistake = next(iter(log), None)  # the error does not always say what it is about, and its own log is of all files
    message, line = (mistake.message, mistake.line) if mistake else (error.msg, error.lineno)
    return UnreadableFileError(path, f"is not well-formed XML: {message}", line=line or None)


def _forget(element: etree._Element) -> None:
    """Keep a file of any size out of memory; the element itself has to stay until the next has begun."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


def _check_root(path: Path, root: etree._Element) -> None:
    if root.getroottree().docinfo.doctype:
        raise UnreadableFileError(path, "has a document type, which AMF has not; take the line <!DOCTYPE …> out")
    if root.tag != _name("amf"):
        raise UnreadableFileError(path, f"is not AMF: it begins with {root.tag}, not with {_name('amf')}")


def _entry(path: Path, text: etree._Element) -> Entry:
    def texts(*names: str) -> list[str]:
        return ["".join(found.itertext()) for found in text.iterfind("/".join(map(_name, names)))]

    collections = text.iterfind("/".join(map(_name, ("ispartof", "collection"))))
    paper = to_paper(
        path,
        _line(text),
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
    return Entry(paper, _line(text))


def _line(element: etree._Element) -> int | None:
    return element.sourceline if element.sourceline <= LAST_LINE else None


def _codes(content: str) -> list[str]:
    return re.split(r"[\s,;.]+", content) if JEL_CODES.fullmatch(content.strip()) else [content]


def _name(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"
