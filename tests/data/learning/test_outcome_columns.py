"""Outcomes read by column equal those read by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.errors import WorkspaceError
from presort.data.learning import outcomes, rankings
from presort.data.learning.outcomes import outcome_columns
from presort.data.records import Report, ReviewProgress
from presort.data.store import Store
from presort.data.tables.positions import pack
from tests.data.workspaces import FIRST, SECOND, copied, make_issue, make_ranking, say, send_out, take_in

RANKERS = ("krichel-2007", "shadow")


@pytest.fixture
def begun(store: Store) -> Store:
    """Three published report issues without outcomes. One of them has no relevant paper."""
    take_in(store, make_issue(4), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    orders = {FIRST: [3, 1, 4, 2], SECOND: [2, 3, 1]}
    for report, issue in (("lab", FIRST), ("his", FIRST), ("lab", SECOND)):
        made = (make_ranking(report, issue=issue, ranker=ranker, order=orders[issue]) for ranker in RANKERS)
        rankings.add_rankings(store, made)
    decisions.decide(store, [say("lab", "a1", "yes"), say("lab", "a4", "yes"), say("lab", "b2", "yes", SECOND)])
    send_out(store, "lab", shown=1)
    send_out(store, "his")
    send_out(store, "lab", SECOND)
    return store


def score(store):
    return outcomes.score_published_issues(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)


@pytest.mark.of_file
def test_columns_equal_rows(begun):
    @given(st.lists(st.sampled_from([("lab", "a1"), ("his", "a2"), ("his", "a3")]), max_size=4), st.booleans())
    def check(pairs, is_scored):
        with copied(begun) as store:
            for report, paper in pairs:
                reopen(store, report, FIRST, "more", person="Ann")
                decisions.decide(store, [say(report, paper, "yes")])
                send_out(store, report, shown={"lab": 1, "his": 4}[report] if is_scored else None)
            if is_scored:
                score(store)
                replay = rankings.find_replay(store, FIRST, FIRST, 1)
                rankings.add_rankings(store, [make_ranking("his", replay=replay), make_ranking("his", scores=[])])
            score(store)
            for report in (None, "lab", "his"):
                assert_alike(outcome_columns(store, report), outcomes.scored_rankings(store, report))

    check()


def assert_alike(columns, rows):
    order = np.lexsort([columns.ranking_id, columns.issue, columns.report.astype(str)])
    places = np.split(columns.places, np.cumsum(columns.n_relevant)[:-1])
    assert [
        (
            *(columns.ranking_id[row], columns.report[row], columns.issue[row], columns.ranker[row]),
            *(columns.replay[row] or None, columns.condition[row], columns.is_trained[row]),
            *(columns.n_papers[row], places[row].tolist(), columns.is_evaluable[row]),
        )
        for row in order
    ] == [
        (
            *(x.ranking_id, x.report, x.issue, x.ranker, x.replay, x.condition, x.is_trained),
            *(x.n_papers, x.places.tolist(), x.is_evaluable),
        )
        for x in rows
    ]


def test_a_partly_read_list_is_marked_even_if_it_is_evaluable(begun):
    reopen(begun, "lab", FIRST, "more", person="Ann")
    publications.publish_report_issue(
        begun, "lab", FIRST, (), ranking_id=1, person="Ann", review_progress=ReviewProgress((2, 3), "all")
    )
    score(begun)
    found = outcome_columns(begun)
    assert found.is_evaluable.all()
    is_lab = (found.report == "lab") & (found.issue == np.datetime64(FIRST))
    assert found.was_read_whole.tolist() == (~is_lab).tolist()
    assert is_lab.sum() == 2  # for every ranker


def test_a_workspace_without_outcomes_gives_empty_columns(begun):
    for report in (None, "lab"):
        found = outcome_columns(begun, report)
        assert [len(one) for one in vars(found).values()] == [0] * len(vars(found))


@pytest.mark.parametrize("wrong", ["places = {}", "n_papers = 2"], ids=["falling", "beyond"])
def test_a_damaged_outcome_is_named(begun, wrong):
    score(begun)
    with begun.writing() as connection:
        falling = ("'\\x{}'" if connection.dialect.name == "postgresql" else "x'{}'").format(pack([3, 2]).hex())
        connection.exec_driver_sql(f"UPDATE outcome SET {wrong.format(falling)} WHERE ranking_id = 1")
    text = "the positions of the relevant papers in ranking 1 are out of order or out of range"
    with pytest.raises(WorkspaceError, match=text):
        outcome_columns(begun)
