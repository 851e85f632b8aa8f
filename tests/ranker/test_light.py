"""The traffic light before reading: what earlier issues teach, and where red is expected."""

import math
from datetime import date
from functools import cache
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranker import light as light_module
from ranker.depths import Known
from ranker.light import Light, fit_lights, red
from tests.ranker.finished import issue, lights_of, services

# ---- fitting


def slow_service(depths):
    """Estimate what reports have in common, and say how a report's depths are then forecast."""
    several = [ds for ds in depths if len(ds) > 1]
    averages = [fmean(ds) for ds in several]
    squares = sum(sum((d - average) ** 2 for d in ds) for ds, average in zip(several, averages, strict=True))
    variance = max(squares / sum(len(ds) - 1 for ds in several), 0.01**2)
    service_mean = fmean(averages)
    pull = 0.0
    if len(several) > 1:
        spread = sum((average - service_mean) ** 2 for average in averages) / (len(several) - 1)
        between = spread - fmean(variance / len(ds) for ds in several)
        pull = variance / between if between > variance / 100 else 100.0

    def forecast(ds):
        mean = (sum(ds) + pull * service_mean) / (len(ds) + pull)
        own = (sum((d - mean) ** 2 for d in ds) + 20 * variance) / (len(ds) + 20)
        return mean, math.sqrt(own * (1 + 1 / (len(ds) + pull)))

    return forecast


def slow_lights(earlier):
    """Follow the module's words, one issue at a time."""
    depths = {
        r: {x.day: (x.places[-1] / x.n_papers) ** (1 / 3) for x in xs if len(x.places)} for r, xs in earlier.items()
    }

    def forecast(report, day):
        before = {other: [d for when, d in ds.items() if when < day] for other, ds in depths.items()}
        return slow_service(before.values())(before[report]) if len(before[report]) >= 3 else (math.nan, math.nan)

    surprises = []
    for report, ds in depths.items():
        for day in list(ds)[3:]:
            mean, deviation = forecast(report, day)
            surprises.append((ds[day] - mean) / deviation)
    return {report: (*forecast(report, date.max), sorted(surprises)) for report in depths}


@given(services)
def test_lights_agree_with_the_rule_said_slowly(earlier):
    lights = fit_lights(earlier)
    for report, (mean, deviation, surprises) in slow_lights(earlier).items():
        light = lights[report]
        assert light.mean == pytest.approx(mean, nan_ok=True, rel=1e-9)
        assert light.deviation == pytest.approx(deviation, nan_ok=True, rel=1e-6)
        assert light.surprises.tolist() == pytest.approx(surprises, rel=1e-5, abs=1e-6)


