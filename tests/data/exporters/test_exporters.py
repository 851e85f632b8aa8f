import csv
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import bibtexparser
import pyarrow.parquet
import pytest
import rispy
from hypothesis import example, given
from hypothesis import strategies as st

from presort.data.exporters.amf import write_amf
from presort.data.exporters.bibtex import write_bibtex
from presort.data.exporters.csv_file import write_csv
from presort.data.exporters.parquet_file import write_parquet
from presort.data.exporters.redif import write_redif
from presort.data.exporters.ris import write_ris
from presort.data.importers.listings import read_listings
from presort.data.records import ExportedPaper, Paper
from presort.data.text.cleaning import clean
from tests.data.workspaces import FIRST

PAPER = Paper(
    "RePEc:abc:1",
    "Wages & jobs",
    abstract="We show 5 % of it.",
    authors=("Ann Lee", "Chen, Bo"),
    codes=("J31", "J38"),
    series="Working papers",
    date="2026-11-01",
    doi="10.1257/aer.1_2",
    url="https://a.example/a_b.pdf?c=1&d",
    type="report",
)
ROW = ExportedPaper(PAPER, "lab", FIRST, 3, -0.25, "yes", published=True, tags=("survey", "J31"), note="Weak.\nLate.")
BARE = ExportedPaper(Paper("p1", "Bare"), "lab", FIRST, 1)
PLACING = f"lab {FIRST}, place 3, score -0.250: relevant, published"

HOSTILE = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://a.example","x")',
    "@SUM(A1)",
    "-1+1",
    "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED} \N{ARABIC LETTER SEEN} left",
    "an open { brace and a closed } one }",
    r"$\input{/etc/passwd}$ \write18{rm} 5 % of #1 & x_y ~ ^ \\",
    "a } @misc{evil, title = {x}",
    'quotes " and , commas; semicolons',
    "line\nER  - \nTY  - JOUR\r\nTI  - evil",
    "x" * 3_000,
]
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30).map(clean)
hostile = st.sampled_from(HOSTILE) | words


def written(write: Callable[..., None], rows: Iterable[ExportedPaper], **options: Any) -> str:
    file = io.BytesIO()
    write(rows, file, **options)
    return file.getvalue().decode()


