from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.preview import preview


def test_the_mapping_of_a_file_and_its_first_rows(tmp_path):
    path = tmp_path / "papers.csv"
    rows = "".join(f"10.1/{number},Wages {number},note\n" for number in range(1, 6))
    path.write_text("DOI,Article Title,Note\n" + rows, encoding="utf-8")
    shown = preview(path)
    assert shown.columns == ("DOI", "Article Title", "Note")
    assert (shown.fields, shown.problem) == ({"title": "Article Title", "doi": "DOI"}, "")
    assert shown.rows == tuple((f"10.1/{number}", f"Wages {number}", "note") for number in (1, 2, 3))


def test_chosen_columns_are_shown(tmp_path):
    path = tmp_path / "papers.tsv"
    path.write_text("id\ttitle\tTitel\n1\tWages\tLöhne\n", encoding="utf-8")
    assert preview(path, {"title": "Titel"}).fields == {"paper_id": "id", "title": "Titel"}


def test_a_missing_column_is_reported_and_the_rows_are_still_shown(tmp_path):
    path = tmp_path / "papers.csv"
    path.write_text("Nummer,Titel\n1,Löhne\n", encoding="utf-8")
    shown = preview(path)
    assert shown.problem == ("papers.csv: no column for title. The columns are Nummer, Titel")
    assert (shown.fields, shown.rows) == ({}, (("1", "Löhne"),))


def test_odd_columns_long_cells_and_wrong_rows(tmp_path):
    path = tmp_path / "papers.parquet"
    table = {"title": ["x" * 300], "paper_id": ["p1"], "vector": [b"\0"], "authors": [["Ann Lee", "Bo Chen"]]}
    pq.write_table(pa.table(table), path)
    assert preview(path).rows == (("x" * 200 + "…", "p1", "", "Ann Lee; Bo Chen"),)
    path = tmp_path / "papers.csv"
    path.write_bytes(b"id,title,title\n1,a,b\n2,a,b\n3\n")
    first, second, third = preview(path).rows
    assert (first, third) == (("1", "", ""), ("", "", ""))  # neither of two columns with the same name is shown
    assert second[0] == "2"


WEEKS = ("2026-11-02", "2026-11-09", "2026-11-16")


@pytest.mark.parametrize(
    ("days", "columns", "found"),
    [
        pytest.param(WEEKS, "id,title,date", {"date": 3}, id="weeks"),
        pytest.param(WEEKS[:1], "id,title,week", {"week": 1}, id="one-week-in-a-column-of-any-name"),
        pytest.param(WEEKS, "id,title,issue", {}, id="the-issue-is-found"),
        pytest.param(("2026-11-02", "2026-11-03"), "id,title,date", {}, id="days"),
        pytest.param(("2019-01-01", "2020-01-01"), "id,title,date", {}, id="years"),
        pytest.param(("2026-11-02", "2026-11"), "id,title,date", {}, id="not-whole"),
        pytest.param(("2026-11-02", ""), "id,title,date", {}, id="missing"),
        pytest.param(["soon", *sorted(20 * WEEKS)[1:]], "id,title,date", {"date": 3}, id="one-bad-row-of-sixty"),
        pytest.param(["soon", "", *sorted(20 * WEEKS)[2:]], "id,title,date", {}, id="two-bad-rows-of-sixty"),
        pytest.param(
            [f"2026-{month:02}-{day:02}" for month in (1, 2) for day in (1, 8, 15)], "id,title,date", {}, id="few"
        ),
    ],
)
def test_a_column_of_few_dates_looks_like_the_issue(tmp_path, days, columns, found):
    path = tmp_path / "papers.csv"
    rows = "".join(f"x{number},Wages,{days[number * len(days) // 60]}\n" for number in range(60))
    path.write_text(f"{columns}\n{rows}", encoding="utf-8")
    assert preview(path).like_issues == found


def test_dates_of_a_typed_table_look_like_the_issue_too(tmp_path):
    path = tmp_path / "papers.parquet"
    pq.write_table(
        pa.table({"id": [*"abcdefghijklmnopqrst"], "title": ["x"] * 20, "date": [date(2026, 11, 2)] * 20}), path
    )
    assert preview(path).like_issues == {"date": 1}


def test_other_files_are_refused(tmp_path: Path):
    path = tmp_path / "papers.xlsx"
    path.write_bytes(b"no workbook")
    with pytest.raises(UnreadableFileError, match=r"^papers\.xlsx: unreadable workbook"):
        preview(path)
