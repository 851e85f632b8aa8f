"""Job queue: a job is added completely or not at all, runs in order, and ends once."""

import json
import os
import sqlite3
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.errors import RefusedError, WorkspaceError
from presort.desk.jobs.queue import CANCELLED, FOLDER, KEPT, UNKNOWN, End, JobQueue
from tests.desk.jobs.queued_jobs import damage, file_of


@pytest.fixture
def jobs(tmp_path):
    return JobQueue(tmp_path)


def kinds(jobs):
    return [job.kind for job in jobs.active_jobs()]


def test_jobs_are_ordered_by_urgency_and_then_age(jobs):
    assert jobs.active_jobs() == []
    for kind in ("learn", "rank", "demo", "import", "rank"):
        jobs.put(kind, {"n": len(jobs.active_jobs())}, person="Ann")
    assert kinds(jobs) == ["import", "rank", "rank", "demo", "learn"]
    assert [job.request["n"] for job in jobs.active_jobs()] == [3, 1, 4, 2, 0]
    assert {job.person for job in jobs.active_jobs()} == {"Ann"}


def test_files_keep_their_order_are_private_and_deleted_at_the_end(jobs, tmp_path):
    named = [(f"{n % 2}.csv", bytes([n])) for n in range(12)]  # the same names, and more than nine
    job = jobs.put("import", {}, person="Ann", files=named)
    assert [(path.name, path.read_bytes()) for path in jobs.files(job)] == named
    assert {one.stat().st_mode & 0o077 for one in tmp_path.rglob("*")} == {0}
    jobs.end(job, "done")
    assert not list(tmp_path.rglob("*.csv"))


def test_files_are_synced_before_the_job_is_queued(jobs, monkeypatch):
    """After a power failure, a truncated file must not be imported."""
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: [synced.append(os.fstat(file).st_ino), fsync(file)])
    job = jobs.put("import", {}, person="Ann", files=[("week.csv", b"x")])
    (path,) = jobs.files(job)
    assert {one.stat().st_ino for one in (path, *path.parents[:4])} <= set(synced) | {jobs.workspace.stat().st_ino}


def test_notes_are_stored_apart_from_polled_data(jobs):
    job = jobs.put("import", {"n": 1}, person="Ann", notes={"found": [1, 2]})
    jobs.begin(job, "one")
    assert jobs.job_of_worker("one").request == jobs.active_jobs()[0].request == {"n": 1}
    assert jobs.read_note(job, "found") == [1, 2]


def test_every_process_sees_the_state_of_a_job(jobs, tmp_path):
    job = jobs.put("rank", {}, person="Ann")
    other = JobQueue(tmp_path)
    assert not other.is_begun(job)
    assert [jobs.begin(job, "first"), jobs.begin(job, "second")] == [1, 2]
    assert (other.is_begun(job), other.job_of_worker("first")) == (True, None)
    assert other.job_of_worker("second").id == job
    jobs.store_note(job, "done", [1, 2])
    assert other.end_of(job) is None
    jobs.end(job, "failed", "The disk is full.")
    assert other.end_of(job) == End("failed", "The disk is full.")
    assert (other.active_jobs(), other.read_note(job, "done"), other.job_of_worker("second")) == ([], [1, 2], None)
    assert [one.id for one in other.ended_jobs("rank")] == [job]
    assert other.ended_jobs("import") == []


def test_a_requeued_job_has_no_attempts(jobs):
    job = jobs.put("learn", {}, person="Ann")
    jobs.begin(job, "one")
    jobs.put_back(job)
    assert not jobs.is_begun(job)
    assert jobs.begin(job, "another") == 1


def test_a_queued_job_is_cancelled_at_once_and_a_running_one_is_stopped(jobs):
    waits, begun, put_back = (jobs.put("rank", {}, person="Ann") for _ in range(3))
    for job in (begun, put_back):
        jobs.begin(job, "one")
    jobs.put_back(put_back)
    for job in (waits, begun, put_back, 99):
        jobs.cancel(job)
    assert [job.id for job in jobs.active_jobs()] == [begun]
    assert jobs.is_cancelled(begun)
    assert {jobs.end_of(job) for job in (waits, put_back)} == {End("cancelled", CANCELLED)}
    assert jobs.begin(waits, "late") == 0


def test_cancelling_and_starting_at_the_same_time_agree(jobs):
    """The first one wins: a running job is never reported as cancelled before it was stopped."""
    for _ in range(30):
        job = jobs.put("rank", {}, person="Ann")
        with ThreadPoolExecutor(2) as both:
            both.submit(jobs.cancel, job)
            tries = both.submit(jobs.begin, job, "one").result()
        assert (jobs.end_of(job) is None) == (tries == 1)


def test_a_job_that_cannot_be_cancelled_is_reported(jobs):
    job = jobs.put("rank", {}, person="Ann")
    with closing(sqlite3.connect(file_of(jobs), isolation_level=None)) as other, pytest.MonkeyPatch.context() as patch:
        patch.setattr("presort.desk.jobs.queue.TIMEOUT", 0)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WorkspaceError, match=r"queue\.db can't be read or written: database is locked"):
            jobs.cancel(job)
    assert not jobs.is_cancelled(job)


def test_the_first_result_counts_and_later_ones_are_ignored(jobs):
    job = jobs.put("rank", {}, person="Ann")
    jobs.end(job, "done")
    jobs.end(job, "broken", "later")
    jobs.cancel(job)
    assert jobs.end_of(job) == End("done")
    assert not jobs.is_cancelled(job)
    jobs.forget(job)
    assert jobs.end_of(job) == End("failed", UNKNOWN)


