"""A report issue as Markdown, to post where people read."""

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
    | :(?=\S)                   # an address, or the name of a picture
    | (?<=www)\.
    """,
    re.VERBOSE | re.IGNORECASE,
)
AT_THE_START = re.compile(r"(?P<number>\d*)(?P<sign>(?<=\d)[.)]|(?<!\d)[-+:])")  # of a list, a rule or a heading
IN_ADDRESSES = ":/?#[]@!$&'()*+,;=%"  # characters that need no escape in an address


def write_markdown(
    rows: Iterable[ExportedPaper],
    file: BinaryIO,
    *,
    title: str,
    note: str = "",
    link_of: Callable[[Paper], str | None] = lambda paper: None,
) -> None:
    """Write papers as a numbered list in Markdown, in UTF-8: CommonMark, with GitHub's extensions or without.

    What looks like Markdown or HTML in a text is shown as it is, and no text makes a link.

    Parameters
    ----------
    title : str
        The heading.
    note : str
        Text below the heading, line by line. Left out if empty.
    link_of : callable
        Gives the address that a paper's title leads to, or None.
    """
    note_text = "\n".join(plain(line) for line in note.strip().splitlines())
    entries = [_entry(f"{number}. ", row.paper, link_of(row.paper)) for number, row in enumerate(rows, start=1)]
    parts = [f"# {plain(title)}", re.sub(r"(?<=.)\n(?=.)", "\\\\\n", note_text), *entries]
    file.write("".join(f"{part}\n\n" for part in parts if part).encode())


def plain(text: str) -> str:
    r"""Write a text on one line so that Markdown shows it as it is.

    Examples
    --------
    >>> print(plain("1. <b>Wages</b> & [jobs](x), *not* www.a.example"))
    1\. \<b\>Wages\</b\> \& \[jobs\](x), \*not\* www\.a.example
    """
    line = INSIDE.sub(r"\\\g<0>", one_line(text)).replace("@", "@\N{WORD JOINER}")  # no mail address, nobody's name
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
