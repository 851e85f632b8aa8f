"""Past issues imported from files are ranked as soon as a list is opened. Its stop advice waits for them."""

import pytest

from presort.data.running.service import set_rankers
from presort.desk.jobs.queue import JobQueue
from presort.desk.review import preparation
from presort.desk.service import workflow
from presort.desk.service.past_lists import missing_lists, rank_past
from presort.ranker.versions import RECIPES
from tests.desk.review.test_stop_advice import light_box, review_page, shown_for

FAST = "krichel-2007"


@pytest.fixture
def opened(ranked, open_plain):
    """Return a list ranked for a report whose past was imported from files."""
    return open_plain(review_page, ranked, report="lab")


def queued(store):
    return [(job.kind, job.request["ranker"]) for job in JobQueue(store.folder).active_jobs()]


def end_job(store, state="done", reason=""):
    jobs = JobQueue(store.folder)
    (job,) = jobs.active_jobs()
    jobs.end(job.id, state, reason)


def boxes(page):
    return [box.value for kind in (page.info, page.success, page.warning) for box in kind]


def test_opening_a_list_ranks_its_past_and_says_so(ranked, newest, opened):
    n_missing = len(missing_lists(ranked, FAST, newest))
    assert n_missing > 0
    assert queued(ranked) == [("replay", FAST)]
    assert preparation.describe_progress(n_missing, None) in boxes(opened)
    assert "stop near" not in light_box(opened)
    opened.run()
    assert queued(ranked) == [("replay", FAST)], "once"


def test_progress_is_shown(ranked, newest, opened):
    jobs = JobQueue(ranked.folder)
    (job,) = jobs.active_jobs()
    jobs.begin(job.id, "one")
    jobs.store_note(job.id, "progress", [3, 14])
    opened.run()
    assert preparation.describe_progress(14, (3, 14)) in boxes(opened)


def test_stop_advice_appears_when_ready_and_is_announced_once(ranked, opened):
    list(rank_past(ranked, FAST))
    opened.run()
    assert "stop near" not in light_box(opened), "the job is not over: more may come"
    end_job(ranked)
    opened.run()
    assert preparation.ADVICE_READY in boxes(opened)
    assert "stop near" in light_box(opened)
    advice = light_box(opened)
    opened.run()
    assert preparation.ADVICE_READY not in boxes(opened)
    assert light_box(opened) == advice
    assert queued(ranked) == []


def test_a_list_opened_later_has_advice_at_once(ranked, newest, open_plain):
    list(rank_past(ranked, FAST))
    page = open_plain(review_page, ranked, report="lab")
    assert boxes(page) == []
    assert "stop near" in light_box(page)


def test_a_job_without_missing_lists_is_not_announced(ranked, open_plain):
    list(rank_past(ranked, FAST))
    JobQueue(ranked.folder).put_once("replay", {"ranker": FAST})
    page = open_plain(review_page, ranked, report="lab")
    assert boxes(page) == []
    assert "stop near" in light_box(page)
    end_job(ranked)
    page.run()
    assert boxes(page) == []
    assert "stop near" in light_box(page)


@pytest.mark.parametrize("state", ["failed", "broken"])
def test_a_failure_is_explained_and_not_retried_automatically(ranked, newest, opened, state):
    end_job(ranked, state, "The disk is full.")
    opened.run()
    n_missing = len(missing_lists(ranked, FAST, newest))
    assert preparation._describe_failure(n_missing, "The disk is full.") in boxes(opened)
    opened.run()
    assert queued(ranked) == []
    assert "stop advice is being prepared" not in light_box(opened)


def test_a_job_that_skips_lists_is_not_queued_forever(ranked, opened):
    end_job(ranked)
    for _ in range(3):  # each run of the page
        opened.run()
        assert queued(ranked) == []
        assert preparation.ADVICE_READY not in boxes(opened)


def test_nothing_is_prepared_for_a_published_list(ranked, newest, open_plain):
    workflow.publish_report_issue(ranked, "lab", newest, shown_for(ranked, "lab", newest), person="ada")
    open_plain(review_page, ranked, report="lab", issue=newest)
    assert queued(ranked) == []


def test_nothing_is_prepared_for_a_list_in_list_order(store, newest, open_plain):
    open_plain(review_page, store, report="lab", issue=newest)
    assert queued(store) == []


def test_past_lists_are_ranked_by_the_ranker_of_the_open_list(ranked, open_plain):
    set_rankers(ranked, "arxiv-sanity", [], person="Ann")
    list(rank_past(ranked, "arxiv-sanity"))
    open_plain(review_page, ranked, report="lab")
    assert queued(ranked) == [("replay", FAST)]
    assert FAST in RECIPES
