import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics import MEASURES, Outcome, aselt, score
from tests.metrics.strategies import outcomes

OF_OUTCOMES = [name for name, measure in MEASURES.items() if measure.needs == "outcome"]


@given(st.lists(outcomes(max_n=300), max_size=8))
def test_score_is_every_measure_of_every_outcome(drawn):
    table = score(drawn)
    assert list(table.columns) == OF_OUTCOMES
    assert list(table.index) == list(range(len(drawn)))
    assert (table.dtypes == np.float64).all()
    for name in OF_OUTCOMES:
        alone = np.array([MEASURES[name].compute(outcome) for outcome in drawn], dtype=float)
        np.testing.assert_allclose(table[name].to_numpy(), alone, rtol=1e-12, atol=1e-13)


def test_only_undefined_values_are_nan():
    table = score([Outcome([], 5), Outcome([1, 2, 3, 4, 5], 5), Outcome([1], 5)])
    assert table.loc[0].isna().all()
    assert table.columns[table.loc[1].isna()].tolist() == [
        "aselt",
        "lofop",
        "nosel",
        "ponori",
        "copnori",
        "nosel_copnori",
    ]
    assert table.loc[2].notna().all()


def test_chosen_measures_in_the_order_asked_for():
    table = score(iter([Outcome([1, 4], 5)]), measures=["nosel", "aselt"])
    pd.testing.assert_frame_equal(table, pd.DataFrame({"nosel": [0.0], "aselt": [1 / 3]}))


def test_average_precision_has_the_name_of_ir_measures_too():
    table = score([Outcome([1, 4], 5)], ["AP", "average_precision"])
    assert table.to_dict("records") == [{"AP": 0.75, "average_precision": 0.75}]
    with pytest.raises(ValueError, match="got 'AP' twice"):
        score([Outcome([1, 4], 5)], ["AP", "AP"])


@pytest.mark.parametrize("measures", [[], None])
def test_no_outcomes(measures):
    table = score([], measures)
    assert table.shape == (0, len(OF_OUTCOMES) if measures is None else 0)
    assert score([Outcome([1], 2)] * 3, []).shape == (3, 0)


def test_unknown_measure():
    known = ", ".join([*OF_OUTCOMES, "AP"])
    with pytest.raises(ValueError, match=re.escape(f"measures must be one of {known}, got 'nosle'")):
        score([Outcome([1], 2)], ["nosel", "nosle"])


@pytest.mark.parametrize("measures", ["nosel", 5])
def test_a_bare_name_is_no_list(measures):
    rule = "measures must be a list of names, measures and functions"
    with pytest.raises(ValueError, match=re.escape(f"{rule}, got {measures!r}")):
        score([Outcome([1], 2)], measures)


@pytest.mark.parametrize("outcomes", [Outcome([1], 2), None])
def test_one_outcome_is_no_list_of_outcomes(outcomes):
    with pytest.raises(ValueError, match="outcomes must be a list of Outcome, got "):
        score(outcomes)


def test_a_list_of_flags_is_no_outcome():
    with pytest.raises(ValueError, match=re.escape("(create one with Outcome.from_relevance), got [0, 1]")):
        score([Outcome([1], 2)] * 3000 + [[0, 1]])


def test_measures_of_scores_can_not_be_computed_from_outcomes():
    with pytest.raises(ValueError, match=r"got 'swets'; call compute\(scores, relevant"):
        score([Outcome([1], 2)], ["swets"])


def first_position(outcome):
    return outcome.positions[0] if outcome.r else math.nan


def half(outcome):
    return Fraction(1, 2)


def is_short(outcome):
    return np.bool_(outcome.n < 5)


def test_custom_functions_and_measures_can_be_mixed_with_others():
    doubled = replace(MEASURES["aselt"], name="doubled", compute_each=lambda batch: batch.totals(batch.positions) * 2)
    alone = replace(MEASURES["nosel"], name="alone", compute_each=None)
    drawn = [Outcome([2, 4], 6), Outcome([], 3), Outcome([1], 4)] * 1_500  # more than one batch
    table = score(drawn, [first_position, "nosel", doubled, half, is_short, alone, MEASURES["search_length"], aselt])
    assert (table.dtypes == np.float64).all()
    expected = score(drawn, ["nosel", "search_length", "aselt"])
    assert table["first_position"].to_numpy() == pytest.approx([2, math.nan, 1] * 1_500, nan_ok=True)
    assert table["doubled"].to_list() == [12, 0, 2] * 1_500
    assert table["half"].to_list() == [0.5] * 4_500
    assert table["is_short"].to_list() == [0, 1, 1] * 1_500
    for name, same in {"nosel": "nosel", "alone": "nosel", "search_length": "search_length", "aselt": "aselt"}.items():
        pd.testing.assert_series_equal(table[name], expected[same], check_names=False)


def text(outcome):
    return "0.5"


def nothing(outcome):
    return None


def infinite(outcome):
    return math.inf


def beyond_floats(outcome):
    return 10**400


def several(outcome):
    return np.array([0.5])


@pytest.mark.parametrize("measure", [text, nothing, infinite, beyond_floats, several])
def test_an_error_names_the_measure_that_returned_no_number(measure):
    with pytest.raises(ValueError, match=f"^{measure.__name__} must return a finite number, or NaN if undefined; it"):
        score([Outcome([1], 2)], ["nosel", measure])
    own = replace(MEASURES["aselt"], name="own", compute=measure, compute_each=None)
    with pytest.raises(ValueError, match=r"^own must return a finite number"):
        score([Outcome([1], 2)], [own])


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([0.5], id="too-few"),
        pytest.param([[0.5, 0.5]], id="two-dimensions"),
        pytest.param([0.5, math.inf], id="infinite"),
        pytest.param(["a", "b"], id="texts"),
        pytest.param([[0.5], [1, 2]], id="uneven"),
        pytest.param(None, id="nothing"),
    ],
)
def test_anything_but_one_number_per_outcome_is_refused(values):
    own = replace(MEASURES["aselt"], name="own", compute_each=lambda batch: values)
    with pytest.raises(ValueError, match=r"own must (return|be) 2 finite numbers for 2 outcomes"):
        score([Outcome([1], 2)] * 2, [own])


def test_an_exception_of_a_measure_propagates():
    with pytest.raises(ZeroDivisionError):
        score([Outcome([], 2)], [one_by_r])


def one_by_r(outcome):
    return 1 / outcome.r


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        pytest.param(
            [lambda outcome: 1.0], "a name: use a function defined with def, or a Measure; got <function", id="lambda"
        ),
        pytest.param(["nosel", "nosel"], "different names, got 'nosel' twice", id="twice"),
        pytest.param([aselt, "aselt"], "different names, got 'aselt' twice", id="same-name"),
        pytest.param(
            [MEASURES["swets"]], "be computable from the outcome alone, got 'swets'; call compute", id="scores"
        ),
        pytest.param([3], "names, Measure objects or functions, got 3", id="number"),
        pytest.param(aselt, "a list of names, measures and functions, got <function", id="bare-function"),
        pytest.param(MEASURES["aselt"], "a list of names, measures and functions, got Measure", id="bare-measure"),
    ],
)
def test_invalid_lists_of_measures(measures, message):
    with pytest.raises(
        ValueError, match=re.escape(f"measures must {'be ' if 'functions' in message else ''}")
    ) as raised:
        score([Outcome([1], 2)], measures)
    assert message in str(raised.value)