def test_an_incomplete_job_is_not_in_the_queue(jobs, tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(WorkspaceError, match="can't be written: No space left on device"):
            jobs.put("import", {}, person="Ann", files=[("a.csv", b"x")])
    assert jobs.active_jobs() == []
    assert not list(tmp_path.rglob("*.csv"))
    job = jobs.put("import", {}, person="Ann", files=[("b.csv", b"x")])
    assert [path.name for path in jobs.files(job)] == ["b.csv"]


@pytest.mark.parametrize("content", ["", "{", "null", "[]"], ids=["empty", "cut", "null", "list"])
def test_a_damaged_job_blocks_no_other(jobs, content):
    whole, damaged = jobs.put("rank", {}, person="Ann"), jobs.put("rank", {}, person="Ann")
    damage(jobs, damaged, content)
    assert {job.id: job.kind for job in jobs.active_jobs()} == {whole: "rank", damaged: ""}
    assert jobs.begin(whole, "one") == 1


def test_a_damaged_queue_is_renamed_and_replaced(jobs):
    jobs.put("rank", {}, person="Ann")
    file_of(jobs).write_bytes(b"no database, but long enough to be taken for one" * 100)
    with pytest.raises(WorkspaceError, match=r"was damaged: .* Start queued imports and rankings again"):
        jobs.active_jobs()
    assert jobs.active_jobs() == []
    job = jobs.put("rank", {}, person="Ann")
    assert [one.id for one in jobs.active_jobs()] == [job]


def test_old_jobs_and_files_of_interrupted_queueing_are_deleted(jobs, tmp_path, monkeypatch):
    old, new = (jobs.put("rank", {}, person="Ann") for _ in range(2))
    waits = jobs.put("import", {}, person="Ann", files=[("a.csv", b"x")])
    cut_off = tmp_path / FOLDER / "99"
    cut_off.mkdir()
    jobs.store_note(old, "done", [1])
    with monkeypatch.context() as patch:
        now = time.time()
        patch.setattr(time, "time", lambda: now - KEPT - 1)
        jobs.end(old, "done")
    jobs.end(new, "done")
    jobs.clear()
    assert [job.id for job in jobs.ended_jobs("rank")] == [new]
    assert jobs.read_note(old, "done") is None
    assert [job.id for job in jobs.active_jobs()] == [waits]
    assert [path.name for path in jobs.files(waits)] == ["a.csv"]
    assert not cut_off.exists()


def test_nothing_remains_of_an_erased_person(jobs):
    job, other = (jobs.put("import", {"of": name}, person=name) for name in ("Ann Unusual", "Bo"))
    with pytest.raises(RefusedError, match="of Ann Unusual is queued or running"):
        jobs.forget_person("Ann Unusual")
    jobs.store_note(job, "done", "Ann Unusual")
    jobs.end(job, "done")
    jobs.forget_person("Ann Unusual")
    assert jobs.ended_jobs("import") == []
    assert [one.id for one in jobs.active_jobs()] == [other]
    assert b"Ann Unusual" not in file_of(jobs).read_bytes()


def test_jobs_queued_at_the_same_time_are_all_stored(jobs):
    def put():
        for n in range(20):
            jobs.put("rank", {"n": n}, person="Ann")

    threads = [threading.Thread(target=put) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(job.request["n"] for job in jobs.active_jobs()) == sorted([*range(20)] * 4)


def test_a_note_is_read_whole_during_an_update(jobs):
    job = jobs.put("rank", {}, person="Ann")
    for n in range(50):
        jobs.store_note(job, "done", [n] * n)
        assert jobs.read_note(job, "done") == json.loads(json.dumps([n] * n))


def put_some(workspace, title, n):
    jobs = JobQueue(Path(workspace))
    return [jobs.put("import", {"title": title, "n": number}, person="Ann") for number in range(n)]


@given(st.lists(st.tuples(st.integers(-(10**9), 10**9), st.sampled_from(["keep", "end", "forget"])), max_size=8))
def test_jobs_are_ordered_by_calls_and_not_by_the_clock(readings):
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        jobs, expected = JobQueue(Path(folder)), []
        for n, (reading, then) in enumerate(readings):
            patch.setattr(time, "time_ns", lambda reading=reading: (2 * 10**9 + reading) * 10**9)
            patch.setattr(time, "time", lambda reading=reading: float(2 * 10**9 + reading))
            job = jobs.put("import", {"n": n}, person="Ann")
            if then == "keep":
                expected.append(n)
                continue
            jobs.end(job, "done")
            if then == "forget":
                jobs.forget(job)
        assert [job.request["n"] for job in jobs.active_jobs()] == expected


@pytest.mark.whole
def test_two_processes_that_queue_at_once_each_keep_their_order(tmp_path):
    n = 12
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        ready = [processes.submit(put_some, str(tmp_path), title, n) for title in ("a", "b")]
        ids = [one for part in ready for one in part.result()]
    waiting = JobQueue(tmp_path).active_jobs()
    assert sorted(job.id for job in waiting) == sorted(ids)
    for title in ("a", "b"):
        assert [job.request["n"] for job in waiting if job.request["title"] == title] == list(range(n))
    assert JobQueue(tmp_path).put("import", {}, person="Ann") > max(ids)
