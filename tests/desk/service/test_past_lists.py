"""Past issues imported from files or ranked by another ranker are ranked for stop advice."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from itertools import islice

import pytest

from presort.data import catalogue
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.learning.missing_rankings import newest_published_issues
from presort.data.learning.sorted_lists import official_lists
from presort.data.records import ListedPaper
from presort.data.running import service
from presort.data.store import open_store
from presort.desk.importing.importer import import_listings
from presort.desk.jobs.background import queue_missing
from presort.desk.jobs.queue import JobQueue
from presort.desk.service import past_lists, workflow
from presort.desk.service.past_lists import missing_lists, rank_past
from presort.desk.session.progress import relevance_models_before
from presort.ranker.versions import DEFAULT, RECIPES

FAST, OTHER = RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]


@pytest.fixture
def gone_over(store):
    """Return a service with past issues from files that has chosen another ranker for the next issue."""
    service.set_rankers(store, FAST.name, [OTHER.name], person="Ann")
    return store


def numbers_of(store):
    """Return the numbers of the lists that stop advice is learned from."""
    return {one.ranking_id for of_report in official_lists(store, FAST.name) for one in of_report}


def test_past_issues_are_ranked_so_that_the_first_list_has_stop_advice(gone_over, newest):
    assert not relevance_models_before(gone_over, FAST.name, newest)["lab"].finished
    steps = list(rank_past(gone_over))
    assert {step.ranker for step in steps} == {FAST.name}, "shadows sort for nobody"
    assert relevance_models_before(gone_over, FAST.name, newest)["lab"].finished
    (replay,) = rankings.replays(gone_over)
    issues = newest_published_issues(gone_over, 16)
    assert (replay.first_issue, replay.last_issue, replay.retrain_every) == (issues[0], issues[-1], 1)
    assert newest not in issues
    assert missing_lists(gone_over, FAST.name) == []
    assert list(rank_past(gone_over)) == []


def test_an_interrupted_run_resumes(gone_over):
    n_missing = len(missing_lists(gone_over, FAST.name))
    list(islice(rank_past(gone_over), 2))
    assert len(missing_lists(gone_over, FAST.name)) == n_missing - 2
    assert len(list(rank_past(gone_over))) == n_missing - 2
    assert len(rankings.replays(gone_over)) == 1


def test_lists_ranked_before_an_interruption_are_scored_at_the_end(gone_over, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(workflow, "score", lambda _: None)  # stopped right before
        list(rank_past(gone_over))
    assert numbers_of(gone_over) == set()
    list(rank_past(gone_over))
    assert len(numbers_of(gone_over)) > 0


def test_only_lists_that_are_missing_are_ranked(gone_over):
    issues = newest_published_issues(gone_over, 16)
    list(workflow.replay(gone_over, [FAST], first=issues[0], last=issues[3]))
    missing = missing_lists(gone_over, FAST.name)
    assert {one.issue for one in missing} == set(issues[4:])
    made = {(step.report, step.ranker) for step in rank_past(gone_over)}
    assert made == {(one.report, FAST.name) for one in missing}
    assert missing_lists(gone_over, FAST.name) == []


def test_only_the_newest_issues_are_considered(gone_over, monkeypatch):
    issues = newest_published_issues(gone_over, 16)
    assert newest_published_issues(gone_over, 3) == issues[-3:]
    monkeypatch.setattr(past_lists, "NEWEST", 3)
    assert {one.issue for one in missing_lists(gone_over, FAST.name)} == set(issues[-3:])
    assert {one.issue for one in missing_lists(gone_over, FAST.name, before=issues[-1])} == {issues[-3], issues[-2]}


def test_nothing_is_ranked_if_nothing_was_published(empty_store):
    assert list(rank_past(empty_store)) == []
    queue_missing(empty_store)
    assert JobQueue(empty_store.folder).active_jobs() == []


def test_a_new_report_with_a_past_is_ranked_alone(gone_over, listings):
    list(rank_past(gone_over))
    before = numbers_of(gone_over)
    some = [one for one in listings if "lab" in one.selected_by]
    commit_import(gone_over, [ListedPaper(one.paper, one.issue, ("new",)) for one in some], person="import")
    missing = missing_lists(gone_over, FAST.name)
    assert {one.report for one in missing} == {"new"}
    days = {one.issue for one in some} - {listings[0].issue}  # there is no training data before it
    assert len(list(rank_past(gone_over))) == len(missing) == len(days)
    assert before < numbers_of(gone_over)


def older(listings, by):
    """Return the same papers and selections as older issues with distinct ids."""
    return [
        ListedPaper(replace(one.paper, paper_id=f"older-{one.paper.paper_id}"), one.issue - by, one.selected_by)
        for one in listings
    ]


def test_importing_older_issues_re_ranks_all_past_lists(gone_over, listings):
    list(rank_past(gone_over))
    grown = older(listings, timedelta(days=700))
    commit_import(gone_over, grown, person="import", is_matched=False)
    missing = missing_lists(gone_over, FAST.name)
    first_before = min(one.issue for one in listings)
    assert min(one.issue for one in missing) < first_before
    assert max(one.issue for one in missing) > first_before, "what was ranked without knowing the older issues"
    list(rank_past(gone_over))
    assert missing_lists(gone_over, FAST.name) == []
    lists = {one.issue for of_report in official_lists(gone_over, FAST.name) for one in of_report}
    assert first_before in lists, "which was in list order before: nothing older was known"


@pytest.mark.parametrize("is_trial", [False, True])
def test_an_import_queues_the_missing_past_lists(empty_store, listings, is_trial):
    import_listings(empty_store, iter(listings), "past.csv", person="Ann", is_trial=is_trial)
    queued = [(job.kind, job.request) for job in JobQueue(empty_store.folder).active_jobs()]
    assert queued == ([] if is_trial else [("replay", {"ranker": DEFAULT})])


def test_many_imports_queue_one_job(store):
    service.set_rankers(store, FAST.name, [], person="Ann")
    queue_missing(store)
    queue_missing(store)
    assert len(JobQueue(store.folder).active_jobs()) == 1
    list(rank_past(store))
    with closing(open_store(store.folder)) as again:
        queue_missing(again)
    assert len(JobQueue(store.folder).active_jobs()) == 1


def test_the_ranker_of_the_next_issue_is_trained_ahead(store, monkeypatch):
    learned = []
    monkeypatch.setattr(workflow, "learn_ahead", lambda recipe, *_, **__: learned.append(recipe.name))
    list(workflow.rank(store, [FAST], reports=["lab"]))
    service.set_rankers(store, OTHER.name, [], person="Ann")
    workflow.learn(store)
    assert learned == [workflow.recipes_in_use(store, catalogue.issues(store)[-1].date)[0].name, OTHER.name]
