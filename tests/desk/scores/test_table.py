import json
import math
import re
from datetime import date

import numpy as np
import pandas as pd
import pytest

from presort.data.editing import publications
from presort.data.editing.read_papers import mark_read
from presort.data.exporters.csv_text import csv_text
from presort.data.learning import outcomes, rankings
from presort.data.learning.outcomes import outcome_columns
from presort.data.records import Condition, Ranking
from presort.desk.console.printing import out
from presort.desk.replay.charts import replay_panels
from presort.desk.replay.commands import show_side_by_side
from presort.desk.report.charts import measure_over_time
from presort.desk.scores import table as scores_table
from presort.desk.scores.curves import last_by_issue, reading_curves
from presort.desk.service import workflow
from presort.desk.summary.commands import show_summary
from presort.metrics import MEASURES, Outcome, score
from presort.ranker.versions import RECIPES

FIRST, LAST = date(2026, 10, 5), date(2026, 11, 9)


def test_every_value_equals_that_of_the_measure(replayed):
    table = scores_table.scores(replayed)
    by_key = {(x.report, x.issue, x.ranker): x for x in outcomes.scored_rankings(replayed)}
    assert len(table) == len(by_key)
    for row in table.itertuples():
        scored = by_key[row.report, row.issue.date(), row.ranker]
        outcome = Outcome(scored.places, scored.n_papers)
        for name in scores_table.MEASURED:
            assert getattr(row, name) == pytest.approx(MEASURES[name].compute(outcome), nan_ok=True)


def test_summary_is_the_mean_over_report_issues(replayed):
    table = scores_table.scores(replayed)
    summary = scores_table.summarise(table).set_index("ranker")
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


def test_the_shown_ranking_takes_precedence_over_newer_ones_and_replays(store, newest):
    (size,) = [issue.n_papers for issue in workflow.catalogue.issues(store) if issue.date == newest]
    rankings.add_rankings(store, [ranking("lab", newest, size)])
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    mark_read(store, "lab", newest, shown.id, len(shown.ranking.positions), person="ada")
    workflow.publish_report_issue(store, "lab", newest, shown, person="ada")
    replay = rankings.find_replay(store, newest, newest, 1)
    rankings.add_rankings(store, [ranking("lab", newest, size), ranking("lab", newest, size, replay)])
    workflow.score(store)
    assert len(outcomes.scored_rankings(store, "lab")) == 3
    conditions = [x.condition for x in outcomes.scored_rankings(store, "lab")]
    assert conditions == [Condition.SHOWN, Condition.LATE, Condition.REPLAY]
    assert [x.ranking_id for x in scores_table.official_rankings(store, report="lab")] == [shown.id]
    assert scores_table.scores(store, report="lab", replay=replay)["replay"].tolist() == [replay]


def test_shadow_rankings_made_in_time_take_precedence_over_later_ones(store, newest):
    (size,) = [issue.n_papers for issue in workflow.catalogue.issues(store) if issue.date == newest]
    shadow, later = ranking("lab", newest, size), ranking("lab", newest, size)
    rankings.add_rankings(store, [shadow])
    (kept,) = rankings.newest_rankings(store, "lab", newest).values()
    workflow.publish_report_issue(store, "lab", newest, None, person="ada")
    rankings.add_rankings(store, [later])
    workflow.score(store)
    scored = outcome_columns(store, "lab")
    assert scored.ranking_id[scores_table._find_official_rows(scored, None)].tolist() == [kept.id]


def test_means_are_over_the_issues_that_every_ranker_ranked(replayed):
    extra = [RECIPES["asreview-u4"]]
    list(workflow.replay(replayed, extra, first=LAST, last=LAST, reports=["lab", "mac"]))
    table = scores_table.scores(replayed)
    common = scores_table.keep_common_issues(table)
    assert set(zip(common["report"], common["issue"].dt.date, strict=True)) == {("lab", LAST), ("mac", LAST)}
    assert scores_table.summarise(common)["report_issues"].tolist() == [2, 2, 2]
    assert len(scores_table.mean_copnori(common, ["ranker"])) == 3


