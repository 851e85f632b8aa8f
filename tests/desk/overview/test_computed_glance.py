"""What Overview sums up of all reports equals the measures themselves."""

import math
from datetime import date
from statistics import median

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.work import last_in_list
from presort.desk.overview import glance
from presort.desk.scores.alarms import FEWEST_OLD, NEW
from presort.desk.scores.effort import pace
from presort.desk.scores.table import MEASURED, scores
from presort.desk.text import exact_text
from presort.metrics import MEASURES, Outcome, score
from presort.metrics.loss import as_decimal

DAYS = pd.date_range("2026-10-05", periods=4, freq="7D")
NO_WORK = pd.DataFrame(columns=["report", "issue", "minutes", "n_read"])


def of(store, ranker="krichel-2007"):
    return glance.newest_year(scores(store).query("ranker == @ranker"))


def test_effort_is_the_place_in_the_list_minus_the_place_in_the_ranking(replayed):
    table = of(replayed)
    saved = glance.effort(table, last_in_list(replayed, date.min), NO_WORK).set_index(["report", "issue"])
    assert len(saved) == (table["n_relevant"] > 0).sum()
    for row in table[table["n_relevant"] > 0].itertuples():
        words = decisions.labels(replayed, row.report, row.issue.date())
        papers = catalogue.papers(replayed, row.issue.date())
        last = max(place for place, paper in enumerate(papers, start=1) if words.get(paper.paper_id) == "yes")
        one = saved.loc[row.report, row.issue]
        assert one["received"] == last
        assert one["papers"] == last - MEASURES["last_relevant_position"].compute(row.outcome)
        assert one["minutes"] == pytest.approx(14.5 * one["papers"] / row.n_papers)


def test_a_report_is_timed_by_its_own_pace_once_it_is_known():
    days = pd.date_range("2026-11-02", periods=3, freq="7D")
    work = pd.DataFrame({"report": "lab", "issue": days, "minutes": [5, 10, 15], "n_read": [50, 50, 50]})
    few = work.head(2).assign(report="mac")
    idle = work.assign(report="pub", minutes=0.0)
    work = pd.concat([work, few, idle])
    assert pace(work).to_dict() == {"lab": 0.2}
    table = scored([("lab", Outcome([2], 100)), ("mac", Outcome([3], 100))])
    in_list = {("lab", date(2026, 11, 2)): 52, ("mac", date(2026, 11, 2)): 1}
    saved = glance.effort(table, in_list, work).set_index("report")
    assert saved["papers"].to_dict() == {"lab": 50, "mac": -2}
    assert saved["minutes"].to_dict() == pytest.approx({"lab": 10, "mac": -0.29})
    assert saved["is_timed"].to_dict() == {"lab": True, "mac": False}


def test_what_was_read_in_the_order_is_never_added_to_what_was_not():
    parts = [scored([("lab", Outcome([place], 100))], day, was_shown=place > 2) for place, day in enumerate(DAYS, 1)]
    table = pd.concat(parts, ignore_index=True)
    in_list = {("lab", day.date()): 50 for day in DAYS}
    (row,) = glance.overview(table, glance.effort(table, in_list, NO_WORK), "nosel").itertuples()
    assert (row.papers, row.would_papers) == (47 + 46, 49 + 48)
    assert (row.minutes, row.would_minutes) == pytest.approx((14.5 * 0.93, 14.5 * 0.97))


def test_no_pace_without_work():
    assert pace(NO_WORK).empty


@pytest.mark.parametrize(
    ("was_shown", "n_read", "expected"),
    [
        pytest.param(True, 30, 40, id="as-far-as-the-last"),
        pytest.param(True, 45, 25, id="read-on"),
        pytest.param(True, 100, 0, id="read-whole"),
        pytest.param(False, 100, 40, id="in-another-order"),
    ],
)
def test_what_was_read_beyond_the_last_relevant_paper_is_not_saved(was_shown, n_read, expected):
    table = scored([("lab", Outcome([2, 30], 100))], was_shown=was_shown)
    work = pd.DataFrame({"report": ["lab"], "issue": [pd.Timestamp("2026-11-02")], "minutes": 9.0, "n_read": n_read})
    (saved,) = glance.effort(table, {("lab", date(2026, 11, 2)): 70}, work)["papers"]
    assert saved == expected


