"""Importing an exported file restores the papers, for any text that an import could have stored."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from presort.data.exporters.amf import write_amf
from presort.data.exporters.bibtex import write_bibtex
from presort.data.exporters.csl_json import write_csl_json
from presort.data.exporters.csv_file import write_csv
from presort.data.exporters.parquet_file import write_parquet
from presort.data.exporters.redif import write_redif
from presort.data.exporters.ris import write_ris
from presort.data.importers.amf import read_amf
from presort.data.importers.bibtex_file import read_bibtex
from presort.data.importers.csl_json import read_csl_json
from presort.data.importers.csv_file import read_comma_separated
from presort.data.importers.parquet_file import read_parquet
from presort.data.importers.redif import read_redif
from presort.data.importers.ris_file import read_ris
from presort.data.records import Entry, ExportedPaper, Paper
from presort.data.records.paper_types import TYPES
from presort.data.text.cleaning import clean
from presort.data.text.prose import plain_text, prose
from tests.data.workspaces import FIRST

Write = Callable[[Iterable[ExportedPaper], BinaryIO], None]
Way = tuple[Write, Callable[[Path], Iterator[Entry]], str]

HOSTILE = [
    *("Handle: evil", "Template-Type: ReDIF-Paper 1.0", "Title:", "ER  -", "TY  - JOUR", "@misc{evil, title = {x}}"),
    *("</title><text id='x'>", "&lol; &amp; <!ENTITY lol 'lol'>", "]]>", "info:lib/RePEc:a:b:1", "RePEc:a:b:1"),
    *("an open { brace", "a closed } one", r"\'e \textbackslash{} \\ \{ $x$ \$ 5 % #1 ~ ^ _", "and", "others", "et al"),
    *("A, B and C, D, E", "Lee; Chen", "=1+1", "@SUM(A1)", "'=1+1", "'", '"', 'a "b" c', "a,b", "nan", "None", "NULL"),
    *(
        "2026-11-16",
        "-1",
        "[]",
        "J31 J38",
        "J31.",
        "cs.LG",
        "a b",
        "a%20b",
        "-a-",
        "A-b",
        "a-B",
        "doi:10.1/X",
        "10.1/X",
    ),
    *("\N{HEBREW LETTER SHIN} \N{ARABIC LETTER SEEN} left", "e\u0301", "\N{PILE OF POO}", "Ă¢â€", "\u0130", "ß"),
]
DOIS = [
    *(
        "10.1257/aer.84.4.772",
        "10.1000/a_b-c.d",
        "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
    ),
    *("10.1234/\N{LATIN SMALL LETTER A WITH DIAERESIS}#?%&$~^", "10.12345/x'y\"z"),
]
URLS = [
    *("https://a.example/1", "http://a.example/a_b~c;d,e?x=1&y=%20#z", "HTTPS://A.EXAMPLE/$x$^2/'\"/<b>/&amp;/@=+-"),
    *(
        "https://\N{CJK UNIFIED IDEOGRAPH-4F8B}.example/\N{HEBREW LETTER SHIN}",
        "https://a.example/=1+1",
        "https://doi.org/10.1/X",
    ),
]
NOT_IN_XML = "\ufffe\uffff"
JEL_LIST = re.compile("[A-Z][0-9]{1,2}([ ,;.]+[A-Z][0-9]{1,2})+[ ,;.]*")

texts = st.sampled_from(HOSTILE).map(clean) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(clean)
filled = texts.filter(lambda text: text and plain_text(text) == text)  # imports leave no entities
dois = st.just("") | st.sampled_from(DOIS)
urls = st.just("") | st.sampled_from(URLS)
types = st.just("") | st.sampled_from([one.name for one in TYPES])
years = st.integers(1, 9999).map("{:04}".format)
dates = st.just("") | st.dates().map(str)


def unlike(letters: str) -> st.SearchStrategy[str]:
    """Return a strategy for texts without these characters."""
    return filled.map(lambda text: clean(text.translate(dict.fromkeys(map(ord, letters), "-")))).filter(bool)


def lists_of(
    words: st.SearchStrategy[str], *, ids: st.SearchStrategy[str] = filled, **fields: st.SearchStrategy[object]
) -> st.SearchStrategy[list[Paper]]:
    """Return a strategy for lists of papers with distinct ids, with arbitrary texts by default."""
    several = st.lists(words, max_size=3).map(tuple)
    read = words.filter(lambda text: prose(text) == text)  # TeX outside of formulas is not restored
    made = {"title": read, "abstract": st.just("") | read, "authors": several, "codes": several}
    made |= {"series": st.just("") | words, "date": dates, "doi": dois, "url": urls, "type": types}
    paper = st.builds(Paper, ids, **{**made, **fields})
    return st.lists(paper, min_size=1, max_size=4, unique_by=lambda paper: paper.paper_id)


def papers_only(write: Callable[[Iterable[Paper], BinaryIO], None]) -> Write:
    return lambda rows, file: write((row.paper for row in rows), file)


def exact_csv(rows: Iterable[ExportedPaper], file: BinaryIO) -> None:
    write_csv(rows, file, is_exact=True)


REDIF: Way = (papers_only(write_redif), read_redif, "rdf")
AMF: Way = (papers_only(write_amf), read_amf, "xml")
RIS: Way = (write_ris, read_ris, "ris")
BIBTEX: Way = (write_bibtex, read_bibtex, "bib")
CSL: Way = (write_csl_json, read_csl_json, "json")
CSV: Way = (exact_csv, read_comma_separated, "csv")
PARQUET: Way = (write_parquet, read_parquet, "parquet")
ALL = [REDIF, AMF, RIS, BIBTEX, CSL, CSV, PARQUET]


def exported(papers: Iterable[Paper]) -> list[ExportedPaper]:
    return [ExportedPaper(paper, "lab", FIRST, place, 1 / place) for place, paper in enumerate(papers, 1)]


def out_and_in(way: Way, papers: Iterable[Paper]) -> list[Paper]:
    write, read, ending = way
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"papers.{ending}"
        with path.open("wb") as file:
            write(exported(papers), file)
        return [entry.paper for entry in read(path)]


def several(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(texts, max_size=3).map(tuple)


ENDS_A_CODE = " ,;"
redif_codes = st.lists(st.sampled_from(["J31", "A1", "Z99"]) | unlike(ENDS_A_CODE), max_size=5, unique=True).map(tuple)


@given(lists_of(filled, ids=unlike(" "), codes=redif_codes))
def test_redif(papers):
    """Excludes handles with a space, codes with a space, comma or semicolon, and repeated codes."""
    assert out_and_in(REDIF, papers) == papers


amf_text = unlike(NOT_IN_XML)


@given(lists_of(amf_text, ids=amf_text, codes=several(amf_text.filter(lambda text: not JEL_LIST.fullmatch(text)))))
def test_amf(papers):
    """Excludes two characters that XML doesn't allow, and several JEL codes in one."""
    assert out_and_in(AMF, papers) == papers


