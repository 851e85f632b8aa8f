"""What measures say is kept beside each outcome; read by column, outcomes are what stands in the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import catalogue
from data.editing import decisions
from data.editing.reopening import reopen
from data.errors import WorkspaceError
from data.learning import outcome_scores, outcomes, rankings
from data.learning.outcome_scores import keep_scores, scored_columns
from data.records import Extent, Report
from data.store import Store
from data.tables.positions import packed
from tests.data.workspaces import FIRST, SECOND, contents, copied, make_issue, make_ranking, say, send_out, take_in

RANKERS = ("krichel-2007", "shadow", "later")


class Measure:
    """Two measures, and of how many outcomes each call asked them."""

    def __init__(self, factor=1.0):
        self.factor, self.asked = factor, []

    def __call__(self, places, r, n):
        self.asked.append(len(r))
        sums = [part.sum() for part in np.split(places, np.cumsum(r)[:-1])]
        return self.factor * np.column_stack([np.where(r == 0, np.nan, sums), n])


@pytest.fixture
def begun(store: Store) -> Store:
    """Three report issues that have gone out, in one of which nothing is relevant; nothing is scored."""
    take_in(store, make_issue(4), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    orders = {FIRST: [3, 1, 4, 2], SECOND: [2, 3, 1]}
    for report, issue in (("lab", FIRST), ("his", FIRST), ("lab", SECOND)):
        made = (make_ranking(report, issue=issue, ranker=ranker, order=orders[issue]) for ranker in RANKERS[:2])
        rankings.add_rankings(store, made)
    decisions.decide(store, [say("lab", "a1", "yes"), say("lab", "a4", "yes"), say("lab", "b2", "yes", SECOND)])
    send_out(store, "lab", shown=1)
    send_out(store, "his")
    send_out(store, "lab", SECOND)
    return store


def score(store):
    return outcomes.score_issued(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)


def kept(store, version="1"):
    """Return what is kept, by ranking."""
    found = scored_columns(store, version)
    rows = zip(found.ranking_id.tolist(), found.has_scores.tolist(), found.scores.tolist(), strict=True)
    return {number: scores for number, has_scores, scores in sorted(rows) if has_scores}


def expected(store, factor=1.0):
    """Return what is to be kept, from the rows one by one."""
    return {
        x.ranking_id: pytest.approx(
            [factor * (x.places.sum() if len(x.places) else np.nan), factor * x.n_papers], nan_ok=True
        )
        for x in outcomes.scored_rankings(store)
    }


@pytest.mark.parametrize("at_once", [1, 4, 2_000])
def test_each_outcome_is_measured_once(begun, at_once, monkeypatch):
    monkeypatch.setattr(outcome_scores, "KEPT_AT_ONCE", at_once)
    measure = Measure()
    assert (score(begun), keep_scores(begun, measure, "1")) == (6, 6)
    assert measure.asked == [at_once] * (6 // at_once) + [6 % at_once] * (6 % at_once > 0)
    assert kept(begun) == expected(begun)
    before = contents(begun)
    assert keep_scores(begun, measure, "1") == 0
    assert contents(begun) == before
    rankings.add_rankings(begun, [make_ranking(ranker=RANKERS[2], order=[4, 1, 2, 3])])
    assert (score(begun), keep_scores(begun, measure, "1"), measure.asked[-1]) == (1, 1, 1)
    assert kept(begun) == expected(begun)


def test_what_other_measures_said_is_neither_read_nor_kept(begun):
    score(begun)
    keep_scores(begun, Measure(), "1")
    assert kept(begun, "2") == {}
    assert not scored_columns(begun, "2").has_scores.any()
    assert keep_scores(begun, Measure(10), "2") == 6
    assert kept(begun, "2") == expected(begun, 10)
    assert kept(begun) == {}


def test_scores_go_with_their_outcome(begun):
    score(begun)
    keep_scores(begun, Measure(), "1")
    before = kept(begun)
    reopen(begun, "lab", FIRST, "too early", person="Ann")
    assert set(before) - set(kept(begun)) == {1, 2}
    decisions.decide(begun, [say("lab", "a2", "yes")])
    send_out(begun, "lab", shown=1)
    assert (score(begun), kept(begun).keys()) == (2, before.keys() - {1, 2})
    assert scored_columns(begun, "1").has_scores.sum() == 4
    assert keep_scores(begun, Measure(), "1") == 2
    assert kept(begun) == expected(begun)
    assert kept(begun)[1] != before[1]


def test_two_versions_side_by_side_both_come_to_an_end(begun, monkeypatch):
    score(begun)
    monkeypatch.setattr(outcome_scores, "KEPT_AT_ONCE", 1)
    writing, turns = Store.writing, []

    def writing_by_turns(*given):
        turns.append(given)
        if len(turns) in (2, 7):  # once something of the newer one is kept, and again later
            keep_scores(begun, Measure(10), "older")
        return writing(*given)

    monkeypatch.setattr(Store, "writing", writing_by_turns)
    assert keep_scores(begun, Measure(), "1") == 0
    assert len(turns) < 20
    assert (kept(begun), kept(begun, "older")) == ({}, expected(begun, 10))
    assert keep_scores(begun, Measure(), "1") == 6
    assert kept(begun) == expected(begun)


def test_what_somebody_else_keeps_meanwhile_is_measured_once(begun, monkeypatch):
    score(begun)
    keep_scores(begun, Measure(), "1")
    with begun.writing() as connection:
        connection.exec_driver_sql("DELETE FROM outcome_scores WHERE ranking_id > 1")
    monkeypatch.setattr(outcome_scores, "KEPT_AT_ONCE", 2)
    writing, turns = Store.writing, []

    def writing_second(*given):
        turns.append(given)
        if len(turns) == 2:
            assert keep_scores(begun, Measure(), "1") == 3
        return writing(*given)

    monkeypatch.setattr(Store, "writing", writing_second)
    assert keep_scores(begun, Measure(), "1") == 2
    assert kept(begun) == expected(begun)


@pytest.mark.of_file
def test_columns_are_the_rows(begun):
    @given(st.lists(st.sampled_from([("lab", "a1"), ("his", "a2"), ("his", "a3")]), max_size=4), st.booleans())
    def check(said, is_scored):
        with copied(begun) as store:
            for report, paper in said:
                reopen(store, report, FIRST, "more", person="Ann")
                decisions.decide(store, [say(report, paper, "yes")])
                send_out(store, report, shown={"lab": 1, "his": 4}[report] if is_scored else None)
            if is_scored:
                score(store)
                keep_scores(store, Measure(), "1")
                replay = rankings.find_replay(store, FIRST, FIRST, 1)
                rankings.add_rankings(store, [make_ranking("his", replay=replay), make_ranking("his", scores=[])])
            score(store)
            for report in (None, "lab", "his"):
                assert_alike(scored_columns(store, "1", report), outcomes.scored_rankings(store, report))

    check()


def assert_alike(columns, rows):
    order = np.lexsort([columns.ranking_id, columns.issue, columns.report.astype(str)])
    places = np.split(columns.places, np.cumsum(columns.n_relevant)[:-1])
    assert [
        (
            *(columns.ranking_id[row], columns.report[row], columns.issue[row], columns.ranker[row]),
            *(columns.replay[row] or None, columns.condition[row], columns.is_trained[row]),
            *(columns.n_papers[row], places[row].tolist(), columns.is_judged[row]),
        )
        for row in order
    ] == [
        (
            *(x.ranking_id, x.report, x.issue, x.ranker, x.replay, x.condition, x.is_trained),
            *(x.n_papers, x.places.tolist(), x.is_judged),
        )
        for x in rows
    ]


def test_what_was_not_read_whole_is_known_though_it_is_judged(begun):
    reopen(begun, "lab", FIRST, "more", person="Ann")
    decisions.issue_report(begun, "lab", FIRST, (), ranking_id=1, person="Ann", extent=Extent((2, 3), "all"))
    score(begun)
    found = scored_columns(begun, "1")
    assert found.is_judged.all()
    is_lab = (found.report == "lab") & (found.issue == np.datetime64(FIRST))
    assert found.was_read_whole.tolist() == (~is_lab).tolist()
    assert is_lab.sum() == 2  # of every ranker


def test_nothing_is_scored_yet(begun):
    for report in (None, "lab"):
        found = scored_columns(begun, "1", report)
        assert [len(one) for one in vars(found).values()] == [0] * len(vars(found))
    assert keep_scores(begun, Measure(), "1") == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("UPDATE outcome_scores SET numbers = {twice} WHERE ranking_id = 1", "more scores are kept than of another"),
        ("UPDATE outcome_scores SET numbers = {half}", "numbers of 8 bytes should"),
    ],
)
def test_damage_is_one_line(begun, wrong, said):
    score(begun)
    keep_scores(begun, Measure(), "1")
    cells = {"twice": "CAST(numbers || numbers AS {})", "half": "CAST(substr(numbers, 1, 9) AS {})"}
    with begun.writing() as connection:
        kind = "bytea" if connection.dialect.name == "postgresql" else "BLOB"
        connection.exec_driver_sql(wrong.format(**{name: cell.format(kind) for name, cell in cells.items()}))
    with pytest.raises(WorkspaceError, match=said):
        scored_columns(begun, "1")


@pytest.mark.parametrize("wrong", ["places = {}", "n_papers = 2"], ids=["falling", "beyond"])
def test_a_damaged_outcome_is_named(begun, wrong):
    score(begun)
    with begun.writing() as connection:
        falling = ("'\\x{}'" if connection.dialect.name == "postgresql" else "x'{}'").format(packed([3, 2]).hex())
        connection.exec_driver_sql(f"UPDATE outcome SET {wrong.format(falling)} WHERE ranking_id = 1")
    said = "the places of ranking 1 are not ascending places of its papers"
    with pytest.raises(WorkspaceError, match=said):
        scored_columns(begun, "1")
    assert keep_scores(begun, Measure(), "1") == 5
    assert keep_scores(begun, Measure(), "1") == 0
