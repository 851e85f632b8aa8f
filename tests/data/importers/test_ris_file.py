import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.errors import UnreadableFileError
from presort.data.exporters.ris import write_ris
from presort.data.importers import ris_file
from presort.data.importers.problems import Problems, Repair
from presort.data.importers.ris_file import read_ris
from presort.data.records import ExportedPaper, Paper
from tests.data.reference_files import PAPER, assert_damage_is_named, out_and_in, papers, read_text, refusal
from tests.data.workspaces import FIRST

TWO = "TY  - RPRT\nID  - p1\nTI  - Wages\nAU  - Lee, Ann\nER  - \n\nTY  - JOUR\nID  - p2\nTI  - Jobs\nER  - \n"
TWO_PAPERS = [
    Paper("p1", "Wages", authors=("Lee, Ann",), type="report"),
    Paper("p2", "Jobs", type="journal article"),
]


@given(st.lists(papers(), min_size=1, max_size=4))
def test_our_export_is_read_back(some):
    assert out_and_in(write_ris, read_ris, some) == some


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TWO, id="plain"),
        pytest.param(b"\xef\xbb\xbf" + TWO.encode(), id="byte-order-mark"),
        pytest.param(TWO.replace("\n", "\r\n"), id="crlf"),
        pytest.param(TWO.replace("\n", "\r"), id="cr"),
        pytest.param(TWO.rstrip(), id="no-space-after-the-last-dash"),
        pytest.param(TWO.replace("TY", "1.\nTY"), id="numbered"),
        pytest.param(TWO.encode("utf-16"), id="utf-16"),
        pytest.param(TWO.encode("utf-16-be"), id="utf-16-without-byte-order-mark"),
        pytest.param(TWO.replace("  - ", " - "), id="one-space-before-the-hyphen"),
        pytest.param(TWO.replace("TY  - RPRT\nID  - p1\n", "ID  - p1\nTY  - RPRT\n"), id="type-in-the-middle"),
        pytest.param(TWO.replace("ER  - \n\n", "ER  - \n\nLink to the text: https://a.example\n\n"), id="text-between"),
        pytest.param(TWO.replace("ID  - p1\n", "ID  - p1\nXX  - unknown\nUR  - a;b\n"), id="unknown-tag"),
        pytest.param(TWO.replace("RPRT", "RPRT\nwhatever"), id="no-tag-in-the-first-line"),
        pytest.param(TWO.replace("ER  - \n\n", "ER  - \n\nNL  - Full text\n\n"), id="ovid-note"),
        pytest.param(
            TWO.replace("ER  - \n\n", "ER  - \nC1  - Database: x\n\nSearch:\n--\n1 wages\n\n2.\n"), id="ovid-search"
        ),
    ],
)
def test_quirks_that_are_fine(content):
    assert read_text(read_ris, content) == TWO_PAPERS


