"""Supervisor and workers: each queued job is done once, whichever process is killed."""

import os
import threading

import pytest

from presort.data import catalogue
from presort.data.editing.pending import pending
from presort.data.importers.preview import ColumnMapping, preview
from presort.data.running.service import set_rankers
from presort.desk.importing import import_job
from presort.desk.importing.uploads import ImportRequest, upload_of
from presort.desk.jobs import queue, supervisor
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.jobs.queue import JobQueue
from presort.desk.jobs.supervisor import BROKEN, TOO_LONG, TOO_MUCH, Supervisor
from presort.desk.service.rankers import known_rankers_of
from tests.desk.jobs.queued_jobs import put, wait_for
from tests.desk.web.test_guard import served

WEEK = b"paper_id,title,issue\nx1,Wages and jobs,2030-01-07\nx2,Money,2030-01-07\n"


@pytest.mark.parametrize(
    ("script", "state", "expected"),
    [
        pytest.param("    jobs.end(job.id, 'done')", "done", "", id="done"),
        pytest.param("    sys.exit(1)", "broken", BROKEN.format(1), id="a-bug"),
        pytest.param("    os._exit(70)", "failed", TOO_MUCH, id="too-much-memory"),
        pytest.param("    os.kill(os.getpid(), signal.SIGXCPU)", "failed", TOO_LONG.format(4), id="too-much-time"),
    ],
)
def test_the_end_of_a_worker_is_reported(jobs, tended, script, state, expected):
    job = put(jobs)
    tended(script)
    end = wait_for(jobs, job)
    assert (end.state, end.message) == (state, expected)


def test_a_job_over_its_time_limit_is_stopped(jobs, tended, monkeypatch):
    monkeypatch.setattr(supervisor, "HOURS", {"rank": 0.0001})
    job = put(jobs)
    tended("    time.sleep(600)")
    assert wait_for(jobs, job).message == TOO_LONG.format("0.0001")


def test_a_job_over_its_time_limit_ends_even_if_its_worker_requeues_it(jobs, tended, monkeypatch):
    monkeypatch.setattr(supervisor, "HOURS", {"rank": 0.0001})
    job = put(jobs)
    tended("""
    def stop(*_): jobs.put_back(job.id); sys.exit(143)
    signal.signal(signal.SIGTERM, stop)
    if n > 1 or (jobs.read_note(job.id, "again")): jobs.end(job.id, "broken", "begun again")
    jobs.store_note(job.id, "again", True)
    time.sleep(600)""")
    assert wait_for(jobs, job).message == TOO_LONG.format("0.0001")


def test_a_temporarily_unreadable_queue_is_processed_later(jobs, tended, monkeypatch):
    job, waiting = put(jobs), JobQueue.active_jobs

    def refuse_once(self):
        monkeypatch.setattr(JobQueue, "active_jobs", waiting)
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(JobQueue, "active_jobs", refuse_once)
    tended("    jobs.end(job.id, 'done')")
    assert wait_for(jobs, job).state == "done"


def test_a_job_is_restarted_if_its_worker_was_killed(jobs, tended):
    job = put(jobs)
    tended("    os.kill(os.getpid(), signal.SIGKILL) if n < 3 else jobs.end(job.id, 'done', str(n))")
    assert wait_for(jobs, job).message == "3"


@pytest.mark.parametrize("end", ["os.abort()", "os.kill(os.getpid(), signal.SIGXCPU)", "os._exit(70)"])
def test_a_file_that_crashes_the_worker_is_noted_and_the_job_continues(jobs, tended, end):
    job = put(jobs, "import")
    tended(f"""
    if jobs.read_note(job.id, "crashed") == 1: jobs.end(job.id, "done", str(n)); sys.exit()
    jobs.store_note(job.id, "reading", 1)
    {end}""")
    assert wait_for(jobs, job) == queue.End("done", "1")


@pytest.mark.whole
def test_a_preview_is_made_in_a_worker_which_does_the_next_job(jobs, tmp_path):
    path, supervised = tmp_path / "week.csv", Supervisor(jobs)
    path.write_bytes(WEEK)
    try:
        assert ColumnMapping.from_json(supervised.preview(path)) == preview(path)
        spare, _ = supervised._spares[0]
        path.write_bytes(b"PAR1")
        assert supervised.preview(path.rename(tmp_path / "week.parquet")) == ""
        assert supervised._spares[0][0] is spare
        job = put(jobs, "rank", reports=["xyz"])
        supervised.wake()
        assert wait_for(jobs, job).message.startswith("There is no report xyz")
        assert spare.wait() == 0
    finally:
        supervised._end()


