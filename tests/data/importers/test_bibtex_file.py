import io
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.errors import UnreadableFileError
from presort.data.exporters.bibtex import write_bibtex
from presort.data.importers import bibtex_file
from presort.data.importers.bibtex_file import read_bibtex
from presort.data.importers.problems import Findings
from presort.data.importers.tex import plain
from presort.data.records import ExportedPaper, Paper
from tests.data.reference_files import PAPER, assert_damage_is_named, filled, out_and_in, papers, read_text, refusal
from tests.data.workspaces import FIRST

TWO = "@misc{p1,\n  title = {Wages},\n  author = {Lee, Ann},\n}\n\n@article{p2,\n  title = {Jobs}\n}\n"
keys = st.from_regex(r"[a-z0-9.:/+]([a-z0-9.:/+-]*[a-z0-9.:/+])?", fullmatch=True)  # written unchanged by our exporter
keywords = filled.filter(lambda text: not {",", ";"} & set(text))


@given(st.lists(papers(ids=keys, codes=keywords), min_size=1, max_size=4, unique_by=lambda paper: paper.paper_id))
def test_our_export_is_read_back(some):
    assert out_and_in(write_bibtex, read_bibtex, some) == some


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TWO, id="plain"),
        pytest.param(b"\xef\xbb\xbf" + TWO.encode(), id="byte-order-mark"),
        pytest.param(TWO.encode("utf-16"), id="utf-16"),
        pytest.param(TWO.encode("utf-16-le"), id="utf-16-without-byte-order-mark"),
        pytest.param(TWO.replace("\n", "\r\n"), id="crlf"),
        pytest.param(TWO.replace("\n", "\r"), id="cr"),
        pytest.param(TWO.replace("{Wages}", '"Wages"').replace("title", "TITLE"), id="quotes"),
        pytest.param("@string{w = {Wages}}" + TWO.replace("{Wages}", "w"), id="named-string"),
        pytest.param("% a comment\n@comment{x}\n@preamble{{y}}\n" + TWO, id="comments"),
        pytest.param(TWO.replace("Wages", "{W}a\n  {{ges}}").replace("a\n  {{", "a{{"), id="braces"),
        pytest.param(TWO.replace("Lee, Ann", "Lee, Ann and others"), id="and-others"),
    ],
)
def test_quirks_that_are_fine(content):
    assert read_text(read_bibtex, content) == [
        Paper("p1", "Wages", authors=("Lee, Ann",)),
        Paper("p2", "Jobs", type="journal article"),
    ]


def test_a_line_of_an_abstract_may_begin_like_an_entry():
    text = TWO.replace("{Wages}", "{Wages},\n abstract = {Write to\n@home{ of us} for more}")
    assert [paper.abstract for paper in read_text(read_bibtex, text)] == ["Write to @home of us for more", ""]
    assert "line 8: 'p2' has no title" in refusal(read_bibtex, text.replace("title = {Jobs}", ""))


def test_exports_of_reference_managers_are_read():
    entry = r"""@techreport{lee2019,
        title = {On {JEL} codes in {$\beta$}-models: 5\,\%},
        author = {M{\"u}ller, J{\"o}rg and \'Etienne, Ann
            AND {Bank of Simon and Schuster}},
        doi = {https://doi.org/10.1/X_1}, url = {https://a.example/a\_b~c},
        institution = "Bank", keywords = {a; b,c}, date = {2019-05}, year = 2019
    }"""
    assert read_text(read_bibtex, entry) == [
        Paper(
            "10.1/x_1",
            r"On JEL codes in $\beta$-models: 5 %",
            authors=("Müller, Jörg", "Étienne, Ann", "Bank of Simon and Schuster"),
            codes=("a", "b", "c"),
            series="Bank",
            date="2019-05",
            doi="10.1/x_1",
            url="https://a.example/a_b~c",
            type="report",
        )
    ]


