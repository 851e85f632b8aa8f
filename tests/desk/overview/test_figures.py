"""Figures of *Overview* equal the measures themselves, and the figures of other pages."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.work import last_in_list
from presort.desk.overview.figures import Selection, compute
from presort.desk.scores import stop_audit
from presort.desk.scores.alarms import add_depth
from presort.desk.scores.effort import effort, pace, reading_effort, savings_per_list, work_done
from presort.desk.scores.shifts import (
    FEWEST_OLD,
    NEW,
    OLD,
    newest_rows,
)
from presort.desk.scores.sorters import SORTED
from presort.desk.scores.table import scores
from presort.metrics import MEASURES, Outcome, score

NO_AUDITS = stop_audit.table([], None)
NO_WORK = pd.DataFrame(columns=["report", "issue", "minutes", "n_read", "way_to_stop"])


def of(store, ranker="krichel-2007"):
    return newest_rows(scores(store).query("ranker == @ranker"))


def test_papers_saved_are_the_position_in_the_list_minus_that_in_the_ranking(replayed):
    table = of(replayed)
    saved = effort(table, last_in_list(replayed, date.min), NO_WORK).set_index(["report", "issue"])
    assert len(saved) == (table["n_relevant"] > 0).sum()
    for row in table[table["n_relevant"] > 0].itertuples():
        words = decisions.labels(replayed, row.report, row.issue.date())
        papers = catalogue.papers(replayed, row.issue.date())
        last = max(place for place, paper in enumerate(papers, start=1) if words.get(paper.paper_id) == "yes")
        one = saved.loc[row.report, row.issue]
        assert one["in_list_order"] == last
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
    saved = effort(table, in_list, work).set_index("report")
    assert saved["papers"].to_dict() == {"lab": 50, "mac": -2}
    assert saved["minutes"].to_dict() == pytest.approx({"lab": 10, "mac": -0.29})
    assert saved["is_timed"].to_dict() == {"lab": True, "mac": False}


def test_no_pace_without_work():
    assert pace(NO_WORK).empty


@pytest.mark.parametrize(
    ("was_shown", "n_read", "expected"),
    [
        pytest.param(True, 30, 40, id="down-to-the-last-relevant-paper"),
        pytest.param(True, 45, 25, id="read-on"),
        pytest.param(True, 100, 0, id="read-whole"),
        pytest.param(False, 100, 40, id="in-another-order"),
    ],
)
def test_papers_read_beyond_the_last_relevant_one_are_not_saved(was_shown, n_read, expected):
    table = scored([("lab", Outcome([2, 30], 100))], was_shown=was_shown)
    work = pd.DataFrame({"report": ["lab"], "issue": [pd.Timestamp("2026-11-02")], "minutes": 9.0, "n_read": n_read})
    (saved,) = effort(table, {("lab", date(2026, 11, 2)): 70}, work)["papers"]
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


def found_in(table, in_list, *, n_new=13, n_old=13, reports=("lab", "mac")):
    saved = effort(table, in_list, NO_WORK)
    tested = add_depth(table[table["report"].isin(reports)])
    return compute(Selection(None, SORTED, n_new, n_old, tuple(reports)), table, tested, saved, NO_AUDITS, NO_WORK)


def weekly(report, outcomes, first="2026-01-05"):
    weeks = pd.date_range(first, periods=len(outcomes), freq="7D")
    parts = [scored([(report, outcome)], day).assign(replay=None) for day, outcome in zip(weeks, outcomes, strict=True)]
    return pd.concat(parts, ignore_index=True)


def test_reading_effort_is_the_mean_over_report_issues_and_saved_that_over_lists():
    lab, mac = [Outcome([place], 100) for place in (10, 20, 90)], [Outcome([place], 200) for place in (20, 60)]
    table = pd.concat([weekly("lab", lab), weekly("mac", mac)], ignore_index=True)
    in_list = {(row.report, row.issue.date()): 99 for row in table.itertuples()}
    found = found_in(table, in_list)
    assert found.effort == pytest.approx(np.mean([0.1, 0.2, 0.9, 0.1, 0.3]))
    assert found.by_issue.tolist() == pytest.approx([0.1, 0.25, 0.9])
    assert found.saved.papers == pytest.approx(np.mean([89, 79, 9, 79, 39]))
    assert found.saved.minutes == pytest.approx(14.5 * np.mean([0.89, 0.79, 0.09, 79 / 200, 39 / 200]))
    assert found.saved.other_effort == pytest.approx(np.mean([0.99] * 3 + [99 / 200] * 2))
    rows = found.reports.set_index("report")
    assert rows["minutes"].tolist() == pytest.approx([14.5 * np.mean([0.89, 0.79, 0.09]), 14.5 * 118 / 400])


def test_windows_compare_the_newest_issues_of_the_service_with_those_before():
    lab = [Outcome([place], 100) for place in (10, 20, 30, 50)]
    table = pd.concat([weekly("lab", lab), weekly("mac", lab[:1])], ignore_index=True)
    found = found_in(table, {}, n_new=1, n_old=2)
    rows = found.reports.set_index("report")
    assert rows.loc["lab", ["now", "before", "change"]].tolist() == pytest.approx([0.5, 0.25, 0.25])
    assert rows.loc["lab", "trend"] == pytest.approx([20, 30, 50])
    assert rows.loc["mac", ["now", "before", "change"]].isna().all()
    assert found.change == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("n_old", "n_new", "lacks"),
    [
        pytest.param(FEWEST_OLD, NEW, "", id="just-enough"),
        pytest.param(FEWEST_OLD - 1, NEW, "12 of 13 earlier lists", id="too-few-before"),
        pytest.param(OLD, 4, "4 of 5 new lists", id="too-few-new"),
    ],
)
def test_a_report_with_too_few_lists_is_not_tested_and_the_missing_number_shown(n_old, n_new, lacks):
    lists = [Outcome([3], 40)] * (n_old + n_new) + [Outcome([], 40)] * (NEW - n_new)
    found = found_in(weekly("lab", lists), {}, reports=["lab", "new"])
    rows = found.reports.set_index("report")
    assert rows.loc["lab", "lacks"] == lacks
    assert np.isnan(rows.loc["lab", "p"]) == bool(lacks)
    assert rows.loc["new", "lacks"] == "0 of 13 earlier lists"
    assert found.n_tested == (not lacks)


def test_a_retired_report_counts_in_all_figures_and_has_no_row():
    table = pd.concat([weekly(report, [Outcome([place], 100)]) for report, place in (("lab", 10), ("old", 30))])
    found = found_in(table.reset_index(drop=True), {}, reports=["lab"])
    assert found.effort == pytest.approx(0.2)
    assert found.reports["report"].tolist() == ["lab"]


def test_shared_figures_are_those_of_the_rows(replayed):
    table = of(replayed)
    saved = effort(table, last_in_list(replayed, date.min), work_done(replayed, date.min))
    assert reading_effort(table) == pytest.approx(table["relative_last_position"].mean())
    assert savings_per_list(saved).papers == pytest.approx(saved["papers"].mean())
    assert savings_per_list(saved).n_lists == (table["n_relevant"] > 0).sum()
