"""Small pictures: what stands in the SVG."""

import re
from base64 import b64decode

import numpy as np
import pytest

from presort.desk.ui.sparks import HEIGHT, WIDTH, limits, spark


def drawn(values, **options):
    picture = spark(np.array(values, dtype=float), **({"low": 0, "high": 1} | options))
    head, code = picture.split(",")
    assert head == "data:image/svg+xml;base64"
    return b64decode(code).decode()


def points(svg):
    return [
        [tuple(map(float, point.split())) for point in stroke.split("L")]
        for path in re.findall(r' d="M?([^"]*)"', svg)
        for stroke in path.split("M")
        if stroke
    ]


def test_larger_values_stand_above_and_in_order():
    (line,) = points(drawn([0, 0.5, 1]))
    assert [x for x, _ in line] == [1, WIDTH / 2, WIDTH - 1]
    assert [y for _, y in line] == [HEIGHT - 2, HEIGHT / 2, 2]


def test_a_gap_parts_the_line_and_a_value_by_itself_is_a_stroke():
    first, second = points(drawn([0.5, np.nan, 0.2, 0.3]))
    assert len(first) == len(second) == 2
    assert first[0][1] == first[1][1]


def test_what_lies_beyond_the_edges_is_drawn_there():
    (line,) = points(drawn([-np.inf, 7]))
    assert [y for _, y in line] == [HEIGHT - 2, 2]


def test_the_newest_values_have_their_colour_and_hang_on_the_line():
    svg = drawn([0.1, 0.2, 0.3, 0.4], newest=2, colour="#D55E00")
    old, new = points(svg)
    assert old[-1] == new[0]
    assert svg.index("#9AA0A6") < svg.index("#D55E00")


def test_fewer_values_than_could_be_newest_are_all_drawn():
    (line,) = points(drawn([0.1, 0.9, 0.4], newest=13))
    assert [x for x, _ in line] == [1, WIDTH / 2, WIDTH - 1]
    assert len({y for _, y in line}) == 3


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [0.3]])
def test_nothing_and_one_value_are_drawn_too(values):
    assert drawn(values, newest=13).startswith("<svg")


def test_edges_of_constant_values_divide_by_nothing():
    low, high = limits(np.array([2.0, 2.0]), share=False)
    assert low == high == 2
    assert points(drawn([2, 2], low=low, high=high))
