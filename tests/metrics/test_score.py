import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import MEASURES, Outcome, score
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


def test_undefined_is_nan_only_where_it_is():
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


@pytest.mark.parametrize("measures", [[], None])
def test_no_outcomes(measures):
    table = score([], measures)
    assert table.shape == (0, len(OF_OUTCOMES) if measures is None else 0)
    assert score([Outcome([1], 2)] * 3, []).shape == (3, 0)


def test_unknown_measure():
    known = ", ".join(OF_OUTCOMES)
    with pytest.raises(ValueError, match=re.escape(f"measures must be among {known}, got 'nosle'")):
        score([Outcome([1], 2)], ["nosel", "nosle"])


@pytest.mark.parametrize("measures", ["nosel", 5])
def test_a_bare_name_is_no_list_of_names(measures):
    with pytest.raises(ValueError, match=re.escape(f"measures must be a list of names, got {measures!r}")):
        score([Outcome([1], 2)], measures)


@pytest.mark.parametrize("outcomes", [Outcome([1], 2), None])
def test_one_outcome_is_no_list_of_outcomes(outcomes):
    with pytest.raises(ValueError, match="outcomes must be a list of Outcome, got "):
        score(outcomes)


def test_a_list_of_flags_is_no_outcome():
    with pytest.raises(ValueError, match=re.escape("(Outcome.from_relevance makes one), got [0, 1]")):
        score([Outcome([1], 2)] * 3000 + [[0, 1]])


def test_measures_of_the_scores_are_not_to_be_had_from_outcomes():
    with pytest.raises(
        ValueError, match=r"got 'swets'; for those of the ranker's scores call compute\(scores, relevant"
    ):
        score([Outcome([1], 2)], ["swets"])