def record(*lines: str) -> str:
    return "\n".join(["TY  - GEN", *lines, "ER  - "])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            ["ID  - 7", "DO  - https://doi.org/10.1/X", "TI  - a"],
            Paper("10.1/x", "a", doi="10.1/x"),
            id="doi-before-own-number",
        ),
        pytest.param(
            ["UR  - http://a.example/x", "TI  - a"],
            Paper("http://a.example/x", "a", url="http://a.example/x"),
            id="address",
        ),
        pytest.param(
            ["UR  - file:///x.pdf", "UR  - https://a.example/x", "ID  - 1", "TI  - a"],
            Paper("1", "a", url="https://a.example/x"),
            id="web-address",
        ),
        pytest.param(
            ["ID  - 7", "DO  - 10.1/X", "TI  - a", "DB  - Presort", "AN  - p1"],
            Paper("p1", "a", doi="10.1/x"),
            id="our-own-id",
        ),
        pytest.param(["AN  - 12", "T1  - a"], Paper("12", "a"), id="older-title"),
        pytest.param(["ID  - 1", "TI  - a", "A1  - Lee"], Paper("1", "a", authors=("Lee",)), id="older-author"),
        pytest.param(["ID  - 1", "TI  - a", "N2  - b"], Paper("1", "a", abstract="b"), id="older-abstract"),
        pytest.param(["ID  - 1", "TI  - a", "AB  - b", "c", "", "d"], Paper("1", "a", "b c d"), id="more-lines"),
        pytest.param(["ID  - 1", "TI  - a", "T2  - AER"], Paper("1", "a", series="AER"), id="journal"),
        pytest.param(["ID  - 1", "TI  - a", "PY  - 2019///"], Paper("1", "a", date="2019"), id="year"),
        pytest.param(["ID  - 1", "TI  - a", "DA  - 2019/5/"], Paper("1", "a", date="2019-05"), id="month"),
        pytest.param(["ID  - 1", "TI  - a", "DA  - May", "PY  - 2019"], Paper("1", "a", date="2019"), id="words"),
        pytest.param(["ID  - 1", "TI  - a", "DA  - 2019/02/30"], Paper("1", "a", date="2019"), id="no-such-day"),
        pytest.param(["ID  - 1", "TI  - a", "KW  - b", "c"], Paper("1", "a", codes=("b", "c")), id="words-in-lines"),
    ],
)
def test_exports_of_reference_managers_are_read(lines, expected):
    assert read_text(read_ris, record(*lines)) == [expected]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["AU  - Lee, Ann; Ek, Bo", "TI  - a"], {"authors": ("Lee, Ann", "Ek, Bo")}, id="authors-in-one"),
        pytest.param(["A1  - Lee, A", "AU  - Lee, A", "TI  - a"], {"authors": ("Lee, A",)}, id="author-twice"),
        pytest.param(["A2  - Ek, Bo", "BT  - a"], {"authors": ("Ek, Bo",), "title": "a"}, id="book-with-editors"),
        pytest.param(["BT  - a", "T2  - b"], {"title": "a", "series": "b"}, id="title-in-bt"),
        pytest.param(["T2  - a", "JO  - b"], {"title": "a", "series": "b"}, id="title-in-t2"),
        pytest.param(["TI  - a", "BT  - b"], {"title": "a", "series": "b"}, id="chapter"),
        pytest.param(["TI  - ", "T1  - a"], {"title": "a"}, id="empty-title-first"),
        pytest.param(["TI  - a", "L3  - 10.1000/x"], {"paper_id": "10.1000/x", "doi": "10.1000/x"}, id="l3"),
        pytest.param(["TI  - a", "ID  - 7", "M3  - doi: 10.1000/x"], {"paper_id": "10.1000/x"}, id="m3"),
        pytest.param(["TI  - a", "M3  - Article", "ID  - 7"], {"paper_id": "7", "doi": ""}, id="m3-with-the-type"),
        pytest.param(["TI  - a", "N1  - Cited By: 3; doi: 10.1000/x"], {"doi": "10.1000/x"}, id="n1"),
        pytest.param(["TI  - a", "N1  - Erratum in: doi: 10.1000/x"], {"doi": ""}, id="n1-about-another-paper"),
        pytest.param(["TI  - a", "UR  - https://doi.org/10.1000/x"], {"paper_id": "10.1000/x"}, id="ur"),
        pytest.param(
            ["TI  - a", "UR  - https://a.example/doi/10.1000/x/full"], {"doi": "10.1000/x"}, id="ur-of-publisher"
        ),
        pytest.param(["TI  - a", "DO  - NA", "UR  - http://a.example/1"], {"paper_id": "http://a.example/1"}, id="na"),
        pytest.param(
            ["TI  - CO<sub>2</sub> &amp; <i>x</i>", "AB  - <p>p &lt; .001.</p>", "JO  - A &amp; B"],
            {"title": "CO2 & x", "abstract": "p < .001.", "series": "A & B"},
            id="html",
        ),
        pytest.param(["TI  - a", "AB  - NA"], {"abstract": ""}, id="abstract-missing"),
        pytest.param(["TI  - a", "AB  - b", "ER: c", "AB  - d"], {"abstract": "b ER: c"}, id="first-of-two-abstracts"),
        pytest.param(["TI  - a", "DA  - 2019", "PY  - 2019/05/03/"], {"date": "2019-05-03"}, id="most-exact-date"),
    ],
)
def test_fields_as_producers_write_them(lines, expected):
    (paper,) = read_text(read_ris, record(*lines))
    assert {name: getattr(paper, name) for name in expected} == expected


