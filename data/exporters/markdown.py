"""Exporter for Markdown, used to publish report issues on web pages and in forums."""

import re
from collections.abc import Callable, Iterable
from typing import BinaryIO
from urllib.parse import quote

from presort.data.exporters.references import one_line
from presort.data.records import ExportedPaper, Paper
from presort.data.text.web_addresses import doi_link, is_web_address

INSIDE = re.compile(
    r"""
    [\\`*_\[\]<>&~|$^=\#]
    | :(?=\S)                   # web address or emoji name
    | (?<=www)\.
    """,
    re.VERBOSE | re.IGNORECASE,
)
AT_THE_START = re.compile(r"(?P<number>\d*)(?P<sign>(?<=\d)[.)]|(?<!\d)[-+:])")  # starts a list, a rule or a heading
IN_ADDRESSES = ":/?#[]@!$&'()*+,;=%"  # characters that don't need to be escaped in a URL


def write_markdown(
    rows: Iterable[ExportedPaper],
    file: BinaryIO,
    *,
    title: str,
    note: str = "",
    link_of: Callable[[Paper], str | None] = lambda paper: None,
) -> None:
    """Write papers as a numbered CommonMark list, encoded in UTF-8.

    The list also renders correctly with GitHub's Markdown extensions. Any Markdown or HTML in the title, the
    note or a paper's fields is escaped, so it is shown literally and doesn't create links.

    Parameters
    ----------
    rows : iterable of ExportedPaper
    file : BinaryIO
    title : str
        Heading of the document.
    note : str
        Note to print below the heading, with its line breaks preserved. If it is empty, there is no note.
    link_of : callable
        Function that returns the URL to link from a paper's title, or None if the title should have no link.
    """
    note_text = "\n".join(plain(line) for line in note.strip().splitlines())
    entries = [_entry(f"{number}. ", row.paper, link_of(row.paper)) for number, row in enumerate(rows, start=1)]
    parts = [f"# {plain(title)}", re.sub(r"(?<=.)\n(?=.)", "\\\\\n", note_text), *entries]
    file.write("".join(f"{part}\n\n" for part in parts if part).encode())


def plain(text: str) -> str:
    r"""Escape a string so that Markdown shows it literally and on a single line.

    Examples
    --------
    >>> print(plain("1. <b>Wages</b> & [jobs](x), *not* www.a.example"))
    1\. \<b\>Wages\</b\> \& \[jobs\](x), \*not\* www\.a.example
    """
    line = INSIDE.sub(r"\\\g<0>", one_line(text)).replace("@", "@\N{WORD JOINER}")  # prevents email links and mentions
    return AT_THE_START.sub(r"\g<number>\\\g<sign>", line, count=1) if AT_THE_START.match(line) else line


def _address(link: str) -> str:
    return quote(link, safe=IN_ADDRESSES).replace("&", "&amp;")


def _link(text: str, link: str) -> str:
    return f"[{plain(text)}](<{_address(link)}>)"


def _entry(lead: str, paper: Paper, link: str | None) -> str:
    facts = ", ".join(filter(None, (paper.series, paper.type, paper.date)))
    lines = [
        _link(paper.title, link) if link else plain(paper.title),
        plain("; ".join(paper.authors)),
        plain(facts),
        f"DOI {_link(paper.doi, doi_link(paper.doi))}" if paper.doi else "",
        _link(paper.url, paper.url) if paper.url != link and is_web_address(paper.url) else "",
    ]
    return lead + f"\\\n{' ' * len(lead)}".join(filter(None, lines))
