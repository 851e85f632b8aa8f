"""Systems and topics as `AppTest` sees it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from presort.desk.scores import table as scores_table
from presort.desk.systems_topics import words
from presort.desk.ui import cache
from presort.metrics import Outcome, pick_topics, score, systems_topics

TREC_8 = Path(__file__).parents[3] / ".." / "shared" / "reference" / "trec8_ap.csv"
needs_shared = pytest.mark.skipif(not TREC_8.exists(), reason="the shared reference files are not here")


def systems_topics_page():
    from presort.desk.systems_topics import page as systems_topics

    systems_topics.show()


@pytest.fixture
def open_file(open_page, empty_store):
    """Open the page on a workspace with nothing in it, and bring a file."""

    def run(content, name="scores.csv", **query):
        page = open_page(systems_topics_page, empty_store, **query)
        page.file_uploader(key="scores-file").set_value((name, content.encode(), "text/csv"))
        return page.run(timeout=30)

    return run


@pytest.fixture
def three(replayed, monkeypatch):
    """The scores of three rankers, of which the third is now the one of the others and now the other."""
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
    assert [info.value.partition(":")[0] for info in page.info] == ["No figures yet", "Nothing to show yet"]
    assert page.selectbox(key="from").options == [words.FROM[words.FILE]]


@needs_shared
def test_the_published_figures_of_trec_8(open_file):
    """Mizzaro and Robertson, SIGIR 2007, Table 3, and what MEASURES says of picked topics."""
    page = open_file(TREC_8.read_text())
    assert not page.exception
    assert page.caption[1].value == "129 systems, 50 topics."
    shown = table_of(page, "Correlation (Pearson) of")
    assert shown["systems"].round(2).to_list() == [1, 1, 0.8, 0.99, 0.87]
    assert shown["topics"].round(2).to_list() == [1, 1, 0.92, 1, 0.93]
    assert any(caption.value.startswith("Drawn are the 120 strongest of 6,450 lines") for caption in page.caption)
    all_text = " ".join(text.value for text in page.markdown)
    assert "These 10 of 50 topics keep the order of the systems with Kendall τ 0.889. As many at random" in all_text

    page.selectbox(key="transform").set_value("log").run(timeout=30)
    shown = table_of(page, "Correlation (Pearson) of").set_index("Correlation (Pearson) of")
    assert shown.loc["mean and hub"].to_list() == pytest.approx([-0.16, -0.09], abs=0.01)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("t,a,b\n1,0.5,high\n2,1,1\n", "row 2, column b: 'high' is not a number", id="text"),
        pytest.param("t,a\n1,0.5\n2,1\n", "2 of each are needed at least", id="one-system"),
        pytest.param("t,a,b\n1,0.5,0.7\n2,1,1\n", "only 2 systems; it takes 3 to judge each other", id="two-systems"),
        pytest.param("t,a,b,c\n1,0.5,,1\n2,1,,1\n3,1,1,1\n", "Only 1 topic has a score of every system", id="missing"),
        pytest.param("t,a,b\n1,0.5\n2,1,1\n", "row 2: has 2 cells, the header has 3", id="too-few-cells"),
        pytest.param("t,<b>,$x$\n1,1,**y**\n2,1,1\n", r"'\*\*y\*\*' is not a number", id="markdown"),
    ],
)
def test_a_file_that_cannot_be_shown(open_file, content, expected):
    page = open_file(content)
    assert not page.exception
    assert expected in page.error[0].value
    assert not page.dataframe


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        pytest.param("t,a,b,c\n1,0.5,0.5,0.5\n2,0.5,0.5,0.5\n", "all scores are the same", id="all-equal"),
        pytest.param("t,a,b,c\n1,0.5,0.5,0.5\n2,0.7,0.7,0.7\n", "no topic tells the systems apart", id="systems-alike"),
        pytest.param(
            "t,a,b,c\n1,0.5,0.7,0.6\n2,0.5,0.7,0.6\n", "no topic tells the systems apart, or no", id="topics-alike"
        ),
        pytest.param("t,a,b,c\n1,0,0.7,1\n2,0,0.4,1\n3,0,0.1,1\n", "", id="constant-systems"),
        pytest.param("t,a,b,c\n1,1e99,-1e99,1\n2,1e-99,0,1\n", "", id="enormous"),
        pytest.param("t,topic,system,x\nsystem,1,2,1\ntopic,2,0,1\n", "", id="names-of-ours"),
    ],
)
def test_tables_at_the_edge(open_file, content, warning):
    page = open_file(content)
    assert not page.exception
    assert not page.error
    assert len(table_of(page, "Correlation (Pearson) of")) == 5
    assert [warning in shown.value for shown in page.warning] == [True] * bool(warning)


def test_missing_cells_are_counted_and_named(open_file):
    page = open_file("t\ta\tb\tc\n401\t0.5\t1\t0\n402\t\t1\t0\n403\t0.1\t0.7\t1\n")
    assert page.caption[1].value == "3 systems, 2 topics; 1 left out, where a score is missing: 402."


def test_rows_may_be_systems(open_file):
    page = open_file("s,t1,t2,t3\nx,1,2,3\ny,2,2,1\nz,1,1,2\n", rows="systems")
    assert page.caption[1].value == "3 systems, 3 topics."
    assert table_of(page, "system")["system"].to_list() == ["x", "y", "z"]
    assert page.selectbox(key="transform").options == ["plain", "log"]


@pytest.mark.parametrize("by", [words.REPORTS, words.ISSUES])
def test_figures_of_the_workspace_are_those_of_metrics(replayed, three, open_page, by):
    page = open_page(systems_topics_page, replayed, score="nosel", by=by, k=3)
    assert not page.exception
    table = scores_table.comparable(three, list(three["ranker"].unique())).dropna(subset="nosel")
    topics = table["report"] if by == words.REPORTS else table["report"] + " " + table["issue"].dt.strftime("%Y-%m-%d")
    scores = table.assign(topic=topics).pivot_table("nosel", "ranker", "topic")
    graph = systems_topics(scores)
    assert len(scores.columns) >= 3
    topic = "report" if by == words.REPORTS else "report issue"
    for noun, nodes in [("ranker", graph.systems), (topic, graph.topics)]:
        shown = table_of(page, noun).set_index(noun).loc[nodes.index]
        shown = shown.drop(columns=words.KIND, errors="ignore")
        pd.testing.assert_frame_equal(shown, nodes, check_names=False, check_index_type=False)
    picked = pick_topics(graph, 3)
    assert any(f"Kendall τ {picked.tau:.3f}" in text.value for text in page.markdown)
    assert page.slider(key="k").value == 3


@pytest.mark.parametrize("measure", ["relative_last_position", "ponori", "copnori", "f_at_30"])
def test_measures_of_every_kind_can_be_drawn(replayed, three, open_page, measure):
    page = open_page(systems_topics_page, replayed, score=measure, lines="apm", figure="authority")
    assert not page.exception
    assert len(page.get("vega_lite_chart")) >= 4


def test_distances_that_no_float_can_hold_are_not_said_to_be_the_same(three, open_page, replayed, monkeypatch):
    places = {name: place for place, name in enumerate(three["ranker"].unique(), start=1)}
    outcomes = [Outcome([1, 20 * places[name]], 1_500) for name in three["ranker"]]
    table = three.drop(columns=list(scores_table.MEASURED)).assign(outcome=outcomes, n_papers=1_500, n_relevant=2)
    table = pd.concat([table.reset_index(drop=True), score(outcomes)], axis="columns")
    monkeypatch.setattr(cache, "all_scores", lambda replay: table)
    page = open_page(systems_topics_page, replayed, score="ponori")
    assert not page.exception
    assert "so near to 100 % that rankers can't be told apart" in page.warning[0].value
    assert any("the median of its issues: one bad issue would drown" in caption.value for caption in page.caption)


def test_one_ranker_only(finished, open_page):
    page = open_page(systems_topics_page, finished)
    assert not page.exception
    assert "only one has sorted anything here" in page.info[0].value


def test_two_rankers_are_too_few_to_draw_anything(replayed, open_page):
    page = open_page(systems_topics_page, replayed)
    assert not page.exception
    assert "only two have sorted anything here" in page.info[0].value
    assert not page.get("vega_lite_chart")
    assert not page.dataframe


def test_rankers_taken_away(replayed, three, open_page):
    page = open_page(systems_topics_page, replayed)
    for chosen in (["krichel-2007", "third"], []):
        page.multiselect(key="rankers").set_value(chosen).run(timeout=30)
        assert not page.exception
        assert page.info[0].value == "Choose three rankers or more. Compare shows which of two is better."
        assert not page.get("vega_lite_chart")


def test_rankers_that_share_no_issue(replayed, three, open_page, monkeypatch):
    is_third = three["ranker"] == "third"
    apart = three[is_third == (three["issue"].dt.day % 2).astype(bool)]
    monkeypatch.setattr("presort.desk.ui.cache.all_scores", lambda replay: apart)
    page = open_page(systems_topics_page, replayed)
    assert not page.exception
    assert "These rankers share 0 reports with scores" in page.info[0].value


def test_a_link_for_fewer_topics_than_there_were(open_file):
    rows = "".join(f"{i},{i * 7 % 5},{i * 3 % 7},{i * 5 % 11}\n" for i in range(12))
    page = open_file("t,a,b,c\n" + rows)
    page.slider(key="k").set_value(12).run(timeout=30)
    page.file_uploader(key="scores-file").set_value(("s.csv", b"t,a,b,c\n1,1,2,1\n2,2,3,0\n3,1,0,1\n", "text/csv"))
    page.run(timeout=30)
    assert not page.exception
    assert page.slider(key="k").value == 3


def test_more_than_a_matrix_can_show(open_file):
    values = np.random.default_rng(0).uniform(size=(200, 3)).round(3)
    page = open_file("t,a,b,c\n" + "".join(f"{i},{a},{b},{c}\n" for i, (a, b, c) in enumerate(values)))
    assert not page.exception
    assert any("A matrix of 200 topics can't be read" in info.value for info in page.info)


def test_names_stand_beside_few_points_and_below_many_which_they_would_hide(open_file):
    def names_in(page):
        spec = json.loads(page.get("vega_lite_chart")[2].proto.spec)  # of topics against their means
        return sum(layer["mark"]["type"] == "text" for layer in spec["layer"])

    def scores_of(n):
        values = np.random.default_rng(7).random((n, 4)).round(3)
        return "t,a,b,c,d\n" + "".join(f"t{n},{','.join(map(str, row))}\n" for n, row in enumerate(values))

    assert names_in(open_file(scores_of(12))) > 0
    page = open_file(scores_of(60))
    assert names_in(page) == 0
    assert any(caption.value.startswith("In colour: t") for caption in page.caption)
