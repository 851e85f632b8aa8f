import math
from datetime import date

import numpy as np
import pandas as pd
import pytest

from data import rankings, reviews
from data.exporters.csv_text import csv_text
from data.records import Ranking
from desk import charts, evaluation, printing, workflow
from metrics import MEASURES, Outcome, score
from ranker.versions import RECIPES

FIRST, LAST = date(2026, 10, 5), date(2026, 11, 9)


@pytest.fixture
def replayed(store):
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]]
    list(workflow.replay(store, recipes, first=FIRST, last=LAST, retrain_every=9))
    return store


def test_every_figure_is_the_one_of_the_measure(replayed):
    table = evaluation.scores(replayed)
    by_key = {(x.report, x.issue, x.ranker): x for x in rankings.scored_rankings(replayed)}
    assert len(table) == len(by_key)
    for row in table.itertuples():
        scored = by_key[row.report, row.issue.date(), row.ranker]
        outcome = Outcome(scored.places, scored.n_papers)
        for name in evaluation.MEASURED:
            assert getattr(row, name) == pytest.approx(MEASURES[name].compute(outcome), nan_ok=True)


def test_summary_is_the_mean_over_report_issues(replayed):
    table = evaluation.scores(replayed)
    summary = evaluation.summarise(table).set_index("ranker")
    for ranker in ("krichel-2007", "arxiv-sanity"):
        mine = table[table["ranker"] == ranker]
        assert summary.loc[ranker, "report_issues"] == len(mine)
        assert summary.loc[ranker, "mean_relative_last_position"] == pytest.approx(
            mine["relative_last_position"].mean()
        )
        assert summary.loc[ranker, "median_relative_last_position"] == np.median(mine["relative_last_position"])
        assert summary.loc[ranker, "mean_copnori"] == pytest.approx(mine["copnori"].mean())


def ranking(report, issue, n_papers, replay=None):
    order = np.arange(n_papers, 0, -1, dtype=np.int32)
    return Ranking(report, issue, "krichel-2007", issue, 0, 9, order, -np.arange(n_papers, dtype=float), replay=replay)


def test_what_the_editor_saw_goes_before_newer_rankings_and_replays(store, newest):
    (size,) = [issue.n_papers for issue in workflow.catalogue.issues(store) if issue.date == newest]
    rankings.add_rankings(store, [ranking("lab", newest, size)])
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    workflow.issue_report(store, "lab", newest, shown, person="ada")
    replay = rankings.find_replay(store, newest, newest, 1)
    rankings.add_rankings(store, [ranking("lab", newest, size), ranking("lab", newest, size, replay)])
    workflow.score(store)
    assert len(rankings.scored_rankings(store, "lab")) == 3
    assert [x.was_in_time for x in rankings.scored_rankings(store, "lab")] == [True, False, False]
    chosen = evaluation._choose(rankings.scored_rankings(store, "lab"), None)
    assert [x.ranking_id for x in chosen] == [shown.id]
    assert evaluation.scores(store, report="lab", replay=replay)["replay"].tolist() == [replay]


def test_shadows_that_were_there_in_time_go_before_later_ones(store, newest):
    (size,) = [issue.n_papers for issue in workflow.catalogue.issues(store) if issue.date == newest]
    shadow, later = ranking("lab", newest, size), ranking("lab", newest, size)
    rankings.add_rankings(store, [shadow])
    (kept,) = rankings.newest_rankings(store, "lab", newest).values()
    workflow.issue_report(store, "lab", newest, None, person="ada")
    rankings.add_rankings(store, [later])
    workflow.score(store)
    assert [x.ranking_id for x in evaluation._choose(rankings.scored_rankings(store, "lab"), None)] == [kept.id]


def test_means_are_over_the_issues_that_every_ranker_ranked(replayed):
    extra = [RECIPES["asreview-u4"]]
    list(workflow.replay(replayed, extra, first=LAST, last=LAST, reports=["lab", "mac"]))
    table = evaluation.scores(replayed)
    common = evaluation.on_common_issues(table)
    assert set(zip(common["report"], common["issue"].dt.date, strict=True)) == {("lab", LAST), ("mac", LAST)}
    assert evaluation.summarise(common)["report_issues"].tolist() == [2, 2, 2]
    assert len(evaluation.mean_copnori(common, ["ranker"])) == 3


