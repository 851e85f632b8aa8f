"""The *Compare* page in `AppTest`."""

import json

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.running import service
from presort.desk.compare import figures
from presort.desk.compare import page as compare
from presort.desk.compare.verdict import verdict
from presort.desk.scores import pairs, papers_saved
from presort.desk.scores import table as scores_table
from presort.desk.scores.differences import NATURAL, differences, leads
from presort.desk.scores.effort import READING_EFFORT, minutes_per_paper, reading_effort
from presort.desk.scores.pairs import pair_up
from presort.desk.service import stop_audits
from presort.desk.text import escape
from presort.desk.ui import cache
from presort.metrics import Outcome, f_curve, score
from presort.ranker.versions import DEFAULT

OLD, NEW = "arxiv-sanity", "krichel-2007"
ROOM, GAP = 1110, 16  # pixels: width in a window of 1280 with a scroll bar, and gap between filters
MEASURES, REPORTS, LISTS, RECALL, WEIGHTS = compare.TABS


def compare_page():
    from presort.desk.compare import page

    page.show()


def expected(store, table=None, active=DEFAULT):
    """Return the expected pair of rankers and its results."""
    paired = pair_up(scores_table.scores(store) if table is None else table, [OLD, NEW])
    minutes = minutes_per_paper(paired.cases, pd.Series(dtype=float))
    return paired, papers_saved.compare_recommended(paired, active if active in (OLD, NEW) else OLD, minutes)


def test_an_empty_page_links_to_pages_that_produce_figures(empty_store, open_page):
    page = open_page(compare_page, empty_store)
    assert not page.exception
    assert len(page.info) == 1
    assert len(page.get("page_link")) == 1


def test_one_ranker_only_links_to_the_rankers(finished, open_page):
    page = open_page(compare_page, finished)
    assert not page.exception
    assert NEW in page.info[0].value
    assert [link.proto.query_string for link in page.get("page_link")] == ["part=rankers"]


def test_without_a_candidate_there_is_nothing_but_a_message(replayed, open_page):
    page = open_page(compare_page, replayed)
    page.multiselect(key="candidates").set_value([]).run()
    assert not page.exception
    assert len(page.info) == 1
    assert not page.dataframe


def test_the_table_has_a_row_per_opponent_with_the_figures_of_the_functions(replayed, open_page):
    paired, (one,) = expected(replayed)
    page = open_page(compare_page, replayed, baseline=OLD)
    assert not page.exception
    assert page.header[0].value == escape(verdict([one], DEFAULT))
    (row,) = page.dataframe[0].value.to_dict("records")
    assert row["opponent"] == one.opponent
    shares = [100 * n / len(paired.cases) for n in (one.earlier, one.same, one.later)]
    assert [row["earlier"], row["same"], row["later"]] == pytest.approx(shares)
    assert (row["papers"], row["seconds"]) == (round(one.papers, 1), round(60 * one.minutes))
    assert row["interval"] == f"{one.low:.1f} to {one.high:.1f}"
    assert row["p"] == one.p
    heads = json.loads(page.dataframe[0].proto.columns)
    assert one.ranker in heads["opponent"]["label"]


def test_the_basis_counts_issues_and_report_issues(replayed, open_page):
    paired, _ = expected(replayed)
    basis = open_page(compare_page, replayed).caption[0].value
    assert f"{paired.cases['issue'].nunique()} issues" in basis
    assert f"{len(paired.cases)} report issues" in basis
    assert "replay" in basis


def test_lists_that_were_not_read_to_the_end_are_counted_in_the_basis(replayed, open_with):
    def two_in_part(table):
        keys = table[["report", "issue"]].drop_duplicates().head(2)
        is_part = pd.MultiIndex.from_frame(table[["report", "issue"]]).isin(pd.MultiIndex.from_frame(keys))
        return table.assign(was_read_whole=~is_part)

    caption = open_with(two_in_part).caption[0]
    assert "2 not read to the end" in caption.value
    assert compare.PARTLY in caption.proto.help


def test_the_measures_tab_has_every_difference_and_test(replayed, open_page):
    paired, (one, *_) = expected(replayed)
    page = open_page(compare_page, replayed, baseline=OLD)
    found = pd.concat([leads(paired, one.ranker), differences(paired, one.ranker)], ignore_index=True)
    table = page.dataframe[1].value
    pd.testing.assert_frame_equal(table[found.columns], found)
    by_measure = table.set_index("measure")
    assert by_measure.loc[NATURAL, "difference_text"].startswith("+" if one.earlier > one.later else "-")
    # a lower last position is better, but the sign stays the same
    assert (by_measure.loc["last_relevant_position", "difference_text"][0] == "+") == (one.papers > 0)
    assert by_measure.loc["last_relevant_position", "p"] == pytest.approx(one.p)