@pytest.mark.whole
def test_a_worker_killed_by_a_table_is_replaced(jobs, tmp_path):
    path, supervised = tmp_path / "week.csv", Supervisor(jobs)
    os.mkfifo(path)  # reading it blocks forever
    try:
        supervised.prepare()
        (spare, _), *_ = supervised._spares
        threading.Timer(0.1, spare.kill).start()
        assert supervised.preview(path) == ""
        path.unlink()
        path.write_bytes(WEEK)
        assert ColumnMapping.from_json(supervised.preview(path)) == preview(path)
    finally:
        supervised._end()


def test_a_cancelled_job_is_stopped_and_the_next_one_runs(jobs, tended):
    first, second = put(jobs), put(jobs)
    tended(f"    time.sleep(600) if job.id == {first!r} else jobs.end(job.id, 'done')")
    while not jobs.is_begun(first):
        threading.Event().wait(0.02)
    jobs.cancel(first)
    assert wait_for(jobs, first).state == "cancelled"
    assert wait_for(jobs, second).state == "done"


@pytest.mark.parametrize(("slow", "urgent"), [("learn", "import"), ("replay", "import"), ("replay", "rank")])
def test_a_low_priority_job_is_interrupted_and_resumed_later(jobs, tended, tmp_path, slow, urgent):
    first = put(jobs, slow)
    seen = tmp_path / "seen"
    tended(
        f"""
    from pathlib import Path
    def stop(*_): jobs.put_back(job.id); sys.exit(143)
    signal.signal(signal.SIGTERM, stop)
    with Path({str(seen)!r}).open("a") as file: print(job.kind, file=file)
    if job.kind == {slow!r} and n == 1 and len(Path({str(seen)!r}).read_text().split()) == 1: time.sleep(600)
    jobs.end(job.id, "done")"""
    )
    while not seen.exists() or not seen.read_text():
        threading.Event().wait(0.02)
    second = put(jobs, urgent)
    assert [wait_for(jobs, one).state for one in (second, first)] == ["done", "done"]
    assert seen.read_text().split() == [slow, urgent, slow]


def test_a_job_stopped_with_the_desk_resumes_at_the_next_start(jobs, tended):
    job = put(jobs)
    first = tended("""
    def stop(*_): jobs.put_back(job.id); sys.exit(143)
    signal.signal(signal.SIGTERM, stop)
    jobs.store_note(job.id, "listens", True)
    time.sleep(600)""")
    while not jobs.read_note(job, "listens"):
        threading.Event().wait(0.02)
    first._end()
    assert jobs.end_of(job) is None
    tended("    jobs.end(job.id, 'done')")
    assert wait_for(jobs, job).state == "done"


@pytest.mark.whole
def test_the_real_worker_imports_and_ranks_in_separate_processes(store, newest):
    """The ranking of imported papers follows the import. Both were queued while no supervisor was running."""
    set_rankers(store, "krichel-2007", [], person="Ann")  # trains at once
    jobs = JobQueue(store.folder)
    wish = ImportRequest((upload_of("1", "week.csv", None),), None, (), keeps_going=False, is_matched=True)
    brought = jobs.put("import", import_job.job_request(wish, is_trial=False), person="Ann", files=[("week.csv", WEEK)])
    sorted_now = put(jobs, "rank", reports=["lab"])
    BackgroundJobs(store.folder).resume()
    try:
        assert [wait_for(jobs, job).state for job in (brought, sorted_now)] == ["done", "done"]
    finally:
        supervisor._SUPERVISORS.pop(store.folder)._end()  # would train next
    waiting = pending(store, ["lab"], today=newest)
    assert catalogue.issues(store)[-1].n_papers == 2
    assert all(known_rankers_of(store, waiting).values())


@pytest.mark.whole
def test_an_idle_worker_runs_the_next_job(jobs):
    tended = Supervisor(jobs)
    try:
        tended.prepare()
        (spare, _), (other, _) = tended._spares
        job = put(jobs, "rank", reports=["xyz"])
        tended.wake()
        assert wait_for(jobs, job).message.startswith("There is no report xyz")
        assert spare.wait() == 0
        assert tended._spares[0][0] is other
        tended.prepare()
        for one, _ in tended._spares:
            one.kill()  # they exit, as after some time without a job
        job = put(jobs, "rank", reports=["xyz"])
        tended.wake()
        assert wait_for(jobs, job).message.startswith("There is no report xyz")
    finally:
        tended._end()


@pytest.mark.whole
def test_a_started_server_continues_with_queued_jobs(jobs):
    job = put(jobs, "rank", reports=["xyz"])
    with served(jobs.workspace):
        assert wait_for(jobs, job).message.startswith("There is no report xyz")