def test_nothing_relevant_is_blank_and_counted(store, newest):
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    shown = rankings.newest_rankings(store, "lab", newest)["krichel-2007"]
    mark_read(store, "lab", newest, shown.id, len(shown.ranking.positions), person="ada")
    workflow.publish_report_issue(store, "lab", newest, shown, person="ada")
    assert publications.published(store, "lab")[newest].published == ()
    (row,) = scores_table.summarise(scores_table.scores(store, report="lab")).itertuples()
    assert (row.report_issues, row.nothing_relevant) == (1, 1)
    assert math.isnan(row.mean_aselt)


def test_issues_without_a_ranking_are_counted_by_reason():
    """If all papers are relevant, last position and average precision are defined, but no order could be better."""
    outcomes = [Outcome([1, 2], 4), Outcome([1, 2, 3], 3), Outcome([], 5), Outcome([2], 2), Outcome([1], 1)]
    described = {
        "ranker": ["a", "a", "a", "b", "b"],
        "n_papers": [x.n for x in outcomes],
        "n_relevant": [x.r for x in outcomes],
        "is_trained": [True, True, False, True, True],
    }
    table = pd.concat([pd.DataFrame(described), score(outcomes)], axis="columns")
    summary = scores_table.summarise(table).set_index("ranker")
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
    monkeypatch.setattr(out, "_width", 80)
    columns = {"ranker": "presort-1", "report_issues": 99, "nothing_relevant": 10, "all_relevant": 2, "list_order": 3}
    means = {f"mean_{name}": 0.123 for name in scores_table.HEADLINES} | {"median_relative_last_position": 0.123}
    show_summary(pd.DataFrame([columns | means]), left_out={}, rankers_used="", replays=[])
    printed = capsys.readouterr().out
    assert printed.splitlines()[1].split()[:4] == ["presort-1", "99", "12", "3"]
    assert max(map(len, printed.splitlines())) <= 80
    assert "left out of Aselt" in printed


def test_an_empty_workspace_has_an_empty_table(empty_store):
    table = scores_table.scores(empty_store)
    assert table.empty
    assert set(scores_table.MEASURED) <= set(table.columns)
    assert scores_table.summarise(table).empty


def test_a_chart_names_the_measure_and_its_direction(replayed):
    scores = scores_table.scores(replayed, report="lab")
    for measure in map(MEASURES.get, scores_table.MEASURED):
        drawn = scores_table.values_to_plot(measure.name, scores)
        shown = scores.assign(day="2026-10-05", shown="text", drawn=drawn, is_own=True).drop(columns="outcome")
        drawn = measure_over_time(shown, measure, measure.label).to_dict()
        title = " ".join(drawn["title"]["text"])  # one text per line
        assert measure.label in title
        is_distance = measure.name in ("copnori", "ponori")
        assert ("distance from 100 %" in title) == is_distance
        is_higher_better = measure.higher_is_better and not is_distance
        assert ("higher" if is_higher_better else "lower") + " is better" in title


def test_plotted_values_distinguish_good_orders():
    outcomes = [Outcome([*range(1, 300), 301], 2000), Outcome([1, 4], 5), Outcome([1, 2], 5), Outcome([], 5)]
    table = pd.DataFrame({"outcome": outcomes, "aselt": [0.5, 1 / 3, 1, math.nan]})
    exact = math.log10(200) - (math.lgamma(2001) - math.lgamma(301) - math.lgamma(1701)) / math.log(10)  # below 1e-308
    expected = [exact, math.log10(200 / 3), -math.inf, math.nan]
    assert scores_table.values_to_plot("copnori", table).tolist() == pytest.approx(expected, nan_ok=True)
    assert scores_table.values_to_plot("aselt", table).equals(table["aselt"])


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_exported_text_never_starts_a_formula(start):
    written = csv_text(pd.DataFrame({f"{start}head": [f"{start}cmd|' /C calc'!A0"], "n": [-1.5]}))
    head, row = written.replace("\r", "\\r").split("\n")[:2]
    assert head.lstrip('"').startswith("'")
    assert row.lstrip('"').startswith("'")
    assert row.endswith(",-1.5")


