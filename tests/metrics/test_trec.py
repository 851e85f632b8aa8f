import gzip
import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics import TrecFileError, read_qrels, read_run

SHARED = Path(__file__).parents[2] / ".." / "shared" / "reference"
CASES = SHARED.parent / "cases"
RUN = "301 Q0 a 1 2.5 mine\n301 Q0 b 2 1.5 mine\n302 Q0 a 1 -3e-2 mine\n"
QRELS = "301 0 a 1\n301 0 c 0\n302 0 a -1\n"


def write(folder: Path, content: str | bytes, name: str = "a.trec") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_plain_run_and_plain_judgements(tmp_path):
    assert read_run(write(tmp_path, RUN)) == {"301": {"a": 2.5, "b": 1.5}, "302": {"a": -0.03}}
    assert read_qrels(write(tmp_path, QRELS)) == {"301": {"a": 1, "c": 0}, "302": {"a": -1}}


@pytest.mark.skipif(not SHARED.exists(), reason="the shared reference files are not here")
def test_the_files_of_trec():
    run = read_run(SHARED / "run.trec")
    assert run.tag == "STANDARD"
    assert {topic: len(papers) for topic, papers in run.items()} == {"301": 500, "302": 500, "303": 500}
    judgements = read_qrels(SHARED / "qrels.trec")
    assert {topic: sum(papers.values()) for topic, papers in judgements.items()} == {"301": 474, "302": 77, "303": 10}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(RUN.replace(" ", "\t"), id="tabs"),
        pytest.param(RUN.replace(" ", " \t\v\f "), id="much-white-space"),
        pytest.param(RUN.replace("\n", "\r\n"), id="crlf"),
        pytest.param("\n" + RUN.replace("\n", "\n \n"), id="empty-lines"),
        pytest.param(RUN.rstrip(), id="no-last-line-break"),
        pytest.param("  " + RUN, id="indented"),
        pytest.param(b"\xef\xbb\xbf" + RUN.encode(), id="byte-order-mark"),
        pytest.param(RUN.replace("Q0", "x").replace(" 1 ", " ? "), id="second-field-and-rank-are-ignored"),
        pytest.param(RUN.replace("2.5", "+25E-1").replace("1.5", "1.50"), id="other-notations-of-numbers"),
        pytest.param(RUN.replace("mine", "other", 2), id="the-last-tag-counts"),
        pytest.param("# run of our system\n" + RUN.replace("302", "#302 Q0 b 1 9 mine\n302"), id="comments"),
        pytest.param(RUN.replace("mine", "mine since November"), id="text-after-the-tag"),
    ],
)
def test_quirks_that_are_fine(tmp_path, content):
    assert read_run(write(tmp_path, content)) == {"301": {"a": 2.5, "b": 1.5}, "302": {"a": -0.03}}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("# judged in November\n" + QRELS, id="comments"),
        pytest.param(QRELS.replace("1\n", "1.0\n").replace(" 0\n", " 0.\n"), id="decimals-of-pandas"),
    ],
)
def test_judgements_as_other_programs_write_them(tmp_path, content):
    assert read_qrels(write(tmp_path, content)) == {"301": {"a": 1, "c": 0}, "302": {"a": -1}}


def test_topics_without_papers_are_left_out():
    """A TREC file can't contain them, so the scores don't depend on the kind of source."""
    assert read_run({"1": {"a": 2.0}, "2": {}}) == {"1": {"a": 2.0}}
    assert read_qrels({"1": {"a": 1}, "2": {}}) == {"1": {"a": 1}}


def test_lines_of_a_topic_need_not_be_adjacent(tmp_path):
    path = write(tmp_path, "2 Q0 a 1 1 t\n1 Q0 a 1 1 t\n2 Q0 b 1 .5 t\n1 Q0 b 1 5. t\n")
    assert read_run(path) == {"2": {"a": 1, "b": 0.5}, "1": {"a": 1, "b": 5}}


def test_ids_in_any_language_and_with_unicode_spaces(tmp_path):
    path = write(tmp_path, "é Q0 文\u00a0書😀 1 1 t\n")
    assert read_run(path) == {"é": {"文\u00a0書😀": 1}}


