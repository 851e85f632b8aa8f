"""Comparison of rankers: equal to `metrics` on the same rows, and exact if floats are not."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from presort.desk.compare import charts, tables
from presort.desk.scores.differences import differences
from presort.desk.scores.pairs import (
    PAIR,
    PAIR_OF_F,
    ExclusionCounts,
    f_curves,
    follow_natural_order,
    improvements,
    pair_up,
    pair_with_f,
)
from presort.desk.scores.papers_saved import PairResult
from presort.desk.text import exact_text
from presort.metrics import (
    MEASURES,
    Outcome,
    compare_natural,
    copnori_loss,
    f_curve,
    nosel,
    score,
    uir_matrix,
    uir_table,
)
from presort.metrics.loss import as_decimal

RANKERS = ("new", "old", "other")
FOLLOWING = ("nosel", "copnori")


def table_of(rows):
    """Return a table like `presort.desk.scores.table.scores` from tuples: report, day of June, ranker, outcome."""
    outcomes = [outcome for *_, outcome in rows]
    table = pd.DataFrame(
        {
            "report": [report for report, *_ in rows],
            "issue": [pd.Timestamp(2026, 6, day) for _, day, *_ in rows],
            "ranker": [ranker for _, _, ranker, _ in rows],
            "replay": pd.array([1] * len(rows), dtype="Int64"),
            "is_trained": True,
            "was_read_whole": True,
            "n_papers": [outcome.n for outcome in outcomes],
            "n_relevant": [outcome.r for outcome in outcomes],
            "outcome": outcomes,
        }
    )
    return pd.concat([table, score(outcomes)], axis="columns")


def random_rows(seed=0, n_reports=8, n_issues=6, rankers=RANKERS):
    rng = np.random.default_rng(seed)
    rows = []
    for report in range(n_reports):
        for day in range(1, n_issues + 1):
            n = int(rng.integers(4, 40))
            r = int(rng.integers(1, n))
            same = np.sort(rng.choice(n, r, replace=False)) + 1
            for ranker in rankers:
                found = same if rng.random() < 0.3 else np.sort(rng.choice(n, r, replace=False)) + 1
                rows.append((f"r{report}", day, ranker, Outcome(found, n)))
    return rows


@pytest.fixture(scope="module")
def paired():
    return pair_up(table_of(random_rows()), RANKERS)


def case_by_case(paired, a, b):
    return zip(paired.outcomes[a], paired.outcomes[b], strict=True)


def test_rows_of_all_rankers_refer_to_the_same_report_issue():
    rows = random_rows()
    shuffled = table_of([rows[place] for place in np.random.default_rng(1).permutation(len(rows))])
    paired = pair_up(shuffled, RANKERS)
    by_key = {(report, day, ranker): outcome for report, day, ranker, outcome in rows}
    for name in RANKERS:
        keys = zip(paired.cases["report"], paired.cases["issue"].dt.day, strict=True)
        assert paired.outcomes[name] == [by_key[report, day, name] for report, day in keys]
        pd.testing.assert_frame_equal(paired.scores[name], score(paired.outcomes[name]))


def test_signs_follow_the_natural_order(paired):
    for name in ("new", "other"):
        signs = [compare_natural(a, b) for a, b in case_by_case(paired, name, "old")]
        assert paired.signs(name, "old").tolist() == signs
        assert signs.count(0) > 0


def test_places_count_the_better_rankers(paired):
    for case in range(len(paired.cases)):
        outcomes = {name: paired.outcomes[name][case] for name in RANKERS}
        better = {a: sum(compare_natural(outcomes[b], outcomes[a]) < 0 for b in RANKERS) for a in RANKERS}
        assert paired.places.loc[case].to_dict() == better


def test_incomparable_report_issues_are_left_out_and_counted():
    both, nothing = Outcome([2], 5), Outcome([], 5)
    rows = [("a", 1, "new", both), ("a", 1, "old", both), ("a", 2, "new", both), ("b", 1, "old", both)]
    rows += [
        ("c", 1, "new", nothing),
        ("c", 1, "old", nothing),
        ("d", 1, "new", both),
        ("d", 1, "old", Outcome([2], 6)),
    ]
    paired = pair_up(table_of(rows), ["new", "old"])
    assert len(paired.cases) == 1
    assert paired.left_out == ExclusionCounts(not_by_all=3, nothing_relevant=1)


def test_improvement_by_reliability_and_sensitivity_is_that_of_metrics(paired):
    table, ratios = improvements(paired, PAIR_OF_F)
    by_ranker = {name: paired.scores[name][list(PAIR_OF_F)].to_numpy() for name in RANKERS}
    pd.testing.assert_frame_equal(table, uir_table(by_ranker))
    pd.testing.assert_frame_equal(ratios, uir_matrix(by_ranker))
    assert ratios.to_numpy().any()


def test_improvement_by_nosel_and_copnori_is_that_of_the_exact_values(paired):
    table, ratios = improvements(paired, FOLLOWING)
    gaps = {name: [copnori_loss(outcome) for outcome in paired.outcomes[name]] for name in RANKERS}
    for a in RANKERS:
        for b in RANKERS:
            n_not_worse = [0, 0]
            for case, (one, other) in enumerate(case_by_case(paired, a, b)):
                n_not_worse[0] += nosel(one) >= nosel(other) and gaps[a][case] <= gaps[b][case]
                n_not_worse[1] += nosel(other) >= nosel(one) and gaps[b][case] <= gaps[a][case]
            assert ratios.loc[a, b] == pytest.approx((n_not_worse[0] - n_not_worse[1]) / len(paired.cases))
    assert table["mean_f"].isna().all()  # Nosel is negative in some cases


@pytest.mark.parametrize("measure", ["copnori", "ponori", "nosel_copnori"])
def test_improvement_sees_what_floats_round_away(measure):
    better, worse = Outcome([*range(1, 11), 14], 600), Outcome([*range(2, 12), 14], 600)
    assert MEASURES[measure].compute(better) == MEASURES[measure].compute(worse)
    paired = pair_up(table_of([("a", 1, "new", better), ("a", 1, "old", worse)]), ["new", "old"])
    _, ratios = improvements(paired, [measure, "nosel"])
    assert ratios.loc["new", "old"] == 1


def test_measures_for_which_lower_is_better_are_negated(paired):
    table, ratios = improvements(paired, ["relative_last_position", "search_length"])
    by_ranker = {name: -paired.scores[name][["relative_last_position"]].to_numpy() for name in RANKERS}
    pd.testing.assert_frame_equal(ratios, uir_matrix(by_ranker))
    assert table["mean_f"].isna().all()


def test_improvement_by_two_strict_measures_equals_the_lead(paired):
    _, ratios = improvements(paired, FOLLOWING)
    assert follow_natural_order(FOLLOWING)
    assert follow_natural_order(["nosel", "search_length"])
    assert not follow_natural_order(["nosel", "aselt"])
    assert ratios.loc["new", "old"] == -paired.signs("new", "old").mean()


def test_the_two_measures_of_the_page_can_disagree_with_the_verdict():
    """Earlier by the last relevant paper, later by all others: the result depends on the measure."""
    outcomes = {"deep": Outcome([1, 2, 3, 4, 60], 100), "even": Outcome([33, 34, 35, 36, 50], 100)}
    rows = [(f"r{number}", 1, name, outcome) for number in range(9) for name, outcome in outcomes.items()]
    paired = pair_up(table_of(rows), ["deep", "even"])
    assert (paired.signs("even", "deep") == -1).all()
    _, ratios = improvements(paired, PAIR)
    assert ratios.loc["even", "deep"] == 0  # each ranker is better by one measure
    assert not follow_natural_order(PAIR)


def test_f_curves_are_those_of_metrics(paired):
    first, second = ([paired.scores[name][measure] for name in RANKERS] for measure in PAIR_OF_F)
    ours, theirs = f_curves(paired, PAIR_OF_F), f_curve(first, second)
    np.testing.assert_array_equal(ours.mean_f, theirs.mean_f)
    assert ours.swaps == theirs.swaps


def test_f_curves_use_other_measures_if_f_is_undefined(paired):
    assert pair_with_f(paired, PAIR) == PAIR_OF_F
    assert pair_with_f(paired, ["search_length", "nosel"]) == PAIR_OF_F
    assert pair_with_f(paired, ["average_precision", "f_at_30"]) == ["average_precision", "f_at_30"]


def test_with_only_relevant_papers_measures_are_undefined_but_the_pair_counts():
    everything, some = Outcome([1, 2], 2), Outcome([1], 3)
    rows = [("a", day, name, each) for day, each in ((1, everything), (2, some)) for name in ("new", "old")]
    paired = pair_up(table_of(rows), ["new", "old"])
    table, _ = improvements(paired, PAIR)
    assert len(paired.cases) == 2
    assert table[["n_cases", "n_left_out"]].to_numpy().tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("measure", ["relative_last_position", "copnori", "aselt"])
def test_points_have_the_values_and_their_exact_texts(paired, measure):
    table = tables.point_texts(paired, "new", "old", measure)
    assert len(table) == len(paired.cases)
    assert table["apart"].abs().is_monotonic_decreasing
    cases = {(case.report, case.issue): number for number, case in enumerate(paired.cases.itertuples())}
    for point in table.itertuples():
        case = cases[point.report, point.issue]
        one, other = paired.outcomes["new"][case], paired.outcomes["old"][case]
        assert (point.a, point.b) == pytest.approx([MEASURES[measure].compute(each) for each in (one, other)])
        assert (point.last_a, point.last_b, point.sign) == (one.last, other.last, compare_natural(one, other))
        if measure == "copnori":
            assert (point.shown_a == "100 %") == (copnori_loss(one) == 0)


@pytest.mark.parametrize("measure", ["ponori", "copnori"])
def test_distances_below_the_smallest_float_are_shown(measure):
    """As on *My report*. Above 1,100 papers, all such lists would otherwise have the same value."""
    cases = [[Outcome([1, last], 1_500) for last in (20 + day, 60 + day)] for day in range(3)]
    if measure == "copnori":
        cases = [[Outcome([*range(1, 300), last], 2_000) for last in (310 + day, 330 + day)] for day in range(3)]
    rows = [
        ("a", day, name, one) for day, both in enumerate(cases, 1) for name, one in zip(RANKERS, both, strict=False)
    ]
    paired = pair_up(table_of(rows), ["new", "old"])
    table = tables.point_texts(paired, "new", "old", measure)
    gap = MEASURES[measure].loss
    assert table["exact_a"].to_list() == [exact_text([as_decimal(gap(one))]) for one, _ in cases]
    assert table["exact_b"].to_list() == [exact_text([as_decimal(gap(other))]) for _, other in cases]
    found = tables.difference_texts(differences(paired, "old"), paired, "old").set_index("measure")
    gaps = [as_decimal(gap(one)) for one, _ in cases]
    assert found.loc[measure, "opponent_exact"] == exact_text([sorted(gaps)[1]] if measure == "ponori" else gaps)


def test_pairs_are_listed_once_with_the_better_one_first(paired):
    _, ratios = improvements(paired, PAIR_OF_F)
    pairs = tables.ordered_pairs(ratios)
    assert len(pairs) == 3
    assert pairs["ratio"].is_monotonic_decreasing
    for pair in pairs.itertuples():
        assert pair.ratio == ratios.loc[*pair.pair.split(" over ")] >= 0


def test_no_common_report_issue_is_no_error():
    paired = pair_up(table_of([("a", 1, "new", Outcome([1], 3)), ("a", 2, "old", Outcome([1], 3))]), ["new", "old"])
    assert paired.cases.empty
    assert paired.left_out.not_by_all == 2


def test_parts_of_a_bar_sum_to_its_length():
    pair_results = [PairResult("a", name, 2, 1, 7, 3, 0.1, 1, 5, 0.01) for name in "bc"]
    parts = charts.shares(pair_results)
    for _, bar in parts.groupby("opponent"):
        assert bar["n"].to_list() == [2, 1, 7]
        assert bar["start"].to_list() == pytest.approx([0, *bar["end"].iloc[:-1]])
        assert bar["end"].iloc[-1] == pytest.approx(1)


def test_distances_are_above_0_except_for_the_best_outcome():
    n = 3000
    best, nearly = Outcome([1, 2], n), Outcome([1, 3], n)
    assert float(Fraction(1, 2**n)) == 0  # about the value of Ponori times n
    found = pair_up(table_of([("a", 1, "new", best), ("a", 1, "old", nearly)]), ["new", "old"]).distances
    assert found["new"]["ponori"].item() == 0 < found["old"]["ponori"].item()
