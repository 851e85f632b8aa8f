"""Search for papers by words of their titles."""

import pytest

from presort.data import catalogue
from presort.data.search import find_papers
from tests.data.workspaces import FIRST, SECOND, THIRD, make_listed, take_in

WAGES, RATES = "Minimum wages and 100% of jobs", "MINIMUM RATES: Löhne_und \\Zinsen"


@pytest.mark.each_on_both
@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("minimum", ["RePEc:c2", "b1", "a1"], id="newest-first"),
        pytest.param("wage MIN", ["b1", "a1"], id="parts-in-any-order"),
        pytest.param("wages rates", [], id="all-words-are-required"),
        pytest.param("100% of", ["b1", "a1"], id="percent-is-literal"),
        pytest.param("s_and", [], id="underscore-is-literal"),
        pytest.param("e_und \\z", ["RePEc:c2"], id="backslash-too"),
        pytest.param("Lo\u0308hne", ["RePEc:c2"], id="letters-put-together"),
        pytest.param("lohne ZINSEN", ["RePEc:c2"], id="without-accents"),
        pytest.param('wage* "jobs', ["b1", "a1"], id="nothing-is-syntax"),
        pytest.param("lee", [], id="author-names-are-not-searched"),
        pytest.param("'; DROP TABLE paper; --", [], id="not-sql"),
        pytest.param(" \n ", [], id="no-word"),
    ],
)
def test_papers_are_found_by_words_of_the_title(store, words, found):
    take_in(
        store,
        [make_listed("a1", title=WAGES), make_listed("a2", authors=("Ann Lee",), title="Other wages")],
        [make_listed("b1", SECOND, title=WAGES), make_listed("RePEc:c2", SECOND, title="Other")],
        [make_listed("x", THIRD), make_listed("RePEc:c2", THIRD, title=RATES)],
    )
    listed = find_papers(store, words, 10)
    assert [one.paper.paper_id for one in listed] == found
    assert find_papers(store, words, 1) == listed[:1]


def test_a_paper_is_found_once_with_its_newest_issue(store):
    take_in(
        store,
        [make_listed("p", title=WAGES), make_listed("q", title=WAGES)],
        [make_listed("r", SECOND, title=WAGES), make_listed("p", SECOND, title=WAGES)],
    )
    listed = find_papers(store, "wages", 10)
    assert [(one.paper.paper_id, one.issue) for one in listed] == [("r", SECOND), ("p", SECOND), ("q", FIRST)]
    assert listed[1].paper == catalogue.paper(store, "p")


@pytest.mark.parametrize("few", [0, 3])
def test_many_results_equal_few_results(store, monkeypatch, few):
    monkeypatch.setattr("presort.data.search.FEW", few)
    days = (FIRST, SECOND, THIRD)
    take_in(store, [make_listed(f"{day}{n}", day, title=WAGES) for day in days for n in "ab"])
    listed = find_papers(store, "wages", 3)
    assert [one.paper.paper_id for one in listed] == [f"{THIRD}a", f"{THIRD}b", f"{SECOND}a"]


def test_a_renamed_paper_is_found_only_by_its_new_words(store):
    take_in(store, [make_listed("RePEc:p", title=WAGES), make_listed("q", title=WAGES)])
    take_in(store, [make_listed("RePEc:p", title=RATES)])
    assert [one.paper.paper_id for one in find_papers(store, "wages", 10)] == ["q"]
    assert [one.paper.paper_id for one in find_papers(store, "rates", 10)] == ["RePEc:p"]


def test_unlisted_duplicates_are_not_found(store):
    known = make_listed("arXiv:1.1v1", title=WAGES, authors=("Ann Lee",))
    take_in(store, [known])
    assert take_in(store, [make_listed("arXiv:1.1v2", SECOND, title=WAGES), make_listed("q", SECOND)]).matched == 1
    assert [one.paper.paper_id for one in find_papers(store, "wages", 10)] == ["arXiv:1.1v1"]
