import math
from fractions import Fraction
from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranker import light as light_module
from ranker.light import FinishedIssue, Light, fit_lights, red
from ranker.tail_sample import remaining, sample_of_rest
from tests.ranker.worlds import FIXED


def issue(n_papers, *places):
    return FinishedIssue(np.array(places, dtype=np.int32), n_papers)


@st.composite
def finished_issues(draw):
    n_papers = draw(st.integers(1, 60))
    return issue(n_papers, *sorted(draw(st.sets(st.integers(1, n_papers), max_size=6))))


services = st.dictionaries(st.sampled_from("abcd"), st.lists(finished_issues(), max_size=9), min_size=1)


@st.composite
def readings(draw):
    """Draw a light, and what was read and found in an issue."""
    lights = fit_lights(draw(services))
    flags = st.lists(st.booleans(), min_size=(n := draw(st.integers(0, 40))), max_size=n)
    is_read, is_relevant = np.array(draw(flags), dtype=bool), np.array(draw(flags), dtype=bool)
    return lights[draw(st.sampled_from(sorted(lights)))], is_read, is_relevant & is_read


def some_light(depths=(0.3, 0.4, 0.35, 0.5, 0.45, 0.4), n_reports=30, n_issues=20, seed=0):
    """Fit a service of many reports whose last relevant papers spread alike around a depth of their own."""
    rng = np.random.default_rng(seed)
    service = {
        f"report {number}": [
            issue(500, *range(1, 5), math.ceil(500 * np.clip(rng.normal(middle, 0.08), 0.25, 1) ** 3))
            for _ in range(n_issues)
        ]
        for number, middle in enumerate(rng.choice(depths, n_reports))
    }
    return fit_lights(service)["report 0"]


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


# ---- chances while reading


def slow_chances_after(light, is_read, is_relevant):
    n_papers = len(is_read)
    before = [0.0, *light.chances(n_papers)]
    hidden = [math.log(max(b, 1e-9)) - math.log(max(a, 1e-9)) for a, b in pairwise(before)]
    expected = 0.0
    for place in range(n_papers):
        if is_read[place]:
            ends = np.interp([place / n_papers, (place + 1) / n_papers], np.linspace(0, 1, 51), light.found)
            expected += n_papers * (ends[1] - ends[0])
    trust = light.n_issues / (light.n_issues + 1)
    more = (6 + trust * sum(is_relevant)) / (6 + trust * expected)
    chances = []
    for place in range(n_papers):
        below = [hidden[other] for other in range(place + 1, n_papers) if not is_read[other]]
        chances.append(0.0 if any(is_relevant[place + 1 :]) else math.exp(-more * sum(below)))
    return chances


@FIXED
@given(readings())
def test_chances_after_agree_with_the_rule_said_slowly(reading):
    light, is_read, is_relevant = reading
    slow = slow_chances_after(light, is_read.tolist(), is_relevant.tolist())
    np.testing.assert_allclose(light.chances_after(is_read, is_relevant), slow, rtol=1e-9, atol=1e-12)


@FIXED
@given(readings())
def test_chances_after_never_fall_and_end_at_one(reading):
    light, is_read, is_relevant = reading
    chances = light.chances_after(is_read, is_relevant)
    assert (chances[-1:] == 1).all()
    assert not (np.diff(chances) < 0).any()
    assert not ((chances < 0) | (chances > 1)).any()


def test_before_anything_is_read_both_agree():
    light, nothing = some_light(), np.zeros(300, dtype=bool)
    np.testing.assert_allclose(light.chances_after(nothing, nothing), light.chances(300), atol=1e-8)


def test_what_was_found_moves_the_chance():
    light = some_light()
    is_read = np.arange(500) < 60
    found = [np.isin(np.arange(500), range(n)) for n in (0, 4, 12)]
    few, usual, many = (light.chances_after(is_read, flags)[59] for flags in found)
    assert few > usual > many > 0
    assert usual == pytest.approx(light.chances(500)[59], abs=0.02)


def test_a_paper_found_deep_down_was_missed_above():
    light = some_light()
    is_relevant = np.arange(500) == 399
    chances = light.chances_after(np.arange(500) < 400, is_relevant)
    assert (chances[:399] == 0).all()
    assert chances[399] > 0.9


def test_relevant_papers_need_not_be_said_to_be_read():
    light, is_relevant = some_light(), np.arange(500) == 30
    implied = light.chances_after(np.zeros(500, dtype=bool), is_relevant)
    np.testing.assert_array_equal(implied, light.chances_after(is_relevant, is_relevant))


def test_an_empty_sample_of_the_rest_raises_the_chance_and_a_find_lowers_it():
    light = some_light()
    is_read = np.arange(500) < 60
    is_relevant = np.arange(500) < 4
    drawn = np.isin(np.arange(1, 501), sample_of_rest(500, 60, 40, seed=3))
    read_only = light.chances_after(is_read, is_relevant)[59]
    assert light.chances_after(is_read | drawn, is_relevant)[59] > read_only
    deep = drawn.nonzero()[0][-1]
    with_find = light.chances_after(is_read | drawn, is_relevant | (np.arange(500) == deep))
    assert with_find[59] == 0
    assert with_find[deep] < light.chances_after(is_read | drawn, is_relevant)[deep] < 1


