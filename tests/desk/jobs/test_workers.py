"""Workers: the next job, limits of memory and time, and jobs that a worker puts back."""

import os
import signal
import subprocess
import sys

import pytest

from presort.data.errors import RefusedError
from presort.desk.jobs import queue, supervisor, worker
from tests import forked
from tests.desk.jobs.queued_jobs import damage, put

WORKING = """
import os, signal, sys
from presort.desk.jobs import worker
worker.do_rank = lambda *_: {}
sys.argv.append(str(os.getppid()))  # with which a worker ends
worker.main()
"""


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
    assert [one.id for one in jobs.active_jobs()] == [job]
