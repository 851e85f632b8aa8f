"""Parametric Unanimous Improvement Ratio of a fitted normal distribution."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import quad

from presort.metrics.parametric import parametric_uir
from tests.metrics.strategies import SCORES_OR_NAN, systems


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


def slow_parametric_uir(a, b) -> float:
    """One metric with the error function; two by integrating the second one's probability given the first."""
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
    """Differences 1, 2, 3 have mean 2 and standard deviation 1: normal distribution between -2 and 2."""
    assert parametric_uir(column(1, 2, 3), column(0, 0, 0)) == pytest.approx(math.erf(2 / math.sqrt(2)), abs=1e-15)


@pytest.mark.parametrize("n_metrics", [3, 4])
def test_parametric_of_independent_metrics_is_a_product(n_metrics):
    """Columns of a Hadamard matrix are uncorrelated."""
    signs = np.array([[1, 1, 1, 1], [-1, 1, -1, 1], [1, -1, -1, 1], [-1, -1, 1, 1]])
    signs = np.vstack([signs, -signs])[:, :n_metrics]
    means = np.array([0.3, -0.2, 0.5, 0.1])[:n_metrics]
    z = means / math.sqrt(8 / 7)
    below = [(math.erfc(-x / math.sqrt(2)) / 2, math.erfc(x / math.sqrt(2)) / 2) for x in z]
    expected = math.prod(low for low, _ in below) - math.prod(high for _, high in below)
    a = signs + means
    assert parametric_uir(a, np.zeros_like(a)) == pytest.approx(expected, abs=2e-5)


@given(systems(values=SCORES_OR_NAN))
def test_parametric_properties(scores):
    """Singular covariances are frequent here: few cases, constant differences, equal metrics."""
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
        pytest.param([VARYING, [-x for x in VARYING]], 0, id="trade-off"),
        pytest.param([VARYING, [0, 0, 0, 0]], ALONE, id="constant-zero-has-no-effect"),
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


@pytest.mark.parametrize("n_cases", [8, 9, 30])
@pytest.mark.parametrize("constant", [0.1, -0.7])
def test_the_rounding_error_of_a_constant_is_no_variation(n_cases, constant):
    """The mean of eight times 0.1 differs from 0.1."""
    varying = np.random.default_rng(0).normal(size=n_cases)
    alone = parametric_uir(column(*varying), column(*np.zeros(n_cases)))
    difference = np.column_stack([np.full(n_cases, constant), varying])
    expected = (np.sign(constant) + alone) / 2
    assert parametric_uir(difference, np.zeros_like(difference)) == pytest.approx(expected, abs=1e-9)


def test_tiny_differences_are_not_constant():
    difference = np.array([VARYING, VARYING[::-1]]).T
    expected = parametric_uir(difference, np.zeros_like(difference))
    assert parametric_uir(1e-200 * difference, np.zeros_like(difference)) == pytest.approx(expected, abs=1e-9)
