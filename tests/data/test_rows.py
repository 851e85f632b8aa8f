import math
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import UnreadableFileError
from data.importers.rows import clean, listings
from tests.data.workspaces import FIXED

PATH = Path("some/papers.csv")
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


def read_row(**cells: object):
    row = FULL | cells
    return next(listings(PATH, list(row), [row]))


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


def test_the_needed_columns_are_enough():
    row = {"paper_id": "p1", "title": "Wages", "issue": "2026-11-02"}
    listed = next(listings(PATH, list(row), [row]))
    assert listed.selected_by == ()
    assert (listed.paper.abstract, listed.paper.authors, listed.paper.date) == ("", (), "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\r\nb\tc", "a b c", id="line-breaks-and-tabs"),
        pytest.param("a\x00b\x1b[1m\x85c\x9f", "a b [1m c", id="control-characters"),
        pytest.param("a\u2028b\u2029c\xa0d", "a b c d", id="breaks-and-spaces-of-unicode"),
        pytest.param("half\ud800pair\udfff", "half pair", id="lone-surrogates"),
        pytest.param("Jose\u0301", "José", id="composed"),
        pytest.param("\U0001d518 and 🎓", "\U0001d518 and 🎓", id="beyond-the-first-plane"),
        pytest.param(" \n\t ", "", id="nothing-but-space"),
    ],
)
def test_clean(text, expected):
    assert clean(text) == expected


@given(st.text(st.characters()))
@FIXED
def test_cleaned_text_is_one_line_of_utf8_and_stays_as_it_is(text):
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


@pytest.mark.parametrize("column", ["issue", "date"])
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("2019-02-30", id="no-such-day"),
        pytest.param("20190107", id="without-hyphens"),
        pytest.param(20190107, id="number"),
        pytest.param("2019-1-7", id="short"),
        pytest.param("2019-W02-1", id="week"),
        pytest.param("07/01/2019", id="slashes"),
        pytest.param("2019-01-07T00:00:00", id="with-a-time"),
        pytest.param("0000-01-01", id="year-nought"),
        pytest.param("\u0662\u0660\u0661\u0669-01-07", id="other-digits"),
        pytest.param("soon", id="word"),
    ],
)
def test_what_is_not_a_date(column, cell):
    with pytest.raises(UnreadableFileError) as caught:
        read_row(**{column: cell})
    assert str(caught.value) == (
        f"papers.csv, row 1, column {column}: {str(cell)!r} is not a date; write it as 2026-11-16"
    )


@pytest.mark.parametrize("column", ["paper_id", "title"])
@pytest.mark.parametrize("cell", [None, "", "  ", "\x00\x1f", math.nan])
def test_a_needed_cell_that_is_empty(column, cell):
    with pytest.raises(UnreadableFileError, match=rf"papers\.csv, row 1, column {column}: is empty") as caught:
        read_row(**{column: cell})
    assert (caught.value.path, caught.value.row, caught.value.column) == (PATH, 1, column)


@pytest.mark.parametrize("cell", [None, "", math.nan])
def test_an_issue_that_is_empty(cell):
    with pytest.raises(UnreadableFileError, match=r"row 1, column issue: '' is not a date"):
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
def test_what_is_not_a_report_code(code):
    with pytest.raises(UnreadableFileError, match=r"row 1, column reports: .* is no report code"):
        read_row(reports=code)


def test_missing_columns_are_all_named():
    with pytest.raises(UnreadableFileError, match=r"papers\.csv: no column title and no column issue; paper_id, title"):
        list(listings(PATH, ["paper_id", "Title"], []))


def test_a_column_twice():
    with pytest.raises(UnreadableFileError, match=r"papers\.csv: a column stands there twice; .* title, issue, title"):
        list(listings(PATH, ["paper_id", "title", "issue", "title"], []))


def test_a_paper_twice_in_an_issue_names_both_rows():
    rows = [FULL, FULL | {"paper_id": "p2"}, FULL | {"paper_id": " p1\n"}]
    with pytest.raises(UnreadableFileError, match=r"row 3, column paper_id: 'p1' stands in .* already, in row 1"):
        list(listings(PATH, list(FULL), rows))


def test_a_paper_in_two_issues_is_fine():
    rows = [FULL, FULL | {"issue": "2026-11-09"}]
    assert [listed.issue.day for listed in listings(PATH, list(FULL), rows)] == [2, 9]


def test_the_rows_before_a_bad_one_come_out_first():
    found = listings(PATH, list(FULL), [FULL, FULL | {"title": ""}])
    assert next(found).paper.paper_id == "p1"
    with pytest.raises(UnreadableFileError, match="row 2"):
        next(found)


def test_clean_drops_what_is_unseen_and_what_turns_text_around():
    assert clean("\u202eWages\u202c and\u200b jobs\ufeff \u2066x\u2069") == "Wages and jobs x"
    assert clean("\u200b\u2060") == ""
    assert clean("क\u094d\u200dष") == "क\u094d\u200dष"  # a joiner that a script needs
