"""Texts in other languages than English: words, stop words, and reports trained on them."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from presort.data.records import History, Paper
from presort.ranker.hints import has, remove_terms
from presort.ranker.text import remove_stop_words
from presort.ranker.tokens import tokenise, words_of
from presort.ranker.train import rank_block
from presort.ranker.versions import RECIPES
from presort.ranker.words import terms_of_issue
from tests.ranker.worlds import as_rows, make_issues

RUSSIAN = {
    "trade": ["тариф", "экспорт", "импорт", "таможня", "граница", "перевозка", "квота", "порт"],
    "health": ["больница", "медсестра", "пациент", "болезнь", "вакцина", "врач", "операция", "клиника"],
    "plain": ["и", "на", "что", "это", "как", "мы", "показываем", "новые", "данные", "теория", "влияние", "многие"],
    "between": [" "],
}
CHINESE = {
    "trade": ["关税", "出口", "进口", "海关", "边境", "航运", "配额", "港口"],
    "health": ["医院", "护士", "病人", "疾病", "疫苗", "医生", "手术", "诊所"],
    "plain": ["我们", "研究", "数据", "理论", "影响", "方法", "结果", "分析"],
    "between": ["", "的", "与", ""],
}
WORLDS = [pytest.param(RUSSIAN, id="cyrillic"), pytest.param(CHINESE, id="chinese")]


def make_history(world, n_issues=6, n_papers=20) -> History:
    rng = random.Random(0)
    subjects = [rng.choice(["trade", "health", "health"]) for _ in range(n_issues * n_papers)]
    papers = []
    for number, subject in enumerate(subjects):
        words = rng.choices(world[subject], k=5) + rng.choices(world["plain"], k=9)
        rng.shuffle(words)
        text = "".join(word + rng.choice(world["between"]) for word in words)
        papers.append(Paper(f"p{number}", text[: len(text) // 3], text[len(text) // 3 :]))
    relevant = {"trade": as_rows(*(row for row, subject in enumerate(subjects) if subject == "trade"))}
    return History(make_issues(n_issues), np.arange(0, len(papers) + 1, n_papers), papers, relevant)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("recipe", [pytest.param(recipe, id=name) for name, recipe in RECIPES.items()])
def test_a_report_is_sorted_better_than_by_list_order(recipe, world):
    history = make_history(world)
    for ranked in rank_block(recipe, history, 4, 6, ["trade"]):
        start = history.starts[ranked.issue_index]
        is_relevant = np.isin(np.arange(start, start + 20), history.relevant["trade"])
        n_relevant = int(is_relevant.sum())
        assert is_relevant[ranked.order][:n_relevant].mean() >= 0.8 > is_relevant[:n_relevant].mean() + 0.1
        assert ranked.words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Экономика труда", "экономика труда", id="cyrillic"),
        pytest.param("Мы нашли, что это не так, и для них тоже", "нашли", id="russian-stop-words"),
        pytest.param("Der Lohn ist nicht das, was die Firma zahlt", "lohn firma zahlt", id="german-stop-words"),
        pytest.param("Les salaires dans les villes et pour nous", "salaires villes", id="french-stop-words"),
        pytest.param("Cells die out", "cells die", id="a-foreign-stop-word-in-english"),
        pytest.param("Las Vegas casinos", "las vegas casinos", id="one-stop-word-determines-no-language"),
        pytest.param("经济学, 学", "经济 济学", id="chinese"),
        pytest.param("GDP增长 of 中国", "gdp 增长 中国", id="chinese-and-latin"),
        pytest.param("賃金カーブ", "賃金 金カ カー ーブ", id="japanese"),
        pytest.param("한국 경제는", "한국 경제 제는", id="korean"),
        pytest.param("Μισθοί", "μισθοι", id="greek"),
        pytest.param("अर्थशास्त्र में", "अर्थशास्त्र में", id="hindi"),
        pytest.param("Großer Łódź", "großer łodz", id="letters-beyond-a-to-z"),
        pytest.param("мойка учёт", "мойка учет", id="special-letters"),
    ],
)
def test_words(text, expected):
    assert words_of(text) == expected.split()


def test_the_language_is_that_of_the_whole_paper():
    """A title alone has too few words."""
    made = tokenise(Paper("p", "Lohn nach Alter", "Wir fragen, ob die Firma das nicht auch so will."))
    assert list(made.title) == ["lohn", "alter"]


@given(st.lists(st.sampled_from(["the", "of", "wages", "die", "und", "на", "не", "что"]), max_size=8))
def test_english_stop_words_are_always_left_out(words):
    assert not {"the", "of"} & set(remove_stop_words(words)[0])


def test_terms_in_any_script_can_be_muted():
    paper = Paper("p", "中国经济增长GDP研究", "Рост экономики")
    assert [has(paper, term) for term in ("经济", "gdp", "экономики", "эконом", "济研")] == [True] * 3 + [False] * 2
    assert "经济" not in tokenise(remove_terms(paper, ["经济"])).title


def test_highlighted_words_have_their_original_spelling():
    papers = [Paper("p", "中国经济学与мой рост")]
    terms = terms_of_issue(papers, csr_array(np.ones((1, 3))), lambda columns: ["经济 济学", "мой рост", "рост"])
    assert terms.words(np.array([3.0, 2.0, 1.0]), 9) == ("经济学", "мой рост", "рост")
