"""Contradictions between measures and the natural order, for pairs of rankers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.desk.natural_order.tables import side_by_side
from presort.desk.scores import natural_order
from presort.desk.scores.exact_values import STRICT, levels, preferences
from presort.desk.scores.table import MEASURED, scores
from presort.desk.scores.two_lists import two_lists
from presort.desk.service import workflow
from presort.metrics import MEASURES, Outcome, compare_natural, copnori, nosel_copnori, score, violations
from presort.metrics.batch import Batch
from presort.metrics.loss import EXACT, nosel_copnori_loss
from presort.ranker.versions import RECIPES

SIZES = [(1, 9), (3, 40), (12, 60), (12, 600), (5, 5)]  # r and n of report issues


def table_of(outcomes_by_issue, rankers="abcd"):
    """Return scores like `presort.desk.scores.table.scores`, from outcomes by report issue and ranker."""
    rows = [
        (f"r{number}", pd.Timestamp(2026, 11, 16), ranker, outcome)
        for number, outcomes in enumerate(outcomes_by_issue)
        for ranker, outcome in zip(rankers, outcomes, strict=False)
    ]
    table = pd.DataFrame(rows, columns=["report", "issue", "ranker", "outcome"])
    sizes = {"n_relevant": [o.r for o in table["outcome"]], "n_papers": [o.n for o in table["outcome"]]}
    return table.assign(**sizes, replay=pd.NA).join(score(table["outcome"]))


def random_table(seed=0, each=12):
    random = np.random.default_rng(seed)

    def draw(r, n):  # near the top, so that some outcomes are equal
        return Outcome(np.sort(random.permutation(min(n, 2 * r + 3))[:r]) + 1, n)

    return table_of([[draw(r, n) for _ in range(4)] for r, n in SIZES for _ in range(each)])


def all_of(judged):
    return np.ones(len(judged.pairs), dtype=bool)


@pytest.mark.parametrize("at_once", [7, 20_000])
def test_signs_are_those_of_compare_natural(at_once, monkeypatch):
    monkeypatch.setattr(natural_order, "AT_ONCE", at_once)
    outcomes = random_table()["outcome"].to_list()
    pairs = [(a, b) for a in range(0, len(outcomes), 4) for b in range(a, a + 4)]
    first, second = np.array(pairs).T
    expected = [compare_natural(outcomes[a], outcomes[b]) for a, b in pairs]
    assert natural_order.natural_signs(Batch.of(outcomes), first, second).tolist() == expected
    assert set(expected) == {-1, 0, 1}


@pytest.mark.parametrize("name", MEASURED)
def test_verdicts_agree_with_violations_on_every_pair(name):
    table = random_table()
    judged = natural_order.judge(table)
    assert len(judged.pairs) == 6 * table.groupby("report").ngroups
    values = [EXACT[name](o) for o in table["outcome"]] if name in EXACT else table[name].tolist()
    upwards = name not in EXACT and MEASURES[name].higher_is_better
    for pair, decided in zip(judged.pairs.itertuples(), judged.verdicts[name], strict=True):
        rows = [pair.better_row, pair.worse_row]
        outcomes = table["outcome"].iloc[rows].tolist()
        found = violations(outcomes, [values[row] for row in rows], higher_is_better=upwards)
        assert compare_natural(*outcomes) == (-1 if pair.is_decided else 0)
        if pair.is_decided:
            assert decided == (-1 if found.n_strict else 0 if found.n_ties else 1)
            assert pair.papers_more == outcomes[1].last - outcomes[0].last
            assert table["ranker"].iloc[rows].tolist() == [pair.better, pair.worse]


def test_pairs_on_which_a_measure_has_no_value_are_not_counted():
    table = random_table()
    counted = natural_order.counts(natural_order.judge(table), all_of(natural_order.judge(table)))
    is_blank = (table["n_relevant"] == 12) & (table["n_papers"] == 60)
    blanked = table.assign(aselt=table["aselt"].mask(is_blank), nosel=np.nan)
    judged = natural_order.judge(blanked)
    found = natural_order.counts(judged, all_of(judged)).set_index("measure")
    elsewhere = natural_order.judge(table[~is_blank])
    expected = natural_order.counts(elsewhere, all_of(elsewhere)).set_index("measure").loc["aselt"]
    pd.testing.assert_series_equal(found.loc["aselt"], expected)
    assert 0 < found.loc["aselt", "decided"] < found.loc["lofop", "decided"]
    assert found.loc["nosel", ["decided", "agrees", "cannot_tell", "misleads"]].to_list() == [0, 0, 0, 0]
    assert np.isnan(found.loc["nosel", "share_cannot_tell"])
    others = ["aselt", "nosel"]
    pd.testing.assert_frame_equal(
        found.drop(others).sort_index(), counted.set_index("measure").drop(others).sort_index()
    )
    lists = natural_order.cases(judged, blanked, "aselt", all_of(judged))
    same = natural_order.cases(elsewhere, table[~is_blank], "aselt", all_of(elsewhere))
    assert lists["surer_than"].to_list() == same["surer_than"].to_list()


def test_strict_measures_are_those_whose_values_round_to_the_same_float():
    """Strict measures are not computed for pairs of rankers.

    `violations` of every pair shows that this is not needed.
    """
    assert set(STRICT) == set(EXACT)


def test_values_that_round_to_the_same_float_are_distinguished():
    near = [Outcome([*range(1, 12), last], 600) for last in (12, 13)]
    assert copnori(near[0]) == copnori(near[1]) == 1.0
    judged = natural_order.judge(table_of([near]))
    assert (judged.verdicts.loc[0, ["copnori", "ponori", "nosel_copnori"]] == 1).all()


def test_values_that_differ_only_by_rounding_are_tied():
    same = pd.DataFrame({"outcome": [None, None], "lofop": [0.3, 0.1 + 0.2]})
    assert preferences("lofop", same, np.array([0]), np.array([1])).tolist() == [0]
    product_of_24 = [Outcome([1, 6], 8), Outcome([3, 5], 8)]  # 8 · 3 and 6 · 4 from the end
    assert natural_order.judge(table_of([product_of_24])).verdicts["lofop"].tolist() == [0]


@pytest.mark.parametrize("positions", [[1, 2], [1, 4], [4, 5]])
def test_the_loss_of_nosel_copnori_is_its_distance_from_1(positions):
    outcome = Outcome(positions, 5)
    assert float(1 - nosel_copnori_loss(outcome)) == pytest.approx(nosel_copnori(outcome), abs=1e-15)
    assert np.isnan(nosel_copnori_loss(Outcome([1, 2], 2)))


@pytest.mark.parametrize("name", MEASURED)
def test_levels_have_the_order_of_values(name):
    outcomes = [outcome for outcome in random_table()["outcome"] if (outcome.r, outcome.n) == (3, 40)]
    values = score(outcomes, [name])[name].to_numpy()
    ranks = np.array(levels(name, outcomes, values))
    sign = 1 if MEASURES[name].higher_is_better else -1
    assert (np.sign(np.subtract.outer(ranks, ranks)) == sign * np.sign(np.subtract.outer(values, values))).all()


def test_pairs_that_cannot_be_compared_are_left_out_and_counted():
    table = table_of(
        [[Outcome([1], 9), Outcome([2], 8)], [Outcome([], 9), Outcome([], 9)], [Outcome([1], 9), Outcome([2], 9)]]
    )
    judged = natural_order.judge(table)
    assert (len(judged.pairs), judged.n_left_out) == (1, 2)
    assert judged.pairs.loc[0, ["report", "better", "worse", "papers_more"]].tolist() == ["r2", "a", "b", 1]


def test_an_empty_table_has_no_verdicts():
    judged = natural_order.judge(table_of([[Outcome([1], 9)]]))
    assert judged.pairs.empty
    counts = natural_order.counts(judged, all_of(judged))
    assert counts["decided"].sum() == 0
    assert counts["share_misleads"].isna().all()


def test_counts_and_cases_add_up():
    # Average precision: 0.625 and 0.53 for the better of the first two. The third pair equals the second.
    table = table_of([[Outcome([2, 3], 9), Outcome([1, 9], 9)], [Outcome([2, 4], 9), Outcome([1, 4], 9)]] * 2)
    judged = natural_order.judge(table)
    counts = natural_order.counts(judged, all_of(judged)).set_index("measure")
    average = counts.loc["average_precision"]
    assert average[["decided", "agrees", "cannot_tell", "misleads", "share_misleads"]].tolist() == [4, 2, 0, 2, 0.5]
    assert average["papers_more"] == 6
    assert (counts[["agrees", "cannot_tell", "misleads"]].sum(axis="columns") == counts["decided"]).all()
    assert counts.loc["nosel", "cannot_tell"] == 2
    is_first = (judged.pairs["report"] == "r0").to_numpy()
    assert natural_order.counts(judged, is_first)["decided"].eq(1).all()


def test_the_case_of_most_extra_papers_is_first():
    table = random_table()
    judged = natural_order.judge(table)
    for name in ("average_precision", "aselt"):
        cases = natural_order.cases(judged, table, name, all_of(judged))
        assert len(cases) == (judged.verdicts[name][judged.pairs["is_decided"]] < 0).sum() > 10
        assert cases["papers_more"].is_monotonic_decreasing
        assert (cases["how_bad"] == cases["papers_more"] * cases["surer_than"]).all()
        assert (cases["worse_value"] > cases["better_value"]).all()
        assert (cases["worse_last"] - cases["better_last"] == cases["papers_more"]).all()
        better, worse = (table[name].to_numpy()[judged.pairs[row]] for row in ("better_row", "worse_row"))
        decided = np.abs(better - worse)[judged.pairs["is_decided"]]
        first = cases.iloc[0]
        assert first["surer_than"] == (decided < first["worse_value"] - first["better_value"]).mean()


def test_measures_that_keep_the_order_have_no_case():
    table = random_table(seed=1)
    judged = natural_order.judge(table)
    for name in MEASURED:
        if MEASURES[name].natural_order != "violates":
            assert natural_order.cases(judged, table, name, all_of(judged)).empty


def test_two_lists_show_the_rankings_and_mark_decisions(store):
    days = [issue.date for issue in catalogue.issues(store)]
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]]
    list(workflow.replay(store, recipes, first=days[3], last=days[-2], retrain_every=9, reports=["lab"]))
    table = scores(store, report="lab")
    pair = natural_order.judge(table).pairs.query("is_decided").iloc[0]
    better, worse = table.iloc[pair["better_row"]], table.iloc[pair["worse_row"]]
    both = two_lists(store, better, worse)
    papers = catalogue.papers(store, pair["issue"].date())
    decided = decisions.labels(store, "lab", pair["issue"].date())
    wanted = {paper.title for paper in papers if decided.get(paper.paper_id) == "yes"}
    for papers_of, row in ((both.better, better), (both.worse, worse)):
        assert sorted(papers_of["title"]) == sorted(paper.title for paper in papers)
        relevant = papers_of[papers_of["is_relevant"]]
        assert relevant["place"].tolist() == row["outcome"].positions.tolist()
        assert set(relevant["title"]) == wanted
    assert sorted(both.relevant["better_place"]) == better["outcome"].positions.tolist()
    assert sorted(both.relevant["worse_place"]) == worse["outcome"].positions.tolist()
    places = natural_order.deciding_places(better["outcome"], worse["outcome"])
    assert both.relevant[both.relevant["is_deciding"]]["worse_place"].tolist() == [places[1]]


@pytest.mark.parametrize("cut", [10, 30, None])
def test_a_table_shows_why_the_measure_prefers_the_worse_list(cut):
    outcomes = Outcome([20, 50], 80), Outcome([1, 60], 80)
    table = side_by_side(replace(MEASURES["sensitivity_at_30"], cut=cut), ("a", "b"), outcomes, (0.0, 0.5))
    assert table["Relevant papers ranked earlier"].tolist() == ["1 of 2", "1 of 2"]
    seen = [name for name in table if name.startswith("In the first")]
    assert seen == ([f"In the first {cut}"] if cut else [])
    if cut:
        assert table[seen[0]].tolist() == {10: ["0 of 2", "1 of 2"], 30: ["1 of 2", "1 of 2"]}[cut]


def test_keys_are_shown_down_to_the_deciding_place():
    outcomes = Outcome([1, *range(3, 40)], 80), Outcome(range(2, 40), 80)
    table = side_by_side(MEASURES["copnori"], ("a", "b"), outcomes, (1.0, 1.0))
    keys = table.set_index("Ranker")["Places of relevant papers, last first"]
    assert keys["a"].endswith("3, 1")
    assert keys["b"].endswith("3, 2")
    assert table["Copnori (higher is better)"].tolist() == ["> 99.99 %", "> 99.99 %"]