def test_reading_effort_is_that_of_the_other_pages(replayed, open_page):
    paired, (one, *_) = expected(replayed)
    row = open_page(compare_page, replayed).dataframe[1].value.set_index("measure").loc["relative_last_position"]
    assert row["label"].startswith(READING_EFFORT)
    assert row["mean_against"] == pytest.approx(reading_effort(paired.scores[one.ranker]))
    assert row["mean_text"] == f"{100 * row['mean_against']:.2f} %"


def test_three_rankers_are_compared_with_one_and_tested_at_once(open_with):
    page = open_with(with_perfect_third)
    assert not page.exception
    pair_results, measures = (frame.value for frame in page.dataframe)
    assert set(pair_results["opponent"]) == {OLD, NEW}
    assert pair_results["papers"].is_monotonic_increasing
    assert compare.CORRECTION.format("3 pairs") in [caption.value for caption in page.caption]
    assert measures["tukey"].notna().sum() == 2 * (len(scores_table.MEASURED) - 1) + 2  # no medians of 2-Ponori
    assert "tukey_text" in page.dataframe[1].proto.column_order


def test_a_row_chooses_the_opponent_of_the_tabs_and_stays_in_the_address(open_with):
    page = open_with(with_perfect_third, opponent=NEW, tab=LISTS)
    assert not page.exception
    assert page.query_params["opponent"] == NEW
    assert json.loads(page.dataframe[1].proto.columns)["shown_b"]["label"] == NEW


def test_a_former_baseline_becomes_a_candidate(replayed, open_page):
    page = open_page(compare_page, replayed, baseline=OLD)
    assert page.multiselect(key="candidates").value == [NEW]
    page.selectbox(key="baseline").set_value(NEW).run(timeout=30)
    assert not page.exception
    assert page.multiselect(key="candidates").value == [OLD]


def test_only_the_open_tab_is_computed(replayed, open_page, monkeypatch):
    monkeypatch.setattr(compare, "differences", lambda *_: pytest.fail("the tab is closed"))
    page = open_page(compare_page, replayed, tab=RECALL)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 2


def test_reports_are_bars_of_the_papers_saved_in_order(replayed, open_page):
    paired, (one, *_) = expected(replayed)
    page = open_page(compare_page, replayed, tab=REPORTS)
    assert not page.exception
    table = papers_saved.average_by_report(paired, one.ranker, one.opponent)
    spec = json.loads(page.get("vega_lite_chart")[1].proto.spec)
    assert spec["encoding"]["y"]["sort"] == table["report"].to_list()


def test_recall_is_drawn_for_every_ranker_with_its_stop_point(replayed, open_page):
    stop_audits.make_stop_audits(replayed)
    page = open_page(compare_page, replayed, tab=RECALL)
    assert not page.exception
    spec = json.loads(page.get("vega_lite_chart")[1].proto.spec)
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["line", "circle"]


def test_span_and_reports_filter_the_comparison(replayed, open_page):
    days = sorted({issue.date for issue in catalogue.issues(replayed)})
    page = open_page(compare_page, replayed, first=days[4], last=days[5], reports="lab", tab=LISTS)
    assert not page.exception
    points = page.dataframe[1].value
    assert set(points["report"]) == {"lab"}
    assert set(points["issue"].dt.date) <= {days[4], days[5]}
    assert page.dataframe[0].value["p_text"].to_list() == [""]  # two lists are too few for a test


def test_the_address_restores_the_view(replayed, open_page):
    asked = {"baseline": NEW, "measure": "copnori", "tab": LISTS}
    page = open_page(compare_page, replayed, **asked)
    assert {name: page.query_params[name] for name in asked} == asked
    asked = {"one": "reliability_at_30", "other": "sensitivity_at_30", "tab": WEIGHTS}
    page = open_page(compare_page, replayed, **asked)
    assert {name: page.query_params[name] for name in asked} == asked


def test_weights_show_the_ratio_and_the_curves_of_two_measures(replayed, open_page):
    paired, (one, *_) = expected(replayed)
    page = open_page(compare_page, replayed, tab=WEIGHTS)
    assert not page.exception
    _, ratios = pairs.improvements(paired, pairs.PAIR)
    assert page.metric[0].value == f"{ratios.loc[one.ranker, one.opponent]:+.2f}"
    curve = pairs.f_curves(paired, pairs.PAIR_OF_F)
    assert page.metric[1].value == str(len(curve.swaps))
    assert set(page.dataframe[1].value["ranker"]) == {OLD, NEW}
    assert len(page.get("vega_lite_chart")) == 3
    assert not page.info


def test_two_measures_that_follow_the_natural_order_are_flagged(replayed, open_page):
    page = open_page(compare_page, replayed, one="nosel", other="copnori", tab=WEIGHTS)
    assert not page.exception
    assert len(page.info) == 1


@pytest.mark.parametrize("apart", [0.2, 0.004])
def test_a_swap_is_listed_with_how_much_it_matters(apart):
    curve = f_curve([[0.5], [0.5 + apart]], [[0.5 + apart], [0.5]])
    (swap,) = figures.tables.swap_table(curve, ["a", "b"]).to_dict("records")
    assert (swap["below"], swap["above"]) == ("a", "b")
    assert swap["apart"] == pytest.approx(apart, rel=0.1)


