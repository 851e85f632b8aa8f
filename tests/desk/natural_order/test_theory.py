"""All possible orders, and how often measures contradict their order."""

import math

import numpy as np
import pytest

from presort.desk.natural_order import possible_orders
from presort.desk.natural_order.possible_orders import (
    DRAWN_OF_MORE,
    MOST_DRAWN,
    contradictions,
    outcome_at,
    select_orders,
)
from presort.desk.scores.table import MEASURED
from presort.metrics import MEASURES, compare_natural, copnori_rank, natural_order_table, violations


@pytest.mark.parametrize(("r", "n"), [(1, 2), (2, 5), (3, 8), (4, 8), (5, 10)])
def test_rows_equal_natural_order_table(r, n):
    found, table = select_orders(r, n), natural_order_table(r, n)
    assert found.is_all
    assert tuple(found.outcomes) == table.outcomes
    assert found.places == table.measures.index.tolist()
    assert (found.measures == table.measures[list(MEASURED)].reset_index(drop=True)).all(axis=None)
    goes_back_up = table.goes_back_up[list(MEASURED)].reset_index(drop=True)
    assert ((found.steps > 0) == goes_back_up).all(axis=None)


def test_aselt_cannot_distinguish_two_rows_of_2_in_5():
    assert select_orders(2, 5).steps["aselt"].tolist() == [0, -1, -1, 0, -1, -1, 1, -1, -1, -1]


def test_too_many_orders_are_thinned_out_evenly():
    found = select_orders(12, 24)
    assert found.n_outcomes == math.comb(24, 12) > MOST_DRAWN
    assert len(found.outcomes) == DRAWN_OF_MORE
    assert not found.is_all
    assert found.outcomes[0].positions.tolist() == list(range(1, 13))
    assert found.outcomes[-1].positions.tolist() == list(range(13, 25))
    assert [copnori_rank(outcome) for outcome in found.outcomes] == found.places
    assert set(np.diff(found.places)) <= {27041, 27042}
    assert (found.steps["copnori"][1:] == -1).all()


@pytest.mark.parametrize(("r", "n"), [(12, 600), (1, 700), (50, 51)])
def test_outcome_at_a_place_has_that_rank(r, n):
    last = math.comb(n, r) - 1
    for place in (0, 1, last // 3, last - 1, last):
        assert copnori_rank(outcome_at(place, r, n)) == place


@pytest.mark.parametrize("name", MEASURED)
def test_contradictions_are_all_violations(name):
    table = natural_order_table(3, 8)
    pairs = [(a, b) for a in range(56) for b in range(a)]  # b is above
    assert all(compare_natural(table.outcomes[b], table.outcomes[a]) == -1 for a, b in pairs)
    sign = 1 if MEASURES[name].higher_is_better else -1
    ahead = [sign * (table.measures[name][a] - table.measures[name][b]) for a, b in pairs]
    found = contradictions(name, 3, 8)
    assert (found.n_pairs, found.n_strict) == (len(pairs), sum(one > 1e-12 for one in ahead))
    assert found.n_ties == sum(abs(one) <= 1e-12 for one in ahead)


def test_contradictions_of_average_precision_are_those_of_metrics():
    table = natural_order_table(3, 8)
    of_metrics = violations(table.outcomes, table.measures["average_precision"])
    assert contradictions("average_precision", 3, 8).n_strict == of_metrics.n_strict > 0


@pytest.mark.parametrize("name", ["copnori", "ponori", "nosel_copnori"])
def test_strict_measures_have_no_contradiction_in_a_realistic_sample(name):
    found = contradictions(name, 12, 600)
    assert (found.n_strict, found.n_ties) == (0, 0)
    assert found.n_pairs > 79_000


def test_an_estimate_is_close_to_the_exact_rate(monkeypatch):
    exact = contradictions("average_precision", 5, 12)
    monkeypatch.setattr(possible_orders, "MOST_JUDGED", 10)
    sampled = contradictions("average_precision", 5, 12)
    assert sampled.n_pairs < exact.n_pairs
    assert sampled.n_strict / sampled.n_pairs == pytest.approx(exact.n_strict / exact.n_pairs, abs=0.03)
    assert contradictions("average_precision", 5, 12) == sampled


def test_rates_are_computed_for_each_size(monkeypatch):
    monkeypatch.setattr(possible_orders, "GRID_R", (2, 3))
    monkeypatch.setattr(possible_orders, "GRID_N", (3, 8))
    rates = possible_orders.rates("average_precision").set_index(["r", "n"])
    assert rates.index.tolist() == [(2, 3), (2, 8), (3, 8)]
    found = contradictions("average_precision", 3, 8)
    assert rates.loc[(3, 8), "prefers_worse"] == found.n_strict / found.n_pairs
    by_measure = possible_orders.contradiction_table(["average_precision"], 3, 8).iloc[0]
    assert by_measure["measure"] == "Average precision"
    assert by_measure["prefers_worse"] == rates.loc[(3, 8), "prefers_worse"]