def test_an_entry_without_key_gets_an_id_from_title_year_and_first_author():
    entry = "@article{, title = {Wages and {J}obs 0}, author = {Lee, Ann and Ek, Bo}, year = 2019}"
    assert [paper.paper_id for paper in read_text(read_bibtex, entry)] == ["title:249983713257cdbe"]


ENTRY = "@article{lee, title = {Wages}, author = {Lee, Ann}, year = 2019"


def read_all(tmp_path, content: str) -> tuple[list[Paper], Findings]:
    path, findings = tmp_path / "papers.bib", Findings()
    path.write_text(content, encoding="utf-8")
    return [entry.paper for entry in read_bibtex(path, problems=findings.collect(keeps_going=True))], findings


@pytest.mark.parametrize(
    ("fields", "expected", "n_repairs"),
    [
        pytest.param("keywords = {a, b}, keywords = {b}", {"codes": ("a", "b")}, 0, id="keyword-twice"),
        pytest.param("keywords = {a}, keywords = {b, c}", {"codes": ("a", "b", "c")}, 0, id="keywords-are-joined"),
        pytest.param("title = {Jobs}, note = {x}", {"title": "Wages"}, 1, id="first-value-counts"),
        pytest.param("funding = {x}, funding = {y}", {"title": "Wages"}, 1, id="unused-field"),
        pytest.param("title = {Wages}", {"title": "Wages"}, 0, id="the-same-twice"),
        pytest.param("abstract = {}, abstract = {We ask.}", {"abstract": "We ask."}, 0, id="empty-first"),
        pytest.param('abstract = "We " # {ask} # "."', {"abstract": "We ask."}, 0, id="parts-joined"),
        pytest.param('month = jan # "~15"', {"date": "2019-01-15"}, 0, id="day-in-month"),
        pytest.param("month = 3", {"date": "2019-03"}, 0, id="month-as-number"),
        pytest.param("month = MAR", {"date": "2019-03"}, 0, id="month-by-name"),
        pytest.param(r"abstract = {<p>{\'E}t{\'e} &amp; CO<sub>2</sub></p>}", {"abstract": "Été & CO2"}, 0, id="html"),
        pytest.param(r"abstract = {p $<$ .05, $<$i$>$Homo$<$/i$>$, $x<y$}", {"abstract": "p < .05, Homo, $x<y$"}, 0,
                     id="html-in-tex"),
        pytest.param("doi = {NA}", {"paper_id": "lee"}, 0, id="no-doi"),
        pytest.param("Early Access Date = {{NOV 2021}}", {"title": "Wages"}, 0, id="space-in-a-name"),
    ],
)  # fmt: skip
def test_fields_as_producers_write_them(tmp_path, fields, expected, n_repairs):
    (paper,), findings = read_all(tmp_path, f"{ENTRY}, {fields}}}")
    assert {name: getattr(paper, name) for name in expected} == expected
    assert (len(findings.skipped), len(findings.repairs)) == (0, n_repairs)


def test_a_repeated_key_is_allowed_if_there_is_a_doi(tmp_path):
    other = "@article{lee, title = {Jobs}, doi = {10.1000/x}}"
    papers, findings = read_all(tmp_path, f"{ENTRY}}}\n{other}\n{ENTRY}}}\n")
    assert [paper.paper_id for paper in papers] == ["lee", "10.1000/x"], "the third one repeats the first"
    assert not findings.skipped
    _, findings = read_all(tmp_path, f"{ENTRY}}}\n@article{{lee, title = {{Jobs}}}}")
    assert [error.line for error in findings.skipped] == [2]


@pytest.mark.parametrize("key", [", ", "\n  "])
def test_each_entry_without_key_is_a_paper(tmp_path, key):
    papers, findings = read_all(tmp_path, f"@article{{{key}title = {{Wages}}}}\n@article{{{key}title = {{Jobs}}}}\n")
    assert [paper.title for paper in papers] == ["Wages", "Jobs"]
    assert not findings.skipped


