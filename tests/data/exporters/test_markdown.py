"""Markdown shows any title literally."""

import io
import re
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from presort.data.exporters.markdown import plain, write_markdown
from presort.data.records import ExportedPaper, Paper
from presort.data.text.cleaning import clean
from tests.data.workspaces import FIRST

HOSTILE = [
    *("# a", "#", "a #", "## a ##", "> a", "- a", "+ a", "* a", "1. a", "1) a", "12) a", "    a", "---", "===", "***"),
    *("* * *", "- - -", "```", "~~~", "`a`", "**a**", "__a__", "*a*", "_a_", "~~a~~", "[a](b)", "![a](b)", "[a]: b"),
    *("<b>a</b>", "<!-- a -->", "<script>alert(1)</script>", "<https://a.example>", "https://a.example", "&amp; &#65;"),
    *(
        "www.a.example",
        "WWW.A.EXAMPLE",
        "ann@a.example",
        "a | b",
        "| a | b |",
        ":--",
        "|-|",
        "$x$",
        "a\\",
        "\\",
        "\\[a]",
    ),
    *("](<x>)", "]", "[", ")", "a  ", "a\\\nb", "http://a.example/?a=b&c", "x:https://a.example", "- [ ] a", "=", "-"),
]
ANY = (
    st.sampled_from(HOSTILE)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
    | st.text("\\`*_[]()<>#+-.!|~&$^=:@w a1\n", max_size=12)
)
READERS = [MarkdownIt("commonmark"), MarkdownIt("gfm-like", {"linkify": False})]


def written(papers, **options):
    file = io.BytesIO()
    rows = [ExportedPaper(paper, "lab", FIRST, place) for place, paper in enumerate(papers, 1)]
    write_markdown(rows, file, **{"title": "Labour", **options})
    return file.getvalue().decode()


def shown(reader, text):
    """Return the tags of a page, and the text between them."""
    page = reader.render(text)
    tags = re.findall(r"<[^>]*>", page)
    return tags, unescape(re.sub(r"<[^>]*>", "", page)).replace("\N{WORD JOINER}", "")


def words(*texts):
    return " ".join(" ".join(texts).split())


def test_a_report_issue():
    papers = [
        Paper("arXiv:1906.10651", "Wages & jobs", authors=("Ann Lee", "Bo Chen"), series="Papers", date="2026-11-01"),
        Paper("p2", "Bare"),
    ]
    link_of = {papers[0]: "https://arxiv.org/abs/1906.10651"}.get
    note = "Two papers.\nBoth good.\n\nAda"
    assert written(papers, title="Labour, 2026-11-16", note=note, link_of=link_of) == (
        "# Labour, 2026-11-16\n\n"
        "Two papers.\\\nBoth good.\n\nAda\n\n"
        "1. [Wages \\& jobs](<https://arxiv.org/abs/1906.10651>)\\\n   Ann Lee; Bo Chen\\\n   Papers, 2026-11-01\n\n"
        "2. Bare\n\n"
    )


def test_the_tenth_paper_is_indented_by_the_width_of_its_number():
    lines = written([Paper(f"p{number}", "Wages", authors=("Ann",)) for number in range(10)]).splitlines()
    assert lines[-3:] == ["10. Wages\\", "    Ann", ""]


def test_without_papers_there_is_the_heading():
    assert written([]) == "# Labour\n\n"


@pytest.mark.parametrize(
    "reader", [pytest.param(reader, id=name) for name, reader in zip(("commonmark", "github"), READERS, strict=True)]
)
@given(ANY.map(clean).filter(bool))
@example("1.")
@example("a\\")
def test_texts_are_escaped_everywhere(reader, text):
    papers = [Paper("p1", text, authors=(text, text), series=text), Paper("p2", text)]
    address = "https://a.example/b"
    whole = written(papers, title=text, note=f"{text}\n\n{text}\n{text}", link_of={papers[0]: address}.get)
    harmless = written(
        [Paper("p1", "x", authors=("x", "x"), series="x"), Paper("p2", "x")],
        **{"title": "x", "note": "x\n\nx\nx", "link_of": lambda paper: address if paper.paper_id == "p1" else None},
    )
    tags, read = shown(reader, whole)
    assert tags == shown(reader, harmless)[0]
    assert words(read) == words(text, text, text, text, text, f"{text}; {text}", text, text)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        pytest.param("https://a.example/(b)_[c]", "https://a.example/(b)_[c]", id="brackets"),
        pytest.param("https://a.example/?a=b&copy=c", "https://a.example/?a=b&copy=c", id="no-entity"),
        pytest.param(
            "https://a.example/> <b> \\", "https://a.example/%3E%20%3Cb%3E%20%5C", id="characters-that-end-an-address"
        ),
        pytest.param("https://a.example/%20ü", "https://a.example/%20%C3%BC", id="beyond-ascii"),
    ],
)
def test_links_have_the_right_targets(link, expected):
    page = READERS[0].render(written([Paper("p1", "x")], link_of=lambda paper: link))
    (address,) = re.findall('href="([^"]*)"', page)
    assert unescape(address).replace("%5B", "[").replace("%5D", "]") == expected


@pytest.mark.parametrize(
    "text", ["https://a.example", "ftp://a", "www.a.example", "WWW.a", "ann@a.example", "@ann", "x:y"]
)
def test_texts_that_look_like_links_or_mentions_are_broken_up(text):
    """GitHub converts these to links even without link markup."""
    assert not re.search(r"(?<!\\):\S|www\.|@\w", plain(text).lower())


def test_plain_words_stay_readable():
    text = "Minimum wages: a meta-analysis (2nd ed.), 5 % of all! Why?"
    assert plain(text) == text


@pytest.mark.parametrize("reader", READERS)
def test_doi_address_and_type_of_a_paper(reader):
    paper = Paper("p1", "Wages", series="AER", date="2026", doi="10.1257/aer.1_2", url="https://a.example/a_b?c=1&d")
    page = reader.render(written([replace(paper, type="journal article")], link_of=lambda paper: "https://doi.org/x"))
    assert "AER, journal article, 2026" in page
    links = [unescape(link) for link in re.findall('href="([^"]*)"', page)]
    assert links == ["https://doi.org/x", "https://doi.org/10.1257/aer.1_2", paper.url]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x"])
def test_an_address_of_another_scheme_makes_no_link(url):
    assert "href" not in READERS[0].render(written([Paper("p1", "Wages", url=url)]))
