"""Validation of measures in packages."""

from dataclasses import replace

import pytest

from presort.metrics import MEASURES, Outcome


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        pytest.param("name", "AP", "lowercase letters, digits and _, got 'AP'", id="capitals"),
        pytest.param("name", "my measure", "lowercase letters, digits and _, got 'my measure'", id="space"),
        pytest.param("name", 3, "lowercase letters, digits and _, got 3", id="number"),
        pytest.param("label", " ", "a non-empty string, got ' '", id="blank"),
        pytest.param("formula", None, "a string, got None", id="no-text"),
        pytest.param("natural_order", "strictly", "one of strict, weak, violates, –, got 'strictly'", id="order"),  # noqa: RUF001
        pytest.param("natural_order", [], "one of strict", id="unhashable"),
        pytest.param("needs", "flags", "one of outcome, scores, got 'flags'", id="needs"),
        pytest.param("higher_is_better", "yes", "True or False, got 'yes'", id="direction"),
        pytest.param("scales", 0.5, "True, False or None, got 0.5", id="scales"),
        pytest.param("cut", 0, "a positive integer or None, got 0", id="cut"),
        pytest.param("example", [1, 0], "an Outcome, got ", id="example"),
        pytest.param("compute", 0.5, "a function, got 0.5", id="compute"),
        pytest.param("compute_each", [], "a function or None, got ", id="each"),
        pytest.param("loss", 1, "a function or None, got 1", id="loss"),
    ],
)
def test_an_invalid_field_is_an_error(field, value, message):
    with pytest.raises(ValueError, match=rf"^{field} of a Measure must be {message}"):
        replace(MEASURES["aselt"], **{field: value})


def test_a_measure_of_ones_own_needs_no_batch():
    own = replace(MEASURES["aselt"], name="own_2", compute_each=None)
    assert own.compute(Outcome([1], 2)) == 1
