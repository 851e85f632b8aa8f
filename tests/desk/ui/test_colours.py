"""Rankers keep their colours, whichever rankers are next to them."""

from presort.desk.ui.colours import COLOURS, marks_of
from presort.ranker.versions import RECIPES


def test_a_ranker_keeps_its_colour_next_to_any_other():
    every = marks_of(list(RECIPES))
    for place, name in enumerate(RECIPES):
        for other in RECIPES:
            marks = marks_of([other, name])
            assert (marks.colours[1], marks.dashes[1], marks.shapes[1]) == tuple(each[place] for each in every)
    assert marks_of(["of-another-version", *RECIPES]).colours[1:] == every.colours


def test_no_colour_repeats_while_there_are_enough():
    names = [*RECIPES, *(f"other-{number}" for number in range(len(COLOURS) - len(RECIPES)))]
    assert sorted(marks_of(names).colours) == sorted(COLOURS)
