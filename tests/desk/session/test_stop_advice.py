"""Texts of stop advice."""

import math

import pytest

from presort.desk.session import stop_advice as words
from presort.desk.session.stop_advice import Stop, StopAdvice

STOPS = {
    "1 in 10": Stop(70, 1.6, 4),
    "1 in 20": Stop(130, 0.9, 3),
    "1 in 100": Stop(301, 0.2, 1),
    "none": Stop(612, 0, 0),
}
NOWHERE = dict.fromkeys(STOPS, Stop(612, math.nan, math.nan))


def reading(read_up_to=84, left=3.4, *, target_recall="1 in 20", stops=STOPS, none_left=0.045, between=(1, 6)):
    return StopAdvice(612, read_up_to, read_up_to, 9, left, between, none_left, target_recall, stops)


def test_each_target_recall_has_stop_point_and_expected_misses():
    assert dict(words.stops_text(reading())) == {
        "1 in 10": "90 %: you can stop, about 2 of 12 relevant papers missed, at most 4",
        "1 in 20": "95 %: stop near 130, about 1 of 12 relevant papers missed, at most 3",
        "1 in 100": "99 %: stop near 301, probably no relevant paper missed, at most 1",
        "none": f"{words.NAMES['none']}: read to the end",
    }


def test_the_upper_limit_is_shown_only_if_it_differs():
    sure = reading(stops=STOPS | {"1 in 20": Stop(130, 0.9, 1)})
    assert words.stop_text("1 in 20", sure) == "95 %: stop near 130, about 1 of 12 relevant papers missed"


def test_while_advice_is_being_prepared_choices_only_have_names():
    awaited = reading().without_forecast()
    names = [says for _, says in words.stops_text(awaited)]
    assert names == list(words.NAMES.values())
    assert words.advice_text(awaited) == words.AWAITED
    assert words.uncertainty_text(awaited) == words.WHY_AWAITED
    assert words.verdict(awaited) == words.KEEP_READING


@pytest.mark.parametrize(
    ("so_far", "says"),
    [
        pytest.param(reading(), "about 3 relevant left · stop near 130", id="early"),
        pytest.param(reading(left=0.2), "perhaps 1 relevant left · stop near 130", id="late"),
        pytest.param(reading(target_recall="none"), "about 3 relevant left · read to the end", id="out-of-reach"),
        pytest.param(reading(130, 0.9), "about 1 of 10 relevant papers missed", id="may-stop"),
        pytest.param(reading(130, 0.4), "probably no relevant paper missed", id="little-left"),
        pytest.param(
            reading(70, 0.4, target_recall="none", stops=STOPS | {"none": Stop(70, 0.04, 0)}),
            "a paper is missed in fewer than 5 % of lists",
            id="all-seen",
        ),
        pytest.param(reading(612, 0), "every paper was read", id="all-read"),
    ],
)
def test_the_bar_shows_papers_left_or_missed(so_far, says):
    assert words.advice_text(so_far) == says


def test_the_line_shows_the_expected_misses_at_the_stop_point():
    assert words.rule_text(reading()) == "You can stop here: about 1 of 12 relevant papers missed."
    of_all = reading(target_recall="none", stops=STOPS | {"none": Stop(400, 0.04, 0)})
    assert words.rule_text(of_all) == "You can stop here: a relevant paper is missed in fewer than 5 % of lists."


@pytest.mark.parametrize(
    ("so_far", "says"),
    [
        (reading(), "1 to 6 relevant left (90 % interval) · probability that none is left: 4 %"),
        (
            reading(between=(0, 0), none_left=0.97),
            "0 relevant left (90 % interval) · probability that none is left: 97 %",
        ),
        (reading(612, 0, none_left=1), ""),
    ],
)
def test_the_certainty_is_described(so_far, says):
    assert words.uncertainty_text(so_far) == says


def test_progress_is_one_line():
    line = words.progress(reading(), "9 relevant", "stop near 130")
    assert line == "**84** of 612 read · **keep reading** · stop near 130 · 9 relevant"