def test_too_little_known_is_certain_only_of_what_was_read():
    light = fit_lights({"trade": []})["trade"]
    is_read = np.array([True, True, True, False, True])
    chances = light.chances_after(is_read, np.array([False, True, False, False, False]))
    np.testing.assert_array_equal(chances, [0, math.nan, math.nan, 1, 1])


@pytest.mark.parametrize(
    ("is_read", "is_relevant"),
    [
        pytest.param(np.zeros(3, dtype=bool), np.zeros(4, dtype=bool), id="lengths"),
        pytest.param(np.zeros(3), np.zeros(3, dtype=bool), id="numbers"),
        pytest.param(np.zeros((3, 1), dtype=bool), np.zeros((3, 1), dtype=bool), id="table"),
    ],
)
def test_flags_must_be_of_one_length(is_read, is_relevant):
    with pytest.raises(ValueError, match="is_read and is_relevant must be arrays of bool of one length, got "):
        some_light(n_reports=2, n_issues=5).chances_after(is_read, is_relevant)


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


# ---- the sample of the rest


@FIXED
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 70), st.integers(0, 5))
def test_sample_is_of_the_rest_without_repeats_and_the_same_again(n_papers, read_to, n, seed):
    read_to = min(read_to, n_papers)
    drawn = sample_of_rest(n_papers, read_to, n, seed=seed).tolist()
    assert drawn == sorted(set(drawn))
    assert len(drawn) == min(n, n_papers - read_to)
    assert all(read_to < place <= n_papers for place in drawn)
    assert drawn == sample_of_rest(n_papers, read_to, n, seed=seed).tolist()


def test_every_paper_of_the_rest_is_drawn_as_often():
    drawn = np.concatenate([sample_of_rest(50, 10, 10, seed=seed) for seed in range(2000)])
    counts = np.bincount(drawn, minlength=51)[11:]
    assert (abs(counts - 500) < 5 * math.sqrt(500 * 0.75)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((10, 11, 3, 0), "read_to must be from 0 to n_papers = 10, got 11", id="beyond-the-end"),
        pytest.param((10, -1, 3, 0), "read_to must be from 0 to n_papers = 10, got -1", id="before-the-start"),
        pytest.param((10, 2, -3, 0), "n must not be negative, got -3", id="negative-n"),
        pytest.param((10, 2, 3, -1), "seed must not be negative, got -1", id="negative-seed"),
    ],
)
def test_sample_names_what_is_wrong(arguments, message):
    *places, seed = arguments
    with pytest.raises(ValueError, match=message):
        sample_of_rest(*places, seed=seed)


def probability_of_at_most(n_found, n_rest, n_relevant, n_drawn):
    ways = sum(math.comb(n_relevant, x) * math.comb(n_rest - n_relevant, n_drawn - x) for x in range(n_found + 1))
    return Fraction(ways, math.comb(n_rest, n_drawn))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_remaining_agrees_with_counting_all_draws(level):
    for n_rest in (1, 2, 7, 12):
        for n_drawn in range(n_rest + 1):
            for n_found in range(n_drawn + 1):
                possible = [
                    n_relevant - n_found
                    for n_relevant in range(n_found, n_rest - n_drawn + n_found + 1)
                    if probability_of_at_most(n_found, n_rest, n_relevant, n_drawn) >= 1 - Fraction(str(level))
                ]
                found = remaining(n_rest, n_drawn, n_found, level=level)
                assert found.at_most == max(possible)
                assert found.estimate == pytest.approx(
                    n_found / n_drawn * (n_rest - n_drawn) if n_drawn else math.nan, nan_ok=True
                )


def test_the_bound_holds_as_often_as_it_says():
    n_rest, n_drawn = 40, 10
    for n_relevant in range(n_rest + 1):
        holds = Fraction(0)
        for n_found in range(max(0, n_relevant - n_rest + n_drawn), min(n_drawn, n_relevant) + 1):
            if n_relevant - n_found <= remaining(n_rest, n_drawn, n_found).at_most:
                holds += probability_of_at_most(n_found, n_rest, n_relevant, n_drawn) - (
                    probability_of_at_most(n_found - 1, n_rest, n_relevant, n_drawn) if n_found else 0
                )
        assert holds >= Fraction(95, 100)


@pytest.mark.parametrize(
    ("counts", "level", "message"),
    [
        pytest.param((10, 11, 0), 0.9, "n_found <= n_drawn <= n_rest, got 0, 11 and 10", id="drew-too-many"),
        pytest.param((10, 3, 4), 0.9, "n_found <= n_drawn <= n_rest, got 4, 3 and 10", id="found-too-many"),
        pytest.param((10, 3, -1), 0.9, "n_found <= n_drawn <= n_rest, got -1, 3 and 10", id="negative"),
        pytest.param((10, 3, 1), 1, "level must be above 0 and below 1, got 1", id="certain"),
    ],
)
def test_remaining_names_what_is_wrong(counts, level, message):
    with pytest.raises(ValueError, match=message):
        remaining(*counts, level=level)
