"""Predictors on one collection of the improvements that hold on all."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.metrics.parametric import parametric_uir
from presort.metrics.reliability import f_measure
from presort.metrics.stability import stability
from presort.metrics.unanimous import unanimous_improvement_ratio

NAN = math.nan
PREDICTORS = ["uir", "delta_f", "parametric_uir"]
COLUMNS = ["predictor", "threshold", "precision", "recall", "n_predicted", "n_right", "n_robust"]
FIGURES = st.integers(1, 10).map(lambda number: number / 10)


@st.composite
def collections(draw, n_systems=3):
    drawn = {}
    for name in ("spring", "autumn", "winter")[: draw(st.integers(2, 3))]:
        shape = (n_systems, draw(st.integers(1, 5)), 2)
        values = draw(st.lists(FIGURES, min_size=math.prod(shape), max_size=math.prod(shape)))
        drawn[name] = dict(zip("abc", np.array(values).reshape(shape), strict=True))
    return drawn


def mean_of_f(scores) -> float:
    return float(np.mean([f_measure(p, r) for p, r in scores]))


def slow_predictions(scores_by_collection):
    """Return the predictors' values and whether the improvement holds, for each pair and collection."""
    found = []
    for scores in scores_by_collection.values():
        for a, b in permutations("abc", 2):
            values = {
                "uir": unanimous_improvement_ratio(scores[a], scores[b]),
                "delta_f": mean_of_f(scores[a]) - mean_of_f(scores[b]),
                "parametric_uir": parametric_uir(scores[a], scores[b]),
            }
            holds = all(mean_of_f(each[a]) > mean_of_f(each[b]) + 1e-12 for each in scores_by_collection.values())
            found.append((values, holds))
    return found


def slow_stability(predictions, predictor, threshold) -> tuple[int, int, int]:
    """Count predicted, correctly predicted and robust improvements."""
    n_predicted = n_right = n_robust = 0
    for values, holds in predictions:
        n_robust += holds
        n_predicted += values[predictor] >= threshold
        n_right += holds and values[predictor] >= threshold
    return n_predicted, n_right, n_robust


@given(collections(), st.lists(st.sampled_from([0.03125, 0.21, 0.37, 0.5, 0.93]), min_size=1, max_size=3, unique=True))
def test_agrees_with_loops(scores, thresholds):
    table = stability(scores, thresholds=thresholds)
    assert table.columns.to_list() == COLUMNS
    assert table.predictor.to_list() == [name for name in PREDICTORS for _ in thresholds]
    assert table.threshold.to_list() == sorted(thresholds) * 3
    predictions = slow_predictions(scores)
    for row in table.itertuples():
        expected = slow_stability(predictions, row.predictor, row.threshold)
        assert (row.n_predicted, row.n_right, row.n_robust) == expected
        assert row.precision == pytest.approx(_share(expected[1], expected[0]), nan_ok=True)
        assert row.recall == pytest.approx(_share(expected[1], expected[2]), nan_ok=True)


def _share(part, whole):
    return part / whole if whole else NAN


@given(collections())
def test_whole_curve(scores):
    """Every value above 0 is a threshold, so fewer improvements are predicted as it rises."""
    table = stability(scores)
    for predictor in PREDICTORS:
        curve = table[table.predictor == predictor]
        assert (curve.threshold > 0).all()
        assert curve.threshold.is_monotonic_increasing
        assert curve.n_predicted.is_monotonic_decreasing
        assert curve.n_predicted.is_unique
        assert (curve.n_predicted > 0).all()
        assert curve.recall.isna().all() or curve.recall.is_monotonic_decreasing
        assert ((curve.n_right <= curve.n_predicted) & (curve.n_right <= curve.n_robust)).all()


@given(collections())
def test_order_of_collections_and_systems_does_not_matter(scores):
    turned = {name: dict(reversed(systems.items())) for name, systems in reversed(scores.items())}
    table = stability(scores, thresholds=[0.11, 0.53])
    assert table.equals(stability(turned, thresholds=[0.53, 0.11]))
    turned["spring"] = scores["spring"]  # even if the collections differ in the order of systems
    assert table.equals(stability(turned, thresholds=[0.53, 0.11]))


def test_a_trade_off_between_metrics_misleads_only_f():
    """By F, `odd` (more precision, less recall) is worse than `old` in spring and better in autumn. By UIR, never."""
    old, odd = [[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.2], [0.9, 0.2]]
    spring = {"old": old, "new": [[0.6, 0.6], [0.6, 0.5]], "odd": odd}
    autumn = {"old": old, "new": [[0.9, 0.6], [0.9, 0.5]], "odd": [[0.9, 0.4], [0.9, 0.4]]}
    table = stability({"spring": spring, "autumn": autumn}, thresholds=[0.01]).set_index("predictor")
    assert table.loc["uir", ["n_predicted", "n_right", "n_robust"]].to_list() == [3, 3, 4]
    assert table.loc["delta_f", ["n_predicted", "n_right", "n_robust"]].to_list() == [6, 4, 4]


def test_options_reach_f_and_the_ratio():
    one = {"a": [[0.9, 0.2]], "b": [[0.88, 0.3]]}
    both = {"x": one, "y": one}
    by_recall = stability(both, thresholds=[0.01], alpha=0.0).set_index("predictor")
    assert by_recall.loc["delta_f", "n_right"] == 2
    assert by_recall.loc["uir", "n_predicted"] == 0
    loose = stability(both, thresholds=[0.01], alpha=0.0, atol=0.05).set_index("predictor")
    assert loose.loc["uir", ["n_predicted", "n_right"]].to_list() == [2, 2]
    assert stability(both, thresholds=[0.01], alpha=1.0).set_index("predictor").loc["delta_f", "recall"] == 1
    assert loose.loc["parametric_uir", "n_predicted"] == 0, "one case has no spread: it foretells nothing"


