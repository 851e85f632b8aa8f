import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers import parquet_file
from presort.data.importers.listings import read_listings
from presort.data.importers.problems import Problems
from presort.data.records import ListedPaper, Paper
from tests.data.forks import run
from tests.data.workspaces import assert_damage_is_harmless, make_issue, take_in


def write(folder: Path, name: str = "papers.parquet", **columns: Any) -> Path:
    """Write two papers. `columns` replaces or adds columns, and None removes one."""
    plain = {"paper_id": ["p1", "p2"], "title": ["Wages", "Jobs"], "issue": ["2026-11-02", "2026-11-02"]}
    path = folder / name
    pq.write_table(pa.table({name: cells for name, cells in (plain | columns).items() if cells is not None}), path)
    return path


def read(path: Path) -> list[ListedPaper]:
    return list(read_listings(path))


def test_a_plain_file(tmp_path):
    path = write(tmp_path, authors=["Ann Lee; Bo Chen", ""], reports=["lab;his", None], notes=[1, 2])
    first, second = read(path)
    assert first.paper == Paper("p1", "Wages", authors=("Ann Lee", "Bo Chen"))
    assert (first.issue, first.selected_by, first.origin.row) == (date(2026, 11, 2), ("lab", "his"), 1)
    assert (second.paper, second.selected_by) == (Paper("p2", "Jobs"), ())


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(pa.array([date(2026, 11, 2)] * 2, pa.date32()), id="date32"),
        pytest.param(pa.array([date(2026, 11, 2)] * 2, pa.date64()), id="date64"),
        pytest.param(pa.array([datetime(2026, 11, 2, 8)] * 2, pa.timestamp("us")), id="timestamp"),
        pytest.param(pa.array([1_793_577_600_000_000_001] * 2, pa.timestamp("ns")), id="nanoseconds"),
        pytest.param(pa.array([datetime(2026, 11, 2, 8)] * 2, pa.timestamp("ms", "UTC")), id="with-a-zone"),
        pytest.param(pa.array(["2026-11-02"] * 2).dictionary_encode(), id="dictionary"),
        pytest.param(pa.array(["2026-11-02"] * 2, pa.large_string()), id="large-string"),
    ],
)
def test_dates_of_every_type(tmp_path, cells):
    assert [listed.issue for listed in read(write(tmp_path, issue=cells))] == [date(2026, 11, 2)] * 2
    assert [listed.paper.date for listed in read(write(tmp_path, date=cells))] == ["2026-11-02"] * 2


def test_lists(tmp_path):
    path = write(
        tmp_path,
        authors=[["Ann Lee", " Bo\nChen", None], None],
        codes=pa.array([["J31"], []], pa.large_list(pa.string())),
        reports=[["lab", "his", "lab"], []],
    )
    first, second = read(path)
    assert (first.paper.authors, first.paper.codes) == (("Ann Lee", "Bo Chen"), ("J31",))
    assert first.selected_by == ("lab", "his")
    assert (second.paper.authors, second.paper.codes, second.selected_by) == ((), (), ())


def test_nulls(tmp_path):
    nan = pa.array([float("nan"), None], pa.float64())
    path = write(tmp_path, abstract=[None, "We show."], authors=nan, series=nan, date=[None, None])
    first, second = read(path)
    assert first.paper == Paper("p1", "Wages")
    assert second.paper == Paper("p2", "Jobs", abstract="We show.")


def test_numbers_as_ids(tmp_path):
    assert [listed.paper.paper_id for listed in read(write(tmp_path, paper_id=[7, 2**60]))] == ["7", str(2**60)]


def test_texts_are_cleaned(tmp_path):
    path = write(tmp_path, title=["Wa\0ges\n and\x07 Cafe\u0301", "🎓"])
    assert [listed.paper.title for listed in read(path)] == ["Wa ges and Café", "🎓"]


def test_many_batches_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 7)
    ids = [f"p{number}" for number in range(50)]
    path = write(tmp_path, paper_id=ids, title=ids, issue=["2026-11-02"] * 50)
    assert [listed.paper.paper_id for listed in read(path)] == ids


def test_no_rows(tmp_path):
    assert read(write(tmp_path, paper_id=[], title=[], issue=[])) == []


