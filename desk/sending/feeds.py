"""Atom (RFC 4287) and RSS 2.0 feeds with a report's newest issues."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import quote
from uuid import UUID, uuid5

from lxml import etree  # type: ignore[import-untyped]
from lxml.builder import ElementMaker  # type: ignore[import-untyped]

from presort.desk.sending.letters import Letter
from presort.desk.sending.texts import subject

ATOM = "http://www.w3.org/2005/Atom"
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)  # update time of an empty feed


@dataclass(frozen=True)
class Feed:
    """Content of a report's feed.

    Attributes
    ----------
    code, name : str
        Code and name of the report.
    letters : sequence of tuple
        Published letters, newest first, each paired with its papers as HTML.
    service : UUID
        Id of the service. The ids of entries are derived from it.
    url : str
        Address of the public pages. If empty, links are relative to the feed.
    """

    code: str
    name: str
    letters: Sequence[tuple[Letter, str]]
    service: UUID
    url: str = ""

    @property
    def updated_at(self) -> datetime:
        """Time at which the newest letter was published."""
        return max((_published_at(letter) for letter, _ in self.letters), default=BEGINNING)

    def link(self, file: str) -> str:
        """Return the address of a page that is in the same folder as the feed."""
        return f"{self.url}/{quote(self.code)}/{file}" if self.url else file

    def number(self, *names: object) -> str:
        """Return the permanent unique id of the entry with these names. Without names, return the feed's own id."""
        return uuid5(self.service, "/".join(map(str, (self.code, *names)))).urn


def atom(feed: Feed) -> bytes:
    """Serialise a feed as Atom."""
    make = ElementMaker(namespace=ATOM, nsmap={None: ATOM})
    root = make.feed(
        make.id(feed.number()),
        make.title(_xml(feed.name)),
        make.updated(feed.updated_at.isoformat()),
        make.author(make.name(_xml(feed.name))),
        make.link(rel="alternate", type="text/html", href=feed.link("index.html")),
        make.link(rel="self", type="application/atom+xml", href=feed.link("atom.xml")),
        *(
            make.entry(
                make.id(feed.number(letter.issue)),
                make.title(_xml(_title(letter))),
                make.updated(_published_at(letter).isoformat()),
                make.link(rel="alternate", type="text/html", href=feed.link(f"{letter.issue}.html")),
                make.content(_xml(html), type="html"),
            )
            for letter, html in feed.letters
        ),
    )
    return _serialise(root)


def rss(feed: Feed) -> bytes:
    """Serialise a feed as RSS 2.0."""
    make = ElementMaker(nsmap={"atom": ATOM})
    itself = {"rel": "self", "type": "application/rss+xml", "href": feed.link("rss.xml")}
    channel = make.channel(
        make.title(_xml(feed.name)),
        make.link(feed.link("index.html")),
        make.description(_xml(feed.name)),
        make.lastBuildDate(format_datetime(feed.updated_at)),
        etree.Element(f"{{{ATOM}}}link", itself),
        *(
            make.item(
                make.title(_xml(_title(letter))),
                make.link(feed.link(f"{letter.issue}.html")),
                make.guid(feed.number(letter.issue), isPermaLink="false"),
                make.pubDate(format_datetime(_published_at(letter))),
                make.description(_xml(html)),
            )
            for letter, html in feed.letters
        ),
    )
    return _serialise(make.rss(channel, version="2.0"))


def _title(letter: Letter) -> str:
    return subject(letter.name, letter.issue, is_draft=False)


def _published_at(letter: Letter) -> datetime:
    if letter.published_at is None:
        raise ValueError("a feed can only contain published letters")
    return letter.published_at


def _xml(text: str) -> str:
    """Replace characters that are not allowed in XML."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _serialise(root: etree._Element) -> bytes:
    written: bytes = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    return written
