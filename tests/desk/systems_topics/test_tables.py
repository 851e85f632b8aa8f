"""Tables of *Systems and topics*, and the parser of uploaded scores."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from presort.data.errors import DataError, RefusedError
from presort.desk.scores.correlations import correlations
from presort.desk.scores.differences import BY_MEDIAN
from presort.desk.scores.table import MEASURED
from presort.desk.systems_topics import upload
from presort.desk.systems_topics.nouns import OF_FILE
from presort.desk.systems_topics.tables import (
    MOST_ARCS,
    MOST_DRAWN,
    agreement,
    arcs,
    compute_order_preservation,
    kinds,
    lay_out,
    mean_scatter_points,
    order_of_systems,
    powers,
    ranker_scores,
    strongest_arcs,
    topic_table,
    transforms,
)
from presort.desk.systems_topics.upload import drop_incomplete_topics, read_scores
from presort.metrics import MEASURES, Outcome, pick_topics, score, systems_topics

TREC_8 = Path(__file__).parents[3] / ".." / "shared" / "reference" / "trec8_ap.csv"
needs_shared = pytest.mark.skipif(not TREC_8.exists(), reason="the shared reference files are not here")
TWO = "topic,a,b\n401,0.5,1\n402,0.25,-3e-2\n"


def some_scores(n_systems, n_topics, seed=0):
    values = np.random.default_rng(seed).uniform(size=(n_systems, n_topics))
    return pd.DataFrame(values.T, [f"t{i}" for i in range(n_topics)], [f"s{i}" for i in range(n_systems)])


@pytest.mark.parametrize(
    ("content", "name"),
    [
        pytest.param(TWO, "scores.csv", id="csv"),
        pytest.param(TWO.replace(",", "\t"), "scores.tsv", id="tsv"),
        pytest.param(TWO.replace(",", "\t").replace("\n", "\r\n"), "scores.txt", id="tsv-crlf"),
        pytest.param("\ufeff" + TWO.replace(",", "\t"), "scores.csv", id="tsv-byte-order-mark"),
        pytest.param(TWO, "../../../x", id="name-with-a-path"),
        pytest.param(TWO, "..", id="name-of-a-folder"),
        pytest.param(TWO, "\0\ud800" + 300 * "é", id="too-long-name"),
    ],
)
def test_an_uploaded_file(content, name):
    expected = pd.DataFrame([[0.5, 1.0], [0.25, -0.03]], ["401", "402"], ["a", "b"])
    pd.testing.assert_frame_equal(read_scores(content.encode(), name), expected)
    by_system = content.replace("topic", "")
    pd.testing.assert_frame_equal(read_scores(by_system.encode(), name, rows="systems"), expected.T)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(TWO.replace("1\n", "high\n"), "s.csv, row 2, column b: 'high' is not a number", id="text"),
        pytest.param(
            "topic,a\n401,1\n402,1\n", "rows of scores: 2, columns of scores: 1. At least 2 of each", id="one-system"
        ),
        pytest.param(
            "topic\ta\tb\n401\t1\n402\t1\t2\n", "row 2: 2 cells, but the header has 3", id="tsv-too-few-cells"
        ),
        pytest.param(b"", "rows of scores: 0, columns of scores: 0", id="empty"),
        pytest.param(TWO.replace("topic", "System"), "its rows are systems, not topics", id="transposed"),
    ],
)
def test_errors_in_a_file_are_named(content, message):
    with pytest.raises(DataError) as caught:
        read_scores(content if isinstance(content, bytes) else content.encode(), "s.csv")
    assert message in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_an_uploaded_file_in_any_encoding(encoding):
    content = TWO.replace("b\n", "Café\n").encode(encoding)
    assert read_scores(content, "s.csv").columns.to_list() == ["a", "Café"]


def test_a_file_too_large_for_a_page(monkeypatch):
    monkeypatch.setattr(upload, "MOST", 2)
    assert read_scores(TWO.encode(), "s.csv").shape == (2, 2)
    with pytest.raises(RefusedError, match=r"s.csv has 2 systems and 3 topics. This page shows up to 2"):
        read_scores((TWO + "403,1,1\n").encode(), "s.csv")


def test_topics_with_a_missing_score_are_left_out():
    scores = some_scores(3, 4)
    scores.loc["t2", "s1"] = np.nan
    assert drop_incomplete_topics(scores, OF_FILE).index.to_list() == ["t0", "t1", "t3"]


@pytest.mark.parametrize(
    ("blank", "message"),
    [
        pytest.param(["t0", "t1"], "Only 1 topic has scores for every system; 2 are needed. s1 .*: 2", id="one"),
        pytest.param(["t0", "t1", "t2"], "No topic has scores for every system; 2 are needed. s1 .*: 3", id="none"),
    ],
)
def test_too_few_complete_topics(blank, message):
    scores = some_scores(3, 3)
    scores.loc[blank, "s1"] = np.nan
    with pytest.raises(RefusedError, match=message):
        drop_incomplete_topics(scores, OF_FILE)


def ranked_table(rankers=("a", "b"), reports=("lab", "mac"), n_issues=3, seed=1):
    """Return a synthetic result of `presort.desk.scores.table.scores`, with 3 relevant papers of 600."""
    rng = np.random.default_rng(seed)
    keys = [
        (report, day, ranker)
        for report in reports
        for day in pd.date_range("2026-01-05", periods=n_issues, freq="7D")
        for ranker in rankers
    ]
    outcomes = [Outcome(np.sort(rng.choice(600, 3, replace=False)) + 1, 600) for _ in keys]
    table = pd.DataFrame(keys, columns=["report", "issue", "ranker"])
    return pd.concat([table.assign(outcome=outcomes, n_papers=600, n_relevant=3), score(outcomes)], axis="columns")


@pytest.mark.parametrize("measure", MEASURED)
def test_scores_of_rankers_are_means_of_the_measure_or_medians(measure):
    table = ranked_table()
    scores = ranker_scores(table, measure, by_issue=False)
    sign, best = (1 if MEASURES[measure].higher_is_better else -1), 1 if MEASURES[measure].loss else 0
    for ranker, report in [("a", "lab"), ("b", "mac")]:
        values = table[(table["ranker"] == ranker) & (table["report"] == report)][measure]
        middle = values.median() if measure in BY_MEDIAN else values.mean()
        assert scores.loc[report, ranker] == pytest.approx(sign * middle - best)


def test_scores_by_issue_and_where_a_measure_is_not_defined():
    table = ranked_table()
    table.loc[table["issue"] == table["issue"].max(), "nosel"] = np.nan
    scores = ranker_scores(table, "nosel", by_issue=True)
    assert scores.index.to_list() == [f"{code} 2026-01-{day}" for code in ("lab", "mac") for day in ("05", "12")]
    expected = table[table["report"] == "lab"].groupby("ranker")["nosel"].first()
    assert scores.loc["lab 2026-01-05"].to_dict() == pytest.approx(expected.to_dict())


def test_orders_that_round_to_100_percent_stay_apart():
    outcomes = [Outcome([1, 2, 4], 100_000), Outcome([1, 2, 3], 100_000)]
    rows = pd.DataFrame({"report": "lab", "issue": pd.Timestamp("2026-01-05"), "ranker": ["a", "b"]})
    scores = ranker_scores(rows.assign(outcome=outcomes, copnori=1.0), "copnori", by_issue=False)
    assert scores.loc["lab", "a"] < scores.loc["lab", "b"] == 0
    assert powers(scores.loc["lab"]).to_list() == pytest.approx(
        [math.log10(200 / (math.comb(100_000, 3) - 1)), -math.inf]
    )


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([[0, 1]], ["identity", "log", "logit"]), ([[0, 2]], ["identity", "log"]), ([[-1, 1]], ["identity"])],
)
def test_transforms_that_the_scores_allow(scores, expected):
    assert transforms(pd.DataFrame(scores)) == expected


@needs_shared
def test_correlations_of_mizzaro_and_robertson():
    """SIGIR 2007, Table 3: Pearson's correlation, to the two decimals printed."""
    table = correlations(systems_topics(read_scores(TREC_8.read_bytes(), TREC_8.name)))
    assert table["systems"].round(2).to_list() == [1, 1, 0.8, 0.99, 0.87]
    assert table["topics"].round(2).to_list() == [1, 1, 0.92, 1, 0.93]


