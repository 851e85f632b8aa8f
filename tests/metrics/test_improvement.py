"""Unanimous Improvement Ratio, its parametric form, and the table of systems."""

import math
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from metrics.improvement import (
    UnanimousImprovement,
    parametric_uir,
    uir_matrix,
    uir_table,
    unanimous_improvement,
    unanimous_improvement_ratio,
)
from metrics.reliability import f_measure
from tests.metrics.strategies import FIXED

RUNS = Path(__file__).parents[2].parent / "shared" / "reference" / "clustering_runs.csv"
NAN, INF = math.nan, math.inf

# Few distinct scores, so that equal ones are common.
FEW = [0.0, 0.1, 0.25, 0.5, 0.6, 0.7, 0.9, 1.0]
SCORES = st.sampled_from(FEW)
SCORES_OR_NAN = st.sampled_from([*FEW, *FEW, *FEW, NAN])  # NaN rarely, so that some cases are left


@st.composite
def systems(draw, n_systems=2, values=SCORES, least_cases=0):
    """Draw the scores of systems, shape (n_systems, n_cases, n_metrics)."""
    n_cases, n_metrics = draw(st.integers(least_cases, 8)), draw(st.integers(1, 4))
    size = n_systems * n_cases * n_metrics
    drawn = draw(st.lists(values, min_size=size, max_size=size))
    return np.array(drawn).reshape(n_systems, n_cases, n_metrics)


def slow_counts(a, b, atol=0.0) -> dict[str, int]:
    """Read case by case and metric by metric."""
    counts = dict.fromkeys(("n_better", "n_worse", "n_equal", "n_undecided", "n_left_out"), 0)
    for scores_a, scores_b in zip(a.tolist(), b.tolist(), strict=True):
        pairs = list(zip(scores_a, scores_b, strict=True))
        if any(math.isnan(x) or math.isnan(y) for x, y in pairs):
            counts["n_left_out"] += 1
            continue
        a_ever_worse = any(x < y - atol for x, y in pairs)
        b_ever_worse = any(y < x - atol for x, y in pairs)
        verdicts = {
            (False, True): "n_better",
            (True, False): "n_worse",
            (False, False): "n_equal",
            (True, True): "n_undecided",
        }
        counts[verdicts[a_ever_worse, b_ever_worse]] += 1
    return counts


def mean_of_f(scores, alpha=0.5) -> float:
    return float(np.mean([f_measure(p, r, alpha) for p, r in scores]))


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


@pytest.fixture(scope="module")
def clustering_runs():
    if not RUNS.exists():
        pytest.skip("needs the reference data, which is not part of the project")
    runs = pd.read_csv(RUNS).sort_values("lemma")
    return {name: cases[["bcubed_p", "bcubed_r"]].to_numpy() for name, cases in runs.groupby("system")}


def test_table_3_of_the_paper():
    """Amigó and others 2011, Table 3: precision and recall of two systems on ten cases."""
    a = np.array([[5, 5, 5, 6, 7, 3, 4, 4, 3, 2], [5, 2, 2, 4, 5, 5, 5, 5, 5, 5]]).T / 10
    b = np.array([[5, 5, 4, 6, 6, 1, 5, 6, 1, 4], [5, 2, 2, 3, 4, 4, 6, 6, 6, 3]]).T / 10
    assert unanimous_improvement(a, b) == UnanimousImprovement(0.2, 10, 4, 2, 2, 2, 0)
    assert unanimous_improvement_ratio(a, b) == 0.2


def test_all_in_one_beats_every_real_system_by_f_and_none_unanimously(clustering_runs):
    """MEASURES section 3: one cluster for everything has recall 1, which F does not see through."""
    table = uir_table(clustering_runs)
    real = [name for name in table.index if name.startswith("systems__")]
    beaten = table.loc[real, "mean_f"] < table.loc["trivial__all-in-one", "mean_f"]
    assert beaten.sum() == 11
    assert not set(table.loc["trivial__all-in-one", "improves"]) & set(real)
    assert (uir_matrix(clustering_runs).loc["trivial__all-in-one", real] < 0.25).all()
    assert (table.n_cases == 50).all()
    assert (table.n_left_out == 0).all()


