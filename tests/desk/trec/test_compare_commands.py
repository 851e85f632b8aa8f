"""The command `presort compare`."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from presort.desk.trec import comparing
from presort.metrics import paired_tests, systems_topics, tukey_hsd
from presort.metrics.comparison import compare_systems
from tests.desk.trec.files import OTHER, QRELS, good_run, needs_shared, shared, write


def test_compare_runs(presort):
    printed = presort("compare", "run.trec", "other.trec", "qrels.trec").stdout
    assert printed.startswith("2 systems on 2 topics by AP, P@10, R@100.")
    assert max(map(len, printed.splitlines())) <= 80
    for heading in ("Unanimous improvement", "Paired tests by AP", "Paired tests by R@100", "Systems and topics by AP"):
        assert heading in printed
    compared = json.loads(presort("compare", "run.trec", "other.trec", "qrels.trec", "--json").stdout)
    assert compared["measures"] == ["AP", "P@10", "R@100"]
    first, second = compared["systems"]
    assert (first["system"], first["improves"], first["reference"]) == ("mine", ["theirs"], None)
    assert (second["system"], second["reference"], second["reference_uir"]) == ("theirs", "mine", 1)
    assert compared["uir"]["theirs"]["mine"] == -1
    (test,) = compared["tests"]["AP"]
    assert (test["system"], test["other"], test["wilcoxon"], test["permutation"]) == ("mine", "theirs", 0.5, 0.5)
    assert [topic["topic"] for topic in compared["systems_topics"]["topics"]] == ["1", "2"]


def test_compare_prints_all_correlations_of_three_systems_or_more(presort):
    write("two.csv", "t,a,b\n1,0.5,0.7\n2,0.1,0.9\n3,0.3,0.2\n")
    assert "Needs at least 3 systems" in presort("compare", "two.csv").stdout
    write("three.csv", "t,a,b,c\n1,0.5,0.7,0.2\n2,0.1,0.9,0.2\n3,0.3,0.2,0.2\n")
    printed = presort("compare", "three.csv").stdout
    assert "Correlations (Pearson) over 3 systems and 3 topics" in printed
    graph = systems_topics([[0.5, 0.7, 0.2], [0.1, 0.9, 0.2], [0.3, 0.2, 0.2]])
    rows = [line.split() for line in printed.splitlines() if " and " in line]
    shown = {(row[0], row[2].lower()): row[3:] for row in rows if len(row) == 5}
    for first, second in (("mean", "inlinks"), ("mean", "pagerank"), ("mean", "authority"), ("hub", "authority")):
        expected = [nodes[first].corr(nodes[second]) for nodes in (graph.systems, graph.topics)]
        assert shown[first, second] == [f"{value:z.2f}" for value in expected]
    (found,) = {len(json.loads(presort("compare", "three.csv", "--json").stdout)["systems_topics"]["correlations"])}
    assert found == 5


def test_compare_tests_all_pairs_of_three_systems_or_more_at_once(presort):
    assert "Tukey" not in presort("compare", "scores.csv").stdout
    assert json.loads(presort("compare", "scores.csv", "--json").stdout)["tukey_hsd"] == {}
    scores = pd.DataFrame({"a": np.arange(9) / 10, "b": np.arange(9) / 10 + 0.02, "c": np.arange(9) / 10 + 0.5})
    scores.rename_axis("topic").to_csv("three.csv")
    found = json.loads(presort("compare", "three.csv", "--json").stdout)["tukey_hsd"]["score"]
    assert [(pair["system"], pair["other"]) for pair in found] == [("c", "b"), ("c", "a"), ("b", "a")]
    assert [pair["p"] for pair in found] == tukey_hsd(scores)["p"].to_list()
    flat = " ".join(presort("compare", "three.csv").stdout.split())
    assert "difference Wilcoxon permutation Tukey c b 0.4800 0.0117 0.0117 0.0003 c a" in flat
    assert "Significant (p < 0.05): 2 of 3 pairs." in flat
    assert "Significant among the 3 pairs in this table: Wilcoxon 3, permutation 3, Tukey 2." in flat


def test_compare_marks_p_values_that_are_bounds(presort):
    scores = pd.DataFrame({name: np.arange(40) / 10 + shift for name, shift in (("a", 0), ("b", 0.1), ("c", 0.4))})
    scores.rename_axis("topic").to_csv("three.csv")
    flat = " ".join(presort("compare", "three.csv").stdout.split())
    assert "c a 0.4000 <0.0001 ≤0.0002 " in flat  # 3 pairs / 20,000 flips
    assert "≤: " in flat


def test_compare_explains_only_marks_that_the_table_shows(presort):
    """A bound below the smallest printed p-value is shown as "<0.0001"."""
    scores = pd.DataFrame({"a": np.arange(40) / 10, "b": np.arange(40) / 10 + 0.1})
    scores.rename_axis("topic").to_csv("two.csv")
    found = compare_systems({"score": scores}).tests["score"]
    assert found["permutation_at_floor"].all()
    flat = " ".join(presort("compare", "two.csv").stdout.split())
    assert "b a 0.1000 <0.0001 <0.0001 " in flat
    assert "≤" not in flat


def test_compare_negates_measures_for_which_lower_is_better(presort):
    words = ["compare", "run.trec", "other.trec", "qrels.trec"]
    measures = ["--measure", "search_length", "--measure", "nosel", "--measure", "nosel"]
    compared = json.loads(presort(*words, *measures, "--json").stdout)
    assert compared["measures"] == ["search_length", "nosel"]
    assert [system["system"] for system in compared["systems"]] == ["mine", "theirs"]
    assert [system["search_length"] for system in compared["systems"]] == [0, -1]
    assert compared["with_minus_sign"] == ["search_length"]
    assert [system["mean_f"] for system in compared["systems"]] == [None, None]  # the perfect run would have 0
    flat = " ".join(presort(*words, *measures).stdout.split())
    assert "Negated so that higher is better, therefore not included in F: search_length." in flat
    assert "system search_length nosel improves reference UIR mine 0.0000 1.0000 1 - - theirs" in flat


def test_compare_distinguishes_orders_whose_values_round_to_1(presort):
    good_run("good", {1: 20, 2: 20, 3: 30})
    good_run("worse", {1: 40, 2: 40, 3: 50})
    write("qrels.trec", "".join(f"{topic} 0 r{number} 1\n" for topic in (1, 2, 3) for number in range(10)))
    words = ["compare", "worse.trec", "good.trec", "qrels.trec", "--measure", "ponori", "--measure", "copnori"]
    compared = json.loads(presort(*words, "--json").stdout)
    assert compared["by_distance"] == compared["with_minus_sign"] == ["ponori", "copnori"]
    assert compared["uir"]["good"]["worse"] == 1
    best, other = compared["systems"]
    steps = [2.0 ** (last - 1) - 2**9 for last in (20, 20, 30)]  # the other nine are at the top
    assert (best["system"], best["ponori"]) == ("good", pytest.approx(-np.mean(np.log2(steps))))
    assert best["copnori"] > other["copnori"]
    assert best["mean_f"] is None
    for measure in ("ponori", "copnori"):
        (test,) = compared["tests"][measure]
        assert (test["system"], test["permutation"]) == ("good", 0.25)
    printed = " ".join(presort(*words).stdout.split())
    assert "1.0000" not in printed.split("Paired tests")[0]
    assert "therefore not included in F: ponori, copnori." in printed


@pytest.mark.parametrize("measure", ["ponori", "copnori", "nosel_copnori"])
def test_tests_of_a_pair_do_not_depend_on_other_systems(presort, measure):
    places = np.random.default_rng(3).integers(10, 600, size=(4, 12))
    systems = ["first", "second", "third", "fourth"]
    for tag, last in zip(systems, places.tolist(), strict=True):
        good_run(tag, dict(enumerate(last)))
    write("qrels.trec", "".join(f"{topic} 0 r{number} 1\n" for topic in range(12) for number in range(10)))

    def tested(*named):
        files = [f"{name}.trec" for name in named]
        found = json.loads(presort("compare", *files, "qrels.trec", "--measure", measure, "--json").stdout)
        pairs = {frozenset([test["system"], test["other"]]): test for test in found["tests"][measure]}
        return {name: pairs[frozenset(systems[:2])][name] for name in ("difference", "wilcoxon", "permutation")}

    assert tested(*systems) == pytest.approx(tested(*systems[:2]))


def test_compare_ranks_unreturned_papers_last_in_a_collection(presort):
    write("qrels.trec", QRELS + "1 0 z 1\n2 0 z 1\n")
    words = ["compare", "run.trec", "other.trec", "qrels.trec", "--measure", "nosel", "--measure", "copnori"]
    failed = presort(*words)
    assert failed.exit_code == 1
    assert "'presort score' lists missing scores; --collection-size may fill them in" in failed.stderr
    compared = json.loads(presort(*words, "--collection-size", 10, "--json").stdout)
    assert (compared["collection_size"], compared["n_topics"]) == (10, 2)
    assert [system["system"] for system in compared["systems"]] == ["mine", "theirs"]
    for system in compared["systems"]:
        assert system["nosel"] == pytest.approx(-(1 / 3 + 1 / 2) / 2)  # the last of 10 is relevant in both
    assert compared["uir"]["mine"]["theirs"] == 1  # by Copnori, because the other papers of mine are earlier


def test_topics_without_a_score_are_left_out_and_reported(presort):
    write("other.trec", OTHER + "3 Q0 a 1 1 theirs\n")
    write("qrels.trec", QRELS + "3 0 a 1\n")
    words = ["compare", "run.trec", "other.trec", "qrels.trec"]
    assert json.loads(presort(*words, "--json").stdout)["left_out"] == ["3"]
    assert "Left out because of missing scores: 1 topic (3)." in presort(*words).stdout


def test_runs_with_the_same_tag_are_named_by_their_files(presort):
    write("other.trec", OTHER.replace("theirs", "mine"))
    compared = json.loads(presort("compare", "run.trec", "other.trec", "qrels.trec", "--json").stdout)
    assert [system["system"] for system in compared["systems"]] == ["run.trec", "other.trec"]
    Path("sub").mkdir()
    write("sub/run.trec", OTHER.replace("theirs", "mine"))
    compared = json.loads(presort("compare", "run.trec", "sub/run.trec", "qrels.trec", "--json").stdout)
    assert {system["system"] for system in compared["systems"]} == {"run.trec", str(Path("sub/run.trec"))}


@pytest.mark.parametrize("rows", ["topics", "systems"])
def test_compare_a_table_of_scores(presort, rows):
    if rows == "systems":
        write("scores.csv", "system,1,2,3\nold,0.1,0.2,0.4\nnew,0.3,0.2,0.5\n")
    compared = json.loads(presort("compare", "scores.csv", "--rows", rows, "--json").stdout)
    new, old = compared["systems"]
    assert (new["system"], new["score"], new["improves"]) == ("new", pytest.approx(1 / 3), ["old"])
    assert old["reference_uir"] == pytest.approx(2 / 3)
    assert [topic["topic"] for topic in compared["systems_topics"]["topics"]] == ["1", "2", "3"]
    printed = presort("compare", "scores.csv", "--rows", rows).stdout
    assert printed.startswith("2 systems on 3 topics by score.")
    assert "Hardest topics: 1 (0.200), 2 (0.200), 3 (0.450)" in printed


def test_equal_systems_are_reported_to_have_no_hubs(presort):
    write("scores.csv", "topic,a,b\n1,0.1,0.1\n2,0.2,0.2\n")
    assert "Most discriminating topics: not defined" in presort("compare", "scores.csv").stdout


def test_a_topic_that_reverses_the_systems_is_not_among_the_worst(presort):
    topics = {"same": (0.5, 0.5), "turned": (0.2, 0.7), **{f"t{n}": (0.9, 0.1 + n / 100) for n in range(9)}}
    write("scores.csv", "topic,a,b\n" + "".join(f"{name},{a},{b}\n" for name, (a, b) in topics.items()))
    flat = " ".join(presort("compare", "scores.csv").stdout.split())
    best, worst = flat.split("Most discriminating topics: ")[1].split(" Least discriminating topics: ")
    assert best.startswith("t0 (")
    assert worst.startswith("same (0.000), turned (-0.")


def test_p_values_that_were_not_computed_are_not_shown(presort, monkeypatch):
    monkeypatch.setattr(paired_tests, "MOST_ANSWERS", 0)
    printed = presort("compare", "scores.csv").stdout
    assert "permutation\n" not in printed
    assert "No permutation test: with this correction, a small p-value would need too many" in " ".join(printed.split())
    (test,) = json.loads(presort("compare", "scores.csv", "--json").stdout)["tests"]["score"]
    assert test["permutation"] is test["permutation_holm"] is None


@pytest.mark.whole
@needs_shared
def test_compare_the_systems_of_trec_8(presort, monkeypatch):
    """All 129 systems: at most 80 columns, and no more pairs than significant ones."""
    found = []  # computed once, printed twice

    def compare_once(scores, **how):
        found.extend([] if found else [compare_systems(scores, **how)])
        return found[0]

    monkeypatch.setattr(comparing, "compare_systems", compare_once)
    printed = presort("compare", *shared("trec8_ap.csv")).stdout
    assert max(map(len, printed.splitlines())) <= 80
    flat = " ".join(printed.split())
    assert "Holm's correction for 8,256 pairs" in flat
    assert "corrected for all 8,256 pairs" in flat
    assert "... and 109 more rows. --json prints all." in flat
    assert "Significant (p < 0.05): 2,669 of 8,256 pairs" in flat
    assert "Significant among the 128 pairs in this table: Wilcoxon 90, permutation 82, Tukey 120." in flat
    compared = json.loads(presort("compare", *shared("trec8_ap.csv"), "--json").stdout)
    assert len(compared["systems"]) == len(compared["uir"]) == 129
    assert compared["systems"][0]["system"] == "READWARE2"
    (found,) = [one for one in compared["systems_topics"]["correlations"] if {"mean", "hub"} <= set(one.values())]
    assert [round(found[nodes], 2) for nodes in ("systems", "topics")] == [0.8, 0.92]  # SIGIR 2007, Table 3
    assert all(math.isfinite(topic["hub"]) for topic in compared["systems_topics"]["topics"])
    assert len(compared["tests"]["score"]) == 128
    assert len(compared["tukey_hsd"]["score"]) == 8_256
    for test in compared["tests"]["score"]:
        assert test["permutation_holm"] >= min(1, 8_129 * test["permutation"])  # the smallest Holm factor of the pairs
