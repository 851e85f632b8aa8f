"""XML files: what stands first in them tells AMF from a feed."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]

from data.errors import UnreadableFileError
from data.importers.amf import read_amf
from data.importers.feed import read_feed
from data.importers.problems import STRICT, Problems
from data.importers.references import naming
from data.records import Entry

LARGEST_START = 1_000_000  # bytes, in which the first element must begin
FEEDS = ("feed", "rss", "RDF")


def read_xml(path: Path, *, problems: Problems = STRICT) -> Iterator[Entry]:
    """Yield the papers of an AMF file or a feed, in file order.

    Raises
    ------
    UnreadableFileError
        If the file is missing, or neither of them; also whatever `read_amf` and `read_feed` refuse.
    """
    first = _first_element(path)
    if first in FEEDS:
        yield from read_feed(path, problems=problems)
    elif first in ("amf", ""):  # what is no XML at all is for its reader to say
        yield from read_amf(path, problems=problems)
    else:
        raise UnreadableFileError(path, f"begins with <{first[:50]}>; of XML files, AMF, Atom and RSS can be read")


def _first_element(path: Path) -> str:
    """Return the name that the document begins with, or nothing if it isn't well-formed up to there."""
    parser = etree.XMLPullParser(events=("start",), resolve_entities=False, no_network=True, load_dtd=False)
    with naming(path), path.open("rb") as file, suppress(etree.XMLSyntaxError):
        parser.feed(file.read(LARGEST_START))
    return next((str(etree.QName(element).localname) for _, element in parser.read_events()), "")
