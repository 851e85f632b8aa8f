from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.errors import UnreadableFileError
from data.importers.preview import preview


def test_the_mapping_of_a_file_and_its_first_rows(tmp_path):
    path = tmp_path / "papers.csv"
    rows = "".join(f"10.1/{number},Wages {number},note\n" for number in range(1, 6))
    path.write_text("DOI,Article Title,Note\n" + rows, encoding="utf-8")
    shown = preview(path)
    assert shown.columns == ("DOI", "Article Title", "Note")
    assert (shown.fields, shown.problem) == ({"title": "Article Title", "doi": "DOI"}, "")
    assert shown.rows == tuple((f"10.1/{number}", f"Wages {number}", "note") for number in (1, 2, 3))


def test_told_columns_are_shown(tmp_path):
    path = tmp_path / "papers.tsv"
    path.write_text("id\ttitle\tTitel\n1\tWages\tLöhne\n", encoding="utf-8")
    assert preview(path, {"title": "Titel"}).fields == {"paper_id": "id", "title": "Titel"}


def test_what_is_missing_is_a_problem_to_solve_and_the_rows_are_still_shown(tmp_path):
    path = tmp_path / "papers.csv"
    path.write_text("Nummer,Titel\n1,Löhne\n", encoding="utf-8")
    shown = preview(path)
    assert shown.problem == (
        "papers.csv: no column paper_id and no column title; the columns are Nummer, Titel; "
        "name it with --column paper_id=COLUMN"
    )
    assert (shown.fields, shown.rows) == ({}, (("1", "Löhne"),))


def test_odd_columns_long_cells_and_wrong_rows(tmp_path):
    path = tmp_path / "papers.parquet"
    table = {"title": ["x" * 300], "paper_id": ["p1"], "vector": [b"\0"], "authors": [["Ann Lee", "Bo Chen"]]}
    pq.write_table(pa.table(table), path)
    assert preview(path).rows == (("x" * 200 + "…", "p1", "", "Ann Lee; Bo Chen"),)
    path = tmp_path / "papers.csv"
    path.write_bytes(b"id,title,title\n1,a,b\n2,Caf\xe9,b\n3\n")
    first, second, third = preview(path).rows
    assert (first, third) == (("1", "", ""), ("", "", ""))  # of a column twice none is shown
    assert second[1] == "is not UTF-8; save it as UTF-8"


def test_what_is_no_table_is_refused(tmp_path: Path):
    path = tmp_path / "papers.xlsx"
    path.write_bytes(b"paper_id,title\n")
    with pytest.raises(UnreadableFileError, match=r"^papers\.xlsx: is no workbook that can be read"):
        preview(path)