def titled(title: str, number: int = 1) -> ExportedPaper:
    return replace(BARE, paper=Paper(f"p{number}", title or "untitled", abstract=title, series=title), note=title)


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def as_in_csv(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", " ")


def read_bibtex(text: str) -> list[dict[str, str]]:
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    assert library.comments == []
    return [
        {"key": entry.key} | {field.key: as_set(field.value) for field in entry.fields} for entry in library.entries
    ]


def as_set(tex: str) -> str:
    """Return the text that TeX would set. bibtexparser's decoder lacks some of these commands."""
    names = {"backslash": "\\", "braceleft": "{", "braceright": "}", "less": "<", "greater": ">"}
    names |= {"asciitilde": "~", "asciicircum": "^"}
    return re.sub(r"\\text([a-z]+){}|\\(.)", lambda found: found[2] or names[found[1]], tex)


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_csv_of_a_paper():
    assert read_csv(written(write_csv, [ROW])) == [
        {
            "report": "lab",
            "issue": "2026-11-02",
            "place": "3",
            "score": "-0.25",
            "relevant": "yes",
            "published": "yes",
            "paper_id": "RePEc:abc:1",
            "title": "Wages & jobs",
            "authors": "Ann Lee; Chen, Bo",
            "abstract": "We show 5 % of it.",
            "codes": "J31; J38",
            "series": "Working papers",
            "date": "2026-11-01",
            "doi": "10.1257/aer.1_2",
            "url": "https://a.example/a_b.pdf?c=1&d",
            "type": "report",
            "tags": "survey; J31",
            "note": "Weak.\nLate.",
        }
    ]


def test_csv_in_list_order_has_no_score():
    (row,) = read_csv(written(write_csv, [BARE]))
    assert (row["place"], row["score"], row["relevant"], row["published"]) == ("1", "", "undecided", "no")


def test_csv_without_papers_has_its_headings():
    assert written(write_csv, []).split(",")[:3] == ["report", "issue", "place"]


def test_csv_begins_with_a_byte_order_mark_on_request():
    assert written(write_csv, [ROW], bom=True) == "\N{BOM}" + written(write_csv, [ROW])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\r\n="])
def test_no_cell_of_text_starts_a_formula_and_our_numbers_stay_numbers(start):
    bad = f"{start}1+1"
    paper = Paper(bad, bad, bad, (bad,), (bad,), bad, bad, bad, bad, bad)
    row = ExportedPaper(paper, bad, FIRST, 1, -1.5, "no", tags=(bad,), note=bad)
    (cells,) = read_csv(written(write_csv, [row]))
    ours = {"issue": "2026-11-02", "place": "1", "score": "-1.5", "relevant": "no", "published": "no"}
    assert cells == {name: ours.get(name, as_in_csv(f"'{bad}")) for name in cells}


@pytest.mark.parametrize("line_break", ["\r", "\n", "\r\n"])
def test_no_line_break_in_a_text_begins_a_row(line_break):
    title = f"one{line_break}=1+1,2"
    (cells,) = read_csv(written(write_csv, [titled(title)]))
    assert cells["title"] == as_in_csv(title)


@given(st.lists(hostile, max_size=5))
def test_csv_is_read_back_unchanged(titles):
    rows = [titled(title, number) for number, title in enumerate(titles)]
    for row, cells in zip(rows, read_csv(written(write_csv, rows)), strict=True):
        expected = {"title": row.paper.title, "abstract": row.paper.abstract, "note": row.note}
        for name, value in expected.items():
            text = as_in_csv(value)
            assert cells[name] == (f"'{text}" if text.startswith(("=", "+", "-", "@")) else text)


def test_csv_is_imported_again(tmp_path):
    path = tmp_path / "list.csv"
    with path.open("wb") as file:
        write_csv([ROW, BARE], file, bom=True)
    listings = [(listed.paper, listed.issue, listed.selected_by) for listed in read_listings(path)]
    assert listings == [(PAPER, FIRST, ()), (BARE.paper, FIRST, ())]  # whatever the decisions on them


def test_exact_csv_has_every_text_unchanged():
    bad = "=1+1"
    row = ExportedPaper(Paper(bad, bad, "a\rb\r\nc\nd", (bad, "@a"), (bad,), bad), "lab", FIRST, 1, -1.5, note="-\t")
    text = written(write_csv, [row], is_exact=True)
    (cells,) = read_csv(text)
    assert [cells[name] for name in ("paper_id", "title", "codes", "series")] == [bad] * 4
    assert (cells["abstract"], cells["authors"], cells["note"]) == ("a\rb\r\nc\nd", "=1+1; @a", "-\t")
    assert (cells["issue"], cells["score"], cells["published"]) == ("2026-11-02", "-1.5", "no")


@pytest.mark.parametrize("options", [{}, {"is_exact": True}])
def test_csv_never_splits_an_author(options):
    row = replace(BARE, paper=Paper("p1", "Bare", authors=("Lee; Ann", "Bo")), tags=("a;b", "c"))
    (cells,) = read_csv(written(write_csv, [row], **options))
    assert (cells["authors"], cells["tags"]) == ("Lee, Ann; Bo", "a,b; c")


def test_parquet_keeps_the_type_of_everything():
    file = io.BytesIO()
    write_parquet([ROW, BARE], file)
    first, second = pyarrow.parquet.read_table(file).to_pylist()
    assert first == {
        "report": "lab",
        "issue": FIRST,
        "place": 3,
        "score": -0.25,
        "relevant": "yes",
        "published": True,
        "paper_id": "RePEc:abc:1",
        "title": "Wages & jobs",
        "authors": ["Ann Lee", "Chen, Bo"],
        "abstract": "We show 5 % of it.",
        "codes": ["J31", "J38"],
        "series": "Working papers",
        "date": "2026-11-01",
        "doi": "10.1257/aer.1_2",
        "url": "https://a.example/a_b.pdf?c=1&d",
        "type": "report",
        "tags": ["survey", "J31"],
        "note": "Weak.\nLate.",
    }
    assert (second["score"], second["published"], second["authors"]) == (None, False, [])


def test_redif_of_papers():
    papers = [replace(PAPER, codes=("J31", "J38", "cs.LG", "labour supply", "J1")), BARE.paper]
    file = io.BytesIO()
    write_redif(papers, file)
    assert file.getvalue().decode() == (
        "Template-Type: ReDIF-Paper 1.0\n"
        "Author-Name: Ann Lee\n"
        "Author-Name: Chen, Bo\n"
        "Title: Wages & jobs\n"
        "Abstract: We show 5 % of it.\n"
        "Classification-JEL: J31; J38\n"
        "Classification-Other: cs.LG\n"
        "Keywords: labour supply\n"
        "Classification-JEL: J1\n"
        "Series: Working papers\n"
        "Creation-Date: 2026-11-01\n"
        "DOI: 10.1257/aer.1_2\n"
        "File-URL: https://a.example/a_b.pdf?c=1&d\n"
        "Handle: RePEc:abc:1\n"
        "\n"
        "Template-Type: ReDIF-Paper 1.0\n"
        "Title: Bare\n"
        "X-Type: unknown\n"
        "Handle: p1\n"
        "\n"
    )


@given(st.lists(hostile, min_size=1, max_size=5))
def test_no_text_can_start_a_field_in_redif(titles):
    papers = [Paper(title or "p", title or "t", title, (title,), (title,), title, title) for title in titles]
    file = io.BytesIO()
    write_redif(papers, file)
    names = re.findall("^(.*?)(?:: |$)", file.getvalue().decode(), re.MULTILINE)
    assert names.count("Handle") == names.count("Template-Type") == len(papers)
    ours = {"Template-Type", "Author-Name", "Title", "Abstract", "Series", "Creation-Date", "Handle", "Keywords", ""}
    assert set(names) <= ours | {"Classification-JEL", "Classification-Other", "X-Type"}


def test_amf_names_the_scheme_of_a_repec_handle():
    file = io.BytesIO()
    write_amf([PAPER, BARE.paper], file)
    assert re.findall('id="(.*?)"', file.getvalue().decode()) == ["info:lib/RePEc:abc:1", "p1"]


def test_ris_of_a_paper():
    assert written(write_ris, [ROW]).split("\r\n") == [
        "TY  - RPRT",
        "ID  - RePEc:abc:1",
        "TI  - Wages & jobs",
        "AU  - Ann Lee",
        "AU  - Chen, Bo",
        "T3  - Working papers",
        "PY  - 2026",
        "DA  - 2026/11/01",
        "DO  - 10.1257/aer.1_2",
        "UR  - https://a.example/a_b.pdf?c=1&d",
        "AB  - We show 5 % of it.",
        "KW  - J31",
        "KW  - J38",
        "KW  - survey",
        f"N1  - {PLACING}",
        "N1  - Weak. Late.",
        "DB  - Presort",
        "AN  - RePEc:abc:1",
        "ER  - ",
        "",
    ]


def test_ris_omits_unknown_fields():
    lines = written(write_ris, [BARE]).split("\r\n")
    assert [line[:2] for line in lines] == ["TY", "ID", "TI", "N1", "DB", "AN", "ER", ""]
    assert lines[3] == f"N1  - lab {FIRST}, place 1: undecided, not published"


@given(st.lists(hostile, max_size=5))
def test_ris_is_read_back_unchanged(titles):
    rows = [titled(title, number) for number, title in enumerate(titles)]
    records = rispy.loads(written(write_ris, rows))
    assert [record["id"] for record in records] == [row.paper.paper_id for row in rows]
    for row, record in zip(rows, records, strict=True):
        assert record["title"] == one_line(row.paper.title)
        assert record.get("abstract", "") == one_line(row.paper.abstract)
        assert record.get("tertiary_title", "") == one_line(row.paper.series)
        assert record["notes"][1:] == [one_line(row.note)] * bool(one_line(row.note))
        others = {"name_of_database", "accession_number"}
        assert set(record) <= {"type_of_reference", "id", "title", "abstract", "tertiary_title", "notes"} | others


def test_ris_authors_and_keywords_are_read_back():
    (record,) = rispy.loads(written(write_ris, [ROW]))
    assert record["authors"] == ["Ann Lee", "Chen, Bo"]
    assert record["keywords"] == ["J31", "J38", "survey"]
    assert (record["year"], record["date"]) == ("2026", "2026/11/01")


def test_bibtex_of_a_paper():
    assert written(write_bibtex, [ROW]) == (
        "@techreport{RePEc:abc:1,\n"
        "  paper_id = {RePEc:abc:1},\n"
        "  title = {Wages \\& jobs},\n"
        "  author = {Ann Lee and Chen, Bo},\n"
        "  year = {2026},\n"
        "  date = {2026-11-01},\n"
        "  institution = {Working papers},\n"
        "  doi = {10.1257/aer.1_2},\n"
        "  url = {https://a.example/a_b.pdf?c=1&d},\n"
        "  abstract = {We show 5 \\% of it.},\n"
        "  keywords = {J31, J38, survey},\n"
        f"  annote = {{{PLACING}; Weak. Late.}},\n"
        "}\n\n"
    )


@given(st.lists(hostile, max_size=5))
def test_bibtex_is_read_back_unchanged(titles):
    rows = [titled(title, number) for number, title in enumerate(titles)]
    text = written(write_bibtex, rows)
    entries = read_bibtex(text)
    assert [entry["key"] for entry in entries] == [row.paper.paper_id for row in rows]
    for row, entry in zip(rows, entries, strict=True):
        assert entry["title"] == one_line(row.paper.title)
        assert entry.get("abstract", "") == one_line(row.paper.abstract)
        assert set(entry) <= {"key", "title", "abstract", "howpublished", "annote"}


@given(hostile)
@example("{")
@example("\\{")
@example("}{")
def test_bibtex_braces_are_balanced(title):
    """BibTeX counts braces after a backslash, too. Our reader doesn't."""
    depth = 0
    for line in written(write_bibtex, [titled(title)]).splitlines():
        for letter in line:
            depth += (letter == "{") - (letter == "}")
            assert depth >= 0
        assert depth == (0 if line in ("", "}") else 1)


@given(hostile)
def test_bibtex_contains_no_tex_commands_of_the_texts(title):
    """The only special characters of TeX left are those in our own escapes."""
    (line,) = re.findall("  title = {(.*)},\n", written(write_bibtex, [titled(title)]))
    left = re.sub(r"\\[$&%#_]|\\text(backslash|brace(left|right)|ascii(tilde|circum)|less|greater){}", "", line)
    assert not set(left) & set("\\{}$&%#_~^")


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        pytest.param(["Ann Lee", "Bo Chen"], "Ann Lee and Bo Chen", id="two"),
        pytest.param(["Lee, Ann"], "Lee, Ann", id="last-name-first"),
        pytest.param(["Ernst and Young"], "{Ernst and Young}", id="a-firm"),
        pytest.param(["RAND AND Co", "Ann Lee"], "{RAND AND Co} and Ann Lee", id="capitals"),
        pytest.param(["Anders Sand", "Andy Land"], "Anders Sand and Andy Land", id="and-inside-names"),
        pytest.param(["Ann Lee, Bo Chen, Di Wu"], "{Ann Lee, Bo Chen, Di Wu}", id="list-in-one-text"),
        pytest.param(["others"], "{others}", id="others-is-et-al"),
        pytest.param(["M. O'Neil & {Sons}"], r"M. O'Neil \& \textbraceleft{}Sons\textbraceright{}", id="special"),
    ],
)
def test_bibtex_keeps_each_author_a_single_name(authors, expected):
    row = replace(BARE, paper=Paper("p1", "Bare", authors=tuple(authors)))
    assert f"  author = {{{expected}}},\n" in written(write_bibtex, [row])


