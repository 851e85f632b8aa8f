"""Background jobs of the app: queued once, in order of priority, with results in their handles."""

from datetime import date, timedelta

import pytest

from presort.data import catalogue
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import Editorship, Report
from presort.data.rights import ForbiddenError
from presort.data.running import people
from presort.desk.jobs import background, worker
from presort.desk.jobs.background import BackgroundJobs, JobHandle, demo_of
from presort.desk.service import demo
from presort.desk.service.past_lists import missing_lists
from tests.desk.jobs.queued_jobs import file_of, put


def test_a_handle_knows_whether_its_job_is_next(jobs):
    first, second = (JobHandle(jobs, jobs.put("import", {}, person="ada")) for _ in range(2))
    assert (first.is_next, second.is_next) == (True, False)
    jobs.end(first.id, "done")
    assert (first.is_next, second.is_next) == (False, True)


def test_training_is_queued_once_until_it_starts(empty_store, monkeypatch):
    monkeypatch.setattr("presort.desk.jobs.background.supervise", lambda _: None)
    waits = BackgroundJobs(empty_store.folder)
    first = waits.learn_ahead()
    assert waits.learn_ahead() == first
    assert waits.add(["lab"]) == waits.add(["lab"]) != waits.add(["mac"])
    waits.queue.begin(first.id, "one")
    second = waits.learn_ahead()
    assert waits.learn_ahead() == second != first
    waits.queue.end(first.id, "done")
    waits.queue.end(second.id, "broken", "ended with 1")
    assert first.exception() is None
    assert isinstance(second.exception(), RuntimeError)


def test_past_lists_are_ranked_after_urgent_jobs_and_before_training(store, monkeypatch):
    monkeypatch.setattr("presort.desk.jobs.background.supervise", lambda _: None)
    waits, fast = BackgroundJobs(store.folder), "krichel-2007"
    waits.learn_ahead()
    job = waits.rank_past(fast)
    waits.add(["lab"])
    assert [one.kind for one in waits.queue.active_jobs()] == ["rank", "replay", "learn"]
    assert waits.past_ranking(fast) == waits.rank_past(fast) == job
    assert waits.past_ranking("arxiv-sanity") is None
    assert job.progress is None
    for one in waits.queue.active_jobs()[:1]:
        waits.queue.end(one.id, "done")
    n_missing = len(missing_lists(store, fast))
    worker.work(store.folder, "one")
    assert (job.exception(), missing_lists(store, fast)) == (None, [])
    assert job.progress is not None
    assert 0 < job.progress[0] <= job.progress[1] == n_missing
    assert waits.past_ranking(fast) is None


def test_the_error_of_ranking_past_lists_is_kept_until_a_success(empty_store, monkeypatch):
    monkeypatch.setattr("presort.desk.jobs.background.supervise", lambda _: None)
    waits = BackgroundJobs(empty_store.folder)
    assert waits.past_ranking_error("gone") == ""
    waits.rank_past("gone")
    worker.work(empty_store.folder, "one")
    assert "gone" in waits.past_ranking_error("gone")
    assert waits.past_ranking_error("krichel-2007") == ""
    waits.queue.end(waits.rank_past("gone").id, "done")
    assert waits.past_ranking_error("gone") == ""


def test_a_desk_starts_with_a_damaged_queue_and_says_so(jobs, caplog):
    put(jobs)
    file_of(jobs).write_bytes(b"no database, but long enough to be taken for one" * 100)
    BackgroundJobs(jobs.workspace).resume()
    assert "was damaged" in caplog.text
    assert jobs.active_jobs() == []


def test_a_user_without_the_right_can_not_queue_an_import(empty_store, monkeypatch):
    class Nobody:
        def demand(self, connection, right, of):
            raise ForbiddenError("That is for directors alone.")

    waits = BackgroundJobs(empty_store.folder)
    with pytest.raises(ForbiddenError):
        waits.add_import(empty_store.with_guard(Nobody()), {}, [], {})
    assert waits.queue.active_jobs() == []


def test_the_jobs_of_a_renamed_editor_are_exported_and_erased(empty_store, jobs):
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    past = date.today() - timedelta(days=9)
    people.add_editorship(empty_store, Editorship("lab", "Ann", past, past), person="Dora")
    ended, waits, of_bo = (jobs.put("import", {}, person=name) for name in ("Ann", "Ann", "Bo"))
    jobs.end(ended, "done")
    background.rename_editor(empty_store, "Ann", "Ann  Lee")
    assert [job.person for job in jobs.active_jobs()] == ["Ann Lee", "Bo"]
    assert len(background.export_person(empty_store, "Ann Lee", person="Dora")["background_jobs"]) == 2
    jobs.begin(waits, "one")
    with pytest.raises(RefusedError, match="A background job of Ann Lee is running"):
        background.rename_editor(empty_store, "Ann Lee", "Ann Smith")
    assert set(people.affiliations(empty_store)) == {"Ann Lee"}
    jobs.end(waits, "done")
    jobs.end(of_bo, "done")
    background.erase(empty_store, "Ann Lee", person="Dora")
    assert [job.id for job in jobs.ended_jobs("import")] == [of_bo]


def test_the_demo_has_a_folder_of_its_own(empty_store, monkeypatch):
    built = []
    monkeypatch.setattr("presort.desk.jobs.background.supervise", lambda _: None)
    monkeypatch.setattr(demo, "build_demo", lambda store: built.append(store.folder) or [])
    waits = BackgroundJobs(empty_store.folder)
    waits.build_demo()
    worker.work(empty_store.folder, "one")
    assert waits.demo.done()
    assert built == [demo_of(empty_store.folder)]


@pytest.mark.parametrize(
    ("state", "kind"),
    [("done", type(None)), ("failed", WorkspaceError), ("cancelled", RefusedError), ("broken", RuntimeError)],
)
def test_a_handle_returns_the_result_of_its_job(empty_store, monkeypatch, state, kind):
    monkeypatch.setattr("presort.desk.jobs.background.supervise", lambda _: None)
    handle = BackgroundJobs(empty_store.folder).learn_ahead()
    assert (handle.done(), handle.exception()) == (False, None)
    handle.queue.end(handle.id, state, "so it was")
    error = handle.exception()
    assert (handle.done(), type(error)) == (True, kind)
    assert error is None or str(error) == "so it was"
