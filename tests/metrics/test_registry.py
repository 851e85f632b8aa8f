"""Contract of all measures in the registry. Every listed measure is tested."""

import math
import re
from fractions import Fraction
from itertools import pairwise

import pytest

from presort import metrics
from presort.metrics import MEASURES, Outcome, copnori_rank, natural_order_key
from presort.metrics.batch import Batch
from tests.metrics.strategies import all_outcomes

PARAMETERS = [pytest.param(name, measure, id=name) for name, measure in MEASURES.items()]
OF_OUTCOMES = [parameter for parameter in PARAMETERS if parameter.values[1].needs == "outcome"]
OF_SCORES = [parameter for parameter in PARAMETERS if parameter.values[1].needs == "scores"]


def values_in_natural_order(measure, r, n) -> list[float | Fraction]:
    """Value of every outcome, best outcome first, signed so that higher is better."""
    best_first = sorted(all_outcomes(r, n), key=natural_order_key)
    if measure.loss:
        return [-measure.loss(outcome) for outcome in best_first]
    sign = 1 if measure.higher_is_better else -1
    return (sign * measure.compute_each(Batch.of(best_first))).tolist()


@pytest.mark.parametrize(("name", "measure"), PARAMETERS)
def test_every_entry_has_its_texts(name, measure):
    assert measure.name == name
    assert measure.label
    assert measure.range
    assert measure.source
    assert measure.formula
    assert measure.meaning.endswith(".")
    assert measure.misleads.endswith(".")
    assert measure.needs in ("outcome", "scores")
    assert (measure.compute_each is None) == (measure.needs == "scores")
    assert isinstance(measure.higher_is_better, bool)
    assert measure.cut or getattr(metrics, name) is measure.compute


@pytest.mark.parametrize(("name", "measure"), PARAMETERS)
def test_the_worked_example_gives_the_value(name, measure):
    names = {"ln": math.log, "sqrt": math.sqrt, "C": math.comb, "max": max, "__builtins__": {}}
    by_hand = eval(measure.worked, names)
    assert measure.example_value() == pytest.approx(by_hand, rel=5e-4)


@pytest.mark.parametrize(("name", "measure"), OF_OUTCOMES)
def test_measures_fulfil_their_contract(name, measure):
    positions = [2, 17, 45]
    outcome = Outcome(positions, n=60)
    assert isinstance(measure.compute(outcome), float)
    assert outcome.positions.tolist() == positions
    assert math.isnan(measure.compute(Outcome([], n=60)))
    assert measure.compute_each(Batch.of([])).shape == (0,)
    if measure.loss:
        assert 1 - measure.loss(outcome) == pytest.approx(Fraction(measure.compute(outcome)), rel=1e-12)
        assert math.isnan(measure.loss(Outcome([], n=60)))


@pytest.mark.parametrize("wrong", [[1, 0], None, "■□"])
@pytest.mark.parametrize(("name", "measure"), OF_OUTCOMES)
def test_only_outcomes_are_measured(name, measure, wrong):
    message = re.escape(f"outcome must be an Outcome (create one with Outcome.from_relevance), got {wrong!r}")
    for compute in (measure.compute, measure.loss or copnori_rank):
        with pytest.raises(ValueError, match=message):
            compute(wrong)


@pytest.mark.parametrize(("name", "measure"), OF_OUTCOMES)
def test_the_worst_list_never_beats_the_perfect_one(name, measure):
    sign = 1 if measure.higher_is_better else -1
    for r, n in [(1, 2), (1, 60), (5, 60), (40, 60), (59, 60)]:
        perfect, worst = Outcome(range(1, r + 1), n), Outcome(range(n - r + 1, n + 1), n)
        assert sign * measure.compute(perfect) >= sign * measure.compute(worst)


@pytest.mark.parametrize(("name", "measure"), OF_SCORES)
def test_measures_of_scores_fulfil_their_contract(name, measure):
    scores, best, worst = [5.0, 4.0, 1.0, 0.5], [1, 1, 0, 0], [0, 0, 1, 1]
    sign = 1 if measure.higher_is_better else -1
    assert isinstance(measure.compute(scores, best), float)
    assert sign * measure.compute(scores, best) > sign * measure.compute(scores, worst)
    assert scores == [5.0, 4.0, 1.0, 0.5]
    assert math.isnan(measure.compute(scores, [0, 0, 0, 0]))
    assert measure.natural_order not in ("strict", "weak", "violates")
    for wrong in ([1, 1, 0], [1, 2, 0, 0], [1, math.nan, 0, 0]):
        with pytest.raises(ValueError, match=r"scores|relevant"):
            measure.compute(scores, wrong)


@pytest.mark.parametrize(("name", "measure"), OF_OUTCOMES)
def test_natural_order_holds_as_documented(name, measure):
    values = values_in_natural_order(measure, r=2, n=40)
    steps = [better - worse for better, worse in pairwise(values)]
    if measure.natural_order == "strict":
        assert min(steps) > 0
    elif measure.natural_order == "weak":
        assert min(steps) == 0
    else:
        assert measure.natural_order == "violates"
        assert min(steps) < -1e-9


@pytest.mark.parametrize(("name", "measure"), OF_OUTCOMES)
def test_scaling_holds_as_documented(name, measure):
    every = list(all_outcomes(2, 20))
    doubled = [Outcome(sorted([*(2 * one.positions - 1), *(2 * one.positions)]), 40) for one in every]
    changes = measure.compute_each(Batch.of(every)) - measure.compute_each(Batch.of(doubled))
    assert (abs(changes).max() < 1e-12) == measure.scales


def test_numbers_in_documented_ranges_are_right():
    perfect = [Outcome(range(1, r + 1), 600) for r in (29, 30, 31)]
    reliability = [MEASURES["reliability_at_30"].compute(outcome) for outcome in perfect]
    assert reliability[0] < reliability[1] == reliability[2] == pytest.approx(0.37, abs=0.005)
    best = [Outcome(range(1, r + 1), n) for n in (30, 31, 600) for r in range(1, n + 1)]
    assert max(MEASURES["reliability_at_30"].compute(outcome) for outcome in best) <= 0.37
    assert MEASURES["reliability_at_30"].compute(Outcome([1], 1)) == pytest.approx(1)
    f = [MEASURES["f_at_30"].compute(outcome) for outcome in perfect]
    assert f[1] == pytest.approx(0.54, abs=0.005)
    assert f[1] > max(f[0], f[2])
    assert MEASURES["average_precision"].compute(Outcome([4, 5], 5)) == pytest.approx((1 / 4 + 2 / 5) / 2)
    assert MEASURES["ponori"].compute(Outcome([600], 600)) == pytest.approx(1 - 600 / 2, rel=0.01)
    assert MEASURES["nosel_copnori"].compute(Outcome([599, 600], 600)) == pytest.approx(-(0.1 / 2 + 0.9))
