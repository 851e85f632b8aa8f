"""Papers of a DataFrame equal those of the same table in a file."""

import datetime

import numpy as np
import pandas as pd
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.choices import Choices
from presort.data.importers.data_frame import read_data_frame
from presort.data.importers.listings import read_listings

CHOICES = Choices(issue=datetime.date(2026, 1, 5))
TABLES = {
    "our-names": {
        "paper_id": ["p1", "p2", "p3"],
        "title": [" Wages <i>and</i> jobs", "Prices &amp; rents", "Banks"],
        "authors": ["Lee, Ann; Ek, Bo", None, "Cy Oz"],
        "codes": ["J31;E5", "", None],
        "date": ["2019-05-03", "2019", None],
        "relevant": [True, False, None],
    },
    "other-names": {
        "DOI": ["10.1000/a", "https://doi.org/10.1000/B", None],
        "Article Title": ["One", "Two", "Three"],
        "Abstract": ["About it", "n/a", "[no abstract]"],
        "Authors": ["Ann Lee, Bo Chen", "Cy Oz, Di Po", "Ed Ro, Flo Su"],
        "Publication Year": [2019, 2020, None],
        "Source Title": ["Journal of X", "-", None],
        "Keywords": ["wages, jobs", "rents", None],
    },
    "numbers": {"id": [7, 8, 9], "title": ["1984", "2001", "42"], "year": [1984.0, 2001.0, np.nan]},
}


def papers(frame):
    return [entry.paper for entry in read_data_frame("past", frame)]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("extension", ["csv", "parquet"])
def test_a_table_is_read_equally_from_memory_and_from_a_file(tmp_path, name, extension):
    path, frame = tmp_path / f"table.{extension}", pd.DataFrame(TABLES[name])
    frame.to_csv(path, index=False) if extension == "csv" else frame.to_parquet(path, index=False)
    assert papers(frame) == [one.paper for one in read_listings(path, CHOICES)]


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"name": ["One", "Two"]}, id="no-title"),
        pytest.param({"title": ["One", ""]}, id="blank-title"),
        pytest.param({"title": ["One", None]}, id="missing-title"),
        pytest.param({"title": ["One", "Two"], "issue": ["2026-01-05", "May"]}, id="no-issue"),
    ],
)
def test_errors_equal_those_of_a_file(tmp_path, columns):
    path, frame = tmp_path / "past.parquet", pd.DataFrame(columns)
    frame.to_parquet(path)
    with pytest.raises(UnreadableFileError) as of_file:
        list(read_listings(path, CHOICES))
    with pytest.raises(UnreadableFileError) as of_frame:
        papers(frame)
    assert str(of_frame.value).replace("past", "past.parquet") == str(of_file.value)


@pytest.mark.parametrize("cell", [["a"], {"a": 1}])
def test_a_column_of_other_values_than_texts_is_refused(cell):
    with pytest.raises(UnreadableFileError) as refused:
        papers(pd.DataFrame({"title": ["One"], "abstract": [cell]}))
    assert refused.value.column == "abstract"


def test_lists_of_any_kind_are_several_texts():
    frame = pd.DataFrame(
        {
            "title": ["x"] * 4,
            "authors": [["Ann Lee", "Bo Ek"], ("Ann Lee", "Bo Ek"), np.array(["Ann Lee", "Bo Ek"]), "Ann Lee; Bo Ek"],
        }
    )
    assert {paper.authors for paper in papers(frame)} == {("Ann Lee", "Bo Ek")}


def test_missing_cells_of_any_kind_are_no_text():
    frame = pd.DataFrame({"title": ["x"] * 4, "abstract": [None, np.nan, pd.NA, pd.NaT]}, dtype=object)
    assert {paper.abstract for paper in papers(frame)} == {""}
