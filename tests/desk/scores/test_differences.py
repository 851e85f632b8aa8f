"""Differences of rankers: means of `metrics`, intervals of `sign_flips`, tests of `paired_tests`."""

import math

import numpy as np
import pandas as pd
import pytest

from presort.desk.compare import tables
from presort.desk.scores.differences import (
    BY_MEDIAN,
    LEAST_REPORTS,
    SURE,
    TESTS,
    differences,
    leads,
    units_of_differences,
    units_of_leads,
)
from presort.desk.scores.pairs import pair_up
from presort.desk.scores.table import MEASURED
from presort.metrics import MEASURES, Outcome, compare_natural, copnori_loss, score, tukey_hsd
from presort.metrics.paired_tests import holm, paired_tests
from presort.metrics.sign_flips import mean_interval, median_interval

RANKERS = ("new", "old", "other")


def table_of(rows):
    outcomes = [outcome for *_, outcome in rows]
    table = pd.DataFrame([row[:3] for row in rows], columns=["report", "issue", "ranker"])
    table["issue"] = pd.Timestamp(2026, 6, 1) + pd.to_timedelta(table["issue"], unit="D")
    sizes = {"n_papers": [outcome.n for outcome in outcomes], "n_relevant": [outcome.r for outcome in outcomes]}
    return pd.concat([table.assign(was_read_whole=True, outcome=outcomes, **sizes), score(outcomes)], axis="columns")


def random_pairs(n_reports=9, n_issues=4, rankers=RANKERS, least=1):
    rng = np.random.default_rng(5)
    rows = []
    for report in range(n_reports):
        for day in range(1 + report % n_issues):
            n = int(rng.integers(12, 60))
            r = int(rng.integers(least, 9))
            for ranker in rankers:
                rows.append((f"r{report}", day, ranker, Outcome(np.sort(rng.choice(n, r, replace=False)) + 1, n)))
    return pair_up(table_of(rows), rankers)


@pytest.fixture(scope="module")
def paired():
    return random_pairs()


@pytest.fixture(scope="module")
def found(paired):
    return differences(paired, "old").set_index(["measure", "ranker"])


def by_case(paired, measure, ranker):
    """Return the compared values, or 1 minus the exact distance for measures whose floats may tie."""
    if MEASURES[measure].loss:
        return -np.array([float(MEASURES[measure].loss(outcome)) for outcome in paired.outcomes[ranker]])
    return score(paired.outcomes[ranker])[measure].to_numpy()


@pytest.mark.parametrize("measure", MEASURED)
def test_differences_equal_those_of_the_library_means(paired, found, measure):
    middle = np.median if measure in BY_MEDIAN else np.mean
    for name in ("new", "other"):
        row = found.loc[measure, name]
        theirs, ours = score(paired.outcomes["old"])[measure], score(paired.outcomes[name])[measure]
        assert row["mean"] == pytest.approx(middle(ours))
        assert row["mean_against"] == pytest.approx(middle(theirs))
        assert row["difference"] == pytest.approx(
            middle(by_case(paired, measure, name) - by_case(paired, measure, "old"))
        )
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["n_cases"] == len(paired.cases)


def test_the_lead_agrees_with_win_tie_loss(paired):
    table = leads(paired, "old").set_index("ranker")
    for name in ("new", "other"):
        found = paired.signs(name, "old")
        assert table.loc[name, "difference"] == pytest.approx((found == -1).mean() - (found == 1).mean())


def is_outside(table):
    return (table["low"] > 0) | (table["high"] < 0)


def test_intervals_are_those_of_sign_flips_of_whole_reports(paired, found):
    reports = pd.factorize(paired.cases["report"])[0]
    apart = by_case(paired, "aselt", "new") - by_case(paired, "aselt", "old")
    mean = mean_interval(np.bincount(reports, apart), np.bincount(reports).astype(float))
    assert found.loc[("aselt", "new"), ["low", "high", "p"]].tolist() == pytest.approx(mean)
    apart = by_case(paired, "ponori", "new") - by_case(paired, "ponori", "old")
    assert found.loc[("ponori", "new"), ["low", "high", "p"]].tolist() == pytest.approx(median_interval(apart, reports))


