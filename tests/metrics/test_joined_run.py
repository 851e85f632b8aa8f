import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics import MEASURES, Outcome, outcomes, read_qrels, read_run, score, violations
from tests.metrics.strategies import FIXED

RUN = {"401": {"a": 3.0, "b": 2.0, "c": 1.0}, "402": {"a": 1.0, "b": 2.0}, "only-run": {"a": 1.0}}
QRELS = {"402": {"b": 1, "a": 0}, "401": {"a": 1, "b": 0, "c": 2}, "only-qrels": {"a": 1}}


def rows(values, column):
    return pd.DataFrame(
        [(topic, paper, value) for topic, papers in values.items() for paper, value in papers.items()],
        columns=["topic", "paper", column],
    )


def test_outcomes_of_files_tables_and_dictionaries(tmp_path):
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("".join(f"{t} Q0 {d} 0 {s} me\n" for t, papers in RUN.items() for d, s in papers.items()))
    qrels.write_text("".join(f"{t} 0 {d} {j}\n" for t, papers in QRELS.items() for d, j in papers.items()))
    expected = {"401": Outcome([1, 3], 3), "402": Outcome([1], 2)}
    assert outcomes(run, str(qrels)) == expected
    assert outcomes(rows(RUN, "score"), rows(QRELS, "judgement")) == expected
    assert outcomes(read_run(run), read_qrels(qrels)) == outcomes(RUN, QRELS) == expected
    assert list(outcomes(RUN, QRELS)) == ["401", "402"]


def test_the_relevance_level():
    assert outcomes(RUN, QRELS, 2) == {"401": Outcome([3], 3), "402": Outcome([], 2)}
    table = score(RUN, QRELS, ["AP", "RR", "P@1", "P(rel=1)@1", "nosel"], relevance_level=2)
    assert table.loc["401"].tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1, -1])
    assert table.loc["402"].isna().all()


def test_relevant_papers_never_returned():
    qrels = {"401": QRELS["401"] | {"z": 1}, "402": QRELS["402"]}
    with pytest.raises(ValueError, match=r"collection_size .* topic '401'"):
        outcomes(RUN, qrels)
    assert outcomes(RUN, qrels, collection_size=9)["401"] == Outcome([1, 3, 9], 9)
    with pytest.raises(ValueError, match="collection_size must be 4 or more"):
        outcomes(RUN, qrels, collection_size=3)
    table = score(RUN, qrels, ["AP", "nosel"])
    assert table["nosel"].isna().tolist() == [True, False]
    assert table.loc["401", "AP"] == pytest.approx((1 + 2 / 3) / 3)
    sized = score(RUN, qrels, ["nosel"], collection_size=9)
    assert sized.loc["401", "nosel"] == MEASURES["nosel"].compute(Outcome([1, 3, 9], 9))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: outcomes(RUN, {"x": {"a": 1}}), "topic in common", id="no-topic"),
        pytest.param(lambda: outcomes(RUN, QRELS, 0), "relevance_level .* got 0", id="level"),
        pytest.param(lambda: score(RUN), "qrels are required", id="no-qrels"),
        pytest.param(lambda: score(RUN, ["AP"]), "qrels must be a path", id="measures-for-qrels"),
        pytest.param(lambda: score(RUN, QRELS, "AP"), "measures must be a list", id="one-name"),
        pytest.param(lambda: score(RUN, QRELS, ["AP", "AP"]), "measures .* 'AP' twice", id="twice"),
        pytest.param(lambda: score(RUN, QRELS, ["MEAN"]), "measures .* got 'MEAN'", id="unknown"),
        pytest.param(lambda: score(RUN, QRELS, ["P"]), "measures .* got 'P'", id="cut-off-needed"),
        pytest.param(lambda: score(RUN, QRELS, ["P(level=2)@10"]), "measures .* got 'P", id="no-such-parameter"),
        pytest.param(lambda: score(RUN, QRELS, ["ERR"]), "ERR needs a cut-off", id="err"),
        pytest.param(lambda: score([Outcome([1], 2)], ["RR"]), "'RR'; .* need a run", id="outcomes-have-no-run"),
        pytest.param(lambda: score([Outcome([1], 2)], QRELS, ["nosel"]), "outcomes must be a run", id="no-run"),
        pytest.param(
            lambda: score([Outcome([1], 2)], collection_size=3), "collection_size are only allowed", id="size"
        ),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@FIXED
@given(
    st.dictionaries(
        st.sampled_from(["301", "q 2", "ü"]),
        st.lists(st.tuples(st.integers(-3, 3), st.sampled_from([-1, 0, 1, 2, 3])), min_size=1, max_size=12),
        min_size=1,
    )
)
def test_standard_measures_equal_ir_measures_at_any_cutoff(topics):
    run = {topic: {f"p{i}": float(value) for i, (value, _) in enumerate(papers)} for topic, papers in topics.items()}
    qrels = {topic: {f"p{i}": grade for i, (_, grade) in enumerate(papers)} for topic, papers in topics.items()}
    names = ["AP", "nDCG@7", "P(rel=2)@3", "AP(rel=2)@5", "Success@2"]
    table = score(run, qrels, names)
    measures = {ir_measures.parse_measure(name): name for name in names}
    for metric in ir_measures.iter_calc(list(measures), qrels, run):
        if max(qrels[metric.query_id].values()) > 0:
            assert table.loc[metric.query_id, measures[metric.measure]] == pytest.approx(metric.value)
        else:
            assert table.loc[metric.query_id].isna().all()


def test_err_and_rbp():
    """Computed by hand. ERR has the maximum grade 4, as in gdeval."""
    table = score({"query one": RUN["401"]}, {"query one": QRELS["401"]}, ["ERR@20"])
    assert table.loc["query one", "ERR@20"] == pytest.approx(1 / 16 + 15 / 16 * 3 / 16 / 3, abs=1e-5)
    pytest.importorskip("cwl")
    rbp = score(RUN, QRELS, ["RBP", "RBP(p=0.5)", "RBP(p=0.5,rel=2)"])
    assert rbp.loc["401"].tolist() == pytest.approx([0.2 * (1 + 0.64), 0.5 * (1 + 0.25), 0.5 * 0.25])


def test_the_names_of_the_command_are_those_of_the_library():
    table = score(RUN, QRELS)
    assert table.columns.is_unique
    pd.testing.assert_frame_equal(score(RUN, QRELS, list(table.columns)), table)
    assert table.index.tolist() == ["401", "402"]
    pd.testing.assert_frame_equal(score(RUN, QRELS, ["average_precision"]).set_axis(["AP"], axis=1), table[["AP"]])


def test_keys_of_outcomes_are_kept():
    found = outcomes(RUN, QRELS)
    table = score(found, ["nosel"])
    assert table.index.tolist() == ["401", "402"]
    series = pd.Series(found)
    pd.testing.assert_frame_equal(score(series, ["nosel"]), table)
    assert score(list(found.values()), ["nosel"]).index.tolist() == [0, 1]
    np.testing.assert_array_equal(score(list(found.values()), ["nosel"]), table)


def test_violations_of_outcomes_by_key():
    found = {"a": Outcome([1, 2], 4), "b": Outcome([1, 4], 4)}
    values = {"b": 2, "a": 1}
    assert violations(found, values) == violations([*found.values()], [1, 2])
    assert violations(found, values).n_strict == 1
    with pytest.raises(ValueError, match="values given as a dict must have the same keys"):
        violations(found, {"a": 1})
