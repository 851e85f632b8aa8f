"""Our reader and trec_eval read exported runs and judgements."""

import io
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.exporters.trec import escape_id, topic_of, write_qrels, write_run
from presort.metrics import read_qrels, read_run

TOPIC = topic_of("lab", date(2026, 11, 16))
floats = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1e-46, -1e-46, 0.5, 0.5 + 1e-12]
)


def run_of(papers, scores, tag="ours"):
    file = io.BytesIO()
    write_run(file, TOPIC, papers, scores, tag=tag)
    return file.getvalue().decode()


def scores_in(text):
    return [float(line.split()[4]) for line in text.splitlines()]


def test_a_run():
    assert run_of(["a", "b c", "d"], [0.5, 0.25]) == (
        "lab.2026-11-16 Q0 a 1 0.5 ours\n"
        "lab.2026-11-16 Q0 b%20c 2 0.25 ours\n"
        "lab.2026-11-16 Q0 d 3 0.2499999850988388 ours\n"
    )


def test_list_order_counts_down():
    assert scores_in(run_of(["a", "b", "c"], [])) == [3, 2, 1]


def test_scores_that_fall_stay_as_they_are():
    assert scores_in(run_of("abcd", [1.5, 0, -0.25, -8])) == [1.5, 0, -0.25, -8]


@given(st.lists(floats, min_size=1, max_size=30), st.integers(0, 5))
def test_no_two_papers_are_tied_and_all_stay_in_order(scores, n_more):
    """In single precision, each score is below the previous one."""
    scores = sorted(scores, reverse=True)
    papers = [f"p{number}" for number in range(len(scores) + n_more)]
    single = np.array(scores_in(run_of(papers, scores))).astype(np.float32)
    assert np.isfinite(single).all()
    assert (np.diff(single) < 0).all()
    unlike = len(np.unique(np.float32(np.clip(scores, -1e30, 1e30)))) == len(scores)
    if unlike:
        assert single[: len(scores)].tolist() == np.float32(np.clip(scores, -1e30, 1e30)).tolist()


def test_judgements_of_several_topics(tmp_path: Path):
    path = tmp_path / "qrels.txt"
    with path.open("wb") as file:
        write_qrels(file, "lab.2026-11-16", {"a b": 1, "c": 0})
        write_qrels(file, "mac.2026-11-16", {"a b": 0})
    assert read_qrels(path) == {"lab.2026-11-16": {"a%20b": 1, "c": 0}, "mac.2026-11-16": {"a%20b": 0}}


def test_a_run_is_read_as_it_was_written(tmp_path: Path):
    path = tmp_path / "ours.run"
    path.write_text(run_of(["a", "b"], [0.5, 0.5]), encoding="utf-8")
    run = read_run(path)
    assert run.tag == "ours"
    assert run == {TOPIC: {"a": 0.5, "b": float(np.nextafter(np.float32(0.5), np.float32(0)))}}


@given(st.lists(st.text("ab %20", min_size=1), unique=True))
def test_different_ids_stay_different(ids):
    tokens = [escape_id(paper_id) for paper_id in ids]
    assert len(set(tokens)) == len(ids)
    assert not any(" " in one for one in tokens)


@pytest.mark.parametrize(
    "write", [lambda file: write_run(file, TOPIC, [], [], tag="x"), lambda file: write_qrels(file, TOPIC, {})]
)
def test_without_papers_nothing_is_written(write):
    file = io.BytesIO()
    write(file)
    assert file.getvalue() == b""