def test_table_of_the_clustering_runs_agrees_with_loops(clustering_runs):
    table = uir_table(clustering_runs)
    assert table.mean_f.is_monotonic_decreasing
    for name, row in table.iterrows():
        improved_by = {}
        assert row.mean_f == pytest.approx(mean_of_f(clustering_runs[name]), abs=1e-14)
        for other in table.index:
            counts = slow_counts(clustering_runs[other], clustering_runs[name])
            improved_by[other] = (counts["n_better"] - counts["n_worse"]) / 50
            assert (other in row.improves) == (-improved_by[other] >= 0.25)
        strongest = max(improved_by, key=improved_by.get)  # the first of equal ones
        if improved_by[strongest] >= 0.25:
            assert (row.reference, row.reference_uir) == (strongest, improved_by[strongest])
        else:
            assert row.reference is None
            assert math.isnan(row.reference_uir)


@FIXED
@given(systems(values=SCORES_OR_NAN), st.sampled_from([0.0, 0.05, 0.125, 0.3]))
def test_counts_agree_with_a_loop(scores, atol):
    a, b = scores
    counts, expected = unanimous_improvement(a, b, atol=atol), slow_counts(a, b, atol)
    assert {name: getattr(counts, name) for name in expected} == expected
    assert counts.n_cases == len(a) - expected["n_left_out"]
    if counts.n_cases:
        assert counts.ratio == (expected["n_better"] - expected["n_worse"]) / counts.n_cases
    else:
        assert math.isnan(counts.ratio)


@FIXED
@given(systems(least_cases=1), st.sampled_from([0.0, 0.125]))
def test_range_and_antisymmetry(scores, atol):
    a, b = scores
    ratio = unanimous_improvement_ratio(a, b, atol=atol)
    assert -1 <= ratio <= 1
    assert ratio == -unanimous_improvement_ratio(b, a, atol=atol)
    assert unanimous_improvement_ratio(a, a, atol=atol) == 0


@FIXED
@given(systems(), st.sampled_from([np.exp, np.arctan, lambda x: x**3 + x, lambda x: 1000 * x - 7]), st.integers(0, 3))
def test_only_the_order_of_each_metric_matters(scores, transform, metric):
    changed = scores.copy()
    changed[..., metric % scores.shape[2]] = transform(scores[..., metric % scores.shape[2]])
    assert repr(unanimous_improvement(*changed)) == repr(unanimous_improvement(*scores))


@FIXED
@given(systems().filter(lambda scores: scores.shape[2] > 1))
def test_a_further_metric_never_makes_more_cases_at_least_as_good(scores):
    """Nor more of them better, but for those on which all other metrics are equal: there it decides alone."""
    a, b = scores
    before, after = unanimous_improvement(a[:, 1:], b[:, 1:]), unanimous_improvement(a, b)
    assert after.n_better + after.n_equal <= before.n_better + before.n_equal
    assert after.n_worse + after.n_equal <= before.n_worse + before.n_equal
    assert after.n_undecided >= before.n_undecided
    assert after.n_better - before.n_better <= before.n_equal - after.n_equal


def test_ratio_is_not_transitive():
    """Three systems, each of which improves the next one on two cases of three."""
    a, b, c = np.array([[[3, 3], [1, 1], [2, 2]], [[2, 2], [3, 3], [1, 1]], [[1, 1], [2, 2], [3, 3]]])
    assert unanimous_improvement_ratio(a, b) == pytest.approx(1 / 3)
    assert unanimous_improvement_ratio(b, c) == pytest.approx(1 / 3)
    assert unanimous_improvement_ratio(c, a) == pytest.approx(1 / 3)


def test_one_case():
    assert unanimous_improvement([[0.5, 0.5]], [[0.5, 0.4]]) == UnanimousImprovement(1.0, 1, 1, 0, 0, 0, 0)


