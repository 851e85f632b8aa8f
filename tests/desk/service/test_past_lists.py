"""A service that goes over to another ranker has lists of it before its first issue."""

from itertools import islice

import pytest

from data import catalogue
from data.learning import rankings
from data.running import service
from desk.service import workflow
from desk.service.past_lists import sort_past
from desk.sheet.recalls import recalls_before
from ranker.versions import RECIPES

FAST, OTHER = RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]


@pytest.fixture
def gone_over(store):
    """Return a service, past issues of which came from files, that has chosen a ranker for the next issue."""
    service.set_rankers(store, FAST.name, [OTHER.name], person="Ann")
    return store


def test_past_issues_are_sorted_so_that_the_first_list_can_say_where_to_stop(gone_over, newest):
    assert not recalls_before(gone_over, FAST.name, newest)["lab"].is_ready
    steps = list(sort_past(gone_over))
    assert {step.ranker for step in steps} == {FAST.name}, "what only runs beside tells nobody where to stop"
    assert recalls_before(gone_over, FAST.name, newest)["lab"].is_ready
    (replay,) = rankings.replays(gone_over)
    went_out, left = rankings.unranked(gone_over, FAST.name, 16)
    assert (replay.first_issue, replay.last_issue, replay.retrain_every) == (went_out[0], went_out[-1], 1)
    assert (newest in went_out, left) == (False, [])
    assert list(sort_past(gone_over)) == []


def test_it_goes_on_where_it_was_stopped(gone_over):
    list(islice(sort_past(gone_over), 2))
    done = steps = 0
    for step in sort_past(gone_over):
        done, steps = step.done, steps + 1
    n_reports = len(catalogue.reports(gone_over))
    assert done == 7 * n_reports - 2
    assert len(rankings.replays(gone_over)) == 1


def test_a_ranker_that_has_seen_most_issues_sorts_none_again(gone_over):
    went_out, _ = rankings.unranked(gone_over, FAST.name, 16)
    assert len(went_out) == 7
    list(workflow.replay(gone_over, [FAST], first=went_out[0], last=went_out[3], retrain_every=9))
    assert rankings.unranked(gone_over, FAST.name, 16) == (went_out, went_out[4:])
    assert list(sort_past(gone_over)) == []


def test_the_newest_issues_are_looked_at(gone_over):
    went_out, _ = rankings.unranked(gone_over, FAST.name, 16)
    assert rankings.unranked(gone_over, FAST.name, 3) == (went_out[-3:], went_out[-3:])


def test_nothing_is_sorted_where_nothing_went_out(empty_store):
    assert list(sort_past(empty_store)) == []


def test_what_sorts_from_the_next_issue_on_is_learned_ahead(store, monkeypatch):
    learned = []
    monkeypatch.setattr(workflow, "learn_ahead", lambda recipe, *_, **__: learned.append(recipe.name))
    list(workflow.rank(store, [FAST], reports=["lab"]))
    service.set_rankers(store, OTHER.name, [], person="Ann")
    workflow.learn(store)
    assert learned == [workflow.in_use(store, catalogue.issues(store)[-1].date)[0].name, OTHER.name]
