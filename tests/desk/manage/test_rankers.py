"""The *Rankers* part of *Manage*, and the rankers that *Review* then uses."""

import pytest

from presort.data.errors import RefusedError
from presort.data.running import service
from presort.desk import access
from presort.desk.service import rankers, workflow
from presort.desk.ui import reranking
from presort.ranker.versions import DEFAULT, RECIPES
from tests.desk.conftest import APP
from tests.desk.manage.managing import press


def in_use(page):
    return {metric.label: metric.value for metric in page.metric}


def test_a_choice_of_rankers_applies_from_the_next_issue_and_can_be_undone(open_manage, ranked, newest):
    page = open_manage(ranked, "rankers")
    assert (in_use(page)["In use"], in_use(page)["Shadows"], in_use(page)["By"]) == (DEFAULT, "none", "default")
    assert page.button(key="use-rankers").disabled
    page.selectbox(key="active-ranker").set_value("krichel-2007")
    page.multiselect(key="shadow-rankers").set_value([DEFAULT, "krichel-2007"]).run()
    press(page, "use-rankers")
    assert in_use(page)["In use"] == "krichel-2007"
    assert in_use(page)["Shadows"] == DEFAULT
    assert in_use(page)["Since"].endswith(str(newest))
    assert in_use(page)["By"].startswith(access.AT_DESK)
    assert reranking.queue().n_learned == 1
    assert [recipe.name for recipe in rankers.recipes_in_use(ranked)] == ["krichel-2007", DEFAULT]
    assert [recipe.name for recipe in rankers.recipes_in_use(ranked, newest)] == [DEFAULT]
    assert page.button(key="use-rankers").disabled
    press(page, "undo")
    assert [recipe.name for recipe in rankers.recipes_in_use(ranked)] == [DEFAULT]
    assert list(page.dataframe[0].value["active"]) == [DEFAULT, "krichel-2007"], "the history has both"


def test_a_ranker_of_a_newer_version_can_be_replaced(open_manage, store):
    service.set_rankers(store, "presort-9", [], person="Ann")
    with pytest.raises(RefusedError, match="presort-9"):
        rankers.recipes_in_use(store)
    page = open_manage(store, "rankers")
    assert in_use(page)["By"].startswith("Ann")
    page.selectbox(key="active-ranker").set_value(DEFAULT).run()
    press(page, "use-rankers")
    assert [recipe.name for recipe in rankers.recipes_in_use(store)] == [DEFAULT]
    assert page.dataframe[0].value["active"].to_list() == [DEFAULT, "presort-9"]


def test_a_ranker_that_reads_vectors_is_offered_if_any_are_stored(open_manage, store, request):
    page = open_manage(store, "rankers")
    assert "presort-2-vectors" not in page.selectbox(key="active-ranker").options
    request.getfixturevalue("has_vectors")
    page = open_manage(store, "rankers")
    assert page.selectbox(key="active-ranker").options == list(RECIPES)


def test_issues_are_ranked_by_the_rankers_in_use(store):
    service.set_rankers(store, "krichel-2007", ["arxiv-sanity"], person="Ann")
    steps = list(workflow.rank(store, reports=["lab"]))
    assert [step.ranker for step in steps] == ["krichel-2007", "arxiv-sanity"]


def captions(page):
    return " ".join(caption.value for caption in page.caption)


def test_review_opens_with_the_ranker_of_the_issue(open_page, ranked, newest):
    service.set_rankers(ranked, "arxiv-sanity", [], person="Ann")
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["lab"]))
    page = open_page(APP, ranked, report="lab", issue=newest)
    assert f"ranked by {DEFAULT}," in captions(page)  # when that ranker was active


def test_review_begins_with_the_active_ranker(open_page, store, newest):
    service.set_rankers(store, "arxiv-sanity", ["krichel-2007"], person="Ann")
    list(workflow.rank(store, reports=["lab"]))
    page = open_page(APP, store, report="lab", issue=newest)
    assert "ranked by arxiv-sanity," in captions(page)