def test_no_case_left_is_nan():
    counts = unanimous_improvement([[0.5, NAN], [0.4, 0.3]], [[0.5, 0.1], [NAN, 0.3]])
    assert math.isnan(counts.ratio)
    assert (counts.n_cases, counts.n_left_out) == (0, 2)
    assert math.isnan(unanimous_improvement_ratio(np.empty((0, 2)), np.empty((0, 2))))
    assert math.isnan(parametric_uir(np.empty((0, 2)), np.empty((0, 2))))


def test_input_stays_as_it_was_and_may_be_a_table():
    a, b = pd.DataFrame({"p": [1, 0], "r": [1, 1]}), pd.DataFrame({"p": [0.5, NAN], "r": [1.0, 0.5]})
    kept = a.copy(), b.copy()
    assert unanimous_improvement(a, b) == UnanimousImprovement(1.0, 1, 1, 0, 0, 0, 1)
    uir_table({"a": a, "b": b})
    pd.testing.assert_frame_equal(a, kept[0])
    pd.testing.assert_frame_equal(b, kept[1])


GOOD = [[0.5, 0.5], [0.4, 0.6]]
BAD_SCORES = [
    pytest.param([], r"a must have the shape \(n_cases, n_metrics\), got \(0,\)", id="empty"),
    pytest.param([0.5, 0.4], r"a must have the shape \(n_cases, n_metrics\), got \(2,\)", id="one-dimensional"),
    pytest.param(0.5, r"a must have the shape \(n_cases, n_metrics\), got \(\)", id="a-number"),
    pytest.param([[0.5, 0.5], [0.4]], "a must have the shape .* got rows of different lengths", id="ragged"),
    pytest.param([["x", "y"], ["z", "u"]], r"a must be numbers, got <U1 \[\['x', 'y'\], \['z', 'u'\]\]", id="text"),
    pytest.param([[0.5, None], [0.4, 0.6]], r"a must be numbers, got object \[\[0.5, None\]", id="none"),
    pytest.param([[1j, 1j], [1j, 1j]], "a must be numbers, got complex128", id="complex"),
    pytest.param([[0.5, INF], [0.4, 0.6]], r"a must be finite or nan, got inf at \[0, 1\]", id="infinite"),
    pytest.param([[], []], r"a must have at least one metric, got \(2, 0\)", id="no-metric"),
    pytest.param([[0.5, 0.5]], r"b must have the shape \(1, 2\) of a, got \(2, 2\)", id="fewer-cases"),
    pytest.param([[0.5], [0.5]], r"b must have the shape \(2, 1\) of a, got \(2, 2\)", id="fewer-metrics"),
]


@pytest.mark.parametrize("function", [unanimous_improvement, unanimous_improvement_ratio, parametric_uir])
@pytest.mark.parametrize(("a", "message"), BAD_SCORES)
def test_bad_scores(function, a, message):
    with pytest.raises(ValueError, match=message):
        function(a, GOOD)


@pytest.mark.parametrize("atol", [-0.1, NAN, INF])
def test_bad_atol(atol):
    with pytest.raises(ValueError, match=f"atol must be a number from 0, got {atol}"):
        unanimous_improvement(GOOD, GOOD, atol=atol)
    with pytest.raises(ValueError, match=f"atol must be a number from 0, got {atol}"):
        uir_table({"a": GOOD}, atol=atol)
    with pytest.raises(ValueError, match=f"atol must be a number from 0, got {atol}"):
        uir_matrix({"a": GOOD}, atol=atol)