@pytest.mark.parametrize("name", ["papers.PARQUET", "papers.Parquet"])
def test_the_case_of_the_ending_does_not_matter(tmp_path, name):
    assert len(read(write(tmp_path, name))) == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        pytest.param(
            {"title": None}, "papers.parquet: no column for title. The columns are paper_id, issue", id="missing-column"
        ),
        pytest.param({"title": ["Wages", None]}, "papers.parquet, row 2, column title: no title", id="null-title"),
        pytest.param({"issue": ["2026-11-02", None]}, "row 2: no issue", id="null-issue"),
        pytest.param({"issue": [20261102, 20261102]}, "row 1, column issue: '20261102' is not", id="number-as-date"),
        pytest.param({"issue": ["2019-02-30"] * 2}, "row 1, column issue: '2019-02-30' is not", id="no-such-day"),
        pytest.param({"paper_id": ["p1", "p1"]}, "row 2: 'p1' is already in", id="paper-twice"),
        pytest.param(
            {"reports": ["lab", "a/b"]}, "row 2, column reports: 'a/b' is not a valid report code", id="bad-code"
        ),
        pytest.param({"title": [b"Wages", b"Jobs"]}, "column title: contains binary, not text", id="bytes-as-text"),
        pytest.param({"title": [["Wages"], ["Jobs"]]}, "column title: contains list<", id="list-as-title"),
        pytest.param({"authors": [{"name": "Ann"}] * 2}, "column authors: contains struct<", id="structure"),
        pytest.param(
            {"issue": pa.array([20_000, 9_999_999], pa.date32())}, "row 2, column issue: can't be read", id="far-date"
        ),
    ],
)
def test_errors_name_row_and_column(tmp_path, columns, message):
    path = write(tmp_path, **columns)
    with pytest.raises(UnreadableFileError) as caught:
        read(path)
    assert message in str(caught.value)
    assert caught.value.path == path


def test_an_error_names_the_cell_that_is_not_utf8(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 2)
    path = tmp_path / "papers.parquet"
    texts = pa.array([b"Wages", b"Jobs", b"Trade", b"Caf\xe9"]).view(pa.string())
    ids = ["p1", "p2", "p3", "p4"]
    pq.write_table(pa.table({"paper_id": ids, "title": texts, "issue": ["2026-11-02"] * 4}), path)
    with pytest.raises(UnreadableFileError, match=r"^papers\.parquet, row 4, column title: can't be read: 'utf-8'"):
        read(path)


def test_invalid_rows_are_reported_and_the_others_read(tmp_path):
    texts = pa.array([b"Wages", b"Caf\xe9", b"", b"Growth"]).view(pa.string())
    path = write(tmp_path, title=texts, paper_id=["p1", "p2", "p3", "p4"], issue=["2026-11-02"] * 4)
    errors: list[UnreadableFileError] = []
    assert [entry.row for entry in parquet_file.read_parquet(path, problems=Problems(errors.append))] == [1, 4]
    assert [(error.row, error.column) for error in errors] == [(2, "title"), (3, "title")]


def test_columns_of_other_programs_are_guessed_and_unreadable_ones_skipped(tmp_path):
    columns = {"Article Title": ["Wages"], "DOI": ["10.1/1"], "JEL": [["J31"]], "Authors": [["Lee, Ann"]]}
    path = write(tmp_path, paper_id=None, title=None, issue=None, vector=[b"\0"], type=[["a"]], url=[b"\0"], **columns)
    (entry,) = parquet_file.read_parquet(path)
    assert entry.paper == Paper("10.1/1", "Wages", authors=("Lee, Ann",), codes=("J31",), doi="10.1/1")


def test_a_column_twice(tmp_path):
    path = tmp_path / "papers.parquet"
    table = pa.table([["p1"], ["Wages"], ["2026-11-02"], ["Jobs"]], ["paper_id", "title", "issue", "title"])
    pq.write_table(table, path)
    with pytest.raises(UnreadableFileError, match=r"papers\.parquet: two columns have the same name"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"prose\n", id="prose"),
        pytest.param(b"PAR1PAR1", id="marks-only"),
    ],
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "papers.parquet"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=r"^papers\.parquet: unreadable Parquet file: "):
        read(path)


def test_a_truncated_file(tmp_path):
    path = write(tmp_path)
    whole = path.read_bytes()
    for n_bytes in range(0, len(whole), 10):
        path.write_bytes(whole[:n_bytes])
        with pytest.raises(UnreadableFileError, match=r"^papers\.parquet"):
            read(path)