def test_nothing_relevant_is_blank_and_counted(store, newest):
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    workflow.issue_report(store, "lab", newest, shown, person="ada")
    assert reviews.issued(store, "lab")[newest].published == ()
    (row,) = evaluation.summarise(evaluation.scores(store, report="lab")).itertuples()
    assert (row.report_issues, row.nothing_relevant) == (1, 1)
    assert math.isnan(row.mean_aselt)


def test_issues_without_an_order_are_counted_by_what_they_lack():
    """Of what is selected whole the last position and average precision are known, but no order could be better."""
    outcomes = [Outcome([1, 2], 4), Outcome([1, 2, 3], 3), Outcome([], 5), Outcome([2], 2), Outcome([1], 1)]
    described = {
        "ranker": ["a", "a", "a", "b", "b"],
        "n_papers": [x.n for x in outcomes],
        "n_relevant": [x.r for x in outcomes],
        "is_trained": [True, True, False, True, True],
    }
    table = pd.concat([pd.DataFrame(described), score(outcomes)], axis="columns")
    summary = evaluation.summarise(table).set_index("ranker")
    assert summary["report_issues"].tolist() == [3, 2]
    assert summary["nothing_relevant"].tolist() == [1, 0]
    assert summary["all_relevant"].tolist() == [1, 1]
    assert summary["list_order"].tolist() == [1, 0]
    assert summary["mean_relative_last_position"].tolist() == [0.75, 1]
    for name in ("aselt", "nosel", "copnori"):
        n_counted = summary["report_issues"] - summary["nothing_relevant"] - summary["all_relevant"]
        assert table.groupby("ranker")[name].count().equals(n_counted.rename(name))
        assert summary[f"mean_{name}"].tolist() == table.groupby("ranker")[name].mean().tolist()


def test_the_summary_shows_both_kinds_in_one_column_of_80(capsys, monkeypatch):
    monkeypatch.setattr(printing.out, "width", 80)
    columns = {"ranker": "presort-1", "report_issues": 99, "nothing_relevant": 10, "all_relevant": 2, "list_order": 3}
    means = {f"mean_{name}": 0.123 for name in evaluation.HEADLINES} | {"median_relative_last_position": 0.123}
    printing.show_summary(pd.DataFrame([columns | means]), n_left_out=0, replays=[])
    printed = capsys.readouterr().out
    assert printed.splitlines()[1].split()[:4] == ["presort-1", "99", "12", "3"]
    assert max(map(len, printed.splitlines())) <= 80
    assert "as nothing is relevant (left out) or everything is" in " ".join(printed.split())


def test_an_empty_workspace_has_an_empty_table(empty_store):
    table = evaluation.scores(empty_store)
    assert table.empty
    assert set(evaluation.MEASURED) <= set(table.columns)
    assert evaluation.summarise(table).empty


def test_a_chart_names_the_measure_and_its_direction(replayed):
    scores = evaluation.scores(replayed, report="lab")
    for measure in map(MEASURES.get, evaluation.MEASURED):
        shown = scores.assign(shown="text", drawn=evaluation.drawn(measure.name, scores)).drop(columns="outcome")
        drawn = charts.measure_over_time(shown, measure).to_dict()
        assert measure.label in drawn["title"]["text"]
        is_distance = measure.name in ("copnori", "ponori")
        assert ("distance from 100 %" in drawn["title"]["text"]) == is_distance
        is_higher_better = measure.higher_is_better and not is_distance
        assert ("higher" if is_higher_better else "lower") + " is better" in drawn["title"]["text"]


def test_what_is_drawn_tells_good_orders_apart():
    outcomes = [Outcome([*range(1, 300), 301], 2000), Outcome([1, 4], 5), Outcome([1, 2], 5), Outcome([], 5)]
    table = pd.DataFrame({"outcome": outcomes, "aselt": [0.5, 1 / 3, 1, math.nan]})
    exact = math.log10(200) - (math.lgamma(2001) - math.lgamma(301) - math.lgamma(1701)) / math.log(10)  # below 1e-308
    expected = [exact, math.log10(200 / 3), -math.inf, math.nan]
    assert evaluation.drawn("copnori", table).tolist() == pytest.approx(expected, nan_ok=True)
    assert evaluation.drawn("aselt", table).equals(table["aselt"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_exported_text_never_starts_a_formula(start):
    written = csv_text(pd.DataFrame({f"{start}head": [f"{start}cmd|' /C calc'!A0"], "n": [-1.5]}))
    head, row = written.replace("\r", "\\r").split("\n")[:2]
    assert head.lstrip('"').startswith("'")
    assert row.lstrip('"').startswith("'")
    assert row.endswith(",-1.5")
