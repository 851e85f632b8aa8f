"""The parsers of reference managers read every field of exported files."""

import io
import json
import shutil
import subprocess
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, BinaryIO

import bibtexparser
import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from presort.data.exporters.bibtex import write_bibtex
from presort.data.exporters.csl_json import write_csl_json
from presort.data.exporters.ris import write_ris
from presort.data.records import ExportedPaper, Paper
from presort.data.records.paper_types import BY_CSL, BY_NAME, TYPES, paper_type
from presort.data.text.cleaning import clean
from tests.data.exporters.test_exporters import as_set

NASTY = [
    *("<i>Wages</i> & jobs < 5 %", r"$x_1^{2}$ \alpha ~ \textbf{a}", "quotes \"a\" 'b' „c“", "=1+1", "+1", "-1", "@A"),
    *(
        "\N{HEBREW LETTER SHIN}\N{ARABIC LETTER SEEN}",
        "经济学与工资",
        "two\nlines\r\nTI  - evil",
        "a } @misc{x, title = {y}",
    ),
    *("ER  - ", "&amp; &lt;", "100% #1 a_b"),
]
titles = (st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)).map(clean)
some_titles = titles.filter(bool)
papers = st.builds(
    Paper,
    st.sampled_from(["RePEc:abc:1", "p1", "10.1257/aer.1", "https://a.example/1"]),
    title=some_titles,
    abstract=titles,
    authors=st.lists(st.sampled_from(["Lee, Ann", "Bo Chen", "World Bank", "李明"]), max_size=3).map(tuple),
    codes=st.lists(st.sampled_from(["J31", "wages", "cs.LG"]), max_size=3, unique=True).map(tuple),
    series=titles,
    date=st.sampled_from(["", "2026", "2026-11", "2026-11-01"]),
    doi=st.sampled_from(["", "10.1257/aer.84_4", "10.1002/(sici)1097<1661::aid>3.0.co;2-2"]),
    url=st.sampled_from(["", "https://a.example/a_b?c=1&d=%20#e", "http://a.example/~x"]),
    type=st.sampled_from(["", *BY_NAME]),
)


def written(write: Callable[[Iterable[ExportedPaper], BinaryIO], None], *some: Paper) -> str:
    file = io.BytesIO()
    write([ExportedPaper(paper, "lab", date(2026, 11, 2), place) for place, paper in enumerate(some, 1)], file)
    return file.getvalue().decode()


def filled(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


@given(papers)
def test_rispy_reads_every_field(paper):
    (record,) = rispy.loads(written(write_ris, paper))
    series = record.get("secondary_title", "") + record.get("tertiary_title", "")
    assert (record["id"], record["title"], series) == (paper.paper_id, paper.title, paper.series)
    assert record["type_of_reference"] == paper_type(paper.type).ris[0]
    found = {
        "authors": tuple(record.get("authors", ())),
        "keywords": tuple(record.get("keywords", ())),
        "abstract": record.get("abstract", ""),
        "date": record.get("date", "").replace("/", "-"),
        "doi": record.get("doi", ""),
        "url": "".join(record.get("urls", ())),
    }
    ours = (paper.authors, paper.codes, paper.abstract, paper.date, paper.doi, paper.url)
    assert found == dict(zip(found, ours, strict=True))


@given(papers)
def test_bibtexparser_reads_every_field(paper):
    library = bibtexparser.parse_string(written(write_bibtex, paper))
    assert library.failed_blocks == []
    (entry,) = library.entries
    fields = {field.key: field.value for field in entry.fields}
    series = {"journal", "booktitle", "institution", "series", "howpublished"} & set(fields)
    assert entry.entry_type == (*paper_type(paper.type).bibtex, "misc")[0]
    texts = {name: as_set(fields.get(name, "")) for name in ("title", "abstract", "date")}
    assert texts["title"] == paper.title
    assert texts["abstract"] == paper.abstract
    assert texts["date"] or fields.get("year", "") == paper.date
    assert "".join(as_set(fields[name]) for name in series) == paper.series
    assert (fields.get("doi", ""), fields.get("url", "")) == (paper.doi, paper.url)
    assert fields.get("author", "") == " and ".join(paper.authors)


@given(papers)
def test_csl_items_have_every_field_and_only_those_of_the_schema(paper):
    (item,) = json.loads(written(write_csl_json, paper))
    known = {"id", "type", "genre", "title", "author", "issued", "container-title", "DOI", "URL", "abstract"}
    assert set(item) <= known | {"keyword", "note", "source"}
    names = [name.get("literal") or f"{name['family']}, {name['given']}" for name in item.get("author", ())]
    (parts,) = item.get("issued", {}).get("date-parts", [[]])
    assert (names, item["id"], item["title"]) == (list(paper.authors), paper.paper_id, paper.title)
    assert "-".join(f"{part:02}" for part in parts) == paper.date
    assert BY_CSL.get(item["type"], "") == paper.type
    found = {name: item.get(name, "") for name in ("DOI", "URL", "abstract", "container-title", "keyword")}
    ours = (paper.doi, paper.url, paper.abstract, paper.series, "; ".join(paper.codes))
    assert found == dict(zip(found, ours, strict=True))


FULL = Paper(
    *(
        "RePEc:abc:1",
        "Wages & jobs: 5 % of $x$",
        "We show it.",
        ("Lee, Ann", "World Bank"),
        ("J31",),
        "Labour Economics",
    ),
    *("2026-11-01", "10.1257/aer.84_4", "https://a.example/a_b?c=1&d=%20#e", "journal article"),
)
PREPRINT = Paper("p2", "Prices", doi="10.48550/arxiv.2401.1", type="preprint")


def pandoc(text: str, kind: str) -> list[dict[str, Any]]:
    if shutil.which("pandoc") is None:
        pytest.skip("pandoc is not installed: apt-get install pandoc")
    words = ["pandoc", "--from", kind, "--to", "csljson"]
    return json.loads(subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(("write", "kind"), [(write_csl_json, "csljson"), (write_bibtex, "bibtex")])
def test_pandoc_reads_doi_url_type_names_and_date(write, kind):
    first, second = pandoc(written(write, FULL, PREPRINT), kind)
    assert (first["type"], first["DOI"], first["URL"]) == ("article-journal", FULL.doi, FULL.url)
    assert (first["container-title"], first["issued"]["date-parts"][0][0]) == (FULL.series, 2026)
    assert first["author"][0] == {"family": "Lee", "given": "Ann"}
    assert first["title"].startswith("Wages & jobs: 5 % of")
    assert second["DOI"] == PREPRINT.doi


def test_pandoc_reads_every_type():
    some = [Paper(f"p{number}", "T", type=one.name) for number, one in enumerate(TYPES)]
    assert [item["type"] for item in pandoc(written(write_csl_json, *some), "csljson")] == [one.csl for one in TYPES]


def test_an_invalid_date_is_text():
    (item,) = json.loads(written(write_csl_json, Paper("p1", "T", date="spring 2026")))
    assert item["issued"] == {"literal": "spring 2026"}
