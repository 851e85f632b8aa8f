import math
from contextlib import chdir
from datetime import date, datetime
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.errors import UnreadableFileError
from presort.data.exporters.cells import COLUMNS
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.tables import EXPORTED, LEAST_COMMAS, Table, entries
from presort.data.text.cleaning import clean

PATH = Path("papers.csv")
FULL = {
    "paper_id": "p1",
    "title": "Wages and jobs",
    "issue": "2026-11-02",
    "abstract": "We show.",
    "authors": "Ann Lee; Bo Chen",
    "codes": "J31;J38",
    "series": "Working papers",
    "date": "2026-10-30",
    "reports": "lab;his",
}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Folder with the file that the rows belong to, because its size is read."""
    with chdir(tmp_path_factory.mktemp("rows")):
        PATH.touch()
        yield


def read_rows(*rows: dict[str, object], chosen=None, problems=STRICT):
    """Read rows that have the same columns as the first."""
    cells = [list(row.values()) for row in rows]

    def picked(asked, _):
        places = [list(rows[0]).index(column) for column in asked]
        return [(number, [row[place] for place in places]) for number, row in enumerate(cells, 1)]

    return entries(Table(PATH, list(rows[0]), picked), chosen or {}, problems)


def read_row(**cells: object):
    return next(read_rows(FULL | cells))


def test_a_full_row():
    listed = read_row()
    assert (listed.paper.paper_id, listed.paper.title, listed.issue) == ("p1", "Wages and jobs", date(2026, 11, 2))
    assert (listed.paper.authors, listed.paper.codes) == (("Ann Lee", "Bo Chen"), ("J31", "J38"))
    assert (listed.paper.abstract, listed.paper.series, listed.paper.date) == (
        "We show.",
        "Working papers",
        "2026-10-30",
    )
    assert listed.selected_by == ("lab", "his")


def test_the_required_columns_suffice():
    listed = next(read_rows({"paper_id": "p1", "title": "Wages"}))
    assert (listed.row, listed.issue, listed.selected_by) == (1, None, ())
    assert (listed.paper.abstract, listed.paper.authors, listed.paper.date) == ("", (), "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\r\nb\tc", "a b c", id="line-breaks-and-tabs"),
        pytest.param("a\x00b\x1b[1m\x85c\x9f", "a b [1m c", id="control-characters"),
        pytest.param("a\u2028b\u2029c\xa0d", "a b c d", id="unicode-line-breaks-and-spaces"),
        pytest.param("half\ud800pair\udfff", "half pair", id="lone-surrogates"),
        pytest.param("Jose\u0301", "José", id="composed"),
        pytest.param("\U0001d518 and 🎓", "\U0001d518 and 🎓", id="beyond-the-basic-plane"),
        pytest.param(" \n\t ", "", id="nothing-but-space"),
    ],
)
def test_clean(text, expected):
    assert clean(text) == expected


@given(st.text(st.characters()))
def test_cleaned_text_is_one_line_of_utf8_and_cleaning_is_idempotent(text):
    cleaned = clean(text)
    assert cleaned.splitlines() in ([], [cleaned])
    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param(None, (), id="null"),
        pytest.param("", (), id="empty"),
        pytest.param(math.nan, (), id="nan"),
        pytest.param(" ; ;", (), id="separators-only"),
        pytest.param("Ann Lee", ("Ann Lee",), id="one"),
        pytest.param("Ann  Lee ;Bo\nChen;", ("Ann Lee", "Bo Chen"), id="untidy"),
        pytest.param("Ann Lee\u037eBo Chen", ("Ann Lee", "Bo Chen"), id="a-mark-that-composes-to-a-semicolon"),
        pytest.param(["Ann Lee", None, " ", "Bo; Chen"], ("Ann Lee", "Bo; Chen"), id="list"),
        pytest.param(0, ("0",), id="zero"),
    ],
)
def test_several_texts_in_a_cell(cell, expected):
    assert read_row(authors=cell).paper.authors == expected


@pytest.mark.parametrize("cell", [pytest.param(None, id="null"), pytest.param(math.nan, id="nan"), ""])
def test_an_optional_cell_may_be_empty(cell):
    listed = read_row(abstract=cell, series=cell, date=cell, reports=cell, codes=cell)
    assert (listed.paper.abstract, listed.paper.series, listed.paper.date) == ("", "", "")
    assert (listed.selected_by, listed.paper.codes) == ((), ())


def test_numbers_as_ids():
    assert read_row(paper_id=1234567890123).paper.paper_id == "1234567890123"


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(" 2019-02-28 ", id="text"),
        pytest.param(date(2019, 2, 28), id="date"),
        pytest.param(datetime(2019, 2, 28, 23, 59), id="time"),
    ],
)
def test_dates(cell):
    listed = read_row(issue=cell, date=cell)
    assert (listed.issue, listed.paper.date) == (date(2019, 2, 28), "2019-02-28")


@pytest.mark.parametrize(
    ("cell", "certain"),
    [
        pytest.param("2019-02-30", "2019", id="no-such-day"),
        pytest.param("20190107", "2019-01-07", id="without-hyphens"),
        pytest.param(20190107, "2019-01-07", id="number"),
        pytest.param("2019-1-7", "2019-01-07", id="short"),
        pytest.param("2019-W02-1", "2019", id="week"),
        pytest.param("07/01/2019", "2019", id="day-or-month-first"),
        pytest.param('="4/30/2024"', "2024-04-30", id="text-in-excel"),
        pytest.param("2019-01-07T00:00:00", "2019-01-07", id="with-a-time"),
        pytest.param("2014//", "2014", id="slashes"),
        pytest.param("2019.0", "2019", id="year-of-a-text-column-with-gaps"),
        pytest.param("2024 Jan-Feb", "2024", id="two-months"),
        pytest.param("March 2024", "2024-03", id="month-in-words"),
        pytest.param("0000-01-01", "", id="year-nought"),
        pytest.param("\u0662\u0660\u0661\u0669-01-07", "", id="other-digits"),
        pytest.param("in press", "", id="words"),
        pytest.param("MAR 15", "", id="no-year"),
    ],
)
def test_the_certain_part_of_a_date_is_kept(cell, certain):
    repairs = []
    (entry,) = read_rows(FULL | {"date": cell}, problems=Problems(repair=repairs.append))
    assert entry.paper.date == certain
    assert [(repair.row, repair.column) for repair in repairs] == ([] if certain else [(1, "date")])
    with pytest.raises(UnreadableFileError) as caught:
        read_row(issue=cell)
    assert (caught.value.row, caught.value.column) == (1, "issue"), "an issue needs a whole date"


@pytest.mark.parametrize("cell", ["", "NA", "n/a"])
def test_a_missing_date_is_no_repair(cell):
    repairs = []
    next(read_rows(FULL | {"date": cell}, problems=Problems(repair=repairs.append)))
    assert not repairs


@pytest.mark.parametrize("cell", [None, "", "  ", "\x00\x1f", math.nan])
def test_a_title_is_required(cell):
    with pytest.raises(UnreadableFileError, match=r"papers\.csv, row 1, column title: no title") as caught:
        read_row(title=cell)
    assert (caught.value.path, caught.value.row, caught.value.column) == (PATH, 1, "title")


@pytest.mark.parametrize("cell", [None, "", math.nan])
def test_an_issue_that_is_empty_is_left_to_the_caller(cell):
    assert read_row(issue=cell).issue is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param("2019", "2019", id="year"),
        pytest.param(2019, "2019", id="number"),
        pytest.param(2019.0, "2019", id="year-of-a-column-with-gaps"),
        pytest.param("2019-02", "2019-02", id="month"),
    ],
)
def test_a_paper_may_have_a_year_or_a_month_only(cell, expected):
    assert read_row(date=cell).paper.date == expected
    with pytest.raises(
        UnreadableFileError, match=f"row 1, column issue: '{expected}' is not a date. Write dates as 2026"
    ):
        read_row(issue=cell)


def test_a_report_twice_in_a_cell_counts_once():
    assert read_row(reports="lab; his;lab").selected_by == ("lab", "his")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("lab, his", id="comma"),
        pytest.param("<b>lab</b>", id="markup"),
        pytest.param("../lab", id="path"),
        pytest.param("-lab", id="like-an-option"),
        pytest.param("x" * 65, id="long"),
    ],
)
def test_other_texts_are_no_report_codes(code):
    with pytest.raises(UnreadableFileError, match=r"row 1, column reports: .* is not a valid report code"):
        read_row(reports=code)


def test_a_missing_column_is_named():
    with pytest.raises(UnreadableFileError, match=r"papers\.csv: no column for title. The columns are"):
        list(read_rows({"identity": "p1", "Titel": "Wages"}))


def test_invalid_rows_are_reported_and_the_others_read():
    rows = [FULL, FULL | {"title": ""}, FULL | {"issue": "soon"}, FULL | {"paper_id": "p4"}]
    errors: list[UnreadableFileError] = []
    assert [entry.row for entry in read_rows(*rows, problems=Problems(errors.append))] == [1, 4]
    assert [(error.row, error.column) for error in errors] == [(2, "title"), (3, "issue")]


def test_rows_before_an_invalid_one_are_yielded_first():
    found = read_rows(FULL, FULL | {"title": ""})
    assert next(found).paper.paper_id == "p1"
    with pytest.raises(UnreadableFileError, match="row 2"):
        next(found)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param({"paper_id": "p1", "DOI": " https://doi.org/10.1257/AER.1"}, ("p1", "10.1257/aer.1"), id="both"),
        pytest.param(
            {"paper_id": "", "DOI": "doi:10.1257/AER.1"}, ("10.1257/aer.1", "10.1257/aer.1"), id="no-id-in-the-row"
        ),
        pytest.param({"DOI": "10.1257/AER.1"}, ("10.1257/aer.1", "10.1257/aer.1"), id="no-column-of-ids"),
    ],
)
def test_a_doi_serves_as_an_id(cells, expected):
    entry = next(read_rows({"title": "Wages", **cells}))
    assert (entry.paper.paper_id, entry.paper.doi) == expected


@pytest.mark.parametrize("cell", [None, "", "  ", "NA", math.nan])
def test_a_paper_with_an_empty_id_cell_gets_a_derived_id(cell):
    entries = list(
        read_rows({"title": "Wages", "Key": "lee", "DOI": None}, {"title": "Jobs", "Key": cell, "DOI": "NA"})
    )
    assert entries[0].paper.paper_id == "lee"
    assert entries[1].paper.paper_id.startswith("title:")


def test_a_wrong_cell_is_named_by_the_column_of_the_file():
    with pytest.raises(UnreadableFileError, match=r"papers\.csv, row 1, column Article Title: no title"):
        next(read_rows({"Article Title": "", "DOI": "10.1/1"}))


def test_the_most_precise_of_several_dates_is_used():
    """IEEE writes the year, and the day as "Issue Date", which is not a Presort issue."""
    entry = next(read_rows({"Document Title": "Wages", "Publication Year": "2020", "Issue Date": "2020-04-06"}))
    assert (entry.issue, entry.paper.date) == (None, "2020-04-06")
    entry = next(read_rows({"Document Title": "Wages", "Publication Year": "2020", "Issue Date": "1999-04-06"}))
    assert entry.paper.date == "2020"


def test_tex_quotes_in_titles_and_abstracts_become_quotes():
    paper = read_row(title="A ``fair'' wage", abstract="We ``show'' f''.").paper
    assert (paper.title, paper.abstract) == ("A \u201cfair\u201d wage", "We \u201cshow\u201d f''.")


def test_tex_outside_of_formulas_is_text_in_titles_and_abstracts():
    wild = {
        "title": r"\emph{Erd\H{o}s} \& co.",
        "abstract": r"At~most $\emph{x}_1$ of \$5: 3\% of {\em all}, in C:\new.",
    }
    paper = read_row(**wild).paper
    assert (paper.title, paper.abstract) == ("Erdős & co.", r"At most $\emph{x}_1$ of $5: 3% of all, in C:\new.")


def authors_of(*cells: str, column: str = "Author(s)"):
    return [entry.paper.authors for entry in read_rows(*({"id": "p", "title": "T", column: cell} for cell in cells))]


DOUBLE = "García Márquez, Gabriel José"  # no part of it is a single word


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param(["Lee, Ann; Chen, Bo"], [("Lee, Ann", "Chen, Bo")], id="semicolons"),
        pytest.param(["Ann Lee|Bo Chen"], [("Ann Lee", "Bo Chen")], id="bars"),
        pytest.param(["Ann Lee, Bo Chen"], [("Ann Lee", "Bo Chen")], id="commas"),
        pytest.param(["Lee A., Chen B.C."], [("Lee A.", "Chen B.C.")], id="commas-and-initials"),
        pytest.param(["Ann Lee, A. Hines, Jr., Bo Chen"], [("Ann Lee", "A. Hines, Jr.", "Bo Chen")], id="junior"),
        pytest.param(["Lee, Ann"], [("Lee, Ann",)], id="last-name-first"),
        pytest.param(["Lee, A., Chen, B."], [("Lee, A.", "Chen, B.")], id="last-names-first"),
        pytest.param(["Lee, A. and Chen, B. and Ek, C."], [("Lee, A.", "Chen, B.", "Ek, C.")], id="and"),
        pytest.param(["A Lee, B Chen, ..."], [("A Lee", "B Chen")], id="publish-or-perish"),
        pytest.param(["['Lee, A.', \"O'Neil, B.\"]"], [("Lee, A.", "O'Neil, B.")], id="list-of-python"),
        pytest.param(["Lee, Ann; Ann Lee; Chen, Bo"], [("Lee, Ann", "Chen, Bo")], id="twice"),
        pytest.param(["Andr&eacute; M&#252;ller; Lee, A."], [("André Müller", "Lee, A.")], id="entities"),
        pytest.param(
            ["Bank of Town and Country; Simon and Schuster"],
            [("Bank of Town and Country", "Simon and Schuster")],
            id="and-in-the-name-of-an-institution",
        ),
        pytest.param([DOUBLE, "Lee, Ann"], [(DOUBLE,), ("Lee, Ann",)], id="other-rows-show-a-double-name"),
        pytest.param([DOUBLE, "Ann Lee; Bo Chen"], [(DOUBLE,), ("Ann Lee", "Bo Chen")], id="semicolons-further-down"),
        pytest.param([DOUBLE, f"{DOUBLE};"], [(DOUBLE,), (DOUBLE,)], id="semicolon-after-a-double-name"),
        pytest.param(["Lee, Ann (57190000001); Chen, Bo (57190000002)"], [("Lee, Ann", "Chen, Bo")], id="scopus"),
    ],
)
def test_authors_in_columns_of_other_programs(cells, expected):
    assert authors_of(*cells) == expected


@pytest.mark.parametrize("cell", ["Ann Lee, Bo Chen", "Ann Lee|Bo Chen"])
def test_a_column_with_our_own_name_is_split_at_semicolons_only(cell):
    assert authors_of(cell, column="authors") == [(cell,)]


MANY = ["Ann Lee, Bo Chen"] * LEAST_COMMAS


@pytest.mark.parametrize(
    ("cells", "more", "n_authors"),
    [
        pytest.param(MANY, {}, 2, id="many"),
        pytest.param(MANY[1:], {}, 1, id="a-few"),
        pytest.param(["Lee, Ann"] * LEAST_COMMAS, {}, 1, id="last-name-first"),
        pytest.param([*MANY, "Cy Oz; Di Ek"], {}, 1, id="semicolons-further-down"),
        pytest.param(MANY, {"date": "", EXPORTED: "yes"}, 1, id="our-export"),
    ],
)
def test_commas_in_a_column_with_our_own_name(cells, more, n_authors):
    rows = [{"paper_id": "p", "title": "T", "authors": cell, **more} for cell in cells]
    assert len(next(read_rows(*rows)).paper.authors) == n_authors


def test_our_exports_are_recognised_by_a_column():
    assert EXPORTED in COLUMNS


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param(["J31, J38", "E1"], [("J31", "J38"), ("E1",)], id="jel-with-commas"),
        pytest.param(["J31 J38;E1"], [("J31", "J38", "E1")], id="jel-with-spaces"),
        pytest.param(["cs.LG stat.ML"], [("cs.LG", "stat.ML")], id="arxiv"),
        pytest.param(["J31", "labor, wages; jobs"], [("J31",), ("labor, wages", "jobs")], id="words"),
    ],
)
def test_codes_in_columns_of_other_programs(cells, expected):
    rows = [{"id": "p", "title": "T", "JEL codes": cell} for cell in cells]
    assert [entry.paper.codes for entry in read_rows(*rows)] == expected


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param("\u0301\u0316" * 500_000, id="of-two-classes"),
        pytest.param("\u0344" * 500_000, id="each-composed-to-two"),
        pytest.param("\u0301\u200b" * 500_000, id="with-an-invisible-character-in-between"),
    ],
)
def test_excessive_combining_marks_are_removed_quickly(marks):
    start = process_time()
    cleaned = clean("Wa" + marks + "ges")
    assert process_time() - start < 1  # would take minutes if all were composed
    assert cleaned.startswith("W")
    assert cleaned.endswith("ges")
    assert len(cleaned) <= 2 + 30 + 3
    assert clean(cleaned) == cleaned


def test_normal_combining_marks_stay():
    text = "Z\u0351\u036b" + "a" + "\u0316" * 30 + " b"
    assert clean(text) == text


def test_clean_removes_invisible_and_bidirectional_characters():
    assert clean("\u202eWages\u202c and\u200b jobs\ufeff \u2066x\u2069") == "Wages and jobs x"
    assert clean("\u200b\u2060") == ""
    assert clean("क\u094d\u200dष") == "क\u094d\u200dष"  # a joiner that the script needs
