"""Quality as `AppTest` sees it."""

import pytest

from data import catalogue
from desk import cache, evaluation, workflow
from metrics import Outcome, score
from ranker.versions import RECIPES


def quality_page():
    from desk.pages import quality

    quality.show()


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