def test_a_report_issue_that_is_picked_is_opened(replayed, open_page):
    point = open_page(compare_page, replayed, tab=LISTS).dataframe[1].value.iloc[0]
    page = open_page(compare_page, replayed, picked=point["at"], tab=LISTS)
    assert not page.exception
    assert page.subheader[0].value == escape(f"{point['report']} · {point['issue']:%Y-%m-%d}")
    assert len(page.get("vega_lite_chart")) == 3
    assert len([link for link in page.get("page_link") if "ranking=" in link.proto.query_string]) == 2


@pytest.fixture
def open_with(monkeypatch, open_page, replayed):
    """Open the page with other scores than those of the workspace."""

    def run(change, **query):
        table = change(scores_table.scores(replayed))
        monkeypatch.setattr(cache, "all_scores", lambda replay: table)
        return open_page(compare_page, replayed, **query)

    return run


def with_outcomes(table, outcomes):
    sizes = {"n_papers": [each.n for each in outcomes], "n_relevant": [each.r for each in outcomes]}
    scores = score(outcomes)
    return table.assign(outcome=outcomes, **sizes, **{name: scores[name].to_numpy() for name in scores})


def test_equal_outcomes_give_no_recommendation(replayed, open_with):
    first = scores_table.scores(replayed).iloc[0]
    picked = f"{first['report']} {first['issue']:%Y-%m-%d}"
    page = open_with(
        lambda table: with_outcomes(table, [Outcome([1, 4], 9)] * len(table)), picked=picked, tab=LISTS, baseline=OLD
    )
    assert not page.exception
    (row,) = page.dataframe[0].value.to_dict("records")
    assert (row["same"], row["papers"], row["low"], row["high"]) == (100, 0, 0, 0)
    assert page.button(key="use-ranker").proto.type == "secondary"
    assert len(page.get("vega_lite_chart")) == 2  # without list order, because there is no difference to test


def test_a_message_says_that_no_paper_is_relevant(open_with):
    page = open_with(lambda table: with_outcomes(table, [Outcome([], 9)] * len(table)))
    assert not page.exception
    assert len(page.info) == 1
    assert "left out" in page.caption[0].value


@pytest.mark.parametrize("tab", compare.TABS)
def test_everything_relevant_everywhere_is_no_error(open_with, tab):
    page = open_with(lambda table: with_outcomes(table, [Outcome([1, 2], 2)] * len(table)), measure="copnori", tab=tab)
    assert not page.exception


def test_a_message_says_that_no_report_issue_is_shared(open_with):
    page = open_with(lambda table: table[(table["ranker"] == OLD) == (table["report"] == "lab")])
    assert not page.exception
    assert len(page.info) == 1
    assert not page.dataframe


def with_perfect_third(table):
    """Add a third ranker that ranks all relevant papers first."""
    rows = table[table["ranker"] == NEW]
    outcomes = [Outcome(np.arange(1, one.r + 1), one.n) for one in rows["outcome"]]
    return pd.concat([table, with_outcomes(rows, outcomes).assign(ranker="third")], ignore_index=True)


def far_better(table):
    """Make the new ranker rank all relevant papers first, and the old one last."""
    cases = zip(table["ranker"], table["n_papers"], strict=True)
    outcomes = [Outcome([1, 2] if ranker == NEW else [n - 1, n], n) for ranker, n in cases]
    return with_outcomes(table, outcomes)


def test_a_clear_winner_is_used_after_confirmation(replayed, open_with):
    service.set_active_ranker(replayed, OLD, person="Dee")
    page = open_with(far_better)
    button = page.button(key="use-ranker")
    assert not button.disabled
    assert button.proto.type == "primary"
    assert NEW in button.label
    button.click().run()
    assert service.active_ranker(replayed) == OLD
    page.button(key="change-it").click().run()
    assert not page.exception
    assert service.active_ranker(replayed) == NEW
    assert page.header[0].value.startswith("Keep")
    assert page.button(key="use-ranker").disabled


def test_all_filters_fit_in_one_row_of_a_window_with_a_scroll_bar():
    assert sum(compare.WIDTHS.values()) + GAP * (len(compare.WIDTHS) - 1) <= ROOM


def test_charts_name_every_measure_and_every_report(replayed, open_page):
    for tab, column in ((MEASURES, "name"), (REPORTS, "report")):
        page = open_page(compare_page, replayed, tab=tab)
        *_, chart = [json.loads(one.proto.spec) for one in page.get("vega_lite_chart")]
        axes = [
            layer["encoding"]["y"]["axis"]
            for layer in chart.get("layer", [chart])
            if layer.get("encoding", {}).get("y", {}).get("field") == column
        ]
        assert axes
        assert all(axis["labelOverlap"] is False and axis["labelFlush"] is False for axis in axes)
