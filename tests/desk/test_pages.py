"""Each page as `AppTest` sees it: empty, normal, and with something wrong outside the program."""

from datetime import date
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data import catalogue, rankings, reviews
from data.publish import publish
from data.records import Decision, ListedPaper, Paper, Report
from desk import cache, evaluation, settings, workflow
from metrics import MEASURES, Outcome, score
from ranker.versions import DEFAULT, RECIPES

APP = str(Path(__file__).parents[2] / "app.py")


def review_page():
    from desk.pages import review

    review.show()


def quality_page():
    from desk.pages import quality

    quality.show()


def measures_page():
    from desk.pages import measures

    measures.show()


@pytest.fixture(autouse=True)
def no_cache():
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def open_page(monkeypatch):
    """Run a page, or the whole app, on a workspace."""

    def run(page, store, **query):
        monkeypatch.setenv(settings.WORKSPACE, str(store.path.parent))
        test = AppTest.from_file(page) if isinstance(page, str) else AppTest.from_function(page)
        for name, value in query.items():
            test.query_params[name] = str(value)
        return test.run(timeout=30)

    return run


@pytest.fixture
def ranked(store):
    list(workflow.rank(store, [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]], reports=["lab", "mac"]))
    return store


def titles(page, n):
    """The first titles of the list: the texts of a row are place, bar, title, authors, details."""
    texts = [text.value for text in page.text]
    return [texts[texts.index(str(place)) + 2] for place in range(1, n + 1)]


def word_boxes(page):
    return [box for box in page.button_group if box.key.startswith("word-")]


def test_the_app_starts_on_review(ranked, open_page):
    page = open_page(APP, ranked)
    assert not page.exception
    assert [title.value for title in page.title] == ["Review"]


def test_the_app_says_demo_only_on_the_demo(ranked, open_page):
    assert not any("made up" in mark.value for mark in open_page(APP, ranked).markdown)
    catalogue.set_setting(ranked, "demo", "3")
    assert any("made up" in mark.value for mark in open_page(APP, ranked).markdown)


def test_a_workspace_that_cannot_be_opened_is_one_line(monkeypatch, tmp_path):
    (tmp_path / "presort.db").write_bytes(b"not a database, not a database, not a database" * 99)
    monkeypatch.setenv(settings.WORKSPACE, str(tmp_path))
    page = AppTest.from_file(APP).run(timeout=30)
    assert not page.exception
    assert "is not a Presort database" in page.error[0].value


def test_review_without_issues_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(review_page, empty_store).info[0].value


def test_review_without_reports_says_what_to_do(empty_store, open_page):
    publish(empty_store, [ListedPaper(Paper("a", "A title"), date(2026, 1, 5))], person="import")
    assert "presort reports add" in open_page(review_page, empty_store).info[0].value


def test_review_shows_the_list_as_ranked(ranked, newest, open_page):
    list(workflow.rank(ranked, [RECIPES[DEFAULT]], reports=["mac"]))
    page = open_page(review_page, ranked, report="mac")
    assert not page.exception
    shown = rankings.newest_rankings(ranked, "mac", newest)[DEFAULT].ranking
    papers = catalogue.papers(ranked, newest)
    assert titles(page, 5) == [papers[p - 1].title for p in shown.positions[:5].tolist()]


