"""The *Systems and topics* page in `AppTest`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from presort.desk.scores import table as scores_table
from presort.desk.systems_topics import page as systems_topics_module
from presort.desk.systems_topics.page import FILE, FROM, LEAST_FOR_TABS, SELECTED, TABS
from presort.desk.systems_topics.scores import ISSUES, REPORTS
from presort.desk.ui import cache
from presort.metrics import Outcome, pick_topics, score, systems_topics

TREC_8 = Path(__file__).parents[3] / ".." / "shared" / "reference" / "trec8_ap.csv"
needs_shared = pytest.mark.skipif(not TREC_8.exists(), reason="the shared reference files are not here")


CORRELATION = "Correlation (Pearson)"
GRAPH, AGREEMENT, SUBSET = TABS


def systems_topics_page():
    from presort.desk.systems_topics import page as systems_topics

    systems_topics.show()


@pytest.fixture
def open_file(open_page, empty_store):
    """Open the page on an empty workspace, and upload a file."""

    def run(content, name="scores.csv", **query):
        page = open_page(systems_topics_page, empty_store, **query)
        page.file_uploader(key="scores-file").set_value((name, content.encode(), "text/csv"))
        return page.run(timeout=30)

    return run


@pytest.fixture
def three(replayed, monkeypatch):
    """Scores of three rankers. The third equals one or the other of the first two."""
    table = scores_table.scores(replayed)
    is_odd = (table["issue"].dt.day % 2).astype(bool)
    third = table[is_odd == (table["ranker"] == "krichel-2007")].assign(ranker="third")
    every = pd.concat([table, third], ignore_index=True)
    monkeypatch.setattr("presort.desk.ui.cache.all_scores", lambda replay: every)
    return every


def table_of(page, first):
    """Return the table on the page whose first column has this name."""
    return next(found.value for found in page.dataframe if found.value.columns[0] == first)


def test_without_any_issue_the_page_asks_for_a_file(open_page, empty_store):
    page = open_page(systems_topics_page, empty_store)
    assert not page.exception
    assert len(page.info) == 2  # neither figures nor a file
    assert page.selectbox(key="from").options == [FROM[FILE]]


@needs_shared
def test_the_published_figures_of_trec_8(open_file):
    """Mizzaro and Robertson, SIGIR 2007, Table 3, and the picked topics of MEASURES."""
    page = open_file(TREC_8.read_text(), advanced="true", tab=SUBSET)
    assert not page.exception
    assert page.caption[0].value == "129 systems · 50 topics"
    shown = table_of(page, CORRELATION)
    assert shown["systems"].round(2).to_list() == [1, 1, 0.8, 0.99, 0.87]
    assert shown["topics"].round(2).to_list() == [1, 1, 0.92, 1, 0.93]
    assert page.metric[4].value == "0.889"

    page.selectbox(key="transform").set_value("log").run(timeout=30)
    shown = table_of(page, CORRELATION).set_index(CORRELATION)
    assert shown.loc["mean and hub"].to_list() == pytest.approx([-0.16, -0.09], abs=0.01)


@needs_shared
def test_with_many_topics_a_table_replaces_the_lines(open_file):
    page = open_file(TREC_8.read_text(), tab=GRAPH)
    assert not page.exception
    assert len(table_of(page, "system")) == 129 * 50
    assert len(page.get("vega_lite_chart")) == 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("t,a,b\n1,0.5,high\n2,1,1\n", "row 2, column b: 'high' is not a number", id="text"),
        pytest.param("t,a\n1,0.5\n2,1\n", "At least 2 of each are required", id="one-system"),
        pytest.param("t,a,b\n1,0.5,0.7\n2,1,1\n", "Only 2 systems; at least 3 are needed", id="two-systems"),
        pytest.param("t,a,b,c\n1,0.5,,1\n2,1,,1\n3,1,1,1\n", "Only 1 topic has scores for every system", id="missing"),
        pytest.param("t,a,b\n1,0.5\n2,1,1\n", "row 2: 2 cells, but the header has 3", id="too-few-cells"),
        pytest.param("t,<b>,$x$\n1,1,**y**\n2,1,1\n", r"'\*\*y\*\*' is not a number", id="markdown"),
    ],
)
def test_a_file_that_cannot_be_shown(open_file, content, expected):
    page = open_file(content)
    assert not page.exception
    assert expected in page.error[0].value
    assert not page.dataframe


@pytest.mark.parametrize(
    ("content", "is_undefined"),
    [
        pytest.param("t,a,b,c\n1,0.5,0.5,0.5\n2,0.5,0.5,0.5\n", True, id="all-equal"),
        pytest.param("t,a,b,c\n1,0.5,0.5,0.5\n2,0.7,0.7,0.7\n", True, id="systems-alike"),
        pytest.param("t,a,b,c\n1,0.5,0.7,0.6\n2,0.5,0.7,0.6\n", True, id="topics-alike"),
        pytest.param("t,a,b,c\n1,0,0.7,1\n2,0,0.4,1\n3,0,0.1,1\n", False, id="constant-systems"),
        pytest.param("t,a,b,c\n1,1e99,-1e99,1\n2,1e-99,0,1\n", False, id="enormous"),
        pytest.param("t,topic,system,x\nsystem,1,2,1\ntopic,2,0,1\n", False, id="names-of-ours"),
    ],
)
def test_tables_at_the_size_limits(open_file, content, is_undefined):
    page = open_file(content, advanced="true")
    assert not page.exception
    assert not page.error
    assert len(table_of(page, CORRELATION)) == 5
    assert len(page.warning) == is_undefined


def test_missing_cells_are_counted_and_named(open_file):
    page = open_file("t\ta\tb\tc\n401\t0.5\t1\t0\n402\t\t1\t0\n403\t0.1\t0.7\t1\n")
    assert page.caption[0].value == "3 systems · 2 topics · 1 left out because of missing scores: 402"


def test_rows_may_be_systems(open_file):
    page = open_file("s,t1,t2,t3\nx,1,2,3\ny,2,2,1\nz,1,1,2\n", rows="systems")
    assert page.caption[0].value == "3 systems · 3 topics"
    assert {"score_x", "score_y", "score_z"} <= set(page.dataframe[0].value.columns)
    assert page.selectbox(key="transform").options == ["Plain", "Log"]


@pytest.fixture
def five(three, monkeypatch):
    """Scores of five rankers: the three, and two that resemble two of them."""
    likes = {"fourth": "krichel-2007", "fifth": "arxiv-sanity"}
    more = [three[three["ranker"] == like].assign(ranker=name) for name, like in likes.items()]
    every = pd.concat([three, *more], ignore_index=True)
    monkeypatch.setattr("presort.desk.ui.cache.all_scores", lambda replay: every)
    return every


@pytest.mark.parametrize("by", [REPORTS, ISSUES])
def test_figures_of_the_workspace_are_those_of_metrics(replayed, three, open_page, by):
    page = open_page(systems_topics_page, replayed, score="nosel", by=by, advanced="true")
    assert not page.exception
    table = scores_table.keep_comparable(three, list(three["ranker"].unique())).dropna(subset="nosel")
    topics = table["report"] if by == REPORTS else table["report"] + " " + table["issue"].dt.strftime("%Y-%m-%d")
    graph = systems_topics(table.assign(topic=topics).pivot_table("nosel", "topic", "ranker"))
    assert len(graph.topics) >= 3
    for noun, nodes in [("ranker", graph.systems), ("report" if by == REPORTS else "report issue", graph.topics)]:
        shown = table_of(page, noun).set_index(noun).loc[nodes.index]
        pd.testing.assert_frame_equal(shown, nodes, check_names=False, check_index_type=False)
    listed = table_of(page, "topic").set_index("topic")
    assert listed.index[0] == graph.topics["mean"].idxmin()
    for name in graph.topics.index:
        assert listed.loc[name, "hub"] == graph.topics.loc[name, "hub"]
        scores = listed.loc[name, [f"score_{system}" for system in graph.systems.index]]
        assert scores.to_list() == pytest.approx(graph.scores.loc[name].to_list())


def test_cards_name_the_extremes_and_reading_effort_is_in_percent(replayed, three, open_page):
    page = open_page(systems_topics_page, replayed)
    assert not page.exception
    last = scores_table.keep_comparable(three, list(three["ranker"].unique()))
    means = last.pivot_table("relative_last_position", "ranker", "report").mean()
    hardest, easiest, most, least = page.metric
    assert (hardest.value, hardest.delta) == (means.idxmax(), f"{100 * means.max():.1f}\N{NO-BREAK SPACE}%")
    assert (easiest.value, easiest.delta) == (means.idxmin(), f"{100 * means.min():.1f}\N{NO-BREAK SPACE}%")
    table = table_of(page, "topic")
    assert table["topic"].to_list() == means.sort_values(ascending=False).index.to_list()
    assert table["mean"].to_list() == pytest.approx((100 * means.sort_values(ascending=False)).to_list())
    hubs = table.set_index("topic")["hub"]
    assert (most.value, least.value) == (hubs.idxmax(), hubs.idxmin())


def test_a_topic_of_the_address_is_selected_and_opens_its_report(replayed, three, open_page):
    page = open_page(systems_topics_page, replayed, topic="lab")
    assert not page.exception
    assert page.query_params[SELECTED] == "lab"
    assert [link.proto.query_string for link in page.get("page_link")] == ["report=lab"]


@pytest.mark.parametrize("tab", TABS)
def test_tabs_need_five_rankers(replayed, three, five, open_page, tab):
    page = open_page(systems_topics_page, replayed, tab=tab, k=3)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 2
    if tab == SUBSET:
        names = sorted(five["ranker"].unique())
        table = scores_table.keep_comparable(five, names)
        graph = systems_topics(-table.pivot_table("relative_last_position", "report", "ranker"))
        assert page.metric[4].value == f"{pick_topics(graph, 3).tau:.3f}"
    page.multiselect(key="rankers").set_value(sorted(five["ranker"].unique())[: LEAST_FOR_TABS - 1]).run(timeout=30)
    assert not page.exception
    assert not page.tabs
    assert str(LEAST_FOR_TABS) in page.caption[-1].value


@pytest.mark.parametrize("measure", ["relative_last_position", "ponori", "copnori", "f_at_30"])
def test_measures_of_every_kind_can_be_drawn(replayed, three, five, open_page, measure):
    query = {"score": measure, "lines": "apm", "figure": "authority", "advanced": "true"}
    page = open_page(systems_topics_page, replayed, **query)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 4


def test_distances_too_small_for_a_float_are_not_reported_as_equal(three, open_page, replayed, monkeypatch):
    places = {name: place for place, name in enumerate(three["ranker"].unique(), start=1)}
    outcomes = [Outcome([1, 20 * places[name]], 1_500) for name in three["ranker"]]
    table = three.drop(columns=list(scores_table.MEASURED)).assign(outcome=outcomes, n_papers=1_500, n_relevant=2)
    table = pd.concat([table.reset_index(drop=True), score(outcomes)], axis="columns")
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(systems_topics_page, replayed, score="ponori")
    assert not page.exception
    assert page.warning[0].value.startswith(systems_topics_module.UNDEFINED)
    assert page.warning[0].value != systems_topics_module.UNDEFINED
    assert "median over issues" in page.caption[0].value


def test_one_ranker_only(finished, open_page):
    page = open_page(systems_topics_page, finished)
    assert not page.exception
    assert len(page.info) == 1


def test_two_rankers_are_too_few_to_draw_anything(replayed, open_page):
    page = open_page(systems_topics_page, replayed)
    assert not page.exception
    assert len(page.info) == 1
    assert len(page.get("page_link")) == 2  # to the rankers, and to *Compare*
    assert not page.get("vega_lite_chart")
    assert not page.dataframe


def test_rankers_removed_from_the_selection(replayed, three, open_page):
    page = open_page(systems_topics_page, replayed)
    for chosen in (["krichel-2007", "third"], []):
        page.multiselect(key="rankers").set_value(chosen).run(timeout=30)
        assert not page.exception
        assert len(page.info) == 1
        assert not page.get("vega_lite_chart")


def test_rankers_that_share_no_issue(replayed, three, open_page, monkeypatch):
    is_third = three["ranker"] == "third"
    apart = three[is_third == (three["issue"].dt.day % 2).astype(bool)]
    monkeypatch.setattr("presort.desk.ui.cache.all_scores", lambda replay: apart)
    page = open_page(systems_topics_page, replayed)
    assert not page.exception
    assert len(page.info) == 1


def test_a_smaller_file_reduces_the_number_of_picked_topics(open_file):
    rows = "".join(f"{i},{i * 7 % 5},{i * 3 % 7},{i * 5 % 11},{i * 2 % 7},{i * 4 % 9}\n" for i in range(12))
    page = open_file("t,a,b,c,d,e\n" + rows, tab=SUBSET)
    page.slider(key="k").set_value(12).run(timeout=30)
    fewer = b"t,a,b,c,d,e\n1,1,2,1,3,2\n2,2,3,0,1,1\n3,1,0,1,2,2\n"
    page.file_uploader(key="scores-file").set_value(("s.csv", fewer, "text/csv"))
    page.run(timeout=30)
    assert not page.exception
    assert page.slider(key="k").value == 3


def test_more_than_a_matrix_can_show(open_file):
    values = np.random.default_rng(0).uniform(size=(200, 5)).round(3)
    rows = "".join(f"{i},{','.join(map(str, row))}\n" for i, row in enumerate(values))
    page = open_file("t,a,b,c,d,e\n" + rows, tab=AGREEMENT)
    assert not page.exception
    assert len(page.info) == 2  # no figures of the workspace, and no matrix
    assert len(page.get("vega_lite_chart")) == 1


def test_names_are_drawn_for_few_points_and_for_outliers_of_many(open_file):
    def names_in(page):
        spec = json.loads(page.get("vega_lite_chart")[0].proto.spec)
        return sum(layer["mark"]["type"] == "text" for layer in spec["layer"])

    def scores_of(n):
        values = np.random.default_rng(7).random((n, 4)).round(3)
        return "t,a,b,c,d\n" + "".join(f"t{n},{','.join(map(str, row))}\n" for n, row in enumerate(values))

    assert names_in(open_file(scores_of(8))) > 0
    assert names_in(open_file(scores_of(60))) > 0
