"""Jobs of a queue: added, waited for, and damaged."""

import sqlite3
import threading
from contextlib import closing

from presort.desk.jobs.queue import FILE_NAME, FOLDER


def file_of(jobs):
    return jobs.workspace / FOLDER / FILE_NAME


def damage(jobs, job, content):
    """Overwrite the request of a job."""
    with closing(sqlite3.connect(file_of(jobs))) as connection, connection:
        connection.execute("UPDATE job SET request = ? WHERE id = ?", (content, job))


def wait_for(jobs, job):
    """Wait until a job has ended. A test that hangs is stopped by the test runner."""
    for _ in range(6_000):
        if (end := jobs.end_of(job)) is not None:
            return end
        threading.Event().wait(0.02)
    raise TimeoutError


def put(jobs, kind="rank", **request):
    return jobs.put(kind, request, person="Ann")