def table_of(outcomes):
    """Return scores like `presort.desk.scores.table.scores`, from the outcomes of each ranker by issue."""
    rows = [
        {"report": "lab", "issue": pd.Timestamp(FIRST) + pd.Timedelta(weeks=week), "ranker": ranker, "outcome": outcome}
        for ranker, mine in outcomes.items()
        for week, outcome in enumerate(mine)
    ]
    table = pd.DataFrame(rows)
    sizes = {"n_papers": [x.n for x in table["outcome"]], "n_relevant": [x.r for x in table["outcome"]]}
    return pd.concat([table.assign(is_trained=True, **sizes), score(table["outcome"])], axis="columns")


def test_rankers_are_compared_with_the_first_in_natural_order():
    outcomes = {
        "b": [Outcome([1, 4], 5), Outcome([2, 4], 5), Outcome([1, 3], 5), Outcome([1, 5], 5)],
        "a": [Outcome([1, 3], 5), Outcome([3, 4], 5), Outcome([1, 3], 5), Outcome([1, 5], 5)],
        "c": [Outcome([1, 2], 5)] * 4,
    }
    table = scores_table.side_by_side(table_of(outcomes), ["b", "c", "a"]).set_index("ranker")
    assert table.index.to_list() == ["b", "c", "a"]
    assert table.loc["b", ["earlier", "same", "later"]].isna().all()
    assert table.loc["a", ["earlier", "same", "later"]].to_list() == [0.25, 0.5, 0.25]
    assert table.loc["c", ["earlier", "same", "later"]].to_list() == [1, 0, 0]
    assert table.loc["c", "mean_copnori_gap"] == 0
    gaps = [1 - MEASURES["copnori"].compute(outcome) for outcome in outcomes["a"]]
    assert table.loc["a", "mean_copnori_gap"] == pytest.approx(np.mean(gaps))
    assert table["report_issues"].tolist() == [4, 4, 4]


def test_only_the_best_outcomes_have_no_gap(capsys):
    nearly = Outcome([*range(1, 500), 501], 10_000)  # 1 - Copnori is below the smallest float
    table = scores_table.side_by_side(table_of({"a": [nearly, Outcome([1, 2], 5)]}), ["a"])
    assert 0 < table["mean_copnori_gap"].item() < 1e-300
    assert scores_table.side_by_side(table_of({"a": [Outcome([1, 2], 5)]}), ["a"])["mean_copnori_gap"].item() == 0
    show_side_by_side(table, n_left_out=3)
    printed = capsys.readouterr().out
    assert re.search(r"^a +0\.\d{3} +0\.\d{3} +\d\.\de-308 ", printed, flags=re.MULTILINE)
    left_out = "Left out because no paper is relevant or a ranker did not rank the issue: 3 report issues."
    assert left_out in flat(printed)


