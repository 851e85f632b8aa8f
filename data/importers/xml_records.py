"""Parser that reads XML files record by record, even if they are not well-formed.

A well-formed file is streamed. Any other file is split at the start tags of its records, and each record is parsed
separately. That way, a bare ``&``, a control character or a truncated record makes at most one record unreadable.
Document types with declarations are rejected, because they can make a parser read other files or expand entities
without limit.
"""

import html
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from lxml import etree  # type: ignore[import-untyped]

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import Problems, Repair
from presort.data.importers.references import naming
from presort.data.importers.text_file import CONTROL, repair_text, text_source

CHUNK = 65_536  # number of bytes to read at a time
LARGEST_START = 1_000_000  # maximum number of bytes before the root element
LARGEST_PIECE = 10_000_000  # maximum number of bytes between two tags; lxml has the same limit for a text node
LARGEST_DAMAGED = 100_000_000  # maximum size of a malformed file in bytes, because the whole file is read into memory
MOST_ELEMENTS = 100_000  # maximum number of elements in one record
LAST_LINE = 65_534  # highest line number that lxml can count
SAFE = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
SAFE |= {"remove_comments": True, "remove_pis": True}

DECLARED = re.compile(rb"<\?xml[^>]*\bencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
NAMESPACE = re.compile(r"\bxmlns(?::[\w.-]+)?\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')")
REFERENCE = re.compile(r"&(?:#(\d{1,7});|#[xX]([0-9a-fA-F]{1,6});|(amp|lt|gt|quot|apos);|([A-Za-z]\w{1,31};))?")
DECLARATION_INSIDE = re.compile(r"(?<=.)<\?xml\s[^>]*\?>", re.DOTALL)
BARE_LESS = re.compile(r"<(?![A-Za-z_/!?])")
# Position in the parser's messages, which is misleading, because it is relative to the start of the record.
PARSERS_PLACE = re.compile(r"(?:, line \d+, column \d+| line \d+)")
RECORD_BY_RECORD = "the file is not well-formed XML ({}), so it was read record by record"
INSIDE = "an XML declaration inside the document was ignored"
MARKUP = "a bare & or <, or an unknown entity, was read as text"


@dataclass(frozen=True, slots=True)
class RecordKind:
    """Root and record elements in an XML format.

    Attributes
    ----------
    name : str
        Name of the format in error messages.
    roots : collection of str
        Names of the allowed root elements, without namespace.
    records : tuple of str
        Names of the elements that are records, without namespace.
    depth : int
        Maximum number of elements that may enclose a record.
    """

    name: str
    roots: Collection[str]
    records: tuple[str, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class XmlRecord:
    """Record in an XML file. `line` is the 1-based number of its first line, or None if lxml can't count that far."""

    element: etree._Element
    line: int | None


def read_records(path: Path, kind: RecordKind, problems: Problems) -> Iterator[XmlRecord]:
    """Yield the records in an XML file, in file order.

    Process each record before requesting the next one, because each request clears the previous record's element.

    Parameters
    ----------
    problems : Problems
        Receives each repair, and each record that can't be parsed.

    Raises
    ------
    UnreadableFileError
        If the file is missing or has another XML format, if its document type contains declarations, or if a record is
        too large. The error is raised during iteration.
    """
    with naming(path):
        _check_start(path, kind)
        try:
            for _ in _stream(path, kind):
                pass
        except _IllFormedError as error:
            yield from _one_by_one(path, kind, error, problems)
        else:
            yield from _stream(path, kind)


class _IllFormedError(Exception):
    """A file is not well-formed XML. `line` is the line of the error, or None if it is unknown."""

    def __init__(self, error: etree.XMLSyntaxError, log: etree._ListErrorLog) -> None:
        # Use the parser's log, because `error` doesn't always contain the cause, and `error.error_log` also contains
        # errors in other files.
        mistake = next(iter(log), None)
        reason, line = (mistake.message, mistake.line) if mistake else (error.msg, error.lineno)
        self.line = line or None
        super().__init__(reason)


def document_start(head: bytes) -> tuple[str, bool]:
    """Return the root element's name, and whether the document type contains declarations.

    The name excludes the namespace. It is empty if `head` isn't XML.

    Parameters
    ----------
    head : bytes
        First bytes of a file.

    Examples
    --------
    >>> document_start(b"<!-- by hand --><a:feed xmlns:a='http://www.w3.org/2005/Atom'>"), document_start(b"title,year")
    (('feed', False), ('', False))
    """
    roots, declarations = list[str](), [False]

    def begin_root(name: str, _: object) -> None:
        roots.append(name.rpartition(" ")[2])
        raise StopIteration  # stop parsing at the root element

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = lambda *type_: declarations.append(bool(type_[3]))
    parser.StartElementHandler = begin_root
    with suppress(expat.ExpatError, LookupError, ValueError, StopIteration):  # LookupError: unknown encoding
        parser.Parse(head.lstrip())
    return (roots or [""])[0], declarations[-1]


def _check_start(path: Path, kind: RecordKind) -> None:
    """Raise UnreadableFileError if the root element is unexpected or the document type contains declarations."""
    with path.open("rb") as file:
        root, has_declarations = document_start(file.read(LARGEST_START))
    if has_declarations:
        reason = "its document type has declarations, which can be harmful. Delete <!DOCTYPE …>"
        raise UnreadableFileError(path, reason)
    if root and root not in kind.roots:
        raise UnreadableFileError(path, f"not {kind.name}: the root element is <{root[:50]}>")


def _stream(path: Path, kind: RecordKind) -> Iterator[XmlRecord]:
    parser = etree.XMLPullParser(events=("start", "end"), **SAFE)
    depth = n_elements = inside = 0
    with path.open("rb") as file:
        for event, element in _events(path, file, parser):
            if event == "start":
                _check_type(path, element, depth)
                is_record = depth <= kind.depth and _name(element) in kind.records
                inside = inside or (depth + 1 if is_record else 0)
                depth += 1
                n_elements += 1
                if n_elements > MOST_ELEMENTS:
                    raise UnreadableFileError(
                        path, f"more than {MOST_ELEMENTS:,} elements in one record", line=_line(element)
                    )
                continue
            if depth == inside:
                yield XmlRecord(element, _line(element))
            if depth == inside or (not inside and depth <= kind.depth + 1):
                _free_memory(element)
                n_elements = 0
                inside = 0 if depth == inside else inside
            depth -= 1


def _events(path: Path, file: BinaryIO, parser: etree.XMLPullParser) -> Iterator[tuple[str, etree._Element]]:
    n_waiting = 0  # bytes since the last event; limited, because the parser buffers a tag of any length until it ends
    while chunk := file.read(CHUNK):
        try:
            parser.feed(chunk)
        except etree.XMLSyntaxError as error:
            yield from parser.read_events()  # first, because checks of earlier elements may raise a more specific error
            raise _IllFormedError(error, parser.feed_error_log) from error
        n_waiting += len(chunk)
        for event in parser.read_events():
            n_waiting = 0
            yield event
        if n_waiting > LARGEST_PIECE:
            raise UnreadableFileError(path, f"more than {LARGEST_PIECE:,} bytes without a tag")
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        raise _IllFormedError(error, parser.feed_error_log) from error


def _check_type(path: Path, element: etree._Element, depth: int) -> None:
    """Raise UnreadableFileError if entities are declared, in case `_check_start` missed them."""
    if depth == 0:
        declared = element.getroottree().docinfo.internalDTD
        if declared is not None and next(declared.iterentities(), None) is not None:
            raise UnreadableFileError(
                path, "its document type declares entities, which can be harmful. Delete <!DOCTYPE …>"
            )


def _free_memory(element: etree._Element) -> None:
    """Free the memory of an element and its preceding siblings. The empty element stays because lxml still needs it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]  # type: ignore[no-any-return]


def _line(element: etree._Element) -> int | None:
    return element.sourceline if element.sourceline <= LAST_LINE else None


def _one_by_one(path: Path, kind: RecordKind, error: _IllFormedError, problems: Problems) -> Iterator[XmlRecord]:
    """Parse each record in a malformed file separately, and yield the records."""
    text = _text(path, error)
    start = re.compile(rf"<(?:[\w.-]+:)?(?:{'|'.join(kind.records)})(?=[\s/>])")
    starts = [found.start() for found in start.finditer(text)]
    if not starts:
        raise _ill_formed_error(path, error)
    spaces = dict.fromkeys(NAMESPACE.findall(repair_text(text[: starts[0]])[0]))
    around = f"<records {' '.join(spaces)}>"
    problems.repair(Repair(path.name, RECORD_BY_RECORD.format(error), line=error.line))
    end = re.compile(rf"</(?:[\w.-]+:)?(?:{'|'.join(kind.records)})\s*>")
    line, before = 1, 0
    for begin, after in zip(starts, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", before, begin)
        before = begin
        ends = [found.end() for found in end.finditer(text, begin, after)]
        piece = text[begin : ends[-1] if ends else after]
        if (element := _parse_record(path, around, piece, line, problems)) is not None:
            yield XmlRecord(element, line)


def _text(path: Path, error: _IllFormedError) -> str:
    """Read the whole file as text, using the encoding that it declares."""
    if path.stat().st_size > LARGEST_DAMAGED:
        raise _ill_formed_error(path, error)
    with path.open("rb") as file:
        declared = DECLARED.match(file.read(CHUNK).lstrip())
    source = text_source(path)
    if declared and source.encoding == "utf-8-sig" and declared[1].lower() not in (b"utf-8", b"utf8"):
        try:
            return path.read_bytes().decode(declared[1].decode(), "replace")
        except LookupError:
            pass
    with source.open() as file:
        return file.read()


def _parse_record(path: Path, around: str, piece: str, line: int, problems: Problems) -> etree._Element | None:
    """Parse a record, repairing it if necessary. If that fails, reports the error and returns None."""
    try:
        records, repairs = parse_repaired(f"{around}{piece}</records>")
    except IllFormedXmlError as error:
        problems.skip(UnreadableFileError(path, f"the record is not well-formed XML ({error})", line=line))
        return None
    for repair in repairs:
        problems.repair(Repair(path.name, repair, line=line))
    return records[0]


class IllFormedXmlError(ValueError):
    """A text is not well-formed XML, even after repair."""


def parse_repaired(text: str) -> tuple[etree._Element, tuple[str, ...]]:
    """Parse XML, repairing it if necessary, and return the root element and the repairs.

    Parameters
    ----------
    text : str
        XML decoded with ``errors="surrogateescape"``.

    Raises
    ------
    IllFormedXmlError
        If the XML can't be repaired.

    Examples
    --------
    >>> root, repairs = parse_repaired("<title>Wages & jobs</title>")
    >>> root.text, repairs
    ('Wages & jobs', ('a bare & or <, or an unknown entity, was read as text',))
    """
    try:
        return _parse(text), ()
    except (etree.XMLSyntaxError, UnicodeEncodeError):
        pass
    plain, reason = repair_text(text)
    single = DECLARATION_INSIDE.sub("", plain)
    mended = _escape_bare(single)
    try:
        root = _parse(mended)
    except etree.XMLSyntaxError as error:
        raise IllFormedXmlError(PARSERS_PLACE.sub("", error.msg)) from error
    reasons = (reason, INSIDE if single != plain else "", MARKUP if mended != single else "")
    return root, tuple(filter(None, reasons))


def _parse(text: str) -> etree._Element:
    # Encode the text first, because lxml rejects a str that contains an encoding declaration.
    return etree.fromstring(text.encode(), etree.XMLParser(encoding="utf-8", **SAFE))


def _escape_bare(text: str) -> str:
    """Escape bare ``&`` and ``<`` outside CDATA sections."""
    parts, place = list[str](), 0
    while place < len(text):
        start = text.find("<![CDATA[", place)
        end = text.find("]]>", start) + 3 if start >= 0 else 0
        is_open = end < 3
        markup = text[place:] if is_open else text[place:start]
        parts.append(BARE_LESS.sub("&lt;", REFERENCE.sub(_reference, markup)))
        parts.append("" if is_open else text[start:end])
        place = len(text) if is_open else end
    return "".join(parts)


def _reference(found: re.Match[str]) -> str:
    decimal, hexadecimal, predefined, named = found.groups()
    if predefined:
        return found[0]
    if named:
        letters = html.unescape(found[0])
        return html.escape(letters, quote=False)
    if decimal or hexadecimal:
        number = int(decimal or hexadecimal, 10 if decimal else 16)
        is_letter = number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF and not CONTROL.match(chr(number))
        return found[0] if is_letter else " "
    return "&amp;"


def _ill_formed_error(path: Path, error: _IllFormedError) -> UnreadableFileError:
    return UnreadableFileError(path, f"not well-formed XML ({error})", line=error.line)
