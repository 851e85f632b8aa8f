"""Supervisor and workers: each queued job is done once, whichever process is killed."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from presort.data import catalogue
from presort.data.editing.pending import pending
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.importers.preview import ColumnMapping, preview
from presort.data.rights import ForbiddenError
from presort.data.running.service import set_rankers
from presort.desk.importing import import_job
from presort.desk.importing.uploads import ImportRequest, upload_of
from presort.desk.jobs import queue, supervisor, worker
from presort.desk.jobs.background import BackgroundJobs, JobHandle, demo_of
from presort.desk.jobs.queue import JobQueue
from presort.desk.jobs.supervisor import BROKEN, TOO_LONG, TOO_MUCH, Supervisor
from presort.desk.service import demo
from presort.desk.service.past_lists import missing_lists
from presort.desk.service.rankers import known_rankers_of
from tests import forked
from tests.desk.jobs.test_queue import damage, file_of
from tests.desk.web.test_guard import served

PYTHON = sys.executable
WEEK = b"paper_id,title,issue\nx1,Wages and jobs,2030-01-07\nx2,Money,2030-01-07\n"


@pytest.fixture
def jobs(tmp_path, empty_store):
    return JobQueue(empty_store.folder)


@pytest.fixture
def tended(jobs, monkeypatch, tmp_path):
    """Return a function that supervises the queue with a scripted worker.

    The worker takes the next job like the real one and runs the script. "$job" is the job's id.
    """
    begun = []

    def tend(script, *, tries=1):
        program = tmp_path / "worker.py"
        program.write_text(WORKER.format(folder=str(jobs.workspace), script=script))
        monkeypatch.setattr(supervisor, "LOOKED_AFTER", 0.02)
        monkeypatch.setattr(supervisor, "AGAIN", 0.02)
        fake = tmp_path / "python"
        fake.write_text(f'#!/bin/sh\nexec {PYTHON} {program} "$@"\n')
        fake.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(fake))
        begun.append(Supervisor(jobs))
        begun[-1].wake()
        return begun[-1]

    yield tend
    for one in begun:
        one._end()


WORKER = """
import os, signal, sys, time
from presort.desk.jobs.queue import JobQueue
jobs = JobQueue(__import__("pathlib").Path({folder!r}))
job = next(iter(jobs.waiting()), None)
if job is not None:
    n = jobs.begin(job.id, sys.argv[4])
{script}
"""
WORKING = """
import os, signal, sys
from presort.desk.jobs import worker
worker.do_rank = lambda *_: {}
sys.argv.append(str(os.getppid()))  # with which a worker ends
worker.main()
"""


def wait_for(jobs, job):
    """Wait until a job has ended. A test that hangs is stopped by the test runner."""
    for _ in range(6_000):
        if (end := jobs.end_of(job)) is not None:
            return end
        threading.Event().wait(0.02)
    raise TimeoutError


def put(jobs, kind="rank", **request):
    return jobs.put(kind, request, person="Ann")


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
    if n > 1 or (jobs.noted(job.id, "again")): jobs.end(job.id, "broken", "begun again")
    jobs.note(job.id, "again", True)
    time.sleep(600)""")
    assert wait_for(jobs, job).message == TOO_LONG.format("0.0001")


def test_a_temporarily_unreadable_queue_is_processed_later(jobs, tended, monkeypatch):
    job, waiting = put(jobs), JobQueue.waiting

    def refuse_once(self):
        monkeypatch.setattr(JobQueue, "waiting", waiting)
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(JobQueue, "waiting", refuse_once)
    tended("    jobs.end(job.id, 'done')")
    assert wait_for(jobs, job).state == "done"


def test_a_handle_knows_whether_its_job_is_next(jobs):
    first, second = (JobHandle(jobs, jobs.put("import", {}, person="ada")) for _ in range(2))
    assert (first.is_next, second.is_next) == (True, False)
    jobs.end(first.id, "done")
    assert (first.is_next, second.is_next) == (False, True)


def test_a_job_is_restarted_if_its_worker_was_killed(jobs, tended):
    job = put(jobs)
    tended("    os.kill(os.getpid(), signal.SIGKILL) if n < 3 else jobs.end(job.id, 'done', str(n))")
    assert wait_for(jobs, job).message == "3"


@pytest.mark.parametrize("end", ["os.abort()", "os.kill(os.getpid(), signal.SIGXCPU)", "os._exit(70)"])
def test_a_file_that_crashes_the_worker_is_noted_and_the_job_continues(jobs, tended, end):
    job = put(jobs, "import")
    tended(f"""
    if jobs.noted(job.id, "crashed") == 1: jobs.end(job.id, "done", str(n)); sys.exit()
    jobs.note(job.id, "reading", 1)
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
    jobs.note(job.id, "listens", True)
    time.sleep(600)""")
    while not jobs.noted(job, "listens"):
        threading.Event().wait(0.02)
    first._end()
    assert jobs.end_of(job) is None
    tended("    jobs.end(job.id, 'done')")
    assert wait_for(jobs, job).state == "done"


def test_a_worker_runs_the_most_urgent_job_and_only_one_works_at_a_time(jobs, empty_store):
    job = put(jobs, "rank", reports=["xyz"])
    with empty_store.lock(queue.LOCK, queue.BUSY), pytest.raises(RefusedError, match=queue.BUSY):
        worker.work(jobs.workspace, "one")
    assert not jobs.is_begun(job)
    worker.work(jobs.workspace, "one")
    assert jobs.end_of(job).message.startswith("There is no report xyz")
    worker.work(jobs.workspace, "one")  # the queue is empty