def slow_parametric_uir(a, b) -> float:
    """One metric by the error function; two by integrating the second's probability given the first."""
    difference = a - b
    mean, spread = difference.mean(axis=0), difference.std(axis=0, ddof=1)
    z = mean / spread

    def below(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    if len(z) == 1:
        return below(z[0]) - below(-z[0])
    correlation = np.corrcoef(difference.T)[0, 1]
    rest = math.sqrt(1 - correlation**2)

    def both_below(x, y):
        def density(u):
            return math.exp(-u * u / 2) / math.sqrt(2 * math.pi) * below((y - correlation * u) / rest)

        return quad(density, -12, min(x, 12), epsabs=1e-11, limit=200)[0]

    return both_below(*z) - both_below(*-z)


@pytest.mark.parametrize("n_metrics", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_parametric_agrees_with_integration(n_metrics, seed):
    random = np.random.default_rng(seed)
    a = random.random((20, n_metrics)) + 0.1 * random.random((20, 1))
    b = random.random((20, n_metrics)) - 0.5 * random.random((20, 1))
    assert parametric_uir(a, b) == pytest.approx(slow_parametric_uir(a, b), abs=1e-8)


def test_parametric_of_one_metric_is_exact():
    """Differences 1, 2, 3 have mean 2 and deviation 1: the normal distribution between -2 and 2."""
    assert parametric_uir(column(1, 2, 3), column(0, 0, 0)) == pytest.approx(math.erf(2 / math.sqrt(2)), abs=1e-15)


@pytest.mark.parametrize("n_metrics", [3, 4])
def test_parametric_of_independent_metrics_is_a_product(n_metrics):
    """Columns of a Hadamard matrix do not correlate."""
    signs = np.array([[1, 1, 1, 1], [-1, 1, -1, 1], [1, -1, -1, 1], [-1, -1, 1, 1]])
    signs = np.vstack([signs, -signs])[:, :n_metrics]
    means = np.array([0.3, -0.2, 0.5, 0.1])[:n_metrics]
    z = means / math.sqrt(8 / 7)
    below = [(math.erfc(-x / math.sqrt(2)) / 2, math.erfc(x / math.sqrt(2)) / 2) for x in z]
    expected = math.prod(low for low, _ in below) - math.prod(high for _, high in below)
    a = signs + means
    assert parametric_uir(a, np.zeros_like(a)) == pytest.approx(expected, abs=2e-5)


@FIXED
@given(systems(values=SCORES_OR_NAN))
def test_parametric_properties(scores):
    """Singular covariances are common here: few cases, constant differences, equal metrics."""
    a, b = scores
    ratio = parametric_uir(a, b)
    complete = ~np.isnan(a + b).any(axis=1)
    if complete.sum() < 2:
        assert math.isnan(ratio)
    else:
        assert -1 <= ratio <= 1
        assert ratio == -parametric_uir(b, a)
        assert ratio == parametric_uir(a, b)
        assert ratio == parametric_uir(a[complete], b[complete])


VARYING = [0.3, -0.1, 0.2, 0.4]
ALONE = math.erf(0.2 / math.sqrt(0.14 / 3) / math.sqrt(2))  # as the only metric: mean 0.2, variance 0.14 / 3


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        pytest.param([VARYING], ALONE, id="one-metric"),
        pytest.param([VARYING, VARYING], ALONE, id="same-metric-twice"),
        pytest.param([VARYING, VARYING, VARYING], ALONE, id="same-metric-three-times"),
        pytest.param([VARYING, [10 * x for x in VARYING]], ALONE, id="same-metric-in-another-unit"),
        pytest.param([VARYING, [-x for x in VARYING]], 0, id="one-traded-for-the-other"),
        pytest.param([VARYING, [0, 0, 0, 0]], ALONE, id="constant-zero-has-no-say"),
        pytest.param([VARYING, [1, 1, 1, 1]], (1 + ALONE) / 2, id="always-better-on-one"),
        pytest.param([VARYING, [-1, -1, -1, -1]], -(1 - ALONE) / 2, id="always-worse-on-one"),
        pytest.param([VARYING, [1, 1, 1, 1], [-1, -1, -1, -1]], 0, id="never-unanimous"),
        pytest.param([[0, 0, 0, 0], [0, 0, 0, 0]], 0, id="identical-systems"),
        pytest.param([[0.5, 0.5, 0.5, 0.5]], 1, id="always-better"),
    ],
)
def test_parametric_with_singular_covariance(differences, expected):
    a = np.array(differences, dtype=float).T
    assert parametric_uir(a, np.zeros_like(a)) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize("n_metrics", [3, 6])
def test_parametric_is_the_same_each_time_and_turns_its_sign_exactly(n_metrics):
    a, b = np.random.default_rng(0).random((2, 30, n_metrics))
    ratio = parametric_uir(a, b)
    assert 0 < abs(ratio) < 1
    assert parametric_uir(a, b) == ratio
    assert parametric_uir(b, a) == -ratio


