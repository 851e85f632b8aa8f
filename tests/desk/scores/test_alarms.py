"""Alarms on simulated series: noise raises few of them, and real declines are found."""

import math
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import Holiday
from presort.desk.scores import shifts
from presort.desk.scores.alarms import (
    Silence,
    add_depth,
    add_share_read,
    find_early_stops,
    find_silences,
    find_worse_reports,
)
from presort.desk.scores.shifts import (
    NEW,
    OLD,
    Coverage,
    count_testable,
)
from presort.metrics import Outcome, score

N_PAPERS, N_REPORTS = 600, 65
WEEKS = pd.date_range("2018-07-02", periods=NEW + OLD, freq="7D")


def table_of(series):
    """Return a table of scores, from the share of the last of five relevant papers by report and week."""
    outcomes = {
        place: Outcome([1, 2, 3, 4, max(5, round(share * N_PAPERS))], N_PAPERS)
        for place, share in np.ndenumerate(series)
        if not np.isnan(share)
    }
    return table_of_outcomes(outcomes)


def table_of_outcomes(outcomes):
    rows = [(f"r{report:02}", WEEKS[week], outcome.r, outcome) for (report, week), outcome in outcomes.items()]
    table = pd.DataFrame(rows, columns=["report", "issue", "n_relevant", "outcome"])
    return pd.concat([table, score(table["outcome"], ["relative_last_position"])], axis="columns")


def noise(rng, n_reports=N_REPORTS, mean=0.15):
    """Return shares as skewed as real ones: their standard deviation is about their mean."""
    levels = mean * rng.lognormal(0, 0.5, (n_reports, 1))
    return np.clip(levels * rng.gamma(1.2, 1 / 1.2, (n_reports, NEW + OLD)), 0.01, 1)


@pytest.mark.whole
def test_noise_raises_few_alarms():
    """Nominally, 0.5 of 10 weeks have an alarm. Without a correction, nearly all would."""
    rng = np.random.default_rng(1)
    n_named = [len(find_worse_reports(table_of(noise(rng)))) for _ in range(10)]
    assert np.count_nonzero(n_named) <= 2
    assert max(n_named) <= 2


def test_a_clear_decline_is_reported_with_date_and_evidence():
    rng = np.random.default_rng(2)
    series = noise(rng)
    series[7] = np.clip(rng.gamma(1.2, 0.15 / 1.2, NEW + OLD), 0.01, 1)
    series[7, OLD:] = np.clip(rng.gamma(3, 0.6 / 3, NEW), 0.01, 1)
    (found,) = find_worse_reports(table_of(series))
    assert (found.report, found.since) == ("r07", WEEKS[OLD].date())
    share = np.maximum(np.round(series[7] * N_PAPERS), 5) / N_PAPERS
    assert found.before == pytest.approx(share[OLD - NEW : OLD].mean())
    assert found.now == pytest.approx(share[OLD:].mean())
    assert 0 < found.chance <= shifts.LEVEL


def test_a_ranker_that_got_worse_everywhere_is_found_in_most_reports():
    rng = np.random.default_rng(3)
    series = noise(rng)
    series[:, OLD:] = np.minimum(2.5 * series[:, OLD:], 1)
    found = find_worse_reports(table_of(series))
    assert len(found) > N_REPORTS / 2
    assert [one.chance for one in found] == sorted(one.chance for one in found)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda series: series[:, OLD:] / 4, id="better"),
        pytest.param(lambda series: np.full((series.shape[0], NEW), np.nan), id="not-ranked"),
        pytest.param(lambda series: np.where(np.arange(NEW) < 4, 0.9, np.nan) + 0 * series[:, OLD:], id="too-few"),
    ],
)
def test_no_alarm_without_a_decline_or_with_too_few_issues(change):
    series = noise(np.random.default_rng(4), n_reports=3)
    series[:, OLD:] = change(series)
    table = table_of(series)
    elsewhere = table_of(noise(np.random.default_rng(5), n_reports=1)).assign(report="other")  # has all issues
    assert find_worse_reports(pd.concat([table, elsewhere])) == []


