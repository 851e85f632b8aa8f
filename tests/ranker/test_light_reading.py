"""The traffic light while an issue is read: what was found moves the chance."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranker.light import fit_lights
from ranker.tail_sample import sample_of_rest
from tests.ranker.finished import issue, lights_of, services


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
    return lights_of(service)["report 0"]


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


@given(readings())
def test_chances_after_agree_with_the_rule_said_slowly(reading):
    light, is_read, is_relevant = reading
    slow = slow_chances_after(light, is_read.tolist(), is_relevant.tolist())
    np.testing.assert_allclose(light.chances_after(is_read, is_relevant), slow, rtol=1e-9, atol=1e-12)


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
