import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.desk.text import chance_text, escape, exact_text, points_text, screen_text
from presort.metrics.loss import as_decimal
from tests.metrics.strategies import FIXED

HALF = Fraction(1, 20_000)  # 0.005 %, above which two decimals round to 100


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        pytest.param(0, "100 %", id="best"),
        pytest.param(HALF, "100 % − 5.0e-3", id="rounds-to-100"),  # noqa: RUF001
        pytest.param(HALF + Fraction(1, 10**40), "100 % − 5.0e-3", id="above-half-by-less-than-float-precision"),  # noqa: RUF001
        pytest.param(HALF + Fraction(1, 10**9), "99.99 %", id="above-half"),
        pytest.param(Fraction(4, 100_000), "100 % − 4.0e-3", id="99.996"),  # noqa: RUF001
        pytest.param(Fraction(1, 10_000), "99.99 %", id="99.99"),
        pytest.param(1 - Fraction(4, 100_000), "0.00 %", id="0.004"),
        pytest.param(Fraction(1), "0.00 %", id="0"),
        pytest.param(Fraction(2), "-100.00 %", id="worst"),
        pytest.param(Fraction(1, 2**4_000_000), "100 % − 1.0e-1204118", id="too-small-for-the-default-decimals"),  # noqa: RUF001
    ],
)
def test_exact_text(gap, text):
    assert exact_text([as_decimal(gap)]) == text


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        pytest.param(Fraction(0), "100 %", id="best"),
        pytest.param(Fraction(14, 10**21), "> 99.99 %", id="nearer-than-float-precision"),
        pytest.param(HALF, "> 99.99 %", id="rounds-to-100"),
        pytest.param(Fraction(1, 10_000), "99.99 %", id="99.99"),
        pytest.param(math.nan, "not defined", id="not-defined"),
    ],
)
def test_no_number_on_screen_has_a_power_of_ten(gap, text):
    assert screen_text(exact_text([as_decimal(gap)])) == text


@given(st.floats(-1, 1).filter(bool))
def test_a_difference_is_never_shown_as_0_or_as_a_power_of_ten(difference):
    written = points_text(difference)
    assert ("-" in written, "+" in written) == (difference < 0, difference > 0)
    assert "e" not in written
    assert float(written.lstrip("<> ")) != 0


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
def test_only_the_best_value_is_shown_as_100_percent(gaps):
    text, mean = exact_text(map(as_decimal, gaps)), sum(gaps) / len(gaps)
    assert (text in ("100 %", "100.00 %")) == (mean == 0)
    if distance := re.fullmatch(r"100 % − (\d\.\de-\d+)", text):  # noqa: RUF001
        assert abs(Fraction(distance[1]) / 100 - mean) <= mean / 20
        assert mean < HALF * 101 / 100
    elif mean:
        assert abs(Fraction(text.removesuffix(" %")) / 100 - (1 - mean)) <= HALF * 101 / 100


@FIXED
@given(st.floats(0, 1))
def test_a_probability_is_never_rounded_up(chance):
    text = chance_text(chance)
    assert (text == "100 %") == (chance == 1)
    if text != "under 1 %":
        percent = float(text.removesuffix(" %"))
        assert percent <= 100 * chance + 1e-9
        assert percent > 100 * chance - 1.001


@pytest.mark.parametrize("text", ["www.evil.com", "WWW.evil.com", "http://evil.com", "https://evil.com", "me@evil.com"])
def test_plain_text_makes_no_link(text):
    written = escape(text).replace("\\", "")
    assert not re.search(r"https?://|www\.|\w@", written, re.IGNORECASE)
    assert written.replace("\N{WORD JOINER}", "") == text


@pytest.mark.parametrize(
    "text", [":smile:", ":+1:", ":material/delete:", ":streamlit:", "a -> b", "a <- b", "a -- b", ">=", "<="]
)
def test_plain_text_makes_no_icon_and_no_arrow(text):
    written = escape(text).replace("\\", "")
    assert not re.search(r":[\w/]+:|->|<-|--|>=|<=", written)
    assert written.replace("\N{WORD JOINER}", "") == text


def test_times_stay_as_they_are():
    assert escape("2026-11-16 09:05 UTC") == "2026-11-16 09:05 UTC".replace(":", "\\:")
