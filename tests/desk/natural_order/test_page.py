"""The *Natural order* page in `AppTest`."""

import dataclasses
import json
import shutil
from contextlib import closing

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.intake.commit_import import commit_import
from presort.data.store import open_store
from presort.desk.natural_order import possible_orders
from presort.desk.scores import natural_order
from presort.desk.scores.table import MEASURED, scores
from presort.desk.service import workflow
from presort.desk.ui import cache
from presort.metrics import MEASURES
from presort.ranker.versions import RECIPES

HOSTILE = "**Bold** <script>document.title = 'owned'</script> :red[taxes] [x](javascript:alert(1)) "


def order_page():
    from presort.desk.natural_order import page as natural_order

    natural_order.show()


@pytest.fixture(autouse=True)
def small_map(monkeypatch):
    monkeypatch.setattr(possible_orders, "GRID_N", (6, 20))


@pytest.fixture(scope="module")
def replayed_workspace(tmp_path_factory, filled_workspace):
    """Issues of two reports, replayed by three rankers that were trained once."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("replayed") / "workspace")
    with closing(open_store(folder)) as store:
        replay(store)
    return folder


def replay(store):
    days = [issue.date for issue in catalogue.issues(store)]
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"], RECIPES["asreview-u4"]]
    list(workflow.replay(store, recipes, first=days[2], last=days[-2], retrain_every=9, reports=["lab", "mac"]))


def judged_of(store):
    table = scores(store)
    judged = natural_order.judge(table)
    return table, judged, np.ones(len(judged.pairs), dtype=bool)


def misleading(store):
    """A measure that misleads in this workspace, and its cases, worst first."""
    table, judged, everything = judged_of(store)
    counts = natural_order.counts(judged, everything)
    name = counts["measure"][0]
    return name, natural_order.cases(judged, table, name, everything)


def text_of(page):
    return " ".join(each.value for each in [*page.markdown, *page.caption, *page.info, *page.header])


def test_without_rankings_one_tab_says_what_to_do_and_the_other_works(empty_store, open_page):
    page = open_page(order_page, empty_store)
    assert "when a report issue is published" in page.info[0].value
    page = open_page(order_page, empty_store, part="In theory")
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 2


def test_the_page_shows_the_figures_of_the_library(replayed, open_page):
    name, cases = misleading(replayed)
    _, judged, _ = judged_of(replayed)
    page = open_page(order_page, replayed, measure=name)
    assert not page.exception
    n_decided, n_cases = int(judged.pairs["is_decided"].sum()), len(cases)
    prefers, cannot_tell, pairs, worst = page.metric
    assert prefers.value == f"{100 * n_cases / n_decided:.1f} %"
    assert str(n_cases) in prefers.delta
    assert cannot_tell.value == "0 %"
    assert pairs.value == f"{n_decided:,}"
    assert worst.value == f"+{cases['papers_more'].max()}"
    assert worst.delta == f"papers · {cases.iloc[0].report} {cases.iloc[0].issue.date()}"
    table = page.dataframe[0].value
    assert table["how_bad"].tolist() == cases["how_bad"].tolist()
    first = cases.iloc[0]
    assert page.query_params["case"] == f"{first.report} {first.issue.date()} {first.better} {first.worse}"
    value = MEASURES[name].compute(scores(replayed)["outcome"].iloc[first["better_row"]])
    assert page.table[0].value.iloc[0, -1] == f"{value:.4f}"


def test_a_link_restores_a_case(replayed, open_page):
    name, cases = misleading(replayed)
    last = cases.iloc[-1]
    asked = f"{last.report} {last.issue.date()} {last.better} {last.worse}"
    page = open_page(order_page, replayed, measure=name, case=asked)
    assert page.query_params["case"] == asked
    assert page.table[0].value["Ranker"].tolist() == [last.better, last.worse]
    assert len(page.dataframe) == 1  # lists are drawn on demand
    page = open_page(order_page, replayed, measure=name, case=asked, lists="true")
    assert page.dataframe[1].value["is_relevant"].sum() == last["n_relevant"]
    assert len(page.dataframe[1].value) == len(page.dataframe[2].value) == last["n_papers"]


def test_filters_limit_the_pairs(replayed, open_page):
    name, cases = misleading(replayed)
    first = cases.iloc[0]
    pair = ", ".join(sorted([first.better, first.worse]))
    page = open_page(order_page, replayed, measure=name, within=first.report, pair=pair)
    table = page.dataframe[0].value
    assert 0 < len(table) < len(cases)
    assert set(table["report"]) == {first.report}
    assert all(sorted([row.better, row.worse]) == pair.split(", ") for row in table.itertuples())


def test_a_measure_that_keeps_the_order_has_no_case_to_open(replayed, open_page):
    page = open_page(order_page, replayed, measure="copnori")
    assert len(page.info) == 1
    assert [page.metric[place].value for place in (0, 1, 3)] == ["0 %", "0 %", "none"]
    assert not page.dataframe


def test_a_bar_selects_its_measure(replayed, open_page):
    page = open_page(order_page, replayed, measure="aselt")
    spec = json.loads(page.get("vega_lite_chart")[0].proto.spec)
    bold = spec["encoding"]["y"]["axis"]["labelFontWeight"]["condition"]["test"]
    assert MEASURES["aselt"].label in bold
    assert MEASURES["nosel"].label not in bold


def test_a_single_ranker_has_no_pairs(finished, open_page):
    page = open_page(order_page, finished)
    assert len(page.info) == 1
    assert [link.proto.query_string for link in page.get("page_link")] == ["part=rankers"]


def test_there_are_no_cases_if_all_rankers_agree(replayed, open_page, monkeypatch):

    table = scores(replayed, report="lab")
    one = table[table["ranker"] == "arxiv-sanity"]
    same = table.merge(one[["issue", "outcome"]], on="issue", suffixes=("_own", "")).drop(columns="outcome_own")
    monkeypatch.setattr(cache, "all_scores", lambda replay: same)
    page = open_page(order_page, replayed)
    assert not page.exception
    assert len(page.info) == 1
    assert not page.metric


def test_titles_are_never_read_as_markdown(tmp_path, listings, open_page):
    store = open_store(tmp_path / "hostile")
    hostile = [
        dataclasses.replace(one, paper=dataclasses.replace(one.paper, title=HOSTILE + one.paper.title))
        for one in listings
    ]
    commit_import(store, hostile, person="import")
    replay(store)
    name, _ = misleading(store)
    page = open_page(order_page, store, measure=name)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 2  # only charts have titles, and they draw plain text
    assert not any("Bold" in each.value for each in [*page.markdown, *page.caption, *page.subheader])
    store.close()


def theory(open_page, store, **query):
    page = open_page(order_page, store, part="In theory", **query)
    assert not page.exception
    return page


def test_theory_shows_the_number_of_drawn_orders(empty_store, open_page):
    assert "All 10 orders." in text_of(theory(open_page, empty_store, r=2, n=5))
    many = text_of(theory(open_page, empty_store, r=12, n=24))
    assert "Too many to draw: 101 of 2,704,156 orders" in many


def test_theory_counts_all_pairs(empty_store, open_page):
    page = theory(open_page, empty_store, r=2, n=5, measure="aselt", drawn="nosel")
    table = page.dataframe[0].value.set_index("Measure")
    assert table.loc["Aselt"].tolist() == ["45", "2.2 %", "6.7 %"]
    assert table.loc["Nosel", "Prefers the worse order"] == "0 %"


def test_theory_needs_a_paper_that_is_not_relevant(empty_store, open_page):
    page = theory(open_page, empty_store, r=9, n=4)
    assert "r must be below n. The charts use r = 3." in text_of(page)
    assert "All 4 orders." in text_of(page)


@pytest.mark.parametrize("measure", MEASURED)
def test_theory_draws_every_measure(empty_store, open_page, measure):
    theory(open_page, empty_store, measure=measure)


def test_a_publication_during_drawing_mixes_no_lists(replayed, open_page, monkeypatch):
    whole = scores(replayed)
    fewer = whole[whole["issue"] > whole["issue"].min()].reset_index(drop=True)
    given = iter([fewer, whole])
    monkeypatch.setattr(cache, "all_scores", lambda replay: next(given, whole))
    name, _ = misleading(replayed)
    page = open_page(order_page, replayed, measure=name)
    assert not page.exception
    judged = natural_order.judge(fewer)
    expected = natural_order.cases(judged, fewer, name, np.ones(len(judged.pairs), dtype=bool))
    for value in ("better_value", "worse_value"):
        assert page.dataframe[0].value[value].to_list() == expected[value].to_list()