def test_figures_that_are_equal_for_all_have_no_correlation():
    table = correlations(systems_topics(np.full((3, 4), 0.5)))
    assert table[["systems", "topics"]].isna().all(axis=None)


@pytest.mark.parametrize("kind", ["apa", "apm"])
def test_the_strongest_lines_are_drawn(kind):
    graph = systems_topics(some_scores(129, 50))
    listed = arcs(graph, kind)
    weights = getattr(graph, kind)
    assert len(listed) == 129 * 50
    for row in listed.iloc[[0, 99, -1]].itertuples():
        assert row.weight == weights.loc[row.topic, row.system]
    drawn = strongest_arcs(listed)
    assert drawn["weight"].abs().min() >= listed["weight"][len(drawn) :].abs().max()
    assert len(drawn) <= MOST_ARCS
    assert max(drawn["system"].nunique(), drawn["topic"].nunique()) <= MOST_DRAWN
    nodes = lay_out(graph, drawn)
    assert set(nodes["name"][nodes["side"] == "system"]) == set(drawn["system"])
    for _, side in nodes.groupby("side"):
        assert side["mean"].is_monotonic_decreasing
        assert side["at"].between(0, 1).all()


def test_only_some_of_many_names_are_drawn():
    drawn = strongest_arcs(arcs(systems_topics(np.eye(200) + some_scores(200, 200).to_numpy()), "apa"))
    assert max(drawn["system"].nunique(), drawn["topic"].nunique()) == MOST_DRAWN