@given(lists_of(filled))
def test_ris(papers):
    assert out_and_in(RIS, papers) == papers


@given(lists_of(filled, codes=several(unlike(",;"))))
@example([Paper("a b", "T"), Paper("a-b", "T"), Paper("A-B", "T"), Paper("a,b", "T", date="2026-11")])
def test_bibtex(papers):
    """Excludes codes with a comma or semicolon."""
    assert out_and_in(BIBTEX, papers) == papers


@given(lists_of(filled, codes=several(unlike(";"))))
def test_csl_json(papers):
    """Excludes codes with a semicolon."""
    assert out_and_in(CSL, papers) == papers


@given(lists_of(filled, authors=several(unlike(";")), codes=several(unlike(";"))))
def test_csv(papers):
    """Excludes authors and codes with a semicolon."""
    assert out_and_in(CSV, papers) == papers


@given(lists_of(filled))
def test_parquet(papers):
    assert out_and_in(PARQUET, papers) == papers


@given(st.data())
def test_a_date_keeps_its_precision(data):
    """ReDIF's reader sets a missing day to 1."""
    date = data.draw(years | st.dates().map(lambda day: str(day)[:7]))
    for way in (AMF, RIS, BIBTEX, CSL, CSV, PARQUET):
        assert out_and_in(way, [Paper("p1", "Wages", date=date)]) == [Paper("p1", "Wages", date=date)]


@pytest.mark.parametrize("way", [pytest.param(way, id=way[2]) for way in ALL])
@given(st.lists(filled, min_size=1, max_size=3), st.lists(texts, max_size=3).map(tuple))
def test_no_text_splits_a_paper(way, titles, words):
    """Even if the format can't represent all of it, no part of a text becomes another paper, author or field."""
    papers = [
        Paper(f"p{number}", title, title, words, words, title, "2026-11-01", "10.1/x", "https://a.example/1", "report")
        for number, title in enumerate(titles)
    ]
    back = out_and_in(way, papers)
    fields = [[(paper.paper_id, *astuple(paper)[-4:]) for paper in some] for some in (back, papers)]
    assert fields[0] == fields[1]
    assert [len(paper.authors) for paper in back] == [len([word for word in words if word])] * len(papers)


@pytest.mark.parametrize(
    ("way", "paper", "expected"),
    [
        pytest.param(REDIF, Paper("a b", "T"), Paper("a%20b", "T"), id="redif-handle"),
        pytest.param(REDIF, Paper("p", "T", codes=("a b", "J31")), Paper("p", "T", codes=("J31",)), id="redif-codes"),
        pytest.param(AMF, Paper("p", "a\uffff"), Paper("p", "a\ufffd"), id="amf-characters"),
        pytest.param(AMF, Paper("p", "T", codes=("J31 J38",)), Paper("p", "T", codes=("J31", "J38")), id="amf-codes"),
        pytest.param(BIBTEX, Paper("p", "T", codes=("a, b;c",)), Paper("p", "T", codes=("a b c",)), id="bibtex-codes"),
        pytest.param(CSV, Paper("p", "T", authors=("A; B",)), Paper("p", "T", authors=("A, B",)), id="csv-authors"),
    ],
)  # fmt: skip
def test_losses_of_each_format(way, paper, expected):
    assert out_and_in(way, [paper]) == [expected]


@pytest.mark.parametrize("way", [pytest.param(way, id=way[2]) for way in (RIS, BIBTEX, CSL)])
def test_tags_are_read_back_as_codes(way):
    """References have only one kind of keyword."""
    paper = Paper("p1", "Wages", codes=("J31", "J31"))
    write, read, _ = way
    file = io.BytesIO()
    write([replace(row, tags=("survey", "J31")) for row in exported([paper])], file)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "papers"
        path.write_bytes(file.getvalue())
        assert [entry.paper.codes for entry in read(path)] == [("J31", "J31", "survey")]
