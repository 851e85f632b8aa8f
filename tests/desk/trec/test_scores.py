import math
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from presort.desk.trec.scores import OURS, SAME, STANDARD, measure_topics
from presort.metrics import MEASURES, Outcome, ranking_reliability_sensitivity, read_qrels, read_run
from presort.metrics.joined_run import read_and_join, topic_outcomes
from tests.metrics.strategies import FIXED

SHARED = Path(__file__).parents[3] / ".." / "shared" / "reference"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared reference files are not here")
BRIEF = settings(FIXED, max_examples=40)
NAMES_IN_TREC_EVAL = {
    "AP": "map",
    "RR": "recip_rank",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "P@5": "P_5",
    "P@10": "P_10",
    "P@20": "P_20",
    "R@100": "recall_100",
    "Rprec": "Rprec",
    "Bpref": "bpref",
}


def joined(scores, judgements):
    """Join one topic."""
    return read_and_join({"1": scores}, {"1": judgements})


def measured_topics(joined, **options):
    return pd.DataFrame(measure_topics(joined, **options), index=[topic.name for topic in joined.topics])


def measured(scores, judgements, **options):
    return measured_topics(joined(scores, judgements), **options).loc["1"]


def listed(flags, n_missing=0):
    """Return a topic with papers in this order, and relevant papers that were not returned."""
    scores = {f"p{place}": -float(place) for place in range(len(flags))}
    judgements = {f"p{place}": int(flag) for place, flag in enumerate(flags)}
    return scores, judgements | {f"m{number}": 1 for number in range(n_missing)}


@needs_shared
def test_every_standard_measure_equals_trec_eval():
    """trec_eval_expected.txt, from the distribution of trec_eval: each topic and the mean, to its four decimals."""
    table = measured_topics(read_and_join(read_run(SHARED / "run.trec"), read_qrels(SHARED / "qrels.trec")))
    table.loc["all"] = table.mean()
    lines = (line.split() for line in (SHARED / "trec_eval_expected.txt").read_text().splitlines())
    expected = {(measure, topic): figure for measure, topic, figure in lines}
    assert NAMES_IN_TREC_EVAL.keys() == set(STANDARD)
    for name, theirs in NAMES_IN_TREC_EVAL.items():
        for topic in ("301", "302", "303", "all"):
            assert f"{table.loc[topic, name]:.4f}" == expected[theirs, topic], (name, topic)


@needs_shared
def test_missing_relevant_papers_leave_our_measures_undefined_unless_ranked_last():
    topics = read_and_join(read_run(SHARED / "run.trec"), read_qrels(SHARED / "qrels.trec"))
    assert [topic.n_missing for topic in topics.topics] == [403, 27, 0]
    table = measured_topics(topics)
    assert table["last_relevant_position"].isna().to_list() == [True, True, False]
    assert table.loc["303", "last_relevant_position"] == 107
    assert measured_topics(topics, collection_size=1000)["last_relevant_position"].to_list() == [1000, 1000, 107]


def test_every_registered_measure_is_available_under_its_standard_name():
    table = measured(*listed([1, 0, 1, 0]))
    assert set(table.index) == set(STANDARD) | MEASURES.keys() - SAME.keys()
    for name, standard in SAME.items():
        assert table[standard] == pytest.approx(MEASURES[name].compute(Outcome([1, 3], 4)))


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param({"a": 1, "b": 1, "c": 1}, ("c", "b", "a"), id="ties-by-descending-id"),
        pytest.param({"a10": 1, "a9": 1}, ("a9", "a10"), id="ids-are-texts"),
        pytest.param({"z": 1, "é": 1, "😀": 1, "\uffff": 1}, ("😀", "\uffff", "é", "z"), id="ids-as-utf-8"),
        pytest.param({"b": 1.0, "a": 1.0 + 1e-12}, ("b", "a"), id="scores-are-single-precision"),
        pytest.param({"a": 3e300, "b": 2e300, "c": 1e-300, "d": 0}, ("b", "a", "d", "c"), id="out-of-range"),
        pytest.param({"a": -1, "b": -2.5, "c": 7}, ("c", "a", "b"), id="by-score"),
    ],
)
def test_the_order_of_trec_eval(scores, expected):
    (topic,) = joined(scores, {"z": 0}).topics
    assert topic.papers == expected
    for place, paper in enumerate(expected, start=1):  # pytrec_eval, which wraps trec_eval, must find it there
        (metric,) = ir_measures.iter_calc([ir_measures.RR], {"1": {paper: 1}}, {"1": scores})
        assert metric.value == pytest.approx(1 / place)
        assert measured(scores, {paper: 1})["RR"] == pytest.approx(1 / place)
        if len(scores) > 1:
            assert measured(scores, {paper: 1})["last_relevant_position"] == place


def test_ties_are_counted():
    (topic,) = joined({"a": 2, "b": 2, "c": 2, "d": 1, "e": 0, "f": 0}, {"z": 0}).topics
    assert topic.n_tied == 3


def test_judgements_from_1_are_relevant_and_negative_ones_are_not():
    table = measured({"a": 4, "b": 3, "c": 2, "d": 1}, {"a": -2, "b": 3, "c": 0, "d": 1})
    assert table["last_relevant_position"] == 4
    assert table["RR"] == 0.5
    assert table["precision_at_last"] == 0.5


def test_topics_of_only_one_file_are_left_out_and_named():
    run = {"2": {"a": 1}, "10": {"a": 1}, "x": {"a": 1}}
    both = read_and_join(run, {"10": {"a": 1}, "2": {"a": 1}, "y": {"a": 1}})
    assert [topic.name for topic in both.topics] == ["10", "2"]
    assert (both.only_in_run, both.only_in_qrels) == (("x",), ("y",))
    assert measured_topics(both).index.to_list() == ["10", "2"]


