"""A queue, and a supervisor of it with a scripted worker."""

import sys

import pytest

from presort.desk.jobs import supervisor
from presort.desk.jobs.queue import JobQueue
from presort.desk.jobs.supervisor import Supervisor

PYTHON = sys.executable
WORKER = """
import os, signal, sys, time
from presort.desk.jobs.queue import JobQueue
jobs = JobQueue(__import__("pathlib").Path({folder!r}))
job = next(iter(jobs.active_jobs()), None)
if job is not None:
    n = jobs.begin(job.id, sys.argv[4])
{script}
"""


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
