"""Validation of measures in packages."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from presort.metrics import MEASURES, Outcome, aselt, score


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
        pytest.param("ignores_tail", True, "True or False, and False without compute_each, got True", id="tail"),
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
        replace(MEASURES["aselt"], **{"compute_each": None, field: value})


def third_position(batch):
    lists = np.split(batch.positions, batch.starts[1:])
    return np.array([positions[2] if len(positions) > 2 else np.nan for positions in lists])


def mean_position(batch):
    return batch.totals(batch.positions) / batch.r


def in_three(batch):
    return batch.totals(batch.positions <= 3) / batch.r


def reciprocals(batch):
    return batch.totals(1 / batch.positions)


@pytest.mark.parametrize(
    ("compute_each", "is_allowed"),
    [(third_position, False), (mean_position, False), (in_three, True), (reciprocals, True)],
)
def test_a_measure_that_sees_the_tail_may_not_need_its_positions(compute_each, is_allowed):
    """One of the three relevant papers is missing from the run."""
    own = replace(MEASURES["aselt"], name="own", ignores_tail=True, compute=aselt, compute_each=compute_each)
    run, qrels = {"1": {"a": 3, "b": 2, "c": 1}}, {"1": {"a": 1, "b": 1, "d": 1}}
    with nullcontext() if is_allowed else pytest.raises(ValueError, match=r"^own needs the positions"):
        assert score(run, qrels, [own])["own"].between(0, 2).all()
    whole = {"1": {"a": 3, "b": 2, "d": 1}}
    assert score(whole, qrels, [own])["own"].notna().all()
    assert score(run, qrels, [replace(own, ignores_tail=False)])["own"].isna().all()


def test_a_measure_of_ones_own_needs_no_batch():
    own = replace(MEASURES["aselt"], name="own_2", compute_each=None)
    assert own.compute(Outcome([1], 2)) == 1
