import math
from pathlib import Path

import pandas as pd
import pytest

from presort.data.errors import UnreadableFileError
from presort.data.importers.score_table import read_score_table

SHARED = Path(__file__).parents[3] / ".." / "shared" / "reference"
TWO = "topic,a,b\n401,0.5,1\n402,.25,-3e-2\n"


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TWO, id="plain"),
        pytest.param(b"\xef\xbb\xbf" + TWO.encode(), id="byte-order-mark"),
        pytest.param(TWO.replace("\n", "\r\n"), id="crlf"),
        pytest.param(TWO.replace("\n", "\n\n,,\n"), id="empty-lines"),
        pytest.param(TWO.replace("0.5", " 0.5 ").replace("a", '"a"'), id="spaces-and-quotes"),
        pytest.param(TWO.replace("topic", ""), id="no-name-in-the-first-cell"),
    ],
)
def test_a_table_of_scores(tmp_path, content):
    expected = pd.DataFrame({"a": [0.5, 0.25], "b": [1.0, -0.03]}, index=["401", "402"])
    table = read_score_table(write(tmp_path, content))
    pd.testing.assert_frame_equal(table, expected, check_names=False)
    assert table.index.name == ("topic" if b"topic" in (tmp_path / "scores.csv").read_bytes() else None)


def test_a_missing_score_is_nan(tmp_path):
    table = read_score_table(write(tmp_path, TWO.replace("0.5", "").replace(".25", "NaN")))
    assert table["a"].isna().all()
    assert not math.isnan(table.loc["401", "b"])


@pytest.mark.skipif(not SHARED.exists(), reason="the shared reference files are not here")
def test_the_scores_of_trec_8():
    table = read_score_table(SHARED / "trec8_ap.csv")
    assert table.shape == (50, 129)
    assert table.loc["401", "8manexT3D1N0"] == 0.4711


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "scores.csv: rows of scores: 0, columns of scores: 0. At least 2 of each", id="empty"),
        pytest.param("topic,a\n401,1\n402,1\n", "scores.csv: rows of scores: 2, columns of scores: 1", id="one-column"),
        pytest.param("topic,a,b\n401,1,1\n", "scores.csv: rows of scores: 1, columns of scores: 2", id="one-row"),
        pytest.param(TWO.replace(",", ";"), "separated by commas", id="semicolons"),
        pytest.param(TWO.replace("a,b", "a,a"), "the columns 1 and 2 have the same name, 'a'", id="column-twice"),
        pytest.param(TWO.replace("402", "401"), "the rows 1 and 2 have the same name, '401'", id="row-twice"),
        pytest.param(TWO.replace("a,b", "a,"), "column 2 has no name", id="column-without-name"),
        pytest.param(TWO.replace("402", " "), "row 2 has no name", id="row-without-name"),
        pytest.param(TWO.replace("-3e-2", "high"), "row 3, column b: 'high' is not a number. Write", id="word"),
        pytest.param(TWO.replace("-3e-2", "inf"), "row 3, column b: 'inf' is not a number. Write", id="infinite"),
        pytest.param(TWO.replace(",1\n", ",1_0\n"), "row 2, column b: '1_0' is not a number", id="underscore"),
        pytest.param(TWO.replace(",1\n", ",1,2\n"), "row 2: 4 cells, but the header has 3", id="too-many-cells"),
        pytest.param(TWO.replace(",1\n", "\n"), "row 2: 2 cells, but the header has 3", id="too-few-cells"),
        pytest.param(TWO + '403,"1"2,3\n', "row 4: malformed table", id="broken-quotes"),
    ],
)
def test_errors_name_row_and_column(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(UnreadableFileError) as caught:
        read_score_table(path)
    assert message in str(caught.value)
    assert caught.value.path == path


def test_unreadable_files_are_refused(tmp_path):
    with pytest.raises(UnreadableFileError, match=r"^nowhere.csv: can't be read: No such file"):
        read_score_table(tmp_path / "nowhere.csv")