def test_a_job_interrupted_too_often_or_unreadable_ends(jobs):
    often, damaged, unwanted = (put(jobs, "rank", reports=[]) for _ in range(3))
    for n in range(worker.MOST_TRIES):
        jobs.begin(often, f"worker {n}")
    damage(jobs, damaged, "{")
    jobs.cancel(unwanted)
    for _ in range(3):
        worker.work(jobs.workspace, "one")
    found = {job: jobs.end_of(job) for job in (often, damaged, unwanted)}
    assert [end.state for end in found.values()] == ["failed", "failed", "cancelled"]
    assert [found[job].message for job in (often, damaged)] == [worker.CUT_OFF, worker.UNREADABLE]


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
    assert [one.kind for one in waits.queue.waiting()] == ["rank", "replay", "learn"]
    assert waits.past_ranking(fast) == waits.rank_past(fast) == job
    assert waits.past_ranking("arxiv-sanity") is None
    assert job.progress is None
    for one in waits.queue.waiting()[:1]:
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
    assert waits.why_past_ranking_failed("gone") == ""
    waits.rank_past("gone")
    worker.work(empty_store.folder, "one")
    assert "gone" in waits.why_past_ranking_failed("gone")
    assert waits.why_past_ranking_failed("krichel-2007") == ""
    waits.queue.end(waits.rank_past("gone").id, "done")
    assert waits.why_past_ranking_failed("gone") == ""


def test_a_desk_starts_with_a_damaged_queue_and_says_so(jobs, caplog):
    put(jobs)
    file_of(jobs).write_bytes(b"no database, but long enough to be taken for one" * 100)
    BackgroundJobs(jobs.workspace).go_on()
    assert "was damaged" in caplog.text
    assert jobs.waiting() == []


def test_a_user_without_the_right_can_not_queue_an_import(empty_store, monkeypatch):
    class Nobody:
        def demand(self, connection, right, of):
            raise ForbiddenError("That is for directors alone.")

    waits = BackgroundJobs(empty_store.folder)
    with pytest.raises(ForbiddenError):
        waits.add_import(empty_store.guarded(Nobody()), {}, [], {})
    assert waits.queue.waiting() == []


def test_the_demo_has_a_folder_of_its_own(empty_store, monkeypatch):
    built = []
    monkeypatch.setattr("presort.desk.jobs.background.supervise", lambda _: None)
    monkeypatch.setattr(demo, "build_demo", lambda store: built.append(store.folder) or [])
    waits = BackgroundJobs(empty_store.folder)
    waits.build_demo()
    worker.work(empty_store.folder, "one")
    assert waits.demo.done()
    assert built == [demo_of(empty_store.folder)]


@pytest.mark.whole
def test_the_real_worker_imports_and_ranks_in_separate_processes(store, newest):
    """The ranking of imported papers follows the import. Both were queued while no supervisor was running."""
    set_rankers(store, "krichel-2007", [], person="Ann")  # trains at once
    jobs = JobQueue(store.folder)
    wish = ImportRequest((upload_of("1", "week.csv", None),), None, (), keeps_going=False, is_matched=True)
    brought = jobs.put("import", import_job.job_request(wish, is_trial=False), person="Ann", files=[("week.csv", WEEK)])
    sorted_now = put(jobs, "rank", reports=["lab"])
    BackgroundJobs(store.folder).go_on()
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


@pytest.mark.whole
def test_memory_has_a_limit(jobs):
    """A worker that exceeds its memory limit exits with a special code."""
    code = """
import numpy, os
os.sysconf = lambda name: {"SC_PHYS_PAGES": 400 * 2**20 // 4096, "SC_PAGE_SIZE": 4096}[name]
from presort.desk.jobs import worker
worker.do_rank = lambda *_: numpy.ones(2**28)
worker.main()
"""
    put(jobs, "rank", reports=[])
    ended = subprocess.run(
        [sys.executable, "-c", code, str(jobs.workspace), "one", str(os.getpid())], check=False, env={**os.environ}
    )
    assert ended.returncode == supervisor.NO_MEMORY


@pytest.mark.whole
def test_a_worker_without_a_supervisor_ends_at_its_own_time_limit(jobs):
    """Its desk was killed. A worker that only waits, for example for a response, would block the queue forever."""
    put(jobs, "rank", reports=[])
    code, _ = forked.run(WORKING.format("os._exit(round(signal.alarm(0) / 3600))"), jobs.workspace, "one")
    assert code == max(supervisor.HOURS.values())


@pytest.mark.whole
def test_a_stopped_worker_requeues_its_job(jobs):
    job = put(jobs, "rank", reports=[])
    code, _ = forked.run(WORKING.format("os.kill(os.getpid(), signal.SIGTERM)"), jobs.workspace, "one")
    assert code == 128 + signal.SIGTERM
    assert not jobs.is_begun(job)


@pytest.mark.whole
def test_a_worker_of_a_killed_desk_requeues_its_job_and_ends(jobs):
    code = """
import threading
from presort.desk.jobs import worker
worker.do_rank = lambda *_: (print("begun", flush=True), threading.Event().wait())
worker.main()
"""
    parent = """
import os, subprocess, sys
subprocess.run([sys.executable, "-c", *sys.argv[1:], str(os.getpid())])
"""
    job = put(jobs, "rank", reports=[])
    command = [sys.executable, "-c", parent, code, str(jobs.workspace), "one"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as desk:
        assert desk.stdout.readline() == "begun\n"
        assert jobs.is_begun(job)
        desk.kill()
        assert desk.stdout.read() == ""  # until the worker has ended, too
    assert not jobs.is_begun(job)
    assert [one.id for one in jobs.waiting()] == [job]


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
