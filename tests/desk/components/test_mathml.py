"""Conversion of formulas in untrusted texts to MathML trees."""

import random

import pytest

from presort.data.records import Paper
from presort.desk.components.mathml import ATTRIBUTE, ELEMENT, VALUE, formulas_of_papers, tree_of

CLEF = "\N{MUSICAL SYMBOL G CLEF}"  # two UTF-16 units
PARTS = r"\frac \sqrt { } ^ _ x 1 \left \right ( ) \begin{matrix} \end{matrix} & \\ \text \hspace {99em} \href \color"
PARTS += rf" \over \limits ' \ % # \class \style \not \hat \operatorname \middle | \def \newcommand < > {CLEF}"


def test_a_formula_is_a_tree():
    tree = tree_of(r"\chi_1 < 2")
    inside = (("msub", {}, ("mi", {}, "\u03c7"), ("mn", {}, "1")), ("mo", {}, "<"), ("mn", {}, "2"))
    assert tree == ("math", {"display": "inline"}, ("mrow", {}, *inside))


@pytest.mark.parametrize(
    "latex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\hspace{9999em}x",
        r"\style{position:fixed}{x}",
        r"\R^d",
        r"\frac",
        "{" * 400,
    ],
)
def test_disallowed_or_invalid_formulas_have_no_tree(latex):
    assert tree_of(latex) is None


def test_any_input_gives_only_allowed_elements():
    dice = random.Random(5)
    trees = [tree_of("".join(dice.choices(PARTS.split(), k=dice.randint(1, 12)))) for _ in range(1500)]
    for tree in filter(None, trees):
        check(tree)
    assert sum(tree is not None for tree in trees) > 50


def check(tree):
    name, attributes, *inside = tree
    assert ELEMENT.fullmatch(name)
    assert all(ATTRIBUTE.fullmatch(key) and VALUE.fullmatch(value) for key, value in attributes.items())
    for one in inside:
        if not isinstance(one, str):
            check(one)


def test_places_are_counted_in_utf_16_like_in_the_browser():
    title = f"{CLEF} and $k$-means, <b> for \\(\\R\\)"
    places, trees = formulas_of_papers(
        [Paper("a", title, "No formula at $5 a day."), Paper("b", "Costs of $k$", "$n$ of $k$")]
    )
    assert places == {"a": {"title": [(7, 10)]}, "b": {"title": [(9, 12)], "abstract": [(0, 3), (7, 10)]}}
    assert list(trees) == ["$k$", "$n$"]