def test_parametric_of_one_case_is_nan():
    assert math.isnan(parametric_uir([[0.5, 0.6]], [[0.1, 0.2]]))


@FIXED
@given(systems(n_systems=4, values=SCORES_OR_NAN))
def test_matrix_leaves_the_same_cases_out_for_all(scores):
    complete = scores[:, ~np.isnan(scores).any(axis=(0, 2))]
    names = list("dbca")
    matrix = uir_matrix(dict(zip(names, scores, strict=True)))
    assert matrix.index.to_list() == matrix.columns.to_list() == names
    for (row, a), (column_, b) in permutations(zip(names, complete, strict=True), 2):
        assert matrix.loc[row, column_] == pytest.approx(unanimous_improvement_ratio(a, b), nan_ok=True)


SYSTEMS = {
    "low": [[0.2, 0.2], [0.2, 0.2], [0.2, 0.2]],
    "high": [[0.6, 0.6], [0.6, 0.6], [0.6, 0.6]],
    "middle": [[0.4, 0.4], [0.4, 0.4], [0.1, 0.9]],
    "twin": [[0.6, 0.6], [0.6, 0.6], [0.6, 0.6]],
}


def test_table_of_systems():
    table = uir_table(SYSTEMS)
    assert table.index.name == "system"
    assert table.index.to_list() == ["high", "twin", "middle", "low"], "equals keep their order"
    assert table.columns.to_list() == ["mean_f", "improves", "reference", "reference_uir", "n_cases", "n_left_out"]
    assert table.mean_f.to_list() == pytest.approx([0.6, 0.6, (0.4 + 0.4 + 0.18) / 3, 0.2])
    assert table.improves.to_list() == [("middle", "low"), ("middle", "low"), ("low",), ()]
    assert table.reference.to_list() == [None, None, "high", "high"], "of equal references the one with the better F"
    assert table.reference_uir.to_list() == pytest.approx([NAN, NAN, 2 / 3, 1.0], nan_ok=True)


def test_many_systems_of_the_same_f_keep_their_order():
    scores = {f"system {number}": [[number % 3 / 3, number % 3 / 3]] for number in range(60)}
    for _, group in uir_table(scores).groupby("mean_f"):
        assert group.index.to_list() == [name for name in scores if name in group.index]


def test_of_equal_references_the_better_f_counts_wherever_it_stands():
    scores = {"old": [[0.1, 0.1]], "good": [[0.2, 0.2]], "best": [[0.3, 0.3]]}
    for order in permutations(scores):
        table = uir_table({name: scores[name] for name in order})
        assert table.reference.to_dict() == {"best": None, "good": "best", "old": "best"}
        assert table.improves.to_dict() == {"best": ("good", "old"), "good": ("old",), "old": ()}


def test_threshold_includes_its_value():
    scores = {"a": [[0.5], [0.4], [0.4], [0.4]], "b": [[0.4], [0.4], [0.4], [0.4]]}
    assert uir_table(scores).loc["b", "reference"] == "a"
    assert uir_table(scores).loc["a", "improves"] == ("b",)
    assert uir_table(scores, threshold=0.26).reference.to_list() == [None, None]
    assert uir_table(scores, threshold=0.26).improves.to_list() == [(), ()]


def test_atol_makes_small_losses_count_as_none():
    scores = {"a": [[0.5, 0.50]], "b": [[0.4, 0.51]]}
    assert uir_matrix(scores).loc["a", "b"] == 0
    assert uir_matrix(scores, atol=0.05).loc["a", "b"] == 1
    assert uir_table(scores, atol=0.05).loc["b", "reference"] == "a"


def test_alpha_weighs_the_first_metric():
    scores = {"precise": [[0.9, 0.3]], "complete": [[0.3, 0.8]]}
    assert uir_table(scores, alpha=1).mean_f.to_dict() == {"precise": 0.9, "complete": 0.3}
    assert uir_table(scores, alpha=0).index.to_list() == ["complete", "precise"]
    assert uir_table(scores, alpha=0.2).loc["precise", "mean_f"] == pytest.approx(1 / (0.2 / 0.9 + 0.8 / 0.3))


