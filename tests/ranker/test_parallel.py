"""Calls in several processes."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from presort.ranker.parallel import end_workers, run_in_processes

pytestmark = pytest.mark.whole

STUCK = """
import os
import signal
from presort.ranker.parallel import run_in_processes

def work(number):
    for sent in (signal.SIGINT, signal.SIGTERM):  # as sent to a whole process group, whose parent handles them
        signal.raise_signal(sent)
    os.write(1, f"{os.getpid()}\\n".encode())  # at once: two workers that print may write into each other's line
    signal.pause()

for result in run_in_processes(work, (), [(1,), (2,)], 2):
    pass
"""
BOUND = 120  # seconds; half a second on an idle machine


def test_results_are_yielded_when_ready():
    assert sorted(run_in_processes(divmod, (), [(7, 2), (9, 4)], 2)) == [(2, 1), (3, 1)]


@pytest.mark.whole
def test_idle_workers_can_be_ended():
    workers = set(run_in_processes(os.getpid, (), [(), ()], 2))
    assert os.getpid() not in workers
    for _ in range(2):  # also if there are none
        end_workers()
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_workers_end_with_a_parent_that_is_killed_and_by_no_other_signal():
    """A test of the command line covers a parent that is asked to stop."""
    command = [sys.executable, "-c", STUCK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        workers = []
        try:
            workers += [int(parent.stdout.readline()) for _ in range(2)]
            parent.kill()
            parent.communicate(timeout=BOUND)  # returns after all processes that could write there have ended
        except BaseException:
            for process in (*workers, parent.pid):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            raise
    assert parent.returncode == -signal.SIGKILL