@pytest.mark.parametrize("n_reports", [5, 6, 20])
@pytest.mark.parametrize("lean", [0, 3])
def test_p_is_below_5_percent_if_and_only_if_the_interval_leaves_out_0(n_reports, lean):
    paired = leaning(np.random.default_rng(n_reports), n_reports, lean)
    for table in (leads(paired, "old"), differences(paired, "old")):
        assert (table["low"].isna() | (is_outside(table) == (table["p"] < SURE))).all()
        assert (table["low"].notna() == (table["p"].notna() & (n_reports >= LEAST_REPORTS))).all()
    (lead,) = leads(paired, "old").to_dict("records")
    if n_reports >= LEAST_REPORTS:  # with a single pair, the verdict's p-value is that of the interval
        assert lead["p"] == lead["permutation"] == lead["permutation_holm"]


def leaning(rng, n_reports, lean):
    """Make the last relevant paper of one ranker earlier, by different amounts per report, or as often later."""
    rows = []
    for report in range(n_reports):
        better = rng.normal(lean, 2)
        for day in range(int(rng.integers(1, 12))):
            last = int(rng.integers(60, 90))
            moved = round(np.clip(last - rng.normal(better, 4), 3, 100))
            rows += [
                (f"r{report}", day, "old", Outcome([1, last], 100)),
                (f"r{report}", day, "new", Outcome([1, moved], 100)),
            ]
    return pair_up(table_of(rows), ("new", "old"))


@pytest.mark.whole
def test_the_interval_of_the_lead_covers_the_truth_in_95_percent():
    """Percentile bootstrap intervals of these services have a coverage of 84 %. 94 % of them would fail here."""
    rng, n_tries = np.random.default_rng(3), 100
    found = [leads(leaning(rng, 6, 0), "old") for _ in range(n_tries)]
    # with 5 %, more misses occur once in 90 times
    assert sum(is_outside(table).item() for table in found) <= 0.1 * n_tries


@pytest.mark.parametrize("n_reports", [1, 5])
def test_too_few_reports_have_no_interval_and_the_table_says_how_many_it_needs(n_reports):
    paired = always_ahead(n_reports, 20, ("a", "b"))
    for table in (leads(paired, "a"), differences(paired, "a")):
        assert table[["low", "high"]].isna().all(axis=None)
    texts = tables.difference_texts(differences(paired, "a"), paired, "a")
    assert texts["interval_text"].str.contains(str(LEAST_REPORTS)).all()


def test_a_verdict_that_goes_by_issues_has_no_interval_over_reports():
    """Three rankers need seven reports for a corrected p-value below 0.05."""
    paired = always_ahead(6, 20, ("a", "b", "c"))
    assert units_of_leads(paired).kind == "issue"
    assert leads(paired, "a")[["low", "high", "p"]].isna().all(axis=None)


def test_undefined_values_are_left_out_of_the_interval():
    rows = [
        (f"r{report}", day, name, outcome)
        for report in range(8)
        for day, whole in enumerate([False, True])  # Nosel is not defined if all papers are relevant
        for name, outcome in (
            ("new", Outcome([1, 2], 2) if whole else Outcome([1, 3 + report], 20)),
            ("old", Outcome([1, 2], 2) if whole else Outcome([1, 9], 20)),
        )
    ]
    tables = [differences(pair_up(table_of(some), ("new", "old")), "old") for some in (rows, rows[:2] + rows[4:])]
    limits = [table.set_index("measure").loc["nosel", ["low", "high", "p"]].tolist() for table in tables]
    assert limits[0] == limits[1]