def test_no_line_without_weight():
    assert strongest_arcs(arcs(systems_topics(np.full((3, 4), 0.5)), "apa")).empty


def test_outliers_are_marked_even_if_their_labels_do_not_fit():
    nodes = pd.DataFrame({"mean": np.arange(60) / 60.0, "hub": np.arange(60) / 60.0}, [f"t{i}" for i in range(60)])
    nodes.iloc[30:33, 1] = [2.0, 2.001, 2.002]  # so close together that only one label fits
    table = mean_scatter_points(nodes, "hub").set_index("name")
    assert set(table.index[table["is_far"]]) == {"t30", "t31", "t32"}
    assert (table.loc[["t30", "t31", "t32"], "label"] != "").sum() == 1


def test_labels_of_outliers():
    """Ten topics on a line, an easy one below it and a hard one above."""
    nodes = pd.DataFrame({"mean": np.arange(12) / 12.0, "hub": np.arange(12) / 12.0}, [f"t{i}" for i in range(12)])
    nodes.loc["t11", "hub"], nodes.loc["t1", "hub"] = 0.2, 0.9
    table = mean_scatter_points(nodes, "hub").set_index("name")
    assert set(table.index[table["is_far"]]) == {"t11", "t1"}
    assert set(table.index[table["label"] != ""]) == {"t11", "t1", "t0"}  # and at the ends of the range of means
    assert kinds(nodes["mean"], nodes["hub"])[["t11", "t1"]].to_list() == [
        "easy, not discriminating",
        "hard, discriminating",
    ]