def scored(rows, day="2026-11-02", *, was_shown=False):
    described = {
        "report": [report for report, _ in rows],
        "issue": pd.Timestamp(day),
        "ranker": "a",
        "was_shown": was_shown,
        "n_papers": [outcome.n for _, outcome in rows],
        "n_relevant": [outcome.r for _, outcome in rows],
        "outcome": [outcome for _, outcome in rows],
    }
    return pd.concat([pd.DataFrame(described), score(described["outcome"])], axis="columns")


@pytest.mark.parametrize("measure", MEASURED)
def test_medians_are_those_of_the_measure(measure):
    rng = np.random.default_rng(1)
    weeks = pd.date_range("2026-01-05", periods=NEW + FEWEST_OLD, freq="7D")
    parts = [scored([("lab", Outcome(np.sort(rng.choice(40, 3, replace=False)) + 1, 40))], day) for day in weeks]
    parts.append(scored([("lab", Outcome([], 40))], weeks[-1] + pd.Timedelta(weeks=1)))  # the oldest counts no more
    table = pd.concat(parts, ignore_index=True)
    saved = glance.effort(table, {}, NO_WORK)
    (row,) = glance.overview(table, saved, measure).itertuples()
    assert row.issues == NEW + FEWEST_OLD + 1
    assert math.isnan(row.papers)  # nobody knows how the papers were received
    outcomes = table["outcome"].tolist()
    for found, mine in ((row.before, outcomes[:-NEW]), (row.now, outcomes[-NEW:-1])):
        if gap := MEASURES[measure].loss:
            assert found == exact_text([as_decimal(median(map(gap, mine)))])
        else:
            assert found == pytest.approx(median(map(MEASURES[measure].compute, mine)))


@pytest.mark.parametrize("measure", ["nosel", "copnori"])
def test_too_few_issues_before_are_no_median(measure):
    weeks = pd.date_range("2026-01-05", periods=NEW + FEWEST_OLD, freq="7D")
    empty = weeks[5]
    parts = [
        scored([("lab", Outcome([3], 40)), ("mac", Outcome([] if day == empty else [4], 40))], day) for day in weeks
    ]
    table = pd.concat(parts, ignore_index=True)
    rows = glance.overview(table, glance.effort(table, {}, NO_WORK), measure).set_index("report")
    assert rows["last_before"].tolist() == pytest.approx([3 / 40, math.nan], nan_ok=True)
    assert rows["last_now"].tolist() == pytest.approx([3 / 40, 4 / 40])
    assert rows["before"].isna().tolist() == [False, True]


def test_a_series_has_a_column_an_issue_and_gaps():
    one, two = (
        scored([("lab", Outcome([1], 5)), ("mac", Outcome([2], 5))]),
        scored([("lab", Outcome([3], 5))], "2026-11-09"),
    )
    series = glance.series(pd.concat([two, one], ignore_index=True), "relative_last_position")
    assert series.columns.is_monotonic_increasing
    assert series.loc["lab"].tolist() == [0.2, 0.6]
    assert series.loc["mac"].tolist() == pytest.approx([0.4, math.nan], nan_ok=True)


def test_only_the_newest_year_counts():
    weeks = pd.date_range("2025-01-06", periods=glance.SHOWN + 2, freq="7D")
    table = pd.concat([scored([("lab", Outcome([1], 5)), ("mac", Outcome([2], 5))], day) for day in weeks])
    kept = glance.newest_year(table)
    assert kept["issue"].unique().tolist() == weeks[2:].tolist()