def test_the_table_names_less_informative_rows(capsys):
    table = table_of({"a": [Outcome([1, 2], 2), Outcome([2], 5)]}).assign(is_trained=[True, False])
    show_side_by_side(scores_table.side_by_side(table, ["a"]), n_left_out=0)
    printed = flat(capsys.readouterr().out)
    assert "a: 1 report issue in list order because there were too few decisions." in printed
    assert "Left out of 1 − Copnori, Aselt and Nosel because every paper is relevant: 1 report issue." in printed  # noqa: RUF001
    table = table_of({"a": [Outcome([1, 2], 2)], "b": [Outcome([1, 2], 2)]})
    show_side_by_side(scores_table.side_by_side(table, ["a", "b"]), n_left_out=0)
    assert re.search(r"b 1\.000 1\.000 - 1\.000 nan nan 0\.0 100\.0 0\.0", flat(capsys.readouterr().out))


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("other", "n_kept"),
    [
        pytest.param([Outcome([2], 5), Outcome([3], 5)], 2, id="both"),
        pytest.param([Outcome([2], 5)], 1, id="one-not-ranked"),
        pytest.param([Outcome([2], 6), Outcome([3], 5)], 1, id="a-paper-joined"),
        pytest.param([Outcome([2, 3], 5), Outcome([3], 5)], 1, id="another-selection"),
    ],
)
def test_only_the_same_lists_and_selections_are_comparable(other, n_kept):
    table = table_of({"a": [Outcome([1], 5), Outcome([2], 5)], "b": other})
    assert scores_table.keep_comparable(table, ["a", "b"])["ranker"].tolist() == ["a"] * n_kept + ["b"] * n_kept


def test_without_a_relevant_paper_there_is_nothing_to_compare():
    table = table_of({"a": [Outcome([], 5), Outcome([2], 5)], "b": [Outcome([], 5), Outcome([3], 5)]})
    assert scores_table.keep_comparable(table, ["a", "b"])["n_relevant"].tolist() == [1, 1]


def test_a_ranker_without_rankings_cannot_be_compared():
    assert scores_table.keep_comparable(table_of({"a": [Outcome([2], 5)]}), ["a", "b"]).empty


def test_the_running_mean_is_of_four_issues():
    table = table_of({"a": [Outcome([place], 10) for place in (1, 2, 3, 4, 9)], "b": [Outcome([5], 10)] * 5})
    table = pd.concat([table, table[table["ranker"] == "a"].assign(report="mac", relative_last_position=0.5)])
    over_time = last_by_issue(table).set_index("ranker")
    assert over_time.loc["a", "report_issues"].tolist() == [2] * 5
    assert over_time.loc["a", "last"].tolist() == pytest.approx([0.3, 0.35, 0.4, 0.45, 0.7])
    assert over_time.loc["a", "running"].tolist() == pytest.approx([math.nan] * 3 + [0.375, 0.475], nan_ok=True)
    assert over_time.loc["b", "running"].tolist() == pytest.approx([math.nan] * 3 + [0.5, 0.5], nan_ok=True)


def test_a_reading_curve_counts_completed_report_issues():
    rng = np.random.default_rng(1)
    places = {name: rng.integers(1, 201, 50) for name in "ab"}
    table = table_of({name: [Outcome([place], 200) for place in mine] for name, mine in places.items()})
    curves = reading_curves(table)
    assert len(curves) == 2 * 201
    for row in curves.itertuples():
        papers = round(200 * row.read)
        assert row.found == np.mean(places[row.ranker] <= papers)


def test_the_panels_have_a_colour_per_ranker_and_say_which_direction_is_better():
    table = table_of({"b": [Outcome([1], 5), Outcome([2], 5)], "a": [Outcome([2], 5), Outcome([3], 5)]})
    medians = pd.Series({"b": 0.3, "a": 0.5})
    drawn = replay_panels(last_by_issue(table), reading_curves(table), medians).to_dict()
    text = json.dumps(drawn)
    assert "(lower is better)" in text
    assert "(higher is better)" in text
    colours = {json.dumps(scale) for scale in re.findall(r'"color": {"field": "named".*?"scale": ({.*?})', text)}
    assert len(colours) == 1
    assert '"domain": ["b (median 30.0 %)", "a (median 50.0 %)"]' in text


def test_exact_values_are_of_measures_that_have_an_exact_distance(replayed):
    with pytest.raises(ValueError, match="must have a loss, got 'aselt'"):
        scores_table.exact_values("aselt", scores_table.scores(replayed))