NOT_A_NUMBER = "score {} is not a finite number"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "the file is empty; expected lines of 'topic Q0 paper rank score tag'", id="empty"),
        pytest.param("\n \r\n\t\n", "the file is empty; expected lines of", id="empty-lines-only"),
        pytest.param(b"\xef\xbb\xbf", "the file is empty; expected lines of", id="byte-order-mark-only"),
        pytest.param(
            RUN + "\n303 Q0 a 1 1\n",
            "line 5: expected 6 fields (topic Q0 paper rank score tag), found 5",
            id="no-tag-and-rows-are-lines-of-the-file",
        ),
        pytest.param(
            RUN + "303\n", "line 4: expected 6 fields (topic Q0 paper rank score tag), found 1", id="one-field"
        ),
        pytest.param(
            RUN + "303 Q0 a b 1 1 t\n",
            "line 4: expected 6 fields (topic Q0 paper rank score tag), found 7",
            id="space-in-an-id",
        ),
        pytest.param(
            QRELS,
            "line 1: expected 6 fields (topic Q0 paper rank score tag), found 4; is this a qrels file?",
            id="qrels-for-a-run",
        ),
        pytest.param(RUN + "303 Q0 a 1 high t\n", "line 4: " + NOT_A_NUMBER.format("'high'"), id="score-is-a-word"),
        pytest.param(RUN + "303 Q0 a 1 NaN t\n", "line 4: " + NOT_A_NUMBER.format("'NaN'"), id="score-nan"),
        pytest.param(RUN + "303 Q0 a 1 -inf t\n", "line 4: " + NOT_A_NUMBER.format("'-inf'"), id="score-infinite"),
        pytest.param(RUN + "303 Q0 a 1 1e999 t\n", "line 4: " + NOT_A_NUMBER.format("'1e999'"), id="score-too-large"),
        pytest.param(RUN + "303 Q0 a 1 1,5 t\n", "line 4: " + NOT_A_NUMBER.format("'1,5'"), id="decimal-comma"),
        pytest.param(RUN + "303 Q0 a 1 1_0 t\n", "line 4: " + NOT_A_NUMBER.format("'1_0'"), id="underscore"),
        pytest.param(RUN + "303 Q0 a 1 \u0661 t\n", "line 4: " + NOT_A_NUMBER.format("'\u0661'"), id="other-digits"),
        pytest.param(
            RUN + "301 Q0 b 9 0.5 t\n",
            "line 4: paper 'b' is already in topic '301', see line 2; delete one of the two lines",
            id="paper-twice",
        ),
        pytest.param(RUN + "303 Q0 \x1b[31ma 1 1 t\n", "line 4: control character found", id="escape-sequence"),
    ],
)
def test_errors_in_a_run_are_named(tmp_path, content, message):
    path = write(tmp_path, content.encode(errors="surrogateescape") if isinstance(content, str) else content)
    with pytest.raises(TrecFileError) as caught:
        read_run(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert caught.value.path == path


NOT_A_JUDGEMENT = "judgement {} is not an integer from -10,000 to 10,000; use 1 or more for a relevant"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "the file is empty; expected lines of 'topic iteration paper judgement'", id="empty"),
        pytest.param(
            QRELS + "303 0 a\n", "line 4: expected 4 fields (topic iteration paper judgement), found 3", id="field-less"
        ),
        pytest.param(
            RUN,
            "line 1: expected 4 fields (topic iteration paper judgement), found 6; is this a run?",
            id="run-for-qrels",
        ),
        pytest.param(QRELS + "303 0 a 0.5\n", "line 4: " + NOT_A_JUDGEMENT.format("'0.5'"), id="fraction"),
        pytest.param(QRELS + "303 0 a yes\n", "line 4: " + NOT_A_JUDGEMENT.format("'yes'"), id="word"),
        pytest.param(QRELS + "303 0 a 10001\n", "line 4: " + NOT_A_JUDGEMENT.format("'10001'"), id="too-high"),
        pytest.param(
            QRELS + f"303 0 a {'9' * 5000}\n",
            "judgement '999999999999...9999999999999' is not",
            id="far-too-high",
        ),
        pytest.param(
            QRELS + "\n301 0 c 1\n",
            "line 5: paper 'c' is already in topic '301', see line 2",
            id="paper-twice",
        ),
    ],
)
def test_errors_in_judgements_are_named(tmp_path, content, message):
    with pytest.raises(TrecFileError) as caught:
        read_qrels(write(tmp_path, content))
    assert message in str(caught.value)


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_unreadable_files(tmp_path, read):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read(tmp_path / "nowhere")
    with pytest.raises(OSError, match="directory"):
        read(str(tmp_path))


