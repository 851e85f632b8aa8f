"""The traffic light before reading: what earlier issues teach, and where red is expected."""

import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranker import light as light_module
from ranker.light import Light, fit_lights, red
from tests.ranker.finished import issue, services
from tests.ranker.worlds import FIXED

# ---- fitting


def slow_lights(earlier):
    """Follow the module's words, one issue at a time."""
    depths = {r: [(x.places[-1] / x.n_papers) ** (1 / 3) for x in xs if len(x.places)] for r, xs in earlier.items()}
    several = [ds for ds in depths.values() if len(ds) > 1]
    if not several:
        return {report: (math.nan, math.nan, []) for report in depths}
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

    surprises = []
    for ds in depths.values():
        for i in range(3, len(ds)):
            mean, deviation = forecast(ds[:i])
            surprises.append((ds[i] - mean) / deviation)
    return {
        report: (*(forecast(ds) if len(ds) >= 3 else (math.nan, math.nan)), sorted(surprises))
        for report, ds in depths.items()
    }


@FIXED
@given(services)
def test_lights_agree_with_the_rule_said_slowly(earlier):
    lights = fit_lights(earlier)
    for report, (mean, deviation, surprises) in slow_lights(earlier).items():
        light = lights[report]
        assert light.mean == pytest.approx(mean, nan_ok=True, rel=1e-9)
        assert light.deviation == pytest.approx(deviation, nan_ok=True, rel=1e-6)
        assert light.surprises.tolist() == pytest.approx(surprises, rel=1e-5, abs=1e-6)


@FIXED
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
    with_empty = fit_lights({"trade": [issue(100), *issues[:2], issue(50), *issues[2:]]})["trade"]
    without = fit_lights({"trade": issues})["trade"]
    assert with_empty.n_issues == without.n_issues == 5
    np.testing.assert_array_equal(with_empty.chances(70), without.chances(70))


def test_only_the_newest_issues_count():
    newest = [issue(100, last) for last in range(21, 21 + light_module.NEWEST)]
    old = [issue(100, 100)] * 5
    a, b = fit_lights({"trade": old + newest})["trade"], fit_lights({"trade": newest})["trade"]
    assert (a.n_issues, a.mean, a.deviation) == (b.n_issues, b.mean, b.deviation)


def test_many_reports_count_their_last_ten_forecasts_and_few_count_more():
    issues = [issue(100, last) for last in range(30, 80)]
    assert len(fit_lights({"trade": issues})["trade"].surprises) == 47
    assert len(fit_lights({str(number): issues for number in range(60)})["0"].surprises) == 600


def test_a_report_with_few_issues_leans_on_the_service():
    easy = [issue(500, last) for last in (10, 20, 15, 12, 30)]
    hard = [issue(500, last) for last in (300, 410, 200, 350, 280)]
    service = {f"hard {number}": hard for number in range(5)} | {"easy": easy}
    means = [fit_lights(service | {"easy": easy[:n]})["easy"].mean for n in (3, 4, 5)]
    alone = fit_lights({"easy": easy})["easy"].mean
    assert means[0] > alone
    assert fit_lights(service)["hard 0"].mean > means[-1] > alone


@pytest.mark.parametrize(
    "places",
    [pytest.param([0, 2], id="0"), pytest.param([2, 2], id="twice"), pytest.param([3, 11], id="beyond-the-end")],
)
def test_places_must_be_positions_of_the_issue(places):
    with pytest.raises(ValueError, match=r"places must ascend from 1 to n_papers = 10, got array\("):
        issue(10, *places)


# ---- chances before reading


@FIXED
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
    light = fit_lights(earlier)["trade"]
    chances = light.chances(40)
    assert not light.is_ready
    assert np.isnan(chances[:-1]).all()
    assert chances[-1] == 1
    assert red(chances) == red(chances, level=0.5) == 40


def test_a_level_is_out_of_reach_until_enough_was_forecast():
    issues = [issue(500, last) for last in range(10, 34)]
    assert red(fit_lights({"trade": issues[:21]})["trade"].chances(500)) == 500  # 18 forecasts: at most 18/19
    assert red(fit_lights({"trade": issues[:23]})["trade"].chances(500)) < 500


def test_issues_all_alike_do_not_stop_the_light_at_once():
    earlier = {str(number): [issue(600, 60)] * 20 for number in range(30)}
    assert 60 < red(fit_lights(earlier)["0"].chances(600)) < 90


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_lights_keep_their_level_walking_forward(level):
    rng = np.random.default_rng(1)
    n_reports, n_issues, n_papers = 60, 30, 600
    middles = rng.uniform(0.3, 0.8, n_reports)
    depths = rng.normal(middles[:, None], 0.13, (n_reports, n_issues)) + rng.exponential(0.03, (n_reports, n_issues))
    lasts = np.ceil(n_papers * np.clip(depths, 0.12, 1) ** 3).astype(int)
    missed, shares = [], []
    for t in range(12, n_issues):
        lights = fit_lights({str(r): [issue(n_papers, last) for last in lasts[r, :t]] for r in range(n_reports)})
        reds = np.array([red(lights[str(r)].chances(n_papers), level=level) for r in range(n_reports)])
        missed.append(reds < lasts[:, t])
        shares.append(reds / n_papers)
    assert 0.4 * (1 - level) < np.mean(missed) < 1 - level
    assert np.mean(shares) < 0.85


def test_a_ranker_that_gets_worse_turns_red_later():
    steady = {str(r): [issue(500, 50 + 7 * r % 60 + i % 9) for i in range(30)] for r in range(20)}
    worse = {r: issues + [issue(500, 2 * int(x.places[-1])) for x in issues[:6]] for r, issues in steady.items()}
    assert red(fit_lights(worse)["0"].chances(500)) > 1.5 * red(fit_lights(steady)["0"].chances(500))


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
