"""Replays of past issues: complete, unchanged by an interruption, and without later data."""

from itertools import islice

import pytest
from sqlalchemy import event

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.hints import add_hint
from presort.data.intake.commit_import import commit_import
from presort.data.learning import outcomes, rankings
from presort.data.store import open_store
from presort.desk.service import workflow
from presort.ranker.versions import RECIPES

pytestmark = pytest.mark.whole

FAST = RECIPES["krichel-2007"]
OTHER = RECIPES["arxiv-sanity"]
OF_DECISIONS = ("decision", "current_decisions")
finish = list  # methods that work step by step


def span(store):
    days = [issue.date for issue in catalogue.issues(store)]
    return days[3], days[-2]


def test_replay_ranks_and_scores_every_past_issue(store):
    first, last = span(store)
    finish(workflow.replay(store, [FAST, OTHER], first=first, last=last, retrain_every=2))
    (replay,) = rankings.replays(store)
    assert (replay.first_issue, replay.last_issue, replay.retrain_every) == (first, last, 2)
    scored = outcomes.scored_rankings(store)
    selected = {(r.code, day) for r in catalogue.reports(store) for day in publications.published(store, r.code)}
    expected = {
        (report, day, ranker)
        for report, day in selected
        if first <= day <= last
        for ranker in ("krichel-2007", "arxiv-sanity")
    }
    assert {(x.report, x.issue, x.ranker) for x in scored} == expected
    assert {x.replay for x in scored} == {replay.id}
    for x in scored:
        assert len(x.places) == sum(word == "yes" for word in decisions.labels(store, x.report, x.issue).values())


def test_an_interrupted_replay_resumes_with_the_same_result(store, tmp_path, listings):
    first, last = span(store)
    finish(islice(workflow.replay(store, [FAST], first=first, last=last, retrain_every=2), 7))
    rest = finish(workflow.replay(store, [FAST], first=first, last=last, retrain_every=2))
    assert rest[0].total < 12 * 4
    assert finish(workflow.replay(store, [FAST], first=first, last=last, retrain_every=2)) == []
    straight = open_store(tmp_path / "straight")
    commit_import(straight, listings, person="import")
    finish(workflow.replay(straight, [FAST], first=first, last=last, retrain_every=2))
    assert places(store) == places(straight)
    straight.close()


def test_the_number_of_reads_does_not_depend_on_the_number_of_blocks(store):
    first, last = span(store)
    read = []

    @event.listens_for(store.engine, "before_cursor_execute")
    def note(_connection, _cursor, statement, *_):
        read.append(any(f"{word} {table}" in statement for word in ("FROM", "JOIN") for table in OF_DECISIONS))

    n_reads = []
    for retrain_every in (100, 1):
        finish(workflow.replay(store, [FAST, OTHER], first=first, last=last, retrain_every=retrain_every))
        n_reads.append(sum(read))
        read.clear()
    assert n_reads == [n_reads[0]] * 2
    assert n_reads[0] > 0


def places(store):
    return sorted((x.report, x.issue, x.places.tolist()) for x in outcomes.scored_rankings(store))


def test_training_once_differs_from_walking_forward_only_after_the_first_issue(store):
    first, last = span(store)
    finish(workflow.replay(store, [FAST], first=first, last=last, retrain_every=99))
    finish(workflow.replay(store, [FAST], first=first, last=last, retrain_every=1))
    once, forward = [
        {(x.report, x.issue): x.places.tolist() for x in outcomes.scored_rankings(store) if x.replay == replay.id}
        for replay in reversed(rankings.replays(store))
    ]
    assert {key: found for key, found in once.items() if key[1] == first} == {
        key: found for key, found in forward.items() if key[1] == first
    }
    assert once != forward


def test_a_replay_uses_no_hints(store, newest):
    day = catalogue.issues(store)[5].date
    number = rankings.find_replay(store, day, day, 1)
    finish(workflow.replay(store, [FAST], first=day, last=day, reports=["lab"]))
    add_hint(store, "lab", "mute", "wage", person="ada")
    add_hint(store, "lab", "seed", "Wages\nWe ask what workers earn.", person="ada")
    assert finish(workflow.replay(store, [FAST], first=day, last=day, reports=["lab"])) == []
    finish(workflow.replay(store, [OTHER], first=day, last=day, reports=["lab"]))
    with store.reading() as connection:
        rows = connection.exec_driver_sql("SELECT DISTINCT hints_up_to, n_relevant FROM ranking").all()
    assert [one.id for one in rankings.replays(store)] == [number]
    assert len(rows) == 1
    assert rows[0][0] == 0


def test_only_weekly_rankings_store_words_to_highlight(store, newest):
    recipe, days = RECIPES["presort-1"], [issue.date for issue in catalogue.issues(store)]
    finish(workflow.replay(store, [recipe], first=days[-2], last=days[-2], reports=["lab"]))
    finish(workflow.rank(store, [recipe], reports=["lab"]))
    replayed, ranked = (rankings.ranking(store, number).ranking for number in (1, 2))
    assert (replayed.issue, ranked.issue) == (days[-2], newest)
    assert ranked.words
    assert not replayed.words
