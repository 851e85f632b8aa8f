"""Interrupted commands, and the processes that they started."""

import os
import signal
import subprocess
import sys
from contextlib import closing, suppress

import pytest
from typer.testing import CliRunner

from presort.data.store import open_store
from presort.desk import cli
from presort.desk.process import Termination, raise_on_termination
from presort.desk.rank import demo_commands

pytestmark = pytest.mark.whole

STUCK = """
import os
import signal
import sys
from dataclasses import replace
from sklearn.base import BaseEstimator, ClassifierMixin
from presort.desk.cli import app
from presort.ranker.versions import OURS

class Stuck(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        os.write(1, f"{os.getpid()}\\n".encode())  # at once: two that print may write into each other's line
        signal.pause()

recipe = OURS["krichel-2007"]
OURS[recipe.name] = replace(recipe, method=replace(recipe.method, make_classifier=Stuck))
app(sys.argv[1:])
"""
STOPPED = "presort: stopped. Finished work is saved. Run the same command again to continue.\n"
BOUND = 120  # seconds; less than one on an idle machine


def test_a_stopped_command_ends_cleanly_and_leaves_no_process(store):
    """All processes receive the signal, as from a service manager. The workers leave the shutdown to the command."""
    workspace = store.folder
    command = [sys.executable, "-c", STUCK, "--workspace", workspace, "rank", "--ranker", "krichel-2007", "--jobs", "2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, start_new_session=True) as stopped:
        workers = []
        try:
            workers += [int(stopped.stdout.readline()) for _ in range(2)]
            os.killpg(stopped.pid, signal.SIGTERM)
            # returns after all processes that could write there have ended
            _, stderr = stopped.communicate(timeout=BOUND)
        except BaseException:
            for process in (*workers, stopped.pid):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            raise
    assert (stopped.returncode, stderr) == (143, STOPPED)
    with closing(open_store(workspace)) as opened, opened.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA quick_check").scalar() == "ok"
        assert connection.exec_driver_sql("SELECT count(*) FROM ranking").scalar() == 0


def test_sigterm_is_handled_once_and_the_old_handler_restored():
    def stop_twice():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)  # while the command cleans up

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Termination), raise_on_termination():
        stop_twice()
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_bug_still_has_a_traceback(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(demo_commands, "open_store", fail)
    assert isinstance(CliRunner().invoke(cli.app, ["demo"]).exception, ZeroDivisionError)