def test_review_shows_the_original_order_a_click_away(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    (order,) = [box for box in page.button_group if box.key.startswith("order-")]
    order.set_value("as received").run()
    texts = [text.value for text in page.text]
    papers = catalogue.papers(ranked, newest)
    assert [texts[texts.index(str(place)) + 1] for place in range(1, 6)] == [paper.title for paper in papers[:5]]


def test_review_saves_a_decision_at_once_and_takes_it_back(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    box = word_boxes(page)[2]
    paper_id = box.key.removeprefix(f"word-lab-{newest}-")
    for word in ("yes", "maybe", "no"):
        box.set_value(word).run()
        assert reviews.words(ranked, "lab", newest) == {paper_id: word}
    box.set_value(None).run()
    assert reviews.words(ranked, "lab", newest) == {}
    assert not page.exception


def test_review_shows_what_somebody_else_saved(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    papers = catalogue.papers(ranked, newest)
    reviews.decide(ranked, [by_somebody_else("lab", newest, papers[0].paper_id)])
    page.run()
    assert any("1 relevant · 0 maybe" in caption.value for caption in page.caption)


def by_somebody_else(report, issue, paper_id):
    return Decision(report, issue, paper_id, "yes", "somebody else")


def test_review_says_when_a_decision_was_not_saved(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    workflow.issue_report(ranked, "lab", newest, None, person="somebody else")
    word_boxes(page)[0].set_value("yes").run()
    assert "Not saved: lab" in page.error[0].value
    assert reviews.words(ranked, "lab", newest) == {}


def test_review_issues_the_report_once(ranked, newest, open_page):
    page = open_page(review_page, ranked, report="lab")
    word_boxes(page)[1].set_value("yes").run()
    page.button(key="issue-it").click().run()
    assert not page.exception
    assert "lab 2026-11-16 was issued with 1 paper." in page.success[0].value
    assert "Your last relevant paper stood at 2 of" in page.success[0].value
    assert all(box.disabled for box in word_boxes(page))
    assert reviews.issued(ranked, "lab")[newest].ranking_id is not None


def test_review_offers_to_sort_an_issue_that_is_not(store, newest, open_page):
    page = open_page(review_page, store, report="env")
    assert "not sorted" in page.info[0].value
    page.button[0].click().run(timeout=60)
    assert not page.exception
    assert list(rankings.newest_rankings(store, "env", newest)) == [DEFAULT]


def test_review_says_when_there_was_too_little_to_learn_from(store, newest, open_page):
    catalogue.add_reports(store, [Report("new", "A new report")])
    list(workflow.rank(store, [RECIPES["arxiv-sanity"]], reports=["new"]))
    assert "too few to learn from" in open_page(review_page, store, report="new").info[0].value


def test_quality_of_nothing_says_what_to_do(ranked, open_page):
    page = open_page(quality_page, ranked, report="mac")
    assert "presort replay" in page.info[0].value


def test_quality_without_reports_says_what_to_do(empty_store, open_page):
    assert "presort import" in open_page(quality_page, empty_store).info[0].value


@pytest.mark.parametrize("measure", evaluation.MEASURED)
def test_quality_draws_every_measure(replayed, open_page, measure):
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    assert not page.exception
    table = page.dataframe[0].value
    assert len(table) == 2 * table["issue"].nunique() > 0


@pytest.fixture
def replayed(store):
    days = [issue.date for issue in catalogue.issues(store)]
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]]
    list(workflow.replay(store, recipes, first=days[3], last=days[-2], retrain_every=9, reports=["lab"]))
    return store


@pytest.mark.parametrize("measure", ["copnori", "ponori"])
def test_quality_never_rounds_to_a_false_100_percent(replayed, open_page, measure):
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    for row in page.dataframe[0].value.itertuples():
        assert row.shown.endswith("%") or row.shown.startswith("100 % ")
        assert (row.shown == "100 %") == (row.last_relevant_position == row.n_relevant)


def with_best_orders(store):
    """What `evaluation.scores` gives, had every paper found its place."""
    table = evaluation.scores(store, report="lab")
    best = [Outcome(range(1, r + 1), n) for r, n in zip(table["n_relevant"], table["n_papers"], strict=True)]
    return table.assign(outcome=best, **{name: score(best)[name] for name in ("copnori", "nosel")})


@pytest.mark.parametrize(("measure", "n_charts"), [("copnori", 0), ("nosel", 1)])
def test_quality_of_best_orders_only_has_no_distance_to_draw(replayed, open_page, monkeypatch, measure, n_charts):
    table = with_best_orders(replayed)
    monkeypatch.setattr(cache, "scores", lambda report, replay: table)
    page = open_page(quality_page, replayed, report="lab", measure=measure)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == n_charts
    captions = " ".join(caption.value for caption in page.caption)
    assert (f"{len(table)} of {len(table)} are the best possible order" in captions) == (not n_charts)
    assert set(page.dataframe[0].value["shown"]) == {"100 %" if measure == "copnori" else "1.0000"}


def test_quality_counts_issues_in_which_everything_was_selected(replayed, open_page, monkeypatch):
    table = evaluation.scores(replayed, report="lab").assign(n_papers=lambda table: table["n_relevant"])
    monkeypatch.setattr(cache, "scores", lambda report, replay: table)
    page = open_page(quality_page, replayed, report="lab", measure="aselt")
    assert (page.dataframe[1].value["of them with everything relevant"] == len(table) / 2).all()


def test_measures_lists_every_measure(open_page, empty_store):
    page = open_page(measures_page, empty_store)
    assert page.table[0].value.index.tolist() == [measure.label for measure in MEASURES.values()]
    assert [formula.value.strip("$\n") for formula in page.latex] == [measure.formula for measure in MEASURES.values()]
    for measure, example in zip(MEASURES.values(), page.code, strict=True):
        assert example.value.endswith(f"{measure.worked} = {measure.example_value():.4g}")