def test_nothing_relevant_is_nan_and_skipped_by_the_mean():
    run = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    table = measured_topics(read_and_join(run, {"1": {"a": 1}, "2": {"a": 0}}))
    assert table.loc["2"].isna().all()
    assert table["AP"].mean() == 1


def test_a_list_that_misses_relevant_papers_has_the_measures_of_its_top():
    flags = [1, 0, 1, *[0] * 38, 1]
    table = measured(*listed(flags, n_missing=5))
    known = {name for name, measure in OURS.items() if measure.ignores_tail}
    assert known
    assert set(table[list(OURS)].dropna().index) == known
    figures = ranking_reliability_sensitivity(Outcome([1, 3, 42, 43, 44, 45, 46, 47], 47), k=30)
    assert table["reliability_at_30"] == pytest.approx(figures.priority_reliability)
    assert table["sensitivity_at_30"] == pytest.approx(figures.priority_sensitivity) == 2 / 8


def test_the_cut_of_a_short_list_that_misses_relevant_papers_is_its_end():
    table = measured(*listed([1, 0, 1, 0], n_missing=6))
    figures = ranking_reliability_sensitivity(Outcome([1, 3, 5, 6, 7, 8, 9, 10], 10), k=4)
    assert table["reliability_at_30"] == pytest.approx(figures.priority_reliability)
    assert table["sensitivity_at_30"] == pytest.approx(figures.priority_sensitivity) == 2 / 8


@BRIEF
@given(
    flags=st.lists(st.booleans(), min_size=1, max_size=60),
    n_missing=st.integers(0, 5),
    n_more=st.integers(0, 50),
)
def test_a_collection_ranks_missing_papers_last(flags, n_missing, n_more):
    size = len(flags) + n_missing + n_more
    table = measured(*listed(flags, n_missing), collection_size=size)
    whole = Outcome.from_relevance([*flags, *[0] * n_more, *[1] * n_missing])
    for name, measure in OURS.items():
        if measure.needs == "outcome" and not measure.ignores_tail:
            assert table[name] == pytest.approx(measure.compute(whole), nan_ok=True), name
    in_vain = MEASURES["search_length"].compute(whole)  # no ties here
    assert table["expected_search_length"] == pytest.approx(in_vain, nan_ok=True)


@BRIEF
@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_a_whole_list_needs_no_collection(flags):
    alone, sized = measured(*listed(flags)), measured(*listed(flags), collection_size=len(flags))
    np.testing.assert_array_equal(alone, sized)


@BRIEF
@given(
    flags=st.lists(st.booleans(), min_size=1, max_size=60),
    n_missing=st.integers(0, 5),
    n_more=st.integers(0, 50),
)
def test_values_defined_without_a_collection_are_the_same_with_it(flags, n_missing, n_more):
    alone = measured(*listed(flags, n_missing))
    sized = measured(*listed(flags, n_missing), collection_size=len(flags) + n_missing + n_more)
    known = [name for name, measure in OURS.items() if measure.ignores_tail]
    np.testing.assert_array_equal(alone[known], sized[known])


def test_relevant_papers_that_were_not_returned_cannot_be_found():
    """One of two relevant papers was returned. For any collection size, reading the list finds half of them."""
    for size in (None, 3, 100):
        assert measured(*listed([1, 0], n_missing=1), collection_size=size)["sensitivity_at_30"] == 0.5


def test_outcomes_are_those_of_the_lists_or_of_the_collection():
    scores, judgements = listed([1, 0, 1, 0, 1])
    topics = read_and_join({"1": scores, "2": scores}, {"1": judgements, "2": judgements | {"z": 1}})
    assert topic_outcomes(topics) == {"1": Outcome([1, 3, 5], 5), "2": None}
    outcomes = topic_outcomes(topics, collection_size=8)
    assert outcomes == {"1": Outcome([1, 3, 5], 8), "2": Outcome([1, 3, 5, 8], 8)}


def test_measures_of_scores_see_the_scores_as_written():
    scores, judgements = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.25}, {"a": 1, "b": 1, "c": 0, "d": 0}
    table = measured(scores, judgements)
    for name in ("expected_search_length", "swets", "brookes"):
        assert table[name] == MEASURES[name].compute([2, 1, 1, 0.25], [1, 1, 0, 0])
    assert table["expected_search_length"] == 0.5  # b and c are tied


@pytest.mark.parametrize("size", [None, 2, 9])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(1.000000000001, 1.0, 0.5, id="one-float-in-single-precision"),
        pytest.param(1.0001, 1.0, 0, id="two"),
        pytest.param(1.0, 1.0001, 1, id="two-in-reverse-order"),
        pytest.param(-2e300, -3e300, 0.5, id="below-its-range"),
        pytest.param(3e300, 2e300, 0.5, id="beyond-its-range"),
    ],
)
def test_expected_search_length_sees_the_ties_of_the_list(first, second, expected, size):
    topics = joined({"a": first, "b": second}, {"a": 1, "b": 0})
    assert measured_topics(topics, collection_size=size).loc["1", "expected_search_length"] == expected
    assert topics.topics[0].n_tied == (expected == 0.5)


def test_papers_never_returned_have_no_score():
    """If all relevant papers were returned, unreturned papers below cost nothing.

    Otherwise all of them have to be read.
    """
    scores = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.25}
    complete = measured(scores, {"a": 1, "b": 1}, collection_size=100)
    assert complete["expected_search_length"] == 0.5
    incomplete = measured(scores, {"a": 1, "b": 1, "x": 1}, collection_size=100)
    assert incomplete["expected_search_length"] == 97
    for table in (complete, incomplete):
        assert math.isnan(table["swets"])
        assert math.isnan(table["brookes"])
