"""Muted and boosted terms: which texts contain them, and their effect on scores."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import Hints, Paper
from presort.ranker.gather import boost_scores
from presort.ranker.hints import TermIndex, has, remove_terms
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES
from tests.ranker.worlds import SUBJECTS, listed_scores, make_history, with_tokens

ALL = [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()]
REPORTS = list(SUBJECTS)
WORDS = ["rates", "Interest", "of", "the", "trust", "Économie", "x", "7", "œuvre"]
PAPER = Paper(
    "p1",
    "Rates of interest in C++",
    "L'Économie naïve: a rate-setting (new) game, 3 x 2. Was it fair?",
    ("Zoë Núñez", "Ada Low", "Bo Ek", "Ek, Cy"),
    ("E51", "L1 G12"),
    "Rates papers",
)


def same(found, expected):
    """Compare scores.

    Networks round to six decimals, and sum in a different order if other papers are scored with them.
    """
    assert found.keys() == expected.keys()
    for key, scores in found.items():
        np.testing.assert_allclose(scores, expected[key], rtol=0, atol=2e-6)


def scores_of(recipe, history, hints=None):
    return listed_scores(rank_block(recipe, history, 4, 6, REPORTS, hints=hints or {}))


@cache
def plain_scores(name):
    """Score without hints."""
    return scores_of(RECIPES[name], make_history())


@pytest.mark.parametrize(
    ("term", "is_there"),
    [
        pytest.param("interest", True, id="word"),
        pytest.param("RATES", True, id="case"),
        pytest.param("naive", True, id="accent-in-the-text"),
        pytest.param("économie", True, id="accents-in-both"),
        pytest.param("interest rates", False, id="words-in-another-order"),
        pytest.param("rates of interest", True, id="phrase-as-written"),
        pytest.param("rates interest", True, id="stop-word-between"),
        pytest.param("game fair", True, id="digits-letters-and-stop-words-between"),
        pytest.param("rates new", False, id="read-words-between"),
        pytest.param("rate setting", True, id="hyphen-between"),
        pytest.param("rat", False, id="part-of-a-word"),
        pytest.param("c++", True, id="plus-is-plain-text"),
        pytest.param("(new)", True, id="brackets-are-plain-text"),
        pytest.param("(", False, id="lone-bracket"),
        pytest.param("rat.s", False, id="dot-is-plain-text"),
        pytest.param(r"\w+", False, id="pattern-is-plain-text"),
        pytest.param("interest l'économie", False, id="title-and-abstract-are-separate"),
        pytest.param("zoe nunez", True, id="author"),
        pytest.param("nunez", False, id="part-of-an-author"),
        pytest.param("bo ek", True, id="one-of-several-authors"),
        pytest.param("ek, cy", True, id="author-family-name-first"),
        pytest.param("e51", True, id="code"),
        pytest.param("E5", True, id="group-of-codes"),
        pytest.param("51", False, id="end-of-a-code"),
        pytest.param("g1", True, id="one-of-several-codes-in-a-string"),
        pytest.param("papers", False, id="series-is-not-searched"),
        pytest.param("\u00b4", False, id="an-accent-alone"),
    ],
)
def test_occurrences_of_a_term(term, is_there):
    assert has(PAPER, term) is is_there
    assert (remove_terms(PAPER, [term]) == PAPER) is not is_there


@pytest.mark.parametrize(
    ("paper", "terms", "expected"),
    [
        pytest.param(PAPER, ["gnu", "ü"], PAPER, id="no-occurrence-no-change"),
        pytest.param(Paper("p", "Old money", "OLD"), ["old"], Paper("p", "  money", " "), id="everywhere"),
        pytest.param(Paper("p", "a b", "Été b"), ["a", "b"], Paper("p", "   ", "été  "), id="several-terms"),
        pytest.param(
            Paper("p", "t", authors=("Ada Low", "Ek, Bo", "Cy Dee")),
            ["bo ek"],
            Paper("p", "t", authors=("Ada Low", "Cy Dee")),
            id="author",
        ),
        pytest.param(
            Paper("p", "t", codes=("E51 L1", "G1")), ["e5"], Paper("p", "t", codes=("L1", "G1")), id="group-of-codes"
        ),
    ],
)
def test_papers_without_their_terms(paper, terms, expected):
    assert remove_terms(paper, terms) == expected


TERMS = [
    "rates",
    "rates interest",
    "INTEREST of",
    "trust",
    "économie",
    "c++",
    "(new)",
    "(",
    "\u00b4",
    "zoe nunez",
    "e5",
]
PAPERS = st.builds(
    Paper,
    st.just("p"),
    st.lists(st.sampled_from([*WORDS, "C++", "(new)", "L'Économie"]), max_size=6).map(" ".join),
    st.lists(st.sampled_from([*WORDS, "rate-setting", "interests"]), max_size=6).map(", ".join),
    st.sampled_from([(), ("Zoë Núñez",), ("Ada Low, Zoe Nunez",)]),
    st.sampled_from([(), ("E51",), ("L1 E5",), ("51",)]),
)


@given(st.lists(PAPERS, max_size=6), st.sampled_from(TERMS))
def test_looked_up_papers_are_those_that_change_without_the_term(papers, term):
    slowly = [place for place, paper in enumerate(papers) if remove_terms(paper, [term]) != paper]
    assert TermIndex(papers).find(term) == slowly
    assert [place for place, paper in enumerate(papers) if has(paper, term)] == slowly


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from(WORDS))
def test_without_a_word_is_the_text_without_it(words, muted):
    left = remove_terms(Paper("p", "Title", " ".join(words)), [muted])
    assert left.abstract.lower().split() == [word.lower() for word in words if word.lower() != muted.lower()]
    assert not has(left, muted)


@pytest.mark.parametrize("between", ["a ", "7 ", "the ", "12 ", "a 7 i "])
def test_long_runs_of_ignored_words_are_searched_quickly(between):
    assert not has(Paper("p", f"rates {between * 2_000}gnu"), "rates interest")


@pytest.mark.parametrize("recipe", ALL)
@pytest.mark.parametrize("kept", [lambda history: history, with_tokens], ids=["no-tokens", "kept-tokens"])
def test_a_muted_term_has_the_effect_of_its_absence(recipe, kept):
    history = make_history()
    start = history.starts[4]
    past = [replace(paper, abstract=f"{paper.abstract} théorie éclair") for paper in history.papers[:start]]
    new = [replace(paper, title=f"Théorie Éclair {paper.title}") for paper in history.papers[start:]]
    without_word = [
        replace(
            paper,
            title=" ".join(word for word in paper.title.split() if word not in ("tariff", "Théorie")),
            abstract=" ".join(word for word in paper.abstract.split() if word not in ("tariff", "Théorie")),
            authors=tuple(author for author in paper.authors if author != "Trade Writer1"),
            codes=tuple(code for code in paper.codes if code != "t2"),
        )
        for paper in new
    ]
    hints = {"trade": Hints(muted=("tariff", "theorie", "trade writer1", "T2"))}
    history = replace(history, papers=[*past, *new])
    plain = scores_of(recipe, kept(history))
    edited = scores_of(recipe, kept(replace(history, papers=[*past, *without_word])))
    expected = {key: edited[key] if key[0] == "trade" else plain[key] for key in plain}
    same(scores_of(recipe, kept(history), hints), expected)
    assert expected["trade", 4] != plain["trade", 4]


@pytest.mark.parametrize("recipe", ALL)
def test_muted_terms_move_the_scores_of_their_papers_and_their_report_alone(recipe):
    history = make_history()
    plain = plain_scores(recipe.name)
    muted = scores_of(recipe, history, {"work": Hints(muted=("wage", "strike"))})
    new = history.papers[history.starts[4] :]
    moved = np.concatenate([np.array(muted["work", issue]) - plain["work", issue] for issue in (4, 5)])
    has_one = np.array([has(paper, "wage") or has(paper, "strike") for paper in new])
    assert (np.abs(moved[~has_one]) < 2e-6).all()
    assert (np.abs(moved[has_one]) > 1e-5).any()
    same({key: muted[key] for key in muted if key[0] != "work"}, {key: plain[key] for key in plain if key[0] != "work"})


@pytest.mark.parametrize("recipe", ALL)
def test_each_report_has_its_own_hints(recipe):
    history = make_history()
    hints = {
        "work": Hints(muted=("wage",)),
        "health": Hints(),
        "trade": Hints(("tariff", "quota"), ("we show", "port")),
    }
    together = scores_of(recipe, history, hints)
    for report in REPORTS:
        alone = scores_of(recipe, history, {report: hints[report]})
        same(*({key: scores for key, scores in one.items() if key[0] == report} for one in (together, alone)))


@pytest.mark.parametrize("recipe", ALL)
def test_a_boosted_term_raises_scores_by_a_standard_deviation(recipe):
    history = make_history()
    hints = {"work": Hints(boosted=("Hospital", "health writer1"))}
    plain, boosted = plain_scores(recipe.name), scores_of(recipe, history, hints)
    expected = {key: scores for key, scores in plain.items() if key[0] != "work"}
    of_work = np.concatenate([plain["work", issue] for issue in (4, 5)])
    n_lifted = 0
    for issue in (4, 5):
        papers = history.papers[history.starts[issue] : history.starts[issue + 1]]
        lifts = [
            ("hospital" in f"{paper.title} {paper.abstract}") + ("Health Writer1" in paper.authors) for paper in papers
        ]
        n_lifted += sum(lifts)
        expected["work", issue] = plain["work", issue] + of_work.std() * np.array(lifts)
    same(boosted, expected)
    assert n_lifted > 2


def test_a_term_may_be_muted_and_another_boosted_at_once():
    history = make_history()
    muted, both = (
        scores_of(RECIPES["arxiv-sanity"], history, {"work": Hints(muted=("wage",), boosted=boosted)})
        for boosted in ((), ("strike",))
    )
    lift = np.concatenate([muted["work", issue] for issue in (4, 5)]).std()
    for issue in (4, 5):
        papers = history.papers[history.starts[issue] : history.starts[issue + 1]]
        expected = muted["work", issue] + lift * np.array([has(paper, "strike") for paper in papers])
        np.testing.assert_allclose(both["work", issue], expected)


@pytest.mark.parametrize("kind", ["muted", "boosted"])
def test_terms_that_occur_nowhere_have_no_effect(kind):
    hints = {"trade": Hints(**{kind: ("c++", "(", "[a-", "\\", "*", "\u00b4", "gnu")})}
    same(scores_of(RECIPES["presort-1"], make_history(), hints), plain_scores("presort-1"))


def test_equal_scores_cannot_be_lifted():
    papers = [Paper("a", "gnu"), Paper("b", "ox")]
    assert boost_scores(np.ones(2), TermIndex(papers), ["gnu"]).tolist() == [1, 1]


@pytest.mark.parametrize("recipe", ALL)
def test_hints_of_a_report_with_too_few_decisions_have_no_effect(recipe):
    history = replace(make_history(), relevant={})
    hints = {"trade": Hints(muted=("tariff",), boosted=("export",))}
    ranked = list(rank_block(recipe, history, 4, 5, ["trade"], hints=hints))
    assert [(one.order.tolist(), len(one.scores)) for one in ranked] == [(list(range(20)), 0)]


@pytest.mark.parametrize("recipe", ALL)
def test_papers_without_any_remaining_text_are_ranked_too(recipe):
    history = make_history()
    papers = [*history.papers[:80], *(Paper(f"n{number}", "Tariff") for number in range(20))]
    history = replace(history, papers=[*papers, *history.papers[100:]])
    [one] = rank_block(recipe, history, 4, 5, ["trade"], hints={"trade": Hints(muted=("tariff",))})
    assert one.order.tolist() == list(range(20))
    assert np.isfinite(one.scores).all()