@pytest.mark.parametrize(
    ("ids", "keys"),
    [
        pytest.param(["arXiv:1701.00317"], ["arXiv:1701.00317"], id="as-it-is"),
        pytest.param(["a,b {c}%", "\N{HEBREW LETTER SHIN}"], ["a-b-c", "paper"], id="invalid-characters-in-a-key"),
        pytest.param(["a b", "a,b", "A-B", "a-b-2"], ["a-b", "a-b-2", "A-B-3", "a-b-2-2"], id="alike"),
    ],
)
def test_bibtex_keys_are_plain_and_unique(ids, keys):
    rows = [replace(BARE, paper=Paper(paper_id, "Bare")) for paper_id in ids]
    assert [entry["key"] for entry in read_bibtex(written(write_bibtex, rows))] == keys


def test_bibtex_keeps_an_id_that_is_no_valid_key():
    rows = [replace(BARE, paper=Paper(paper_id, "Bare")) for paper_id in ("a_b {c}", "a-b", "A-B", "-c-")]
    entries = read_bibtex(written(write_bibtex, rows))
    kept = [(entry["key"], as_set(entry.get("paper_id", ""))) for entry in entries]
    assert kept == [("a-b-c", "a_b {c}"), ("a-b", ""), ("A-B-2", "A-B"), ("c", "-c-")]


def test_bibtex_never_splits_a_keyword():
    row = replace(BARE, paper=Paper("p1", "Bare", codes=("a, b", "50 %;")), tags=("c",))
    assert "  keywords = {a b, 50 \\%, c},\n" in written(write_bibtex, [row])


@pytest.mark.parametrize("write", [write_ris, write_bibtex, lambda rows, file: write_redif([], file)])
def test_without_papers_the_file_is_empty(write):
    assert written(write, []) == ""