def ordered(rng, n_papers, n_relevant, apart=2):
    """Rank an issue with scores N(apart, 1) of relevant papers and N(0, 1) of others, for any numbers of papers."""
    is_relevant = np.arange(n_papers) < n_relevant
    return Outcome.from_relevance(is_relevant[np.argsort(-apart * is_relevant - rng.normal(size=n_papers))])


@pytest.mark.parametrize("apart", [1, 2, 4])
@pytest.mark.parametrize(
    ("before", "since"),
    [
        pytest.param((300, 8), (600, 8), id="longer-issues"),
        pytest.param((300, 8), (150, 8), id="shorter-issues"),
        pytest.param((300, 8), (600, 16), id="longer-issues-with-as-many-more-relevant"),
        pytest.param((600, 16), (300, 8), id="shorter-issues-with-as-many-fewer-relevant"),
        pytest.param((300, 6), (300, 18), id="more-relevant"),
        pytest.param((300, 16), (300, 4), id="fewer-relevant"),
    ],
)
def test_different_issue_sizes_raise_no_alarm_if_the_ranker_is_as_good(before, since, apart):
    rng = np.random.default_rng(6)
    sizes = [before] * OLD + [since] * NEW
    issues = {(r, w): ordered(rng, *sizes[w], apart) for r in range(20) for w in range(NEW + OLD)}
    assert find_worse_reports(table_of_outcomes(issues)) == []


def test_perfect_orders_raise_no_alarm_whatever_the_number_of_relevant_papers():
    issues = {(0, w): Outcome(range(1, 11 if w < OLD else 21), 300 if w % 2 else 150) for w in range(NEW + OLD)}
    assert find_worse_reports(table_of_outcomes(issues)) == []


def test_a_last_paper_twice_as_deep_is_found_though_fewer_are_relevant():
    rng = np.random.default_rng(6)
    issues = {(0, w): ordered(rng, 300, 12) for w in range(OLD)}
    issues |= {(0, w): ordered(rng, 300, 6, apart=1) for w in range(OLD, OLD + NEW)}
    (found,) = find_worse_reports(table_of_outcomes(issues))
    assert found.report == "r00"


def test_a_list_without_a_relevant_paper_does_not_count():
    rng = np.random.default_rng(7)
    rows = {(0, week): ordered(rng, 300, 6) for week in range(OLD)}
    rows |= {(0, week): Outcome([1, 290], 300) for week in range(OLD, OLD + NEW)}
    rows[0, OLD] = Outcome([], 300)
    (found,) = find_worse_reports(table_of_outcomes(rows))
    assert found.now == pytest.approx(290 / 300)


def test_a_constant_series_is_no_alarm():
    assert find_worse_reports(table_of(np.full((2, NEW + OLD), 0.1))) == []


def test_an_empty_table_is_no_alarm():
    assert find_worse_reports(table_of(np.full((1, 1), np.nan))) == []


def work_of(ways):
    rows = [(f"r{n}", WEEKS[week], way) for (n, week), way in np.ndenumerate(ways)]
    return pd.DataFrame(rows, columns=["report", "issue", "way_to_stop"])


def test_an_editor_who_stops_earlier_is_named():
    rng = np.random.default_rng(7)
    ways = np.minimum(rng.normal(1, 0.15, (4, NEW + OLD)), 1)
    ways[2, OLD:] = rng.uniform(0.2, 0.6, NEW)
    ways[3, OLD:] = 1  # keeps reading below the stop point
    (found,) = find_early_stops(work_of(ways))
    assert (found.report, found.since) == ("r2", WEEKS[OLD].date())
    assert found.now == pytest.approx(np.median(ways[2, OLD:]))


def test_four_early_stops_in_a_quarter_are_no_alarm_among_many_reports():
    """The probability of such a quarter is 1 in 380. An approximation of the test yields 1 in 5,000."""
    ways = np.ones((N_REPORTS, NEW + OLD))
    ways[2, OLD : OLD + 4] = 0.5
    assert find_early_stops(work_of(ways)) == []
    (alone,) = find_early_stops(work_of(ways[2:3]))
    assert alone.chance == pytest.approx(math.comb(13, 4) / math.comb(52, 4))


