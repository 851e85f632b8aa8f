"""Compare as `AppTest` sees it."""

import re

import pandas as pd
import pytest

from data import catalogue, service
from desk import cache, compare, evaluation, workflow
from desk.compare import PAIR, pair_up, with_distances
from desk.differences import differences, leads
from desk.words import compare as words
from desk.words import compare_figures as figure_words
from metrics import Outcome, score
from ranker.versions import RECIPES

OLD, NEW = "arxiv-sanity", "krichel-2007"


def compare_page():
    from desk.pages import compare

    compare.show()


@pytest.fixture
def replayed(store):
    days = [issue.date for issue in catalogue.issues(store)]
    list(workflow.replay(store, [RECIPES[OLD], RECIPES[NEW]], first=days[3], last=days[-2], retrain_every=9))
    return store


def test_nothing_to_compare_says_what_to_do(empty_store, open_page):
    page = open_page(compare_page, empty_store)
    assert not page.exception
    assert "presort replay" in page.info[0].value


def test_one_ranker_only_says_so(finished, open_page):
    page = open_page(compare_page, finished)
    assert not page.exception
    assert page.info[0].value.startswith("Only krichel-2007 has ranked")


def test_one_ranker_chosen_asks_for_another(replayed, open_page):
    page = open_page(compare_page, replayed, rankers=OLD)
    assert not page.exception
    assert page.info[0].value == words.CHOOSE_TWO


def test_what_stands_on_the_page_is_what_the_functions_say(replayed, open_page):
    page = open_page(compare_page, replayed, against=OLD)
    assert not page.exception
    paired = pair_up(with_distances(evaluation.scores(replayed)), [OLD, NEW])
    found = pd.concat([leads(paired, OLD), differences(paired, OLD)], ignore_index=True)
    table, points, improved = (frame.value for frame in page.dataframe)
    pd.testing.assert_frame_equal(table[found.columns], found)
    _, ratios = compare.improvements(paired, PAIR)
    counts = compare.win_tie_loss(paired, OLD).iloc[0]
    verdict = page.markdown[0].value
    assert words.share_text(max(counts["better"], counts["worse"]), len(paired.cases)) in verdict
    assert f"UIR {abs(ratios.loc[NEW, OLD]):.2f} by Nosel and Copnori" in verdict
    assert len(points) == len(paired.cases)
    assert set(improved["ranker"]) == {OLD, NEW}
    assert len(page.get("vega_lite_chart")) == 5
    assert len(page.get("download_button")) == 4


def test_span_and_reports_narrow_it_down(replayed, open_page):
    days = sorted({issue.date for issue in catalogue.issues(replayed)})
    page = open_page(compare_page, replayed, first=days[4], last=days[5], reports="lab")
    points = page.dataframe[1].value
    assert set(points["report"]) == {"lab"}
    assert set(points["issue"].dt.date) <= {days[4], days[5]}
    assert not page.exception
    assert "nothing can be told from chance" in " ".join(caption.value for caption in page.caption)


def test_the_address_brings_back_what_is_shown(replayed, open_page):
    asked = {"against": NEW, "measure": "copnori", "one": "reliability_at_30", "other": "sensitivity_at_30"}
    page = open_page(compare_page, replayed, **asked)
    assert {name: page.query_params[name] for name in asked} == asked
    assert "by Reliability of the first 30 and Sensitivity of the first 30" in page.markdown[0].value


def test_a_report_issue_that_is_picked_is_opened(replayed, open_page):
    point = open_page(compare_page, replayed).dataframe[1].value.iloc[0]
    page = open_page(compare_page, replayed, picked=point["at"])
    assert not page.exception
    assert any(one.value.startswith(f"**{point['report']} · {point['issue']:%Y-%m-%d}") for one in page.markdown)
    assert len(page.get("vega_lite_chart")) == 6
    assert len(page.get("page_link")) == 1


@pytest.fixture
def open_with(monkeypatch, open_page, replayed):
    """Open the page on other scores than those of the workspace."""

    def run(change, **query):
        table = change(evaluation.scores(replayed))
        monkeypatch.setattr(cache, "all_scores", lambda replay: table)
        return open_page(compare_page, replayed, **query)

    return run


def with_outcomes(table, outcomes):
    sizes = {"n_papers": [each.n for each in outcomes], "n_relevant": [each.r for each in outcomes]}
    scores = score(outcomes)
    return table.assign(outcome=outcomes, **sizes, **{name: scores[name] for name in scores})


def test_equal_outcomes_leave_nothing_to_choose(replayed, open_with):
    first = evaluation.scores(replayed).iloc[0]
    picked = f"{first['report']} {first['issue']:%Y-%m-%d}"
    page = open_with(lambda table: with_outcomes(table, [Outcome([1, 4], 9)] * len(table)), picked=picked)
    assert not page.exception
    assert re.search("the same places in all .* nothing to choose", page.markdown[0].value)
    assert any("the last one stands at 4" in one.value for one in page.markdown)


def test_no_relevant_paper_anywhere_is_said(open_with):
    page = open_with(lambda table: with_outcomes(table, [Outcome([], 9)] * len(table)))
    assert not page.exception
    assert "have nothing relevant" in page.info[0].value


def test_everything_relevant_everywhere_is_said(open_with):
    page = open_with(lambda table: with_outcomes(table, [Outcome([1, 2], 2)] * len(table)), measure="copnori")
    assert not page.exception
    assert page.info[0].value == figure_words.NO_RATIO


def test_no_common_report_issue_is_said(open_with):
    page = open_with(lambda table: table[(table["ranker"] == OLD) == (table["report"] == "lab")])
    assert not page.exception
    assert "were not ranked by all of them" in page.info[0].value


def test_a_ranker_is_used_once_that_is_confirmed(replayed, open_page):
    page = open_page(compare_page, replayed)
    choice = next(box for box in page.selectbox if box.label == words.TO_USE)
    choice.set_value(NEW).run()
    page.button(key="use-ranker").click().run()
    assert service.active_ranker(replayed) is None
    n_reports = len(catalogue.reports(replayed))
    assert any(f"{NEW} sorts for all {n_reports} reports" in one.value for one in page.markdown)
    page.button(key="change-it").click().run()
    assert not page.exception
    assert service.active_ranker(replayed) == NEW
    assert any(words.in_use(NEW) in one.value.replace("\\", "") for one in page.caption)