def test_an_entry_inherits_from_its_proceedings(tmp_path):
    content = """@inproceedings{a, title = {Wages}, crossref = {Proc20}}
    @proceedings{proc20, editor = {Ek, Bo}, title = {Proceedings}, year = 2020}
    @inproceedings{b, title = {Loop}, crossref = {c}} @inproceedings{c, title = {Back}, crossref = {b}}"""
    papers, _ = read_all(tmp_path, content)
    assert (papers[0].title, papers[0].series, papers[0].date, papers[0].authors) == (
        "Wages",
        "Proceedings",
        "2020",
        (),
    )
    assert papers[1].authors == ("Ek, Bo",), "a book without authors has its editors in their place"


def test_semicolons_between_authors(tmp_path):
    (paper,), _ = read_all(tmp_path, "@misc{a, title = {Wages}, author = {Lee, A.; Ek, B. and {Simon; Co, and, Sons}}}")
    assert paper.authors == ("Lee, A.", "Ek, B.", "Simon; Co, and, Sons")


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        pytest.param(r"\'e \'{e} {\'e} \'{\i} \'\i", "é é é í í", id="accents"),
        pytest.param(r"\c{c}\v s \H{o} \u{g}", "çš ő ğ", id="accents-by-letter"),
        pytest.param(r"stra\ss e {\o}{\L}ukasz \AE", "straße øŁukasz Æ", id="letters"),
        pytest.param(r"\^{} \textasciitilde{}~\&", "^ ~ &", id="signs"),
        pytest.param(r"CO\textsubscript{2}, m\textsuperscript{2}, \underline{no}", "CO2, m2, no", id="raised"),
        pytest.param(r"5{\textdegree}C, {\textpm}2, \DJ", "5°C, ±2, Đ", id="symbols"),
        pytest.param(r"\emph{a} {\it b} \url{c_d}", "a b c_d", id="formatting"),
        pytest.param(r"$x^{2}$ a$", "$x^{2}$ a$", id="mathematics"),
        pytest.param(r"\unknown{x} \alpha", r"\unknownx \alpha", id="unknown"),
        pytest.param("\\", "\\", id="nothing-escaped"),
        pytest.param("{" * 50_000, "", id="many-braces"),
    ],
)
def test_tex_as_plain_text(tex, expected):
    assert plain(tex) == expected


def test_an_accent_before_many_spaces_is_read_quickly():
    start = process_time()
    assert plain("\\'{" + " " * 100_000) == "\\'" + " " * 100_000
    assert process_time() - start < 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "papers.txt: contains no BibTeX entry", id="empty"),
        pytest.param("paper_id,title\n", "papers.txt: contains no BibTeX entry", id="a-table"),
        pytest.param("@comment{x}", "papers.txt: contains no BibTeX entry", id="comments-only"),
        pytest.param(TWO[:-2], "line 6: the entry is malformed", id="cut-off"),
        pytest.param(TWO.replace("Ann},\n}", "Ann,\n}"), "line 1: the entry is malformed", id="open-brace"),
        pytest.param(
            TWO.replace("p2", "p1"), "line 6: the key 'p1' is already used by the entry in line 1", id="same-key"
        ),
        pytest.param(TWO.replace("title = {Jobs}", ""), "line 6: 'p2' has no title", id="no-title"),
    ],
)
def test_errors_name_the_entry(content, message):
    assert message in refusal(read_bibtex, content)


def test_a_large_file_is_refused(monkeypatch):
    monkeypatch.setattr(bibtex_file, "LARGEST_FILE", 1_000)
    assert "larger than 1,000 bytes. Split it" in refusal(read_bibtex, TWO + "x" * 1_000)


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"^missing\.bib: can't be read: No such file"):
        list(read_bibtex(tmp_path / "missing.bib"))


def test_damage():
    file = io.BytesIO()
    write_bibtex([ExportedPaper(PAPER, "lab", FIRST, place) for place in (1, 2, 3)], file)
    assert_damage_is_named(read_bibtex, file.getvalue())
