import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import tagged_files
from presort.data.importers.problems import Problems
from presort.data.importers.tagged_files import read_endnote, read_medline, read_web_of_science
from presort.data.records import Paper
from tests.data.reference_files import read_text, refusal

MEDLINE = """
PMID- 12345678
OWN - NLM
DP  - 2019
TI  - Minimum wages and the reallocation
      of workers.
AB  - BACKGROUND: We look at wages.

      RESULTS: They rose.
FAU - Lee, Ann
AU  - Lee A
FAU - Chen, Bo
AU  - Chen B
CN  - Wage Group
LID - S0001-1 [pii]
LID - 10.1000/ex.1 [doi]
MH  - Salaries
MH  - *Employment/economics
OT  - wages
JT  - Journal of examples
TA  - J Ex
PT  - Journal Article
SO  - J Ex. 2019 Mar;1(1):1-2.

PMID- 23456789
TI  - Jobs
DP  - 2020
"""
WOS = """\ufeffFN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Lee, A
   Chen, B
AF Lee, Ann
   Chen, Bo
TI Minimum wages and the reallocation
   of workers
SO JOURNAL OF EXAMPLES
DE wages; minimum
   wages
ID EMPLOYMENT
AB We look at wages.
PY 2019
DI 10.1000/ex.1
UT WOS:000000000000001
DT Article
ER

PT J
AU Ek, C
TI Jobs
ID EMPLOYMENT; TRADE
PY 2020
UT WOS:000000000000002
ER

EF
"""
ENDNOTE = """%0 Journal Article
%T Minimum wages
%A Lee, Ann
%A Chen, Bo
%J Journal of Examples
%D 2019
%K wages
minimum wages
%X We look at wages.

They rose.
%R 10.1000/ex.1

%0 Report
%T Jobs
%D 2020
%U https://a.example/2
"""


def test_medline():
    assert read_text(read_medline, MEDLINE) == [
        Paper(
            "10.1000/ex.1",
            "Minimum wages and the reallocation of workers.",
            "BACKGROUND: We look at wages. RESULTS: They rose.",
            ("Lee, Ann", "Chen, Bo", "Wage Group"),
            ("Salaries", "*Employment/economics", "wages"),
            "Journal of examples",
            "2019",
            "10.1000/ex.1",
            type="journal article",
        ),
        Paper("pmid:23456789", "Jobs", date="2020"),
    ]


def test_web_of_science():
    assert read_text(read_web_of_science, WOS) == [
        Paper(
            "10.1000/ex.1",
            "Minimum wages and the reallocation of workers",
            "We look at wages.",
            ("Lee, Ann", "Chen, Bo"),
            ("wages", "minimum wages"),
            "JOURNAL OF EXAMPLES",
            "2019",
            "10.1000/ex.1",
            type="journal article",
        ),
        Paper("WOS:000000000000002", "Jobs", authors=("Ek, C",), codes=("EMPLOYMENT", "TRADE"), date="2020"),
    ]


def test_endnote():
    assert read_text(read_endnote, ENDNOTE) == [
        Paper(
            "10.1000/ex.1",
            "Minimum wages",
            "We look at wages. They rose.",
            ("Lee, Ann", "Chen, Bo"),
            ("wages", "minimum wages"),
            "Journal of Examples",
            "2019",
            "10.1000/ex.1",
            type="journal article",
        ),
        Paper("https://a.example/2", "Jobs", date="2020", url="https://a.example/2", type="report"),
    ]


def test_records_without_a_start_tag_are_separated_by_blank_lines():
    text = "%A Lee, Ann\n%T Wages\n%M 1\n\n%A Chen, Bo\n%T Jobs\n%M 2\n"
    assert [paper.title for paper in read_text(read_endnote, text)] == ["Wages", "Jobs"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "%A Lee, Ann\n%0 Book\n%T Wages\n%D 2019\n\n%A Ek, Bo\n%0 Report\n%T Jobs\n%D 2020\n",
            [("Wages", "Lee, Ann", "2019"), ("Jobs", "Ek, Bo", "2020")],
            id="authors-first",
        ),
        pytest.param(
            "%0 Book\n%A Lee, Ann\n%T Wages\n%D 2019\n\n%A Ek, Bo\n%0 Report\n%T Jobs\n%D 2020\n",
            [("Wages", "Lee, Ann", "2019"), ("Jobs", "Ek, Bo", "2020")],
            id="mixed",
        ),
        pytest.param(
            "%0 Book\n%A Lee, Ann\n%T Wages\n%D 2019\n%0 Report\n%A Ek, Bo\n%T Jobs\n%D 2020\n",
            [("Wages", "Lee, Ann", "2019"), ("Jobs", "Ek, Bo", "2020")],
            id="without-blank-lines",
        ),
        pytest.param(
            "%0 Book\n%A Lee, Ann\n%X We look.\n\n%T Wages\n\n\n%D 2019\n\n%0 Report\n%A Ek, Bo\n%T Jobs\n%D 2020\n",
            [("Wages", "Lee, Ann", "2019"), ("Jobs", "Ek, Bo", "2020")],
            id="blank-lines-within",
        ),
    ],
)
def test_endnote_records_are_separated(text, expected):
    papers = read_text(read_endnote, text)
    assert [(paper.title, "; ".join(paper.authors), paper.date) for paper in papers] == expected


@pytest.mark.parametrize("read", [read_medline, read_web_of_science, read_endnote])
def test_a_file_without_records_is_refused(read):
    assert "contains no " in refusal(read, "")


def test_reading_resumes_after_a_record_without_title_or_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(tagged_files, "LARGEST_RECORD", 2_000)
    path = tmp_path / "week.nbib"
    large = "PMID- 2\nTI  - Large\n" + "AB  - xxxxxxxxxx\n" * 300
    path.write_text(f"PMID- 1\nAB  - x\n\n{large}\nPMID- 3\nTI  - Jobs\n", encoding="utf-8")
    left_out: list[UnreadableFileError] = []
    entries = list(read_medline(path, problems=Problems(left_out.append)))
    assert [(entry.row, entry.paper.title) for entry in entries] == [(307, "Jobs")]
    assert [error.line for error in left_out] == [1, 4]
