"""Papers that one ranker saves compared with others: equal to a slow reference, with intervals that cover the truth."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.desk.compare.verdict import verdict
from presort.desk.scores.curves import POINTS, recall_curves
from presort.desk.scores.effort import STUDY_MINUTES, minutes_per_paper
from presort.desk.scores.pairs import ExclusionCounts, PairedScores, pair_up
from presort.desk.scores.papers_saved import (
    LAST,
    average_by_report,
    compare_recommended,
    least_read,
    pair_results,
    papers_saved,
)
from presort.metrics import Outcome, compare_natural
from presort.metrics.paired_tests import holm
from presort.metrics.sign_flips import mean_interval
from tests.desk.scores.test_pairs import RANKERS, random_rows, table_of

A_MINUTE_EACH = np.ones(10_000)


@pytest.fixture(scope="module")
def paired():
    return pair_up(table_of(random_rows()), RANKERS)


def of_last_positions(reports, issues, **last):
    """Return rankers for which only the last relevant position of each report issue is known."""
    names = tuple(last)
    positions = {name: np.asarray(values, dtype=float) for name, values in last.items()}
    n = len(reports)
    cases = pd.DataFrame({"report": reports, "issue": issues, "was_read_whole": True, "n_papers": 500, "n_relevant": 1})
    signs = {
        (a, b): np.sign(positions[a] - positions[b]).astype(np.int8)
        for number, a in enumerate(names)
        for b in names[number + 1 :]
    }
    places = pd.DataFrame(
        {name: [sum(positions[o][i] < positions[name][i] for o in names) for i in range(n)] for name in names}
    )
    scores = {name: pd.DataFrame({LAST: values}) for name, values in positions.items()}
    return PairedScores(names, cases, {}, scores, signs, places, ExclusionCounts(0, 0))


def test_pair_results_are_those_of_a_slow_count(paired):
    minutes = np.linspace(0.01, 0.1, len(paired.cases))
    found = {one.opponent: one for one in pair_results(paired, "old", minutes)}
    assert list(found) == sorted(found, key=lambda name: found[name].papers)
    for opponent, one in found.items():
        outcomes = list(zip(paired.outcomes["old"], paired.outcomes[opponent], strict=True))
        signs = [compare_natural(own, other) for own, other in outcomes]
        saved = [other.last - own.last for own, other in outcomes]
        assert [one.earlier, one.same, one.later] == [signs.count(sign) for sign in (-1, 0, 1)]
        assert one.papers == pytest.approx(np.mean(saved))
        assert one.minutes == pytest.approx(np.mean(np.multiply(saved, minutes)))
        of_report = pd.Series(saved).groupby(paired.cases["report"].to_numpy())
        interval = mean_interval(of_report.sum().to_numpy(dtype=float), of_report.size().to_numpy(dtype=float))
        assert (one.low, one.high) == (interval.low, interval.high)


def test_p_values_are_corrected_over_all_pairs_of_rankers(paired):
    found = pair_results(paired, "old", A_MINUTE_EACH[: len(paired.cases)])
    alone = []
    for one in found:
        two = pair_up(table_of(random_rows()), ["old", one.opponent])
        alone.append(pair_results(two, "old", A_MINUTE_EACH[: len(two.cases)])[0].p)
    assert [one.p for one in found] == pytest.approx(holm(np.array(alone), family=3))


def drawn_service(rng, n_reports, n_issues, true_mean):
    """Simulate positions of two rankers.

    Savings are correlated within a report and skewed, with a known expectation.
    """
    reports = np.repeat([f"r{number}" for number in range(n_reports)], n_issues)
    issues = np.tile(np.arange(n_issues), n_reports)
    of_report = np.repeat(rng.gamma(2, 5, n_reports) - 10, n_issues)
    of_list = 3 * (rng.exponential(size=len(reports)) - 1)
    ours = rng.integers(20, 200, len(reports)).astype(float)
    return of_last_positions(reports, issues, ours=ours, theirs=ours + true_mean + of_report + of_list)


@pytest.mark.parametrize("n_reports", [12, 40])
def test_the_interval_of_papers_saved_covers_the_truth_although_lists_of_a_report_correlate(n_reports):
    rng, true_mean, n_services = np.random.default_rng(41), 6.8, 400
    n_covered = n_naive = 0
    for _ in range(n_services):
        service = drawn_service(rng, n_reports, 20, true_mean)
        (one,) = pair_results(service, "ours", A_MINUTE_EACH[: len(service.cases)])
        n_covered += one.low <= true_mean <= one.high
        saved = papers_saved(service, "ours", "theirs")
        half = 1.96 * saved.std() / math.sqrt(len(saved))  # as if lists were independent
        n_naive += abs(saved.mean() - true_mean) <= half
    assert 0.92 <= n_covered / n_services <= 0.98
    assert n_naive / n_services < 0.7


def test_p_is_below_5_percent_if_and_only_if_0_is_outside_the_interval():
    rng = np.random.default_rng(3)
    seen = set()
    for shift in np.linspace(0, 12, 30):
        (one,) = pair_results(drawn_service(rng, 12, 10, shift), "ours", A_MINUTE_EACH[:120])
        assert (one.p < 0.05) == (not one.low <= 0 <= one.high)
        seen.add(one.p < 0.05)
    assert seen == {True, False}


def test_few_reports_are_compared_over_their_issues_and_very_few_lists_not_at_all():
    rng = np.random.default_rng(5)
    few = drawn_service(rng, 3, 30, 9)
    (one,) = pair_results(few, "ours", A_MINUTE_EACH[:90])
    assert one.low < one.papers < one.high
    assert one.p < 1
    tiny = drawn_service(rng, 2, 3, 9)
    (one,) = pair_results(tiny, "ours", A_MINUTE_EACH[:6])
    assert math.isnan(one.p)
    assert not one.is_clear


def service_where(**means):
    reports, issues = np.repeat([f"r{number}" for number in range(12)], 5), np.tile(np.arange(5), 12)
    noise = np.random.default_rng(0).integers(-3, 4, 60)
    return of_last_positions(
        reports, issues, **{name: mean + np.roll(noise, place) for place, (name, mean) in enumerate(means.items())}
    )


@pytest.mark.parametrize(
    ("means", "reference", "ranker"),
    [
        pytest.param({"old": 60, "new": 40}, "old", "new", id="clearly-better"),
        pytest.param({"old": 60, "new": 40}, "new", "new", id="best-already"),
        pytest.param({"old": 60.001, "new": 60}, "old", "old", id="hardly-better"),
    ],
)
def test_the_reference_stays_unless_another_ranker_clearly_reads_less(means, reference, ranker):
    found = compare_recommended(service_where(**means), reference, A_MINUTE_EACH[:60])
    assert {one.ranker for one in found} == {ranker}


def test_a_ranker_that_is_later_on_most_lists_is_not_clearly_better_however_many_papers_it_saves():
    reports, issues = np.repeat([f"r{number}" for number in range(12)], 5), np.tile(np.arange(5), 12)
    seldom_far_earlier = np.where(issues == 0, 300.0, 49.0)
    paired = of_last_positions(reports, issues, new=np.full(60, 50.0), old=seldom_far_earlier)
    (one,) = pair_results(paired, "new", A_MINUTE_EACH[:60])
    assert one.papers > 0
    assert one.p < 0.05
    assert not one.is_clear


def test_ties_of_rankers_are_resolved_by_natural_order_and_then_by_position():
    same = [10.0] * 8
    reports, issues = [f"r{number}" for number in range(8)], range(8)
    assert least_read(of_last_positions(reports, issues, b=same, a=same)) == "b"
    outcomes = {"deep": Outcome([4, 5], 9), "even": Outcome([1, 5], 9)}
    rows = [(report, 1, name, outcome) for report in reports for name, outcome in outcomes.items()]
    assert least_read(pair_up(table_of(rows), ["deep", "even"])) == "even"


def test_savings_by_report_average_to_the_total(paired):
    table = average_by_report(paired, "old", "new")
    assert table["papers"].is_monotonic_decreasing
    total = (table["papers"] * table["report_issues"]).sum() / table["report_issues"].sum()
    assert total == pytest.approx(papers_saved(paired, "old", "new").mean())
    signs = paired.signs("old", "new")
    assert [table["earlier"].sum(), table["later"].sum()] == [(signs < 0).sum(), (signs > 0).sum()]


def test_time_uses_the_pace_of_the_report_or_that_of_the_study():
    lists = pd.DataFrame({"report": ["timed", "other"], "n_papers": [300, 580]})
    assert minutes_per_paper(lists, pd.Series({"timed": 0.02})).tolist() == pytest.approx([0.02, STUDY_MINUTES / 580])


def test_the_verdict_recommends_an_action():
    found = compare_recommended(service_where(old=60, new=40, other=60), "old", A_MINUTE_EACH[:60])
    assert verdict(found, "old").startswith("Use new: ")
    assert verdict(found, "new").startswith("Keep new: ")
    assert "third" in verdict(found, "third")
    unclear = [replace(one, p=0.4) for one in found]
    assert verdict(unclear, "new").startswith("Keep new: ")
    assert "old" not in verdict(unclear, "new")


def orders(n):
    return st.sets(st.integers(1, n), min_size=1).map(lambda places: Outcome(sorted(places), n))


@given(st.lists(orders(12), min_size=1, max_size=6))
def test_recall_curves_are_those_of_a_slow_count(outcomes):
    curve = recall_curves({"a": outcomes})
    for row in curve.itertuples():
        found = [(one.positions <= row.papers).sum() / one.r for one in outcomes]
        assert row.recall == pytest.approx(np.mean(found))
    assert curve["recall"].is_monotonic_increasing
    assert curve["recall"].iloc[[0, -1]].tolist() == pytest.approx([0, 1])


def test_a_recall_curve_of_long_lists_has_a_limited_number_of_points():
    curve = recall_curves({"a": [Outcome([3, 90_000], 100_000)], "b": [Outcome([1, 2], 5)]})
    assert len(curve) <= 2 * POINTS
    assert set(curve.loc[curve["ranker"] == "b", "recall"].tail(3)) == {1.0}
