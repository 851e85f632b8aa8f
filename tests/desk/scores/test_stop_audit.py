"""Stop audit: relevant papers expected and found below the stop points."""

from datetime import date, timedelta

import numpy as np
import pytest

from presort.data.records import AuditedRanking, StopAudit
from presort.desk.scores import stop_audit
from presort.desk.scores.stop_audit import Underestimate

START = date(2026, 1, 5)


def kept(report="lab", week=0, *, expected=0.5, found=1, n_read=100, ranker="presort-1", replay=None):
    audit = StopAudit(week, n_read, expected, found, found + 9)
    return AuditedRanking(report, START + timedelta(weeks=week), ranker, replay, audit)


def service(rng, times, *, n_weeks=20, n_reports=30, expected=0.6):
    """Simulate the papers found below the stop point, as a multiple of the forecast."""
    for number in range(n_reports):
        for week in range(n_weeks):
            found = rng.poisson(expected * times.get(number, 1))
            yield kept(f"r{number:02}", week, expected=expected, found=int(found))


def test_audits_of_one_source_only_are_counted():
    some = [
        kept(week=0),
        kept(week=1, n_read=0, found=0),
        kept(week=1, ranker="arxiv-sanity"),
        kept(week=1, replay=3),
        kept("mac", week=5, expected=1.5, found=0),
        kept("mac", week=5, expected=1.25, found=2),
    ]
    table = stop_audit.table(some, None)
    assert table["ranker"].tolist() == ["presort-1", "arxiv-sanity", "presort-1"]
    table = table[table["ranker"] == "presort-1"]
    assert table["report"].tolist() == ["lab", "mac"]
    assert table[["expected_below", "found_below"]].to_numpy().tolist() == [[0.5, 1], [1.25, 2]]
    assert stop_audit.sums_by_month(table)["found_below"].to_dict() == {"2026-01": 1, "2026-02": 2}
    assert stop_audit.sums(table, "report").loc["mac", ["n_lists", "found"]].tolist() == [1, 11]
    assert len(stop_audit.table(some, 3)) == 1
    assert stop_audit.table([], None).empty
    assert stop_audit.underestimates(stop_audit.table([], None)) == []


def test_a_report_with_three_times_the_expected_misses_is_found():
    table = stop_audit.table(service(np.random.default_rng(4), {7: 3}), None)
    (found,) = stop_audit.underestimates(table)
    newest = table[table["report"] == "r07"].tail(13)
    assert found == Underestimate("r07", 13, pytest.approx(13 * 0.6), newest["found_below"].sum(), found.chance)
    assert found.chance < 0.05


def test_correct_forecasts_raise_alarms_at_most_at_the_stated_rate():
    rng = np.random.default_rng(2)
    alarms = [
        bool(stop_audit.underestimates(stop_audit.table(service(rng, {}, n_reports=12), None))) for _ in range(60)
    ]
    assert sum(alarms) <= 6  # 3 of 60 are expected at 5 %


def test_many_reports_are_named_if_all_forecasts_are_too_low():
    rng = np.random.default_rng(3)
    table = stop_audit.table(service(rng, dict.fromkeys(range(30), 2.5)), None)
    assert len(stop_audit.underestimates(table)) > 20


def test_old_audits_raise_no_alarm():
    old = [kept("old", week, expected=0.5, found=4) for week in range(13)]
    since = [kept("new", week, found=week % 2) for week in range(13, 30)]
    assert [one.report for one in stop_audit.underestimates(stop_audit.table(old, None))] == ["old"]
    assert stop_audit.underestimates(stop_audit.table([*old, *since], None)) == []


def test_a_newer_audit_replaces_the_older_one():
    again = stop_audit.table([kept(found=5), kept(found=1, n_read=0)], None)
    assert again.empty


def test_too_few_audits_raise_no_alarm():
    table = stop_audit.table([kept(week=week, expected=0.2, found=3) for week in range(13)], None)
    assert stop_audit.sums(table, "report")["expected_below"].sum() < stop_audit.FEWEST
    assert stop_audit.underestimates(table) == []