def test_the_kind_of_a_topic_never_claims_more_than_the_figures():
    """A topic in the middle third is neither easy nor hard."""
    nodes = pd.DataFrame({"mean": [0.1, 0.3, 0.2, 0.4, 0.5], "hub": [0.3, 0.9, 0.3, 0.4, 0.3]}, list("abcde"))
    assert kinds(nodes["mean"], nodes["hub"])["b"] == "discriminating"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_table_of_topics_has_the_hardest_first_and_ranks_the_systems_in_each_row(sign):
    graph = systems_topics(some_scores(4, 7))
    table = topic_table(graph, sign=sign).set_index("topic")
    assert (sign * table["mean"]).is_monotonic_increasing
    for topic, row in table.iterrows():
        scores = graph.scores.loc[topic]
        assert row[[f"score_{name}" for name in scores.index]].to_list() == pytest.approx((sign * scores).to_list())
        best_first = sorted(scores.index, key=lambda name: -scores[name])
        assert [row[f"rank_{name}"] for name in best_first] == [1, 2, 3, 4]
        assert row["hub"] == graph.topics.loc[topic, "hub"]


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param({"mean": [0.1, 0.2], "hub": [0.3, 0.1]}, id="two"),
        pytest.param({"mean": [0.1] * 5, "hub": [0.1, 0.2, 0.3, 0.9, 0.2]}, id="same-mean"),
        pytest.param({"mean": [0.1, 0.2, 0.3], "hub": [np.nan] * 3}, id="undefined"),
        pytest.param({"mean": [0.1, 0.2, 0.3], "hub": [0.5] * 3}, id="same-hub"),
    ],
)
def test_no_label_without_a_line(nodes):
    table = mean_scatter_points(pd.DataFrame(nodes), "hub")
    assert not table["is_far"].any()
    assert (table["label"] == table["name"].astype(str)).all()  # all names fit


@pytest.mark.parametrize(
    "kind", ["systems_on_ease", "topics_on_effectiveness", "systems_on_effectiveness", "topics_on_ease"]
)
def test_agreement_is_the_normalised_agreement_of_the_graph(kind):
    graph = systems_topics(some_scores(6, 9))
    sums, cosines = graph.agreement(kind), agreement(graph, kind)
    assert sorted(cosines.index) == sorted(sums.index)
    assert np.diag(cosines).tolist() == pytest.approx([1] * len(cosines))
    one, other = cosines.index[:2]
    expected = sums.loc[one, other] / math.sqrt(sums.loc[one, one] * sums.loc[other, other])
    assert cosines.loc[one, other] == pytest.approx(expected)


def test_similar_systems_are_adjacent():
    signs = np.array([1, -1, 1, -1, 1, -1])
    scores = pd.DataFrame(
        signs * np.arange(5)[:, np.newaxis] + some_scores(6, 5).to_numpy() / 10, columns=list("abcdef")
    )
    order = "".join(agreement(systems_topics(scores), "systems_on_ease").index)
    assert {frozenset(order[:3]), frozenset(order[3:])} == {frozenset("ace"), frozenset("bdf")}


def test_agreement_of_a_system_with_equal_scores_on_all_topics():
    scores = some_scores(4, 5)
    scores["s2"] = 0.5
    cosines = agreement(systems_topics(scores), "systems_on_ease")
    assert (cosines.loc["s2"].drop("s2") == 0).all()


def test_the_kept_order_is_computed_from_picked_topics():
    graph = systems_topics(some_scores(8, 12))
    curve = compute_order_preservation(graph).set_index("k")
    assert (curve.index[0], curve.index[-1]) == (1, 12)
    assert curve.loc[12, "tau"] == pytest.approx(1)
    for k in curve.index:
        assert curve.loc[k, "tau"] == pick_topics(graph, int(k)).tau


def test_places_over_all_and_over_picked_topics():
    scores = pd.DataFrame({"x": [0.9, 0.1, 0.8], "y": [0.5, 0.6, 0.5], "z": [0.5, 0.6, 0.5]}, ["t0", "t1", "t2"])
    table = order_of_systems(systems_topics(scores), ["t1"])
    assert table[["system", "place", "place_picked"]].to_numpy().tolist() == [["x", 1, 3], ["y", 2, 1], ["z", 2, 1]]
    assert table["mean_picked"].to_list() == [0.1, 0.6, 0.6]
