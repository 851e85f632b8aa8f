import math
import re

import numpy as np
import pytest

from presort.metrics.natural_order import natural_order_key, natural_order_table
from presort.metrics.registry import MEASURES
from presort.metrics.score import score
from tests.metrics.strategies import SMALL, all_outcomes


def test_table_of_two_in_five():
    """MEASURES section 1: the ten outcomes in natural order.

    Of these measures, only Aselt increases again, at 10001.
    """
    table = natural_order_table(2, 5)
    flags = ["".join("01"[place in outcome.positions] for place in range(1, 6)) for outcome in table.outcomes]
    assert flags == ["11000", "10100", "01100", "10010", "01010", "00110", "10001", "01001", "00101", "00011"]
    assert table.measures.index.tolist() == list(range(10))
    assert table.measures.index.name == "place"
    assert table.goes_back_up["aselt"].tolist() == [place == 6 for place in range(10)]
    assert not table.goes_back_up[["lofop", "nosel", "copnori"]].any(axis=None)


@pytest.mark.parametrize(("r", "n"), [*SMALL, (0, 3), (3, 3), (1, 1)])
def test_table_lists_every_outcome_with_every_measure(r, n):
    table = natural_order_table(r, n)
    assert list(table.outcomes) == sorted(all_outcomes(r, n), key=natural_order_key)
    assert table.measures.columns.tolist() == [name for name, measure in MEASURES.items() if measure.needs == "outcome"]
    np.testing.assert_array_equal(table.measures, score(table.outcomes, table.measures.columns))
    assert table.goes_back_up.index.equals(table.measures.index)
    assert table.goes_back_up.columns.equals(table.measures.columns)
    assert (table.goes_back_up.dtypes == np.bool_).all()
    assert not table.goes_back_up.loc[0].any()


@pytest.mark.parametrize(("r", "n"), [(1, 9), (4, 9), (8, 9), (3, 30), (6, 16), (10, 15), (58, 60), (2, 447), (8, 17)])
def test_rounding_never_goes_back_up(r, n):
    """Up to the longest tables, compared with exact arithmetic where possible and with the registry."""
    table = natural_order_table(r, n)
    positions = np.array([outcome.positions for outcome in table.outcomes])
    totals = -positions.sum(axis=1)  # Aselt decreases with the sums, and Lofop with the products
    products = np.prod((n + 1 - positions).astype(object), axis=1)
    assert table.goes_back_up["aselt"].tolist() == [False, *(totals[1:] > totals[:-1]).tolist()]
    assert table.goes_back_up["lofop"].tolist() == [False, *(products[1:] > products[:-1]).tolist()]
    for name in table.measures:
        if MEASURES[name].natural_order != "violates":
            assert not table.goes_back_up[name].any()


@pytest.mark.whole
def test_table_of_one_in_very_many():
    table = natural_order_table(1, 100_000)
    assert table.measures.shape[0] == 100_000
    assert table.measures["last_relevant_position"].tolist() == list(range(1, 100_001))
    assert not table.goes_back_up.any(axis=None)  # with one relevant paper all measures agree


@pytest.mark.parametrize(
    ("r", "n", "message"),
    [
        pytest.param(8, 20, "at most 100,000 outcomes are allowed, got 125,970 for r=8, n=20", id="just-more"),
        pytest.param(12, 600, f"got {math.comb(600, 12):,} for r=12, n=600", id="many"),
        pytest.param(300, 2000, "got over 10^30 for r=300, n=2000", id="astronomically-many"),
        pytest.param(10**9 // 2, 10**9, "got over 10^30 for r=500000000, n=1000000000", id="at-once"),
        pytest.param(9999, 10_000, "at most 50,000,000 relevant papers in all outcomes", id="too-large-for-memory"),
        pytest.param(6, 5, "r must be at most n, got r=6, n=5", id="more-than-n"),
        pytest.param(-1, 5, "r must be an integer of at least 0, got -1", id="below-0"),
        pytest.param(1.0, 5, "r must be an integer of at least 0, got 1.0", id="float"),
        pytest.param(0, 0, "n must be an integer of at least 1, got 0", id="no-papers"),
        pytest.param(1, True, "n must be an integer of at least 1, got True", id="bool"),
        pytest.param(1, "5", "n must be an integer of at least 1, got '5'", id="text"),
    ],
)
def test_tables_that_are_refused(r, n, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        natural_order_table(r, n)
