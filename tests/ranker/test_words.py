"""Highlighted words of a report: their choice and spelling, and what must not affect them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from presort.data.records import Hints, Paper
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES
from presort.ranker.words import MOST, OF_A_RELEVANT_PAPER, terms_of_issue
from tests.ranker.worlds import SUBJECTS, make_history, with_tokens

ALL = [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()]
REPORTS = list(SUBJECTS)


def words_of_reports(recipe, history, first=4, last=5, **options):
    return {one.report: one.words for one in rank_block(recipe, history, first, last, REPORTS, **options)}


def words_from(texts, weights, n_relevant=99):
    """Return the words of papers with these titles, for terms with these weights."""
    has = [[set(term.split()) <= set(re.findall(r"\w+", text.lower())) for term in weights] for text in texts]
    papers = [Paper(f"p{number}", text) for number, text in enumerate(texts)]
    terms = terms_of_issue(papers, csr_array(np.array(has, dtype=float)), lambda some: [list(weights)[i] for i in some])
    return terms.words(np.array(list(weights.values()))[terms.columns], n_relevant)


@pytest.mark.parametrize("kept", [lambda history: history, with_tokens], ids=["no-tokens", "kept-tokens"])
@pytest.mark.parametrize("recipe", ALL)
def test_words_belong_to_the_report_and_occur_in_the_issue(recipe, kept):
    history = kept(make_history())
    texts = [text for paper in history.papers[80:100] for text in (paper.title, paper.abstract)]
    for report, words in words_of_reports(recipe, history).items():
        assert 5 <= len(words) <= MOST
        assert set(words[:5]) <= set(SUBJECTS[report])
        assert not {"writer1", "ann", "other", "working", "papers"} & {part for word in words for part in word.split()}
        assert all(any(f" {word} " in f" {text} " for text in texts) for word in words)


@pytest.mark.parametrize("recipe", ALL)
def test_words_of_issues_ranked_together_occur_in_one_of_them(recipe):
    history = make_history(n_papers=10)
    text = " ".join(f"{paper.title} {paper.abstract}" for paper in history.papers[40:60])
    ranked = list(rank_block(recipe, history, 4, 6, REPORTS))
    assert all(word in text for one in ranked for word in one.words)
    for report in REPORTS:
        first, second = (one.words for one in ranked if one.report == report)
        assert first == second != ()


@pytest.mark.parametrize("recipe", ALL)
def test_a_muted_term_is_no_word_of_its_report_only(recipe):
    history = make_history()
    plain = words_of_reports(recipe, history)
    muted = plain["trade"][0]
    hinted = words_of_reports(recipe, history, hints={"trade": Hints(muted=(muted,)), "health": Hints(boosted=("we",))})
    assert hinted["trade"] == tuple(word for word in plain["trade"] if muted not in word.split())
    assert muted not in hinted["trade"]
    assert (hinted["health"], hinted["work"]) == (plain["health"], plain["work"])


@pytest.mark.parametrize("recipe", ALL)
def test_a_report_with_little_training_data_has_few_words(recipe):
    history = make_history()
    relevant = {"trade": history.relevant["trade"][:1], "health": history.relevant["health"][:2]}
    words = words_of_reports(recipe, replace(history, relevant=history.relevant | relevant))
    assert words["trade"] == ()
    assert 1 <= len(words["health"]) <= 2 * OF_A_RELEVANT_PAPER
    assert len(words["work"]) > 2 * OF_A_RELEVANT_PAPER


@pytest.mark.parametrize("recipe", ALL)
def test_words_do_not_depend_on_the_other_requested_reports(recipe):
    history = make_history()
    [alone] = rank_block(recipe, history, 4, 5, ["health"])
    assert alone.words == words_of_reports(recipe, history)["health"]


@pytest.mark.parametrize("recipe", ALL)
def test_papers_without_words_give_no_words(recipe):
    history = make_history()
    silent = [replace(paper, title="", abstract="", authors=(f"Ann {paper.title}",)) for paper in history.papers]
    assert set(words_of_reports(recipe, replace(history, papers=silent)).values()) == {()}
    empty = replace(history, starts=np.append(history.starts, history.starts[-1]), issues=[*history.issues] * 2)
    assert set(words_of_reports(recipe, empty, 6, 7).values()) == {()}


@pytest.mark.parametrize(
    ("texts", "term", "expected"),
    [
        pytest.param(["The Value of Trust"], "value trust", "value of trust", id="stop-word-between"),
        pytest.param(["A cyber-physical  system"], "cyber physical", "cyber-physical", id="hyphen"),
        pytest.param(["Nash   equilibrium\tagain"], "nash equilibrium", "nash equilibrium", id="wide-space"),
        pytest.param(["Value-at-risk", "Value at risk", "A value at risk"], "value risk", "value at risk", id="usual"),
        pytest.param(["We control. Power is all"], "control power", None, id="two-sentences"),
        pytest.param(["Control, power"], "control power", None, id="comma"),
        pytest.param(["Control. Power", "Control power"], "control power", "control power", id="elsewhere-one-phrase"),
        pytest.param(["Naïve Bayes"], "naive bayes", "naive bayes", id="accents"),
        pytest.param(["Power and control"], "control power", None, id="other-order"),
        pytest.param(["This is what we do"], "what", None, id="stop-word"),
        pytest.param(["In 2019"], "2019", None, id="number"),
        pytest.param(["A x b"], "x", None, id="letter"),
        pytest.param([r"So \emph{we} trust"], "emph", None, id="latex"),
    ],
)
def test_spelling_of_a_term(texts, term, expected):
    papers = [Paper(f"p{number}", "", text) for number, text in enumerate(texts)]
    terms = terms_of_issue(papers, csr_array(np.ones((len(texts), 1))), lambda columns: [term])
    assert terms.words(np.ones(1), 9) == (() if expected is None else (expected,))


def test_a_phrase_adds_nothing_to_its_words():
    weights = {"old": 5.0, "old money": 4.0, "money": 3.0, "bank trust": 2.0, "trust": 1.0}
    assert words_from(["Old money, bank trust"], weights) == ("old", "old money", "money", "bank trust", "trust")
    assert words_from(["Old money, bank trust"], weights | {"money": 4.5}) == ("old", "money", "bank trust", "trust")


def test_of_two_terms_with_the_same_weight_the_rarer_comes_first():
    texts = ["money"] * 9 + ["money trust"] + ["bank"] * 90
    assert words_from(texts, {"money": 1.0, "trust": 1.0, "bank": 1.0}) == ("trust", "money", "bank")
    assert words_from(texts, {"money": 1.6, "trust": 1.0, "bank": 1.0}) == ("money", "trust", "bank")


def test_below_one_percent_rarity_makes_no_difference():
    texts = ["rare"] * 5 + ["rarer"] + ["other"] * 994
    assert words_from(texts, {"rarer": 1.0, "rare": 1.01, "other": -1.0}) == ("rare", "rarer")


@given(
    st.lists(st.text("ab. ,", max_size=8), min_size=1, max_size=6),
    st.dictionaries(st.sampled_from(["aa", "bb", "ab", "aa bb", "ab aa", "a"]), st.floats(-2, 2), min_size=1),
    st.integers(0, 3),
)
def test_words_agree_with_a_slow_reference(texts, weights, n_relevant):
    titles = [" ".join(re.findall(r"\w\w+", text)) for text in texts]
    n_having = {term: sum(f" {term} " in f" {title} " for title in titles) for term in weights}
    matrix = np.array([[float(f" {term} " in f" {title} ") for term in weights] for title in titles])
    names = list(weights)
    terms = terms_of_issue(
        [Paper(f"p{number}", title) for number, title in enumerate(titles)],
        csr_array(matrix),
        lambda columns: [names[column] for column in columns],
    )
    worth = {
        term: weight * (np.log((1 + len(titles)) / (1 + max(n_having[term], 0.01 * len(titles)))) + 1)
        for term, weight in weights.items()
        if n_having[term]
    }
    expected = []
    for term in sorted(worth, key=lambda term: -worth[term]):
        if worth[term] > 0 and not all(part in expected for part in term.split()):
            expected.append(term)
    assert terms.words(np.array(list(weights.values()))[terms.columns], n_relevant) == tuple(expected[: 3 * n_relevant])