@pytest.mark.parametrize("measure", ["aselt", "relative_last_position", "copnori"])
def test_tests_are_those_of_paired_tests_over_reports(paired, found, measure):
    sign, n_cases = (1 if MEASURES[measure].higher_is_better else -1), len(paired.cases)
    totals = {
        name: pd.Series(sign * by_case(paired, measure, name)).groupby(paired.cases["report"].to_numpy()).sum()
        for name in RANKERS
    }
    tested = paired_tests(pd.DataFrame(totals) * (9 / n_cases))
    for row in tested.itertuples():
        if "old" in (row.system, row.other):
            name = row.system if row.other == "old" else row.other
            ours = found.loc[measure, name]
            assert ours["wilcoxon"] == pytest.approx(row.wilcoxon)
            assert ours["permutation"] == pytest.approx(row.permutation)
            assert abs(ours["difference"]) == pytest.approx(abs(row.difference))


@pytest.mark.parametrize("measure", ["aselt", "relative_last_position", "copnori"])
def test_all_rankers_are_tested_at_once_over_reports(paired, found, measure):
    values = pd.DataFrame({name: by_case(paired, measure, name) for name in RANKERS})
    totals = values.groupby(paired.cases["report"].to_numpy()).sum()
    p_values = {frozenset(pair): p for *pair, p in tukey_hsd(totals)[["system", "other", "p"]].to_numpy()}
    for name in ("new", "other"):
        assert found.loc[measure, name]["tukey"] == p_values[frozenset((name, "old"))]
    assert found.loc["ponori", "new"]["tukey"] != found.loc["ponori", "new"]["tukey"]  # NaN: compared by medians


def test_all_rankers_are_tested_at_once_by_their_places_in_natural_order(paired):
    places = pd.DataFrame(
        {
            name: [
                sum(compare_natural(other, own) for other in others) / 2
                for own, *others in zip(paired.outcomes[name], *paired.outcomes.values(), strict=True)
            ]
            for name in RANKERS
        }
    )
    p_values = tukey_hsd(places.groupby(paired.cases["report"].to_numpy()).sum()).set_index(["system", "other"])["p"]
    for name, p in leads(paired, "old").set_index("ranker")["tukey"].items():
        assert p == p_values[name, "old"] if (name, "old") in p_values else p_values["old", name]
    assert 0.01 < min(p_values) < 1


def test_two_rankers_are_not_tested_at_once():
    two = random_pairs(rankers=("new", "old"))
    assert leads(two, "old")["tukey"].isna().all()
    assert differences(two, "old")["tukey"].isna().all()


def test_p_values_are_corrected_over_all_measures_and_pairs(found):
    tested = found.dropna(subset="permutation")
    assert set(found.index.get_level_values("measure")) - set(tested.index.get_level_values("measure")) == set(
        BY_MEDIAN
    )
    for name in TESTS:
        family = 3 * (len(MEASURED) - len(BY_MEDIAN))
        np.testing.assert_array_equal(tested[f"{name}_holm"], holm(tested[name].to_numpy(), family=family))


def test_issues_are_the_units_if_there_are_too_few_reports():
    few = random_pairs(n_reports=4)
    for of in (units_of_leads(few), units_of_differences(few)):
        assert (of.kind, of.n) == ("issue", few.cases["issue"].nunique())


def always_ahead(n_reports, n_issues, rankers):
    """Make each ranker earlier than the next one in every list, by different amounts."""
    rows = [
        (f"r{report}", day, name, Outcome([1, 2, 10 + 40 * place + (day + report) % 7], 300))
        for report in range(n_reports)
        for day in range(n_issues)
        for place, name in enumerate(rankers)
    ]
    return pair_up(table_of(rows), rankers)


