"""Ids of papers that are identified only by their words, and of papers that share an id with another paper."""

from dataclasses import replace

import pytest

from presort.data.importers.references import with_id_from_words
from presort.data.records import Paper
from tests.data.workspaces import FIRST, SECOND, contents, ids, make_listed, take_in

EDITORIAL = Paper("", "Editorial", series="Journal of Examples", date="2020-03", abstract="On wages.")
ARTICLE = Paper("", "The topology of C(X)", authors=("Ann Lee",), series="Journal of Examples", date="2016-07-29")


def listed(paper: Paper, issue=FIRST):
    return replace(make_listed("x", issue), paper=paper)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(EDITORIAL, series="Annals of Samples", abstract="On prices."), id="another-journal"),
        pytest.param(replace(EDITORIAL, date="2020-04", abstract="On prices of bread."), id="another-month"),
    ],
)
def test_editorials_with_the_same_title_are_different_papers(store, other):
    take_in(store, [listed(with_id_from_words(EDITORIAL))])
    take_in(store, [listed(with_id_from_words(other), SECOND)])
    assert len({*ids(store, FIRST), *ids(store, SECOND)}) == 2


def test_an_article_does_not_replace_its_preprint(store):
    preprint = replace(ARTICLE, series="arXiv", date="2016-03-17")
    take_in(store, [listed(with_id_from_words(preprint))])
    summary = take_in(store, [listed(with_id_from_words(ARTICLE), SECOND)])
    assert (summary.updated_papers, summary.matched) == (0, 1), "a duplicate, kept with its own text"


def test_running_numbers_of_another_week_mean_other_papers(store):
    week = [make_listed("1", title="Wages in week one", authors=("Ann Lee",))]
    take_in(store, week)
    take_in(store, [make_listed("1", SECOND, title="Trade policy and rivers", authors=("Cy Oz",))])
    (paper_id,) = ids(store, SECOND)
    assert paper_id.startswith("title:")
    before = contents(store)
    take_in(store, [make_listed("1", SECOND, title="Trade policy and rivers", authors=("Cy Oz",))])
    assert contents(store) == before