@given(services)
def test_what_is_counted_are_forecasts_by_lights_that_knew_earlier_days_alone(earlier):
    surprises = []
    for report, issues in earlier.items():
        for one in issues:
            before = {other: [x for x in xs if x.day < one.day] for other, xs in earlier.items()}
            light = fit_lights(before)[report]
            if len(one.places) and light.n_issues >= 3:
                surprises.append((np.cbrt(one.places[-1] / one.n_papers) - light.mean) / light.deviation)
    for light in fit_lights(earlier).values():
        assert light.surprises.tolist() == pytest.approx(sorted(surprises), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("report", range(3))
def test_the_eighth_issue_moves_no_forecast_up_to_the_eighth(report):
    rng = np.random.default_rng(2)
    depths = rng.uniform(0.2, 0.9, (12, 3))
    changed = depths.copy()
    changed[7, report] = 1.0
    before, after = (np.array(Known.day_by_day(one).forecasts()) for one in (depths, changed))
    np.testing.assert_array_equal(after[:, :8], before[:, :8])
    assert (after[:, 8:] != before[:, 8:]).all()  # of all reports: they lean on what they have in common


@pytest.mark.parametrize("days", [pytest.param((1, 1), id="twice"), pytest.param((2, 1), id="newest-first")])
def test_issues_of_a_report_stand_by_day(days):
    with pytest.raises(ValueError, match="the issues of trade must stand by day, each with a day of its own"):
        fit_lights({"trade": [issue(9, 2, day=date(2026, 1, day)) for day in days]})


@given(services)
def test_found_counts_the_relevant_papers_of_the_issues(earlier):
    for report, light in fit_lights(earlier).items():
        issues = [x for x in earlier[report] if len(x.places)]
        n_papers = sum(x.n_papers for x in issues)
        assert light.n_issues == len(issues)
        for share, found in zip(np.linspace(0, 1, 51), light.found, strict=True):
            expected = sum(int((x.places <= share * x.n_papers).sum()) for x in issues)
            assert found == (expected / n_papers if issues else 0)


def test_an_issue_with_nothing_relevant_says_nothing():
    issues = [issue(100, 3, 20), issue(100, 30), issue(80, 2, 9), issue(100, 40), issue(90, 5)]
    with_empty = lights_of({"trade": [issue(100), *issues[:2], issue(50), *issues[2:]]})["trade"]
    without = lights_of({"trade": issues})["trade"]
    assert with_empty.n_issues == without.n_issues == 5
    np.testing.assert_array_equal(with_empty.chances(70), without.chances(70))


def test_only_the_newest_issues_count():
    newest = [issue(100, last) for last in range(21, 21 + light_module.NEWEST)]
    old = [issue(100, 100)] * 5
    a, b = lights_of({"trade": old + newest})["trade"], lights_of({"trade": newest})["trade"]
    assert (a.n_issues, a.mean, a.deviation) == (b.n_issues, b.mean, b.deviation)


def test_many_reports_count_their_last_ten_forecasts_and_few_count_more():
    issues = [issue(100, last) for last in range(30, 80)]
    assert len(lights_of({"trade": issues})["trade"].surprises) == 47
    assert len(lights_of({str(number): issues for number in range(60)})["0"].surprises) == 600


def test_a_report_with_few_issues_leans_on_the_service():
    easy = [issue(500, last) for last in (10, 20, 15, 12, 30)]
    hard = [issue(500, last) for last in (300, 410, 200, 350, 280)]
    service = {f"hard {number}": hard for number in range(5)} | {"easy": easy}
    means = [lights_of(service | {"easy": easy[:n]})["easy"].mean for n in (3, 4, 5)]
    alone = lights_of({"easy": easy})["easy"].mean
    assert means[0] > alone
    assert lights_of(service)["hard 0"].mean > means[-1] > alone


@pytest.mark.parametrize(
    "places",
    [pytest.param([0, 2], id="0"), pytest.param([2, 2], id="twice"), pytest.param([3, 11], id="beyond-the-end")],
)
def test_places_must_be_positions_of_the_issue(places):
    with pytest.raises(ValueError, match=r"places must ascend from 1 to n_papers = 10, got array\("):
        issue(10, *places)


# ---- chances before reading


@given(services, st.integers(0, 80))
def test_chances_never_fall_and_end_at_one(earlier, n_papers):
    for light in fit_lights(earlier).values():
        chances = light.chances(n_papers)
        assert chances.shape == (n_papers,)
        assert (chances[-1:] == 1).all()
        if light.is_ready:
            assert ((chances >= 0) & (chances <= 1)).all()
        else:
            assert np.isnan(chances[:-1]).all()
        assert not (np.diff(chances) < 0).any()


def test_chance_is_the_lower_end_of_wilsons_interval():
    light = Light(5, 0.5, 0.1, np.arange(-5.0, 5.0), np.zeros(51))
    # position 125 of 1,000 has depth 0.5, surprise 0: above 5 of the 10
    share, n = 5 / 10, 10
    below, above = light.chances(1000)[124], 1 - light.chances(1000)[124]
    assert (below - share) ** 2 == pytest.approx(below * (1 - below) / n)  # what defines it: one standard error away
    assert below < share < above
    assert light.chances(1000)[998] == pytest.approx(n / (n + 1))


@pytest.mark.parametrize(
    "earlier",
    [
        pytest.param({"trade": []}, id="new-report-and-service"),
        pytest.param({"trade": [issue(50, 5)] * 2, "health": [issue(50, 9)] * 9}, id="two-issues"),
        pytest.param({"trade": [issue(50, 5)] * 3, "health": [issue(50, 9)] * 3}, id="nothing-to-count-yet"),
        pytest.param({"trade": [issue(50)] * 9, "health": [issue(50, 9)] * 9}, id="never-anything-relevant"),
    ],
)
def test_too_little_known_stays_green_to_the_end(earlier):
    light = lights_of(earlier)["trade"]
    chances = light.chances(40)
    assert not light.is_ready
    assert np.isnan(chances[:-1]).all()
    assert chances[-1] == 1
    assert red(chances) == red(chances, level=0.5) == 40


def test_a_level_is_out_of_reach_until_enough_was_forecast():
    issues = [issue(500, last) for last in range(10, 34)]
    assert red(lights_of({"trade": issues[:21]})["trade"].chances(500)) == 500  # 18 forecasts: at most 18/19
    assert red(lights_of({"trade": issues[:23]})["trade"].chances(500)) < 500


def test_issues_all_alike_do_not_stop_the_light_at_once():
    earlier = {str(number): [issue(600, 60)] * 20 for number in range(30)}
    assert 60 < red(lights_of(earlier)["0"].chances(600)) < 90


@cache
def walked_forward():
    """Return how many papers an issue has and, for one issue after the other, the last places and all chances."""
    rng = np.random.default_rng(1)
    n_reports, n_issues, n_papers = 60, 30, 600
    middles = rng.uniform(0.3, 0.8, n_reports)
    depths = rng.normal(middles[:, None], 0.13, (n_reports, n_issues)) + rng.exponential(0.03, (n_reports, n_issues))
    lasts = np.ceil(n_papers * np.clip(depths, 0.12, 1) ** 3).astype(int)
    walked = []
    for t in range(12, n_issues):
        lights = lights_of({str(r): [issue(n_papers, last) for last in lasts[r, :t]] for r in range(n_reports)})
        walked.append((lasts[:, t], [lights[str(r)].chances(n_papers) for r in range(n_reports)]))
    return n_papers, walked


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_lights_keep_their_level_walking_forward(level):
    n_papers, walked = walked_forward()
    missed, shares = [], []
    for lasts, chances in walked:
        reds = np.array([red(of_report, level=level) for of_report in chances])
        missed.append(reds < lasts)
        shares.append(reds / n_papers)
    assert 0.4 * (1 - level) < np.mean(missed) < 1 - level
    assert np.mean(shares) < 0.85


def test_a_ranker_that_gets_worse_turns_red_later():
    steady = {str(r): [issue(500, 50 + 7 * r % 60 + i % 9) for i in range(30)] for r in range(20)}
    worse = {r: issues + [issue(500, 2 * int(x.places[-1])) for x in issues[:6]] for r, issues in steady.items()}
    assert red(lights_of(worse)["0"].chances(500)) > 1.5 * red(lights_of(steady)["0"].chances(500))


# ---- red


@pytest.mark.parametrize(
    ("chances", "level", "expected"),
    [
        pytest.param([0.1, 0.95, 0.97, 1], 0.95, 2, id="reached"),
        pytest.param([0.1, 0.95, 0.97, 1], 0.96, 3, id="higher-level"),
        pytest.param([0.99, 1], 0.5, 1, id="at-once"),
        pytest.param([math.nan, math.nan, 1], 0.8, 3, id="unknown"),
        pytest.param([0.1, 0.999999], 1, 2, id="never"),
        pytest.param([], 0.9, 0, id="empty"),
    ],
)
def test_red_by_hand(chances, level, expected):
    assert red(np.array(chances), level=level) == expected


@pytest.mark.parametrize("level", [0, -0.1, 1.01, math.nan])
def test_red_needs_a_chance(level):
    with pytest.raises(ValueError, match=f"level must be above 0 and at most 1, got {level}"):
        red(np.array([0.5, 1]), level=level)