def test_texts_of_our_exports_are_read_unchanged():
    lines = [
        "ID  - p1",
        "TI  - a",
        "AU  - Lee; Ek",
        "T3  - a",
        "UR  - https://doi.org/10.1000/x",
        "DB  - Presort",
        "AN  - p1",
    ]
    (paper,) = read_text(read_ris, record(*lines))
    assert (paper.paper_id, paper.authors, paper.series, paper.doi) == ("p1", ("Lee; Ek",), "a", "")


def test_records_without_an_identifier_get_an_id_from_title_year_and_first_author():
    """Google Scholar exports have no ID, DOI or URL."""
    scholar = [
        record(f"T1  - Wages and jobs {number}", "A1  - Lee, Ann", "A1  - Ek, Bo", "JO  - Letters", "Y1  - 2019")
        for number in range(10)
    ]
    found = read_text(read_ris, "\n\n".join(scholar))
    assert len({paper.paper_id for paper in found}) == 10
    assert found[0] == Paper(
        found[0].paper_id, "Wages and jobs 0", authors=("Lee, Ann", "Ek, Bo"), series="Letters", date="2019"
    )
    same = record("TI  - WAGES AND JOBS 0", "AU  - Ann Lee", "PY  - 2019", "T2  - LETTERS")
    assert read_text(read_ris, same)[0].paper_id == found[0].paper_id


@pytest.mark.parametrize("tag", ["ID", "AN", "UR"])
def test_a_placeholder_is_not_an_identifier(tag):
    one, other = (f"TY  - GEN\n{tag}  - N/A\nTI  - {title}\nER  - \n" for title in ("Wages", "Jobs"))
    ids = {paper.paper_id for paper in read_text(read_ris, one + other)}
    assert len(ids) == 2
    assert "N/A" not in ids


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "papers.txt: contains no RIS record", id="empty"),
        pytest.param("paper_id,title\n", "papers.txt: contains no RIS record", id="a-table"),
        pytest.param(TWO + "TI  - Trade\n", "line 11: TI is outside of a record", id="no-start"),
        pytest.param(TWO + "TI  - Trade\n\n" + TWO, "line 11: TI is outside of a record", id="no-start-within"),
        pytest.param(TWO.replace("TI  - Jobs\n", ""), "line 7: 'p2' has no title", id="no-title"),
    ],
)
def test_errors_name_the_line(content, message):
    assert message in refusal(read_ris, content)


@pytest.mark.parametrize(
    ("content", "titles", "line"),
    [
        pytest.param(TWO + "TY  - RPRT\nTI  - Trade\n", ["Wages", "Jobs", "Trade"], 11, id="cut-off"),
        pytest.param(TWO.replace("ER  - \n\n", ""), ["Wages", "Jobs"], 1, id="no-end"),
        pytest.param(TWO.encode().replace(b"Jobs", b"J\xf6bs"), ["Wages", "Jöbs"], 9, id="stray-byte"),
        pytest.param(TWO.replace("Jobs", "Jo\x01bs"), ["Wages", "Jo bs"], 9, id="control-character"),
    ],
)
def test_repairs_name_the_line(tmp_path, content, titles, line):
    path = tmp_path / "week.ris"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    repairs: list[Repair] = []
    found = [entry.paper.title for entry in read_ris(path, problems=Problems(repair=repairs.append))]
    assert (found, [repair.line for repair in repairs]) == (titles, [line])


def test_a_single_space_before_the_hyphen_is_text_if_the_record_uses_two():
    text = record("ID  - 1", "TI  - a", "AB  - first", "CO - emissions", "rose")
    assert read_text(read_ris, text) == [Paper("1", "a", "first CO - emissions rose")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(TWO + "x" * 1_001, "line 11: the line has more than 1,000 characters", id="line"),
        pytest.param("TY  - JOUR\n" + "AB  - x\n" * 200, "line 1: the record has more than 1,000", id="record"),
    ],
)
def test_oversized_input_is_refused(monkeypatch, content, message):
    monkeypatch.setattr(ris_file, "LARGEST_RECORD", 1_000)
    assert message in refusal(read_ris, content)


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"^missing\.ris: can't be read: No such file"):
        list(read_ris(tmp_path / "missing.ris"))


def test_damage():
    file = io.BytesIO()
    write_ris([ExportedPaper(PAPER, "lab", FIRST, place) for place in (1, 2, 3)], file)
    assert_damage_is_named(read_ris, file.getvalue())
