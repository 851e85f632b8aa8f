import math

import numpy as np
import pandas as pd
import pytest

from presort.metrics.comparison import ARROW, DAGGER, DISTANCE, NOTES, compare, compare_systems, complete_topics
from presort.metrics.improvement import uir_matrix


def some_scores(n_topics, n_systems, seed=0):
    scores = np.random.default_rng(seed).uniform(size=(n_topics, n_systems)).round(2)
    names = [f"s{number}" for number in range(n_systems)]
    return pd.DataFrame(scores, columns=names, index=[f"t{number}" for number in range(n_topics)])


def test_topics_without_a_score_are_left_out_for_all():
    first, second = some_scores(5, 3), some_scores(5, 3, seed=1)
    first.loc["t1", "s0"] = second.loc["t3", "s2"] = np.nan
    complete = complete_topics({"a": first, "b": second})
    assert [table.index.to_list() for table in complete.values()] == [["t0", "t2", "t4"]] * 2
    comparison = compare_systems({"a": first, "b": second})
    assert comparison.left_out == ("t1", "t3")
    assert comparison.graph.topics.index.to_list() == ["t0", "t2", "t4"]
    assert (comparison.improvements["n_cases"] == 3).all()


def test_improvements_are_by_all_measures_at_once():
    scores = {"a": some_scores(7, 3), "b": some_scores(7, 3, seed=1)}
    comparison = compare_systems(scores)
    by_system = {name: np.column_stack([scores["a"][name], scores["b"][name]]) for name in scores["a"]}
    pd.testing.assert_frame_equal(comparison.uir, uir_matrix(by_system))
    for measure, table in scores.items():
        assert comparison.improvements[measure].to_dict() == pytest.approx(table.mean().to_dict())
    assert comparison.improvements["mean_f"].is_monotonic_decreasing
    assert list(comparison.tests) == ["a", "b"]


def test_systems_without_f_are_sorted_by_their_mean():
    comparison = compare_systems({"a": some_scores(7, 4) - 1})
    assert comparison.improvements["mean_f"].isna().all()
    assert comparison.improvements["a"].is_monotonic_decreasing


def test_f_is_undefined_for_negated_measures_even_for_a_perfect_system():
    scores = {"AP": some_scores(6, 2), "search_length": -some_scores(6, 2, seed=1).assign(s0=0.0)}
    comparison = compare_systems(scores, turned=["search_length"])
    assert comparison.improvements["mean_f"].isna().all()
    assert comparison.turned == ("search_length",)
    assert compare_systems(scores).improvements.loc["s0", "mean_f"] == 0  # the worst value there can be


def test_no_difference_of_exact_measures_is_too_small_for_unanimous_improvement():
    """Levels are exact, even if distances round to the same float."""
    distances = pd.DataFrame({"new": [-30.0] * 6, "old": [-30.0] * 6})
    levels = pd.DataFrame({"new": range(6), "old": range(1, 7)}, dtype=float)
    distances.loc[6] = levels.loc[6] = [9, float("nan")]
    comparison = compare_systems({"copnori": distances}, levels={"copnori": levels})
    assert comparison.uir.loc["new", "old"] == 1
    assert comparison.left_out == (6,)
    (test,) = comparison.tests["copnori"].itertuples()
    assert test.permutation == 1
    assert comparison.improvements["mean_f"].isna().all()


RELEVANT = {str(topic): {"a": 1, "b": 1, "c": 0} for topic in range(4)}
FIRST = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in RELEVANT}
LAST = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in RELEVANT}


def test_runs_are_compared_by_names_and_functions():
    def first_position(outcome):
        return outcome.positions[0]

    found = compare({"good": FIRST, "bad": LAST}, RELEVANT, ["AP", "search_length", "copnori", first_position])
    assert list(found.scores) == ["AP", "search_length", "copnori", "first_position"]
    assert found.turned == ("search_length",)
    assert found.improvements.loc["good", ["AP", "search_length", "copnori"]].tolist() == [1, 0, 0]
    assert math.copysign(1, found.scores["search_length"].loc["0", "good"]) == 1  # 0 without a sign
    assert found.improvements.loc["bad", ["search_length", "copnori"]].tolist() == [-1, -math.log2(3)]
    assert [test.system for test in found.tests["AP"].itertuples()] == ["good"]


def test_measures_may_be_an_iterator():
    found = compare({"good": FIRST, "bad": LAST}, RELEVANT, iter(["AP", "search_length"]))
    assert list(found.scores) == ["AP", "search_length"]


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        pytest.param([], "measures must contain at least one measure", id="none"),
        pytest.param("AP", "measures must be a list of names", id="one-name"),
    ],
)
def test_invalid_measures(measures, said):
    with pytest.raises(ValueError, match=said):
        compare({"good": FIRST, "bad": LAST}, RELEVANT, measures)


def test_the_latex_table_marks_systems_that_differ_from_the_best():
    scores = pd.DataFrame({"a_1": np.linspace(0.5, 0.9, 20), "b": np.linspace(0.4, 0.8, 20), "c": [0.7001] * 20})
    scores["c"] = scores["a_1"] - 0.0001 * np.resize([1, -0.99], 20)
    lines = compare(scores).to_latex(digits=2).splitlines()
    rows = {line.split(" & ")[0]: line for line in lines if " & " in line}
    assert rows[r"a\_1"].endswith(r"& 0.70 \\")
    assert r"0.60$^\dagger$" in rows["b"]
    assert "dagger" not in rows["c"]


def test_the_latex_table_shows_lower_is_better_measures_with_their_own_sign_and_an_arrow():
    found = compare({"good": FIRST, "bad": LAST}, RELEVANT, ["AP", "search_length", "copnori"])
    lines = found.to_latex(digits=2).splitlines()
    (head,) = (line for line in lines if "AP" in line)
    assert head == rf" & AP & search\_length {ARROW} & copnori {DISTANCE} {ARROW} \\"
    assert r"good & 1.00 & 0.00 & 0.00 \\" in lines
    assert [line for line in lines if line.startswith("bad & ")] == [r"bad & 0.58 & 1.00 & 1.58 \\"]  # log2(3)
    assert NOTES[ARROW] in lines[-1]
    assert NOTES[DISTANCE] in lines[-1]
    assert NOTES[DAGGER] not in lines[-1]


def test_the_latex_table_explains_only_its_own_marks():
    scores = some_scores(8, 2)
    assert compare(scores).to_latex().splitlines()[-1] == r"\end{tabular}"
    scores["s1"] = scores["s0"] - 0.1
    assert NOTES[DAGGER] in compare(scores).to_latex().splitlines()[-1]


def test_the_latex_table_escapes_names():
    odd = "50%_{a}~^\\&#$"
    text = compare(some_scores(4, 2).rename(columns={"s0": odd})).to_latex()
    assert r"50\%\_\{a\}\textasciitilde{}\textasciicircum{}\textbackslash{}\&\#\$ & " in text


@pytest.mark.parametrize(
    ("systems", "qrels", "said"),
    [
        pytest.param({"good": FIRST}, RELEVANT, "systems must be a mapping with at least two runs", id="one-system"),
        pytest.param({"good": FIRST, "bad": LAST}, None, "qrels are required for runs", id="runs-without-judgements"),
        pytest.param(some_scores(3, 2), RELEVANT, "qrels are not allowed", id="scores-with-judgements"),
        pytest.param(some_scores(1, 2), None, "at least 2 topics must have scores", id="one-topic"),
    ],
)
def test_invalid_comparisons(systems, qrels, said):
    with pytest.raises(ValueError, match=said):
        compare(systems, qrels)
