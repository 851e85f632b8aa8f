"""Rankers are compared under the same conditions: both live, or both in replays of the same kind."""

import pandas as pd
import pytest

from presort.desk.compare.lists import rankings
from presort.desk.scores.pairs import pair_up
from presort.desk.scores.table import LATE, LIVE, keep_common_issues, keep_comparable, keep_same_conditions, n_by_source
from presort.desk.summary import figures
from presort.desk.ui import cache
from presort.metrics import Outcome, score

REPLAYED, OTHER_REPLAY = "replay-13", "replay-1"
N_PAPERS = 100


def table_of(rows):
    """Return a table like `table.comparison_scores` from (issue, ranker, source, last relevant position)."""
    table = pd.DataFrame(rows, columns=["issue", "ranker", "source", "last"])
    table["issue"] = pd.Timestamp(2026, 6, 1) + pd.to_timedelta(7 * table["issue"], unit="D")
    outcomes = [Outcome([last], N_PAPERS) for last in table.pop("last")]
    table = table.assign(report="lab", was_read_whole=True, n_papers=N_PAPERS, n_relevant=1, outcome=outcomes)
    table = table.assign(replay=pd.NA, was_shown=table["source"] == LIVE, is_trained=True)
    return pd.concat([table, score(outcomes)], axis="columns")


def old_is_live(n_live=8, n_replayed=8):
    """The old ranker has live and replayed rankings. The new one only has replayed rankings, which use later decisions.

    Replayed, both are equally good. Live, the old one is worse.
    """
    rows = [(issue, "old", LIVE, 60) for issue in range(n_live)]
    return table_of(rows + [(issue, name, REPLAYED, 20) for issue in range(n_replayed) for name in ("old", "new")])


def test_a_live_ranking_is_not_compared_with_a_replayed_one():
    paired = pair_up(old_is_live(), ("old", "new"))
    assert len(paired.cases) == 8
    assert (paired.signs("new", "old") == 0).all()
    assert paired.n_by_source == {REPLAYED: 8, LIVE: 0}


def test_rankers_without_a_common_source_are_not_compared():
    mixed = table_of([(issue, *one) for issue in range(8) for one in (("old", LIVE, 60), ("new", REPLAYED, 20))])
    assert keep_comparable(mixed, ("old", "new")).empty
    paired = pair_up(mixed, ("old", "new"))
    assert paired.cases.empty
    assert paired.left_out.not_by_all == 8


@pytest.mark.parametrize(
    ("n_live", "n_replayed", "source"),
    [pytest.param(5, 3, LIVE), pytest.param(3, 5, REPLAYED), pytest.param(4, 4, LIVE, id="live-if-equally-many")],
)
def test_the_source_of_most_pairs_is_compared_and_the_others_are_counted(n_live, n_replayed, source):
    both = [(LIVE, n_live), (REPLAYED, n_replayed)]
    table = table_of([(i, name, each, 9) for each, n in both for i in range(n) for name in ("old", "new")])
    found = keep_comparable(table, ("old", "new"))
    assert set(found["source"]) == {source}
    assert dict(n_by_source(table, 2)) == {LIVE: n_live, REPLAYED: n_replayed}
    assert next(iter(pair_up(table, ("old", "new")).n_by_source)) == source


def test_issues_without_relevant_papers_do_not_decide_which_source_is_compared():
    both = [(LIVE, 3), (REPLAYED, 2)]
    table = table_of([(i, name, each, 9) for each, n in both for i in range(n) for name in ("old", "new")])
    table.loc[(table["source"] == LIVE) & (table["issue"] > table["issue"].min()), "n_relevant"] = 0
    paired = pair_up(table, ("old", "new"))
    assert set(keep_comparable(table, ("old", "new"))["source"]) == {REPLAYED}
    assert paired.n_by_source == {REPLAYED: 2, LIVE: 1}
    assert len(paired.cases) == 2


def test_replays_with_different_training_intervals_are_compared_only_as_a_last_resort():
    rows = [(issue, *one) for issue in range(4) for one in (("old", REPLAYED, 30), ("new", OTHER_REPLAY, 20))]
    assert len(keep_comparable(table_of(rows), ("old", "new"))) == 8
    better = rows + [(9, name, REPLAYED, 30) for name in ("old", "new")]
    assert len(keep_comparable(table_of(better), ("old", "new"))) == 2


def test_the_rankings_behind_a_comparison_are_those_compared(monkeypatch):
    sources = [("old", REPLAYED, 30), ("new", OTHER_REPLAY, 20), ("old", LIVE, 60)]
    table = table_of([(issue, *one) for issue in range(4) for one in sources])
    monkeypatch.setattr(cache, "comparison_scores", lambda replay: table)
    paired = pair_up(table, ("old", "new"))
    found = rankings(paired, None)
    assert found.groupby("ranker")["source"].unique().map(list).to_dict() == {"old": [REPLAYED], "new": [OTHER_REPLAY]}
    assert len(found) == 2 * len(paired.cases) == 8


def test_means_of_common_issues_are_those_of_one_source():
    table = old_is_live(n_live=8, n_replayed=5)
    assert set(keep_common_issues(table)["source"]) == {REPLAYED}
    assert keep_common_issues(table).groupby("ranker")["relative_last_position"].mean().to_dict() == {
        "new": 0.2,
        "old": 0.2,
    }


def test_the_summary_compares_under_the_same_conditions():
    table = old_is_live()
    material = figures.material(table, table[table["source"] == LIVE])
    assert material.rankers == ("old", "new")
    assert set(material.fair["source"]) == {REPLAYED}
    assert set(material.mine["source"]) == {LIVE}
    better = pd.concat([table[table["source"] == LIVE].assign(relative_last_position=0.01), table])
    better.loc[better["ranker"] == "new", "relative_last_position"] = 0.1
    # live, the old ranker is better
    assert figures.best_ranker(better.drop_duplicates(["issue", "ranker", "source"])) == "new"


def test_a_ranker_without_replays_does_not_prevent_the_comparison_of_the_others():
    shadow = table_of([(issue, "shadow", LIVE, 10) for issue in range(8)])
    table = pd.concat([old_is_live(), shadow], ignore_index=True)
    live = keep_same_conditions(table, 2)
    assert set(live["ranker"]) == {"old", "shadow"}  # as many live as replayed rankings, so live
    material = figures.material(table, table[(table["ranker"] == "old") & (table["source"] == LIVE)])
    assert material.rankers == ("old", "shadow") or material.rankers == ("shadow", "old")
    assert material.too_few == ("new",)


def test_a_ranker_that_only_ranked_after_publication_is_summarised_alone():
    late = table_of([(issue, "old", LATE, 60) for issue in range(8)])
    replayed = table_of([(issue, "new", REPLAYED, 20) for issue in range(8)])
    material = figures.material(replayed, late)
    assert (material.rankers, material.too_few) == (("old",), ("new",))
    table = figures.side_by_side(material.fair, material.rankers)
    assert table[["ranker", "report_issues"]].to_numpy().tolist() == [["old", 8]]


def test_a_table_without_sources_is_compared_unchanged():
    table = old_is_live(n_live=0).drop(columns="source")
    assert len(keep_comparable(table, ("old", "new"))) == len(table)
    assert pair_up(table, ("old", "new")).n_by_source == {}
