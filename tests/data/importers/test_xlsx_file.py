import random
import zipfile
from datetime import date, datetime
from pathlib import Path
from time import process_time
from typing import Any

import openpyxl
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import xlsx_file
from presort.data.importers.problems import Problems
from presort.data.importers.xlsx_file import read_xlsx
from presort.data.records import Paper

HEADER = ["paper_id", "title", "issue"]
SHEET = "xl/worksheets/sheet1.xml"


def write(folder: Path, *rows: list[Any], name: str = "papers.xlsx") -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(folder / name)
    return folder / name


def replace_part(path: Path, part: str, content: bytes) -> Path:
    """Copy a workbook with one part replaced or added."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in (parts | {part: content}).items():
            book.writestr(name, text)
    return path


def sheet_of(rows: str, *, start: str = "") -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<?xml version="1.0"?>{start}<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def refusal_of(path: Path) -> str:
    try:
        list(read_xlsx(path))
    except UnreadableFileError as error:
        return str(error)
    return ""


def test_a_plain_sheet(tmp_path):
    path = write(
        tmp_path,
        ["paper_id", "title", "issue", "authors", "date", "reports"],
        ["p1", "Wages", datetime(2026, 11, 2), "Ann Lee; Bo Chen", 2019, "lab;his"],
        [7, "Jobs", "2026-11-02", None, date(2019, 2, 28), None],
        [2.5e15, 1984, None, None, "2019-02", None],
    )
    first, second, third = read_xlsx(path)
    assert first.paper == Paper("p1", "Wages", authors=("Ann Lee", "Bo Chen"), date="2019")
    assert (first.row, first.issue, first.selected_by) == (2, date(2026, 11, 2), ("lab", "his"))
    assert (second.paper, second.issue) == (Paper("7", "Jobs", date="2019-02-28"), date(2026, 11, 2))
    assert (third.paper, third.issue) == (Paper("2500000000000000", "1984", date="2019-02"), None)


def test_the_first_sheet_with_a_table_is_read_with_its_row_numbers(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"] = "New papers"
    sheet = book.create_sheet("papers")
    sheet["B2"] = "of November"
    for column, name, text in zip("CDE", ("Note", "DOI", "Article Title"), (None, "10.1/1", "Wages"), strict=True):
        sheet[f"{column}4"], sheet[f"{column}7"] = name, text
    sheet["C6"] = "only a note"
    book.create_sheet("others").append(HEADER)
    book.save(tmp_path / "papers.xlsx")
    (entry,) = read_xlsx(tmp_path / "papers.xlsx")
    assert (entry.row, entry.paper) == (7, Paper("10.1/1", "Wages", doi="10.1/1"))


def test_text_that_only_looks_like_a_formula_is_text(tmp_path):
    path = write(tmp_path, HEADER, ["p1", "x", None])
    rows = f"<row>{cell('A1', 'id')}{cell('B1', 'title')}</row><row>{cell('A2', 'p1')}{cell('B2', '=1+1')}</row>"
    assert [entry.paper.title for entry in read_xlsx(replace_part(path, SHEET, sheet_of(rows)))] == ["=1+1"]


def test_coded_control_characters_are_decoded(tmp_path):
    rows = ["paper_id", "title", "issue", "abstract_x000D_\n"], ["p1", "On _x005F_x000D_", None, "One._x000D_\nTwo."]
    (entry,) = read_xlsx(write(tmp_path, *rows))
    assert entry.paper == Paper("p1", "On _x000D_", "One. Two.")


def test_rows_with_formulas_or_errors_are_reported_and_the_others_read(tmp_path):
    path = write(
        tmp_path,
        [*HEADER, "note"],
        ["p1", '=HYPERLINK("http://evil.example","Wages")', None, None],
        ["p2", "#N/A", None, None],
        ["p3", "Jobs", None, "=1+1"],
        ["p4", "=cmd|' /C calc'!A0", None, None],
        ["p5", None, None, None],
    )
    with pytest.raises(UnreadableFileError) as caught:
        list(read_xlsx(path))
    assert str(caught.value) == "papers.xlsx, row 2, column title: contains a formula. Replace it with its value"
    errors: list[UnreadableFileError] = []
    assert [entry.paper.paper_id for entry in read_xlsx(path, problems=Problems(errors.append))] == ["p3"]
    assert [(error.row, error.column) for error in errors] == [(row, "title") for row in (2, 3, 5, 6)]
    assert "row 3, column title: contains the error #N/A" in str(errors[1])


def test_an_impossible_date_is_an_error_of_its_row(tmp_path):
    path = write(tmp_path, HEADER, ["p1", "Wages", datetime(2026, 11, 2)])
    with zipfile.ZipFile(path) as book:
        sheet = book.read(SHEET)
    number = b"<v>46328</v>"
    assert number in sheet
    path = replace_part(path, SHEET, sheet.replace(number, b"<v>99999999</v>"))
    with pytest.raises(UnreadableFileError, match=r"row 2, column issue: contains the error #VALUE!"):
        list(read_xlsx(path))


def test_chosen_columns_are_used(tmp_path):
    path = write(tmp_path, ["Nr", "Titel", "title"], ["p1", "Löhne", "Wages"])
    (entry,) = read_xlsx(path, columns={"paper_id": "Nr", "title": "Titel"})
    assert entry.paper == Paper("p1", "Löhne")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param([], "papers.xlsx: no sheet contains a table", id="empty"),
        pytest.param([["title"], ["Wages"]], "papers.xlsx: no sheet contains a table", id="one-column"),
        pytest.param([["a", "b", None]], "The columns are a, b", id="columns"),
    ],
)
def test_a_workbook_without_a_table_is_refused(tmp_path, rows, message):
    with pytest.raises(UnreadableFileError) as caught:
        list(read_xlsx(write(tmp_path, *rows)))
    assert str(caught.value).endswith(message)


def bomb(element: str) -> bytes:
    lols = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    start = f'<!DOCTYPE b [<!ENTITY l0 "lol">{lols}<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    return sheet_of(f'<row r="1">{cell("A1", element)}{cell("B1", "x")}</row>', start=start)


@pytest.mark.parametrize("part", [SHEET, "xl/sharedStrings.xml", "xl/workbook.xml", "_rels/.rels"])
@pytest.mark.parametrize("element", ["&l9;", "&file;"])
def test_xml_entities_are_refused(tmp_path, part, element):
    path = replace_part(write(tmp_path, HEADER, ["p1", "Wages", None]), part, bomb(element))
    start = process_time()
    with pytest.raises(UnreadableFileError, match=rf"^papers\.xlsx: {part} in the workbook has a document type"):
        list(read_xlsx(path))
    assert process_time() - start < 1


@pytest.mark.parametrize(
    ("rows", "refusal"),
    [
        pytest.param('<row r="99999999999"><c><v>1</v></c></row>', "more than 1,048,576 rows", id="a-row-far-down"),
        pytest.param('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "", id="the-last-cell"),
        pytest.param('<row><c r="ZZZZZZ1"><v>1</v></c></row>', "row 2: unreadable workbook", id="no-such-column"),
        pytest.param(f'<row r="{"9" * 5_000}"/>', "row 2: unreadable workbook", id="no-such-row"),
    ],
)
def test_sheets_that_claim_to_be_huge_are_read_quickly(tmp_path, rows, refusal):
    header = f'<row r="1">{cell("A1", "id")}{cell("B1", "title")}</row>'
    path = replace_part(write(tmp_path, HEADER, ["x", "y", None]), SHEET, sheet_of(header + rows))
    start = process_time()
    found = refusal_of(path)
    assert refusal in found
    assert bool(found) == bool(refusal)
    assert process_time() - start < 5


@pytest.mark.parametrize("size", ["A1", "A1:B2", "C3:D4", "A1:XFD1048576"])
def test_the_stated_size_of_a_sheet_is_ignored(tmp_path, size):
    path = write(tmp_path, HEADER, *([f"p{number}", "Wages", None] for number in range(5)))
    with zipfile.ZipFile(path) as book:
        sheet = book.read(SHEET)
    whole = b'<dimension ref="A1:C6"'
    assert whole in sheet
    replace_part(path, SHEET, sheet.replace(whole, f'<dimension ref="{size}"'.encode()))
    assert [entry.paper.paper_id for entry in read_xlsx(path)] == [f"p{number}" for number in range(5)]


def test_a_sheet_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path, HEADER, ["p1", "x" * 30_000, None])
    monkeypatch.setattr(xlsx_file, "MOST_BYTES", 20_000)
    with pytest.raises(UnreadableFileError, match=r"^papers\.xlsx: is larger than .* when unpacked"):
        list(read_xlsx(path))


def test_a_huge_cell_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx_file, "LONGEST_CELL", 1_000)
    path = write(tmp_path, HEADER, ["p1", "x" * 1_001, None], ["p2", "x" * 1_000, None])
    errors: list[UnreadableFileError] = []
    assert [entry.row for entry in read_xlsx(path, problems=Problems(errors.append))] == [3]
    assert str(errors[0]) == "papers.xlsx, row 2, column title: more than 1,000 characters"


def test_files_that_are_no_workbook_are_refused(tmp_path):
    path = tmp_path / "papers.xlsx"
    for content in (b"", b"paper_id,title\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)):
        path.write_bytes(content)
        with pytest.raises(UnreadableFileError, match=r"^papers\.xlsx: (the file is empty|unreadable workbook)"):
            list(read_xlsx(path))
    with pytest.raises(UnreadableFileError, match=r"missing\.xlsx: can't be read: No such file"):
        list(read_xlsx(tmp_path / "missing.xlsx"))


def test_a_damaged_workbook_is_read_or_refused(tmp_path):
    rows = [[f"p{number}", f"Títle {number}", datetime(2026, 11, 2)] for number in range(6)]
    path = write(tmp_path, HEADER, *rows)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    dice = random.Random(1)
    n_refused = 0
    for _ in range(150):
        part = dice.choice([SHEET, *parts])
        damaged = bytearray(parts[part])
        for _ in range(dice.choice([1, 2, 5])):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        replace_part(path, part, bytes(damaged))
        refusal = refusal_of(path)
        assert not refusal or refusal.startswith("papers.xlsx")
        n_refused += bool(refusal)
        replace_part(path, part, parts[part])
    assert 30 < n_refused < 150


def test_endless_texts_are_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx_file, "MOST_ELEMENTS", 1_000)
    path = write(tmp_path, HEADER, ["p1", "Wages", "2026-11-02"])
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/texts.xml" ContentType="{kind}"/></Types>'.encode()
    with zipfile.ZipFile(path) as book:
        types = book.read("[Content_Types].xml").replace(b"</Types>", override)
    replace_part(path, "[Content_Types].xml", types)
    space = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    assert refusal_of(replace_part(path, "xl/texts.xml", space + b"<si><t>a</t></si>" * 400 + b"</sst>")) == ""
    refused = refusal_of(replace_part(path, "xl/texts.xml", space + b"<si/>" * 1_000 + b"</sst>"))
    assert refused == "papers.xlsx: the workbook contains too many text cells. Save it as CSV, or import it in parts"