def test_compressed_files(tmp_path):
    run, qrels = (write(tmp_path, gzip.compress(text.encode()), f"{text[:5]}.gz") for text in (RUN, QRELS))
    assert read_run(run) == {"301": {"a": 2.5, "b": 1.5}, "302": {"a": -0.03}}
    assert read_qrels(str(qrels)) == {"301": {"a": 1, "c": 0}, "302": {"a": -1}}
    with pytest.raises(TrecFileError, match="gzip"):
        read_run(write(tmp_path, run.read_bytes()[:-9], "cut.gz"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path, encoding):
    assert read_run(write(tmp_path, RUN.replace(" a ", " é ").encode(encoding)))["301"] == {"é": 2.5, "b": 1.5}


@pytest.mark.parametrize("names", [("topic", "paper"), ("query_id", "doc_id"), ("qid", "docno")])
def test_tables_and_dictionaries_are_read_like_files(names):
    rows = pd.DataFrame([(301, "a", 2), (301, "b", 1), (302, "a", 0)], columns=[*names, "score"])
    expected = {"301": {"a": 2, "b": 1}, "302": {"a": 0}}
    assert read_run(rows) == read_run(expected) == read_run({301: {"a": 2, "b": 1}, 302: {"a": 0.0}}) == expected
    assert read_qrels(rows.rename(columns={"score": "relevance"})) == read_qrels(expected) == expected
    assert read_run(read_run(rows)) == expected


def table(**columns):
    return pd.DataFrame({"topic": ["1", "1"], "paper": ["a", "b"], "score": [1.0, 2.0]} | columns)


@pytest.mark.parametrize(
    ("read", "source", "message"),
    [
        pytest.param(read_run, table().drop(columns="paper"), "run must have a column paper", id="column"),
        pytest.param(read_run, table(paper=["a", "a"]), "run .*'a' twice in topic '1'", id="paper-twice"),
        pytest.param(read_run, table(score=[1, math.nan]), "run, topic '1', paper 'b': score nan", id="no-score"),
        pytest.param(read_run, table(topic=[1.0, 2.0]), "run .* topic ids, got 1.0", id="invalid-topic"),
        pytest.param(read_run, {"1": {"a": "high"}}, "run, topic '1', paper 'a': score 'high'", id="word"),
        pytest.param(read_run, {"1": 3}, "run must be a path", id="no-papers"),
        pytest.param(read_qrels, [1, 2], "qrels must be a path", id="list"),
        pytest.param(read_qrels, {"1": {"a": 0.5}}, "qrels, topic '1', paper 'a': judgement 0.5", id="fraction"),
    ],
)
def test_errors_in_tables_and_dictionaries_are_named(read, source, message):
    with pytest.raises(ValueError, match=message):
        read(source)


@given(content=st.binary(max_size=60) | st.text("301 Q0ab.\n\t-ne", max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = write(tmp_path_factory.getbasetemp(), content, "any.trec")
    try:
        run = read_run(path)
    except TrecFileError:
        return
    assert run
    assert all(math.isfinite(score) for papers in run.values() for score in papers.values())


@pytest.mark.skipif(not CASES.exists(), reason="the shared case files are not here")
def test_runs_and_judgements():
    assert read_run(CASES / "s02_comments.run") == {"301": {"A": 2.5, "B": 1.5}}
    assert read_run(CASES / "s05_crlf_tabs.run") == {"301": {"A": 2.5, "B": 2.5}}
    assert (
        read_qrels(CASES / "s02_comments.qrels") == read_qrels(CASES / "s03_float.qrels") == {"301": {"A": 1, "B": 0}}
    )
    with pytest.raises(TrecFileError, match="line 1: score 'nan' is not a finite number"):
        read_run(CASES / "s04_nan.run")
