import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.words import exact_text
from tests.metrics.strategies import FIXED

HALF = Fraction(1, 20_000)  # 0.005 %, from which two decimals round to 100


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        pytest.param(0, "100 %", id="best"),
        pytest.param(HALF, "100 % − 5.0e-3", id="rounds-to-100"),  # noqa: RUF001
        pytest.param(HALF + Fraction(1, 10**40), "100 % − 5.0e-3", id="above-half-by-what-no-sum-keeps"),  # noqa: RUF001
        pytest.param(HALF + Fraction(1, 10**9), "99.99 %", id="above-half"),
        pytest.param(Fraction(4, 100_000), "100 % − 4.0e-3", id="99.996"),  # noqa: RUF001
        pytest.param(Fraction(1, 10_000), "99.99 %", id="99.99"),
        pytest.param(1 - Fraction(4, 100_000), "0.00 %", id="0.004"),
        pytest.param(Fraction(1), "0.00 %", id="0"),
        pytest.param(Fraction(2), "-100.00 %", id="worst"),
        pytest.param(Fraction(1, 2**4_000_000), "100 % − 1.0e-1204118", id="below-what-decimals-hold-unless-told"),  # noqa: RUF001
    ],
)
def test_exact_text(gap, text):
    assert exact_text([gap]) == text


@FIXED
@given(
    gaps=st.lists(
        st.one_of(
            st.fractions(0, 2),
            st.builds(lambda n, power: HALF + Fraction(n, 10**power), st.integers(-9, 9), st.integers(6, 60)),
            st.builds(lambda power: Fraction(1, 2**power), st.integers(0, 5_000)),
            st.just(Fraction(0)),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_only_the_best_reads_as_100_percent(gaps):
    text, mean = exact_text(gaps), sum(gaps) / len(gaps)
    assert (text in ("100 %", "100.00 %")) == (mean == 0)
    if told := re.fullmatch(r"100 % − (\d\.\de-\d+)", text):  # noqa: RUF001
        assert abs(Fraction(told[1]) / 100 - mean) <= mean / 20
        assert mean < HALF * 101 / 100
    elif mean:
        assert abs(Fraction(text.removesuffix(" %")) / 100 - (1 - mean)) <= HALF * 101 / 100
