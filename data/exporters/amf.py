"""Exporter for the Academic Metadata Format (AMF), RePEc's XML format."""

import re
from collections.abc import Iterable
from typing import BinaryIO

from lxml import etree  # type: ignore[import-untyped]
from lxml.builder import ElementMaker  # type: ignore[import-untyped]

from presort.data.records import Paper

NAMESPACE = "http://amf.openlib.org"
REPEC = re.compile("(info:lib/)*RePEc:")
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PRISM = ElementMaker(namespace="http://prismstandard.org/namespaces/basic/2.0/")  # AMF has no element for DOIs
AMF = ElementMaker(namespace=NAMESPACE, nsmap={None: NAMESPACE})


def write_amf(papers: Iterable[Paper], file: BinaryIO) -> None:
    """Write papers as AMF, encoded in UTF-8. Characters not allowed in XML are replaced with U+FFFD."""
    with etree.xmlfile(file, encoding="utf-8") as document:
        document.write_declaration()
        with document.element(f"{{{NAMESPACE}}}amf", nsmap={None: NAMESPACE}):
            for paper in papers:
                document.write("\n", _text(paper))
            document.write("\n")


def _text(paper: Paper) -> etree._Element:
    text = AMF.text(AMF.title(_replace_invalid(paper.title)), id=_id(paper))
    text.extend(AMF.hasauthor(AMF.person(AMF.name(_replace_invalid(author)))) for author in paper.authors)
    if paper.abstract:
        text.append(AMF.abstract(_replace_invalid(paper.abstract)))
    text.extend(AMF.classification(_replace_invalid(code)) for code in paper.codes)
    if paper.series:
        text.append(AMF.ispartof(AMF.collection(AMF.title(_replace_invalid(paper.series)))))
    if paper.date:
        text.append(AMF.date(paper.date))
    if paper.type:
        text.append(AMF.type(paper.type))
    if paper.url:
        text.append(AMF.displaypage(_replace_invalid(paper.url)))
    if paper.doi:
        text.append(PRISM.doi(_replace_invalid(paper.doi)))
    return text


def _id(paper: Paper) -> str:
    """Return the paper id in AMF notation, in which RePEc handles must have the prefix ``info:lib/``."""
    scheme = "info:lib/" if REPEC.match(paper.paper_id) else ""
    return scheme + _replace_invalid(paper.paper_id)


def _replace_invalid(text: str) -> str:
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