def test_how_often_an_editor_stopped_early_is_counted():
    """If most lists are read to the end, both medians are equal and uninformative."""
    ways = np.ones((1, NEW + OLD))
    ways[0, [3, *range(OLD, OLD + 6)]] = 0.5
    ways[0, 5] = np.nan
    (found,) = find_early_stops(work_of(ways))
    assert (found.before, found.now) == (1, 1)
    assert (found.n_short_now, found.n_now, found.n_short_before, found.n_before) == (6, NEW, 1, OLD - 1)


def test_without_decisions_at_the_desk_there_is_no_early_stop():
    assert find_early_stops(work_of(np.ones((0, 0)))) == []
    assert find_early_stops(work_of(np.full((2, NEW + OLD), np.nan))) == []


@pytest.mark.parametrize(
    ("n_old", "n_blank", "expected"),
    [
        pytest.param(8, 0, Coverage(3, 0, 13, 8), id="too-few-before"),
        pytest.param(13, 0, Coverage(3, 3, 13, 13), id="just-enough"),
        pytest.param(13, 9, Coverage(3, 0, 4, 13), id="too-few-new"),
    ],
)
def test_the_number_of_testable_reports_is_known(n_old, n_blank, expected):
    """In this case the absence of alarms means nothing, and the page says so."""
    series = noise(np.random.default_rng(8), n_reports=3)[:, OLD - n_old :]
    series[:, n_old : n_old + n_blank] = np.nan
    ranked_by_another = table_of(noise(np.random.default_rng(9), n_reports=1)[:, OLD - n_old :]).assign(report="other")
    table = pd.concat([table_of(series), ranked_by_another])
    assert count_testable(add_depth(table), ["r00", "r01", "r02"]) == expected


def test_reports_without_any_issue_count_as_not_tested():
    ways = work_of(np.ones((2, NEW + OLD)))
    assert count_testable(add_share_read(ways), ["r0", "r1", "imported"]) == Coverage(3, 2, NEW, OLD)
    assert count_testable(add_share_read(work_of(np.ones((0, 0)))), ["imported"]) == Coverage(1, 0, 0, 0)
    assert count_testable(add_share_read(ways), []) == Coverage(0, 0, 0, 0)


DAYS = [date(2026, 11, 2) + timedelta(weeks=week) for week in range(9)]


@pytest.mark.parametrize(
    ("decided", "today", "expected"),
    [
        pytest.param(DAYS[:6], DAYS[8], [Silence("lab", DAYS[6], 3)], id="three-passed"),
        pytest.param(DAYS[:7], DAYS[8], [], id="two-passed"),
        pytest.param(DAYS[:6], DAYS[7], [], id="third-issue-dated-ahead"),
        pytest.param(DAYS, DAYS[8] + timedelta(weeks=9), [], id="a-pause-without-issues"),
        pytest.param([DAYS[0], DAYS[4]], DAYS[8], [Silence("lab", DAYS[5], 4)], id="longer-than-ever"),
        pytest.param([DAYS[0], DAYS[4]], DAYS[7], [], id="as-long-as-before"),
        pytest.param([date(2026, 1, 1)], DAYS[8], [], id="deleted-issue"),
    ],
)
def test_silence_is_counted_in_issues(decided, today, expected):
    assert find_silences({"lab": decided}, DAYS, today=today) == expected


def test_an_old_silence_does_not_excuse_a_new_one():
    weeks = [date(2024, 1, 1) + timedelta(weeks=week) for week in range(80)]
    decided = [weeks[0], *weeks[10:77]]
    assert find_silences({"lab": decided}, weeks, today=weeks[-1]) == [Silence("lab", weeks[77], 3)]
    assert find_silences({"lab": decided[:40]}, weeks[:54], today=weeks[53]) == []


