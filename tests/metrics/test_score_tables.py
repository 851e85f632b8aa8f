"""Tables of scores have a row per topic and a column per system. Transposed tables are detected if names are known."""

import numpy as np
import pandas as pd
import pytest

from presort.metrics import (
    robustness,
    score,
    strictness,
    strictness_of_each,
    systems_topics,
    tukey_hsd,
    uir_matrix,
    uir_table,
)
from presort.metrics.comparison import compare_systems

TABLE = pd.DataFrame(
    np.random.default_rng(0).random((5, 3)).round(2),
    index=pd.Index([f"t{i}" for i in range(5)], name="topic"),
    columns=pd.Index(["old", "new", "other"], name="system"),
)
OTHER = TABLE.iloc[::-1] ** 2
TAKERS = {
    "systems_topics": systems_topics,
    "tukey_hsd": lambda table: tukey_hsd(table, n_permutations=9),
    "robustness": lambda table: robustness({"AP": table}, "AP"),
    "strictness": lambda table: strictness({"AP": table, "P@10": table}, "AP"),
    "uir_table": lambda table: uir_table({"AP": table, "P@10": table}),
    "compare": lambda table: compare_systems({"AP": table, "P@10": table}),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize(
    "transposed",
    [
        pytest.param(TABLE.T, id="both-axes-named"),
        pytest.param(TABLE.rename_axis(columns=None).T, id="topics-named"),
        pytest.param(TABLE.rename_axis(index=None).T, id="systems-named"),
        pytest.param(TABLE.rename_axis(index="qid", columns="Run").T, id="other-names"),
    ],
)
def test_a_transposed_table_is_refused(taker, transposed):
    with pytest.raises(ValueError, match=r"^scores.* must have a row per topic and a column per system"):
        TAKERS[taker](transposed)
    TAKERS[taker](transposed.T)


@pytest.mark.parametrize("judge", [lambda tables: strictness(tables, "AP"), strictness_of_each, compare_systems])
def test_one_of_several_tables_is_transposed(judge):
    plain = TABLE.rename_axis(index=None, columns=None)
    with pytest.raises(ValueError, match=r"^scores\['P@10'\] must have a row per topic"):
        judge({"AP": plain, "P@10": plain.T})


def test_tables_are_aligned_by_their_names():
    assert strictness({"AP": TABLE, "P@10": OTHER}, "AP") == strictness({"AP": TABLE, "P@10": TABLE}, "AP") == 0
    assert strictness({"AP": TABLE, "P@10": TABLE.iloc[:, ::-1]}, "AP") == 0
    with pytest.raises(ValueError, match=r"scores\['P@10'\] must have the same topics as the first table.*'t0'"):
        strictness({"AP": TABLE, "P@10": TABLE.iloc[1:]}, "AP")
    with pytest.raises(ValueError, match=r"scores\['P@10'\] must have the same systems as the first table.*'new'"):
        strictness({"AP": TABLE, "P@10": TABLE.drop(columns="new")}, "AP")


@pytest.mark.parametrize("improvement", [uir_table, uir_matrix])
def test_improvement_takes_tables_of_measures_or_of_systems(improvement):
    by_system = {name: np.column_stack([TABLE[name], OTHER.loc[TABLE.index, name]]) for name in TABLE}
    expected = improvement(by_system)
    plain = {"AP": TABLE.rename_axis(columns=None), "P(rel=2)@10": OTHER.rename_axis(columns=None)}
    for tables in ({"AP": TABLE, "mine": OTHER}, plain):
        pd.testing.assert_frame_equal(improvement(tables), expected)
    scored = {name: pd.DataFrame(values, columns=["AP", "nosel"]) for name, values in by_system.items()}
    pd.testing.assert_frame_equal(improvement(scored), expected)
    pd.testing.assert_frame_equal(improvement(scored | {"new": scored["new"].iloc[::-1, ::-1]}), expected)
    with pytest.raises(ValueError, match=r"scores\['new'\] must have the same measures as the first table"):
        improvement(scored | {"new": scored["new"].rename(columns={"nosel": "aselt"})})
    with pytest.raises(ValueError, match=r"scores\['new'\] must have the same topics as the first table"):
        improvement(scored | {"new": scored["new"].set_axis([1, 2, 3, 4, 9])})
    with pytest.raises(ValueError, match=r"scores\['old'\] must have a row per topic, but its rows are measures"):
        improvement({name: table.T for name, table in scored.items()})


def test_scores_of_runs_become_a_table_of_systems():
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"a": 1, "b": 0}}
    runs = {
        "up": {topic: {"a": 2.0, "b": 1.0} for topic in qrels},
        "down": {topic: {"a": 1.0, "b": 2.0} for topic in qrels},
    }
    scores = {name: score(run, qrels, ["AP", "nosel"]) for name, run in runs.items()}
    table = pd.concat({name: scored["AP"] for name, scored in scores.items()}, axis="columns")
    assert systems_topics(table).topics.index.to_list() == ["1", "2", "3"]
    with pytest.raises(ValueError, match="row per topic"):
        systems_topics(table.T)
    assert uir_table(scores).index.to_list() == ["up", "down"]


def test_lists_are_numbered():
    assert tukey_hsd([[0.1, 0.5], [0.2, 0.9]], n_permutations=9)["system"].to_list() == [1]
    graph = systems_topics([[0.1, 0.5, 0.3], [0.2, 0.9, 0.4]])
    assert (len(graph.topics), len(graph.systems)) == (2, 3)
    assert graph.scores.shape == graph.apa.shape == graph.apm.shape == (2, 3)