@pytest.mark.parametrize("rankers", [("a", "b"), ("a", "b", "c", "d", "e")], ids=len)
@pytest.mark.parametrize("n_reports", [5, 6, 8, 11])
def test_a_ranker_that_leads_in_every_list_leads_significantly(n_reports, rankers):
    """Reports are the units only if they suffice after the correction for all tests."""
    paired = always_ahead(n_reports, 20, rankers)
    assert (leads(paired, "a")["permutation_holm"] < SURE).all()
    last = differences(paired, "a").set_index("measure").loc[["relative_last_position"]]
    assert (last[["wilcoxon_holm", "permutation_holm"]] < SURE).all(axis=None)


def test_reports_are_the_units_if_there_are_even_fewer_issues():
    paired = always_ahead(8, 1, ("a", "b"))
    assert units_of_leads(paired).kind == units_of_differences(paired).kind == "report"
    assert units_of_differences(paired).n < units_of_differences(paired).least
    assert leads(paired, "a")[["low", "high"]].notna().all(axis=None)


def test_a_single_report_issue_has_no_p_values():
    paired = pair_up(table_of([("a", 1, "new", Outcome([1], 9)), ("a", 1, "old", Outcome([4], 9))]), ["new", "old"])
    for table in (leads(paired, "old"), differences(paired, "old")):
        assert table[["low", "high", "permutation_holm"]].isna().all(axis=None)
    assert leads(paired, "old")["difference"].item() == 1
    texts = tables.difference_texts(differences(paired, "new"), paired, "new").set_index("measure")
    assert texts.loc["last_relevant_position", "difference_text"] == "+3.0 papers"
    assert str(LEAST_REPORTS) in texts.loc["last_relevant_position", "interval_text"]
    assert texts.loc["last_relevant_position", "effect"] == 1  # further right is better


def test_equal_outcomes_are_no_difference():
    outcomes = [Outcome([1, 5], 9 + day) for day in range(7)]
    rows = [(f"r{report}", 0, name, each) for report, each in enumerate(outcomes) for name in ("new", "old")]
    paired = pair_up(table_of(rows), ["new", "old"])
    for table in (leads(paired, "old"), differences(paired, "old")):
        assert (table[["difference", "low", "high"]] == 0).all(axis=None)
        assert (table["permutation_holm"].dropna() == 1).all()
        texts = tables.difference_texts(table, paired, "old")
        assert (texts["effect"].dropna() == 0).all()


def test_lists_with_only_relevant_papers_are_undefined_and_no_error():
    rows = [(f"r{report}", 0, name, Outcome([1, 2], 2)) for report in range(7) for name in ("new", "old")]
    paired = pair_up(table_of(rows), ["new", "old"])
    table = differences(paired, "old").set_index("measure")
    assert table.loc["nosel", "n_cases"] == 0
    assert math.isnan(table.loc["nosel", "difference"])
    texts = tables.difference_texts(table.reset_index(), paired, "old").set_index("measure")
    assert texts.loc["nosel", "difference_text"] == texts.loc["copnori", "mean_text"] == "not defined"


def test_differences_lost_in_float_rounding_still_count():
    better, worse = Outcome([*range(1, 11), 14], 600), Outcome([*range(2, 12), 14], 600)
    rows = [(f"r{report}", 0, *pair) for report in range(7) for pair in (("new", better), ("old", worse))]
    paired = pair_up(table_of(rows), ["new", "old"])
    row = differences(paired, "old").set_index("measure").loc["copnori"]
    assert row["difference"] == pytest.approx(float(copnori_loss(worse) - copnori_loss(better)))
    assert row["difference"] > 0
    texts = tables.difference_texts(differences(paired, "new"), paired, "new").set_index("measure")
    assert texts.loc["copnori", "mean_text"] == texts.loc["copnori", "opponent_text"] == "> 99.99 %"
    assert texts.loc["copnori", "difference_text"] == "< +0.01 points"
    assert texts.loc["copnori", "mean_exact"].startswith("100 % ")
    assert texts.loc["copnori", "mean_exact"] != texts.loc["copnori", "opponent_exact"]