def test_a_daily_service_is_not_silent_after_three_days():
    days = [date(2026, 11, day) for day in range(2, 20)]
    assert find_silences({"lab": days[:1]}, days, today=days[13]) == []
    assert find_silences({"lab": days[:1]}, days, today=days[15]) == [Silence("lab", days[1], 15)]


CHRISTMAS = Holiday(date(2026, 12, 24), date(2027, 1, 6))


@pytest.mark.parametrize(
    ("holidays", "n_weeks", "expected"),
    [
        pytest.param([], 8, [Silence("lab", date(2026, 12, 7), 3)], id="without-holidays"),
        pytest.param([Holiday(date(2026, 12, 7), date(2026, 12, 7))], 8, [], id="holiday-on-one-of-three-issues"),
        pytest.param([Holiday(date(2026, 12, 8), date(2026, 12, 13))], 8, [], id="too-few-days-without-holidays"),
        pytest.param([CHRISTMAS], 8, [Silence("lab", date(2026, 12, 7), 3)], id="all-before-them"),
        pytest.param([CHRISTMAS], 10, [Silence("lab", date(2026, 12, 7), 3)], id="no-issue-counts-during-holidays"),
    ],
)
def test_holidays_don_t_count_in_a_silence(holidays, n_weeks, expected):
    weeks = [date(2026, 11, 2) + timedelta(weeks=week) for week in range(12)]
    assert find_silences({"lab": weeks[:5]}, weeks, today=weeks[n_weeks - 1], holidays=holidays) == expected


def test_a_silence_during_holidays_excuses_none_after_them():
    weeks = [date(2026, 6, 1) + timedelta(weeks=week) for week in range(12)]
    summer = Holiday(weeks[2], weeks[6])
    decided = [*weeks[:2], *weeks[7:9]]
    assert find_silences({"lab": decided}, weeks, today=weeks[11]) == []
    assert find_silences({"lab": decided}, weeks, today=weeks[11], holidays=[summer]) == [Silence("lab", weeks[9], 3)]


def test_issues_before_a_report_was_restored_are_no_silence():
    since = {"lab": DAYS[5]}
    assert find_silences({"lab": DAYS[:2]}, DAYS, today=DAYS[7], since=since) == [Silence("lab", DAYS[5], 3)]
    assert find_silences({"lab": DAYS[:2]}, DAYS, today=DAYS[6], since=since) == []


def silent_reference(mine, issues, today, off):
    """Slow reference that counts day by day and issue by issue."""
    open_days = [day for day in issues if day <= today and day not in off]
    last = max((day for day in mine if day <= today), default=None)
    if last is None:
        return []
    missed = [day for day in open_days if day > last]
    before = [day for day in open_days if day <= last]
    year, longest, run = before[-(NEW + OLD + 1) :], 0, None
    for day in issues:
        if day in mine and day <= today and (day >= year[0] if len(before) > NEW + OLD else True):
            longest, run = max(longest, run or 0), 0
        elif day in open_days and run is not None:
            run += 1
    n_days = (
        sum(missed[0] + timedelta(days=n) not in off for n in range(1, (today - missed[0]).days + 1)) if missed else 0
    )
    return [Silence("lab", missed[0], len(missed))] if len(missed) >= max(3, longest + 1) and n_days >= 14 else []


@given(st.sets(st.integers(0, 25)), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 20)), max_size=3), st.data())
def test_silence_agrees_with_a_count_day_by_day(decided, spans, data):
    start, holidays, free = date(2026, 6, 1), [], 0
    for first, n in sorted(spans):
        if first >= free:  # no two reports share a day
            holidays.append(Holiday(start + timedelta(days=first), start + timedelta(days=first + n)))
            free = first + n + 1
    off = {one.first + timedelta(days=n) for one in holidays for n in range((one.last - one.first).days + 1)}
    issues = [start + timedelta(weeks=week) for week in range(26)]
    mine, today = [issues[week] for week in sorted(decided)], start + timedelta(days=data.draw(st.integers(0, 200)))
    assert find_silences({"lab": mine}, issues, today=today, holidays=holidays) == silent_reference(
        mine, issues, today, off
    )
