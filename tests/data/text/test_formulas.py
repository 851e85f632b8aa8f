"""Formulas in texts are found, and amounts in dollars are not taken for formulas."""

import pytest

from presort.data.text.formulas import LONGEST, formulas, formulas_to_unicode


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("A $\\frac{3}{2}$-Approximation", ["\\frac{3}{2}"]),
        ("AC$^0[\\oplus]$ and $k$-means", ["^0[\\oplus]", "k"]),
        ("$$x + y$$ or \\(a\\) or \\[b\\]", ["x + y", "a", "b"]),
        ("\\$5 for $n$ papers", ["n"]),
        ("$2n$ of $5$", ["2n", "5"]),
        ("costs of $5 and $10", []),
        ("between $5 and 10 US$ a day", []),
        ("$15/hour, $1.9/day and PPP$ more", []),
        ("$5 million, A$3 and $", []),
        ("one $ alone, \\( open", []),
        (f"${'x' * (LONGEST + 1)}$", []),
        ("$" * 2_000, []),
    ],
)
def test_formulas_are_found_and_dollars_are_left(text, latex):
    found = formulas(text)
    assert [one.latex for one in found] == latex
    assert all(one.latex in text[one.start : one.end] for one in found)


def test_a_formula_that_cannot_be_read_is_spelled_out_somehow():
    assert formulas_to_unicode("A $\\frac{1$ and $x^2$.").endswith(" and x^2.")
    assert formulas_to_unicode("costs of $5 & more") == "costs of $5 & more"


@pytest.mark.parametrize(
    "latex", ["\\sqrt[3", "\\href{x}", "\\begin{pmatrix}\\end{pmatrix}", "\\begin{array}{^\\title {"]
)
def test_a_formula_that_breaks_its_reader_is_left_as_it_is_written(latex):
    assert formulas_to_unicode(f"A bound of ${latex}$, and $x^2$.") == f"A bound of {latex}, and x^2."