@pytest.mark.of_file  # damaged files are rejected before the database is used
@pytest.mark.parametrize("compression", ["NONE", "SNAPPY"])
def test_a_damaged_file_is_read_or_refused_and_leaves_nothing(store, tmp_path, compression):
    take_in(store, make_issue(3, selected={"lab": [2]}))
    path = tmp_path / "papers.parquet"
    table = pa.table(
        {
            "paper_id": [f"q{number}" for number in range(6)],
            "title": [f"Títle {number}" for number in range(6)],
            "issue": [date(2026, 11, 9)] * 6,
            "authors": [["Ann Lee", "Bo Chen"]] * 6,
            "reports": ["lab;his"] * 6,
        }
    )
    pq.write_table(table, path, compression=compression)
    assert_damage_is_harmless(store, path, n_times=25)


def issue_of(n_papers: int) -> dict[str, Any]:
    ids = [f"p{number}" for number in range(n_papers)]
    return {"paper_id": ids, "title": ids, "issue": ["2026-11-02"] * n_papers}


def repeated(text: str, n_papers: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * n_papers, pa.int32()), [text])


GROWING = """
import sys
from pathlib import Path
from presort.data.errors import UnreadableFileError
from presort.data.importers.listings import read_listings

def memory(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))

Path("/proc/self/clear_refs").write_text("5")  # else the peak is that of the process which started this one
before = memory("VmRSS")
try:
    said = f"all {sum(1 for _ in read_listings(Path(sys.argv[1])))}"
except UnreadableFileError as error:
    said = error
print(memory("VmHWM") - before, said)
"""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        pytest.param({"abstract": repeated("a " * 450_000, 3_000)}, r"row \d\d: needs more than", id="one-text"),
        pytest.param({"authors": [["x"] * 9_999] * 1_500}, ": needs more than", id="many-in-each-list"),
        pytest.param({"authors": [["x"] * 10_000_000]}, ": needs more than", id="few-long-lists"),
        pytest.param(
            {"codes": pa.ListArray.from_arrays([0, 3_000], repeated("a " * 450_000, 3_000))},
            r"row \d+: needs more",
            id="one-text-in-lists",
        ),
        pytest.param({"abstract": ["a" * 100_000_000, ""]}, ": needs more", id="packed"),
    ],
)
def test_a_small_file_does_not_fill_the_memory(tmp_path, columns, message):
    rows = max(len(cells) for cells in columns.values())
    path = tmp_path / "papers.parquet"
    pq.write_table(pa.table(issue_of(rows) | columns), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 1_000_000
    grown, reason = run(GROWING, path).output.split(" ", 1)
    assert re.search(rf"papers\.parquet(, )?{message}", reason)
    assert int(grown) < 400_000  # kilobytes


def test_a_far_too_long_cell_is_reported_and_the_others_read(tmp_path):
    long, several = "a" * 1_000_001, ["x"] * 10_001
    path = write(
        tmp_path, abstract=["fine", long], authors=[["Ann Lee", None], ["Bo Chen"]], codes=[["J31"], ["J31", long]]
    )
    errors: list[UnreadableFileError] = []
    assert [entry.row for entry in parquet_file.read_parquet(path, problems=Problems(errors.append))] == [1]
    assert [str(error) for error in errors] == [
        "papers.parquet, row 2, column abstract: more than 1,000,000 characters"
    ]
    path = write(tmp_path, authors=[several, None])
    errors.clear()
    assert [entry.row for entry in parquet_file.read_parquet(path, problems=Problems(errors.append))] == [2]
    assert [str(error) for error in errors] == [
        "papers.parquet, row 1, column authors: more than 10,000 values in a list"
    ]
    path = write(tmp_path, codes=[["J31"], ["J31", long]])
    errors.clear()
    assert [entry.row for entry in parquet_file.read_parquet(path, problems=Problems(errors.append))] == [1]
    assert [(error.row, error.column) for error in errors] == [(2, "codes")]


@pytest.mark.whole
def test_delta_encoded_texts_are_read_in_small_batches(tmp_path):
    rows = 400
    texts = ["a" * (400_000 + number) for number in range(rows)]  # 160 MB if read at once, with three or four copies
    table = pa.table(issue_of(rows) | {"abstract": texts})
    path = tmp_path / "papers.parquet"
    options = {"use_dictionary": False, "column_encoding": {"abstract": "DELTA_BYTE_ARRAY"}, "compression": "none"}
    pq.write_table(table, path, **options)
    grown, message = run(GROWING, path).output.split(" ", 1)
    assert "needs more than" in message
    assert int(grown) < 400_000  # kilobytes, for any number of rows: at most 85 MB of texts at once