def test_f_of_three_metrics_is_their_harmonic_mean():
    table = uir_table({"a": [[0.2, 0.4, 0.8], [0.5, 0.0, 0.5]], "b": [[0.5, 0.5, 0.5]] * 2})
    assert table.mean_f.to_dict() == pytest.approx({"b": 0.5, "a": (3 / (5 + 2.5 + 1.25) + 0) / 2})


def test_f_of_one_metric_is_its_mean():
    assert uir_table({"a": column(0.2, 0.6)}).loc["a", "mean_f"] == pytest.approx(0.4)


@pytest.mark.parametrize("rest", [pytest.param([], id="two"), pytest.param([0.5], id="three")])
def test_system_with_a_negative_metric_has_no_f_but_all_else(rest):
    scores = {"neg": [[-0.1, 0.0, *rest], [0.5, 0.5, *rest]], "a": [[0.0, 0.2, *rest], [0.6, 0.6, *rest]]}
    table = uir_table(scores)
    assert table.index.to_list() == ["a", "neg"]
    assert math.isnan(table.loc["neg", "mean_f"])
    assert table.loc["a", "mean_f"] > 0
    assert table.loc["neg", "reference"] == "a"


def test_table_without_a_complete_case():
    table = uir_table({"a": [[0.5, NAN]], "b": [[0.5, 0.5]]})
    assert table.mean_f.isna().all()
    assert table.reference.to_list() == [None, None]
    assert table.improves.to_list() == [(), ()]
    assert (table.n_cases.to_list(), table.n_left_out.to_list()) == ([0, 0], [1, 1])


def test_table_of_one_system():
    table = uir_table({"only": GOOD})
    assert table.loc["only", "improves"] == ()
    assert table.loc["only", "reference"] is None


@FIXED
@given(systems(n_systems=4, least_cases=1), st.sampled_from([0.25, 0.5, 1.0]))
def test_table_and_matrix_agree(scores, threshold):
    named = dict(zip("abcd", scores, strict=True))
    table, matrix = uir_table(named, threshold=threshold), uir_matrix(named)
    for one, other in combinations("abcd", 2):
        assert (other in table.loc[one, "improves"]) == (matrix.loc[one, other] >= threshold)
        assert (one in table.loc[other, "improves"]) == (matrix.loc[other, one] >= threshold)
    for name, row in table.iterrows():
        has_reference = matrix[name].max() >= threshold
        assert (row.reference is not None) == has_reference
        if has_reference:
            assert row.reference_uir == matrix[name].max() == matrix.loc[row.reference, name]


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        pytest.param({}, {}, "scores must map at least one system name to its scores, got {}", id="empty"),
        pytest.param([GOOD], {}, "scores must map at least one system name to its scores, got", id="no-mapping"),
        pytest.param(
            {"a": GOOD, "b": GOOD[:1]},
            {},
            r"scores\['b'\] must have the shape \(2, 2\) of scores\['a'\], got \(1, 2\)",
            id="shapes-differ",
        ),
        pytest.param({"a": [0.5]}, {}, r"scores\['a'\] must have the shape \(n_cases, n_metrics\)", id="flat"),
        pytest.param({"a": GOOD}, {"threshold": 0}, "threshold must be above 0 and at most 1, got 0", id="threshold-0"),
        pytest.param({"a": GOOD}, {"threshold": 1.1}, "threshold must be .* got 1.1", id="threshold-above-1"),
        pytest.param({"a": GOOD}, {"threshold": NAN}, "threshold must be .* got nan", id="threshold-nan"),
        pytest.param({"a": GOOD}, {"alpha": 1.5}, "alpha must be from 0 to 1, got 1.5", id="alpha-above-1"),
        pytest.param(
            {"a": [[0.5, 0.5, 0.5]]},
            {"alpha": 0.3},
            "alpha must be 0.5 unless there are two metrics, got 0.3 and 3",
            id="alpha-of-three-metrics",
        ),
    ],
)
def test_bad_table(scores, options, message):
    with pytest.raises(ValueError, match=message):
        uir_table(scores, **options)