@pytest.mark.parametrize("alpha", [0.5, 0.1])
def test_tables_of_metrics_may_differ_in_the_order_of_systems_and_metrics(alpha):
    rng = np.random.default_rng(0)
    by_system = {name: {system: rng.random((4, 2)) for system in "abc"} for name in ("spring", "autumn")}
    by_metric = {
        name: {
            metric: pd.DataFrame({system: values[:, place] for system, values in scores.items()})
            for place, metric in enumerate(["P@5", "R@5"])
        }
        for name, scores in by_system.items()
    }
    expected = stability(by_system, alpha=alpha)
    assert stability(by_metric, alpha=alpha).equals(expected)
    turned = {metric: table[["c", "a", "b"]] for metric, table in reversed(by_metric["autumn"].items())}
    assert stability(by_metric | {"autumn": turned}, alpha=alpha).equals(expected)
    with pytest.raises(ValueError, match="same systems as the first collection, but only one of them has"):
        stability(by_metric | {"autumn": {metric: table[["c", "a"]] for metric, table in turned.items()}})


def test_tables_of_one_metric():
    by_metric = {"AP": pd.DataFrame({"a": [0.5, 0.4], "b": [0.3, 0.3]})}
    expected = stability({name: {"a": [[0.5], [0.4]], "b": [[0.3], [0.3]]} for name in "xy"})
    assert stability(dict.fromkeys("xy", by_metric)).equals(expected)


def test_cases_with_nan_are_left_out():
    spring = {"a": [[0.5, 0.6], [0.9, NAN], [0.4, 0.4]], "b": [[0.4, 0.5], [0.1, 0.1], [0.4, 0.3]]}
    without = {name: [cases[0], cases[2]] for name, cases in spring.items()}
    autumn = {"a": [[0.5, 0.6]], "b": [[0.4, 0.5]]}
    left_out = stability({"spring": spring, "autumn": autumn})
    assert left_out.equals(stability({"spring": without, "autumn": autumn}))


def test_systems_without_any_difference():
    same = {"a": [[0.5, 0.5], [0.4, 0.4]], "b": [[0.5, 0.5], [0.4, 0.4]]}
    assert stability({"x": same, "y": same}).empty
    table = stability({"x": same, "y": same}, thresholds=[0.25])
    assert table.precision.isna().all()
    assert table.recall.isna().all()
    assert (table.n_robust == 0).all()


GOOD = {"a": [[0.5, 0.5]], "b": [[0.4, 0.6]]}


@pytest.mark.parametrize(
    ("scores", "thresholds", "message"),
    [
        pytest.param({}, None, "scores_by_collection must map at least two collection names to scores", id="empty"),
        pytest.param({"x": GOOD}, None, "scores_by_collection must map at least two .* got {'x'", id="one-collection"),
        pytest.param([GOOD, GOOD], None, "scores_by_collection must map at least two", id="no-mapping"),
        pytest.param(
            {"x": GOOD, "y": {"a": [[0.5, 0.5]]}},
            None,
            r"scores_by_collection\['y'\] must map at least two system names to scores",
            id="one-system",
        ),
        pytest.param({"x": GOOD, "y": [1, 2]}, None, r"\['y'\] must map at least two system names", id="no-scores"),
        pytest.param(
            {"x": GOOD, "y": GOOD | {"c": [[0.5, 0.5]]}},
            None,
            r"scores_by_collection\['y'\] must have the same systems as the first collection, .* has \['c'\]",
            id="another-system",
        ),
        pytest.param(
            {"x": GOOD, "y": {"a": [[0.5, 0.5]], "b": [[0.5]]}},
            None,
            r"scores_by_collection\['y'\]\['b'\] must have the shape \(1, 2\)",
            id="shapes-differ",
        ),
        pytest.param(
            {"x": GOOD, "y": GOOD | {"b": [[-0.5, 0.5]]}},
            None,
            r"scores_by_collection\['y'\] must contain at least one case without NaN and no negative metrics; "
            "F of 'b' is undefined",
            id="negative-metric",
        ),
        pytest.param({"x": GOOD, "y": GOOD | {"b": [[NAN, 0.5]]}}, None, "F of 'a' is undefined", id="no-case-left"),
        pytest.param(
            {"x": GOOD, "y": GOOD}, [0.5, 0], "thresholds must be a non-empty list of numbers above 0", id="zero"
        ),
        pytest.param({"x": GOOD, "y": GOOD}, [NAN], "thresholds must be a non-empty list of numbers above 0", id="nan"),
        pytest.param({"x": GOOD, "y": GOOD}, [], r"thresholds must be a non-empty list .* got \[\]", id="no-threshold"),
        pytest.param(
            {"x": GOOD, "y": GOOD}, [[1], [1, 2]], r"thresholds must be .* got \[\[1\], \[1, 2\]\]", id="uneven"
        ),
        pytest.param({"x": GOOD, "y": GOOD}, 0.25, "thresholds must be .* got 0.25", id="no-list"),
    ],
)
def test_bad_input(scores, thresholds, message):
    with pytest.raises(ValueError, match=message):
        stability(scores, thresholds=thresholds)


@pytest.mark.parametrize(("name", "value"), [("alpha", 1.5), ("atol", -0.1)])
def test_bad_options(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .* got {value}"):
        stability({"x": GOOD, "y": GOOD}, **{name: value})
