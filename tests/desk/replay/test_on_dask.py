"""Workers of a Dask cluster return the same results as this machine, to the last bit."""

import json
import os
import shutil
import signal
import sqlite3
from contextlib import closing
from multiprocessing import forkserver

import dask
import pytest
from distributed import LocalCluster
from distributed.security import Security

from presort.data.store import FILE_NAME, open_store
from presort.desk.service import workflow
from presort.ranker.cluster.connection import use_dask
from presort.ranker.parallel import run_in_processes
from presort.ranker.versions import RECIPES
from tests.browser import servers  # noqa: F401 (which says what that process loads)
from tests.desk.command_line import invoke

pytestmark = pytest.mark.whole

RANKERS = ["krichel-2007", "presort-1", "presort-2"]
RANKINGS = """
select report.code, issue.date, ranker, trained_before, decisions_up_to, n_relevant, positions, scores, n_past,
  replay_id, words, outcome.places
from ranking join report on report.id = report_id join issue on issue.id = issue_id
left join outcome on outcome.ranking_id = ranking.id
order by 3, 1, 2
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Cluster of two single-threaded workers, with TLS keys named in Dask's configuration.

    The workers are forked from a process that has loaded the rankers, because Dask would start them from scratch.
    """
    forkserver.ensure_running()
    folder, made = tmp_path_factory.mktemp("keys"), Security.temporary()
    (folder / "ca.pem").write_text(made.tls_ca_file)
    (folder / "key.pem").write_text(made.tls_client_key)
    keys = {"distributed.worker.multiprocessing-method": "forkserver"}
    keys |= {"distributed.comm.tls.ca-file": str(folder / "ca.pem"), "distributed.comm.require-encryption": True}
    for role in ("client", "scheduler", "worker"):
        keys[f"distributed.comm.tls.{role}.cert"] = str(folder / "ca.pem")
        keys[f"distributed.comm.tls.{role}.key"] = str(folder / "key.pem")
    with (
        dask.config.set(keys),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            protocol="tls://",
            security=Security(),
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
    ):
        yield cluster


@pytest.fixture
def second_store(tmp_path, store):
    """Another copy of the workspace."""
    second_store = open_store(shutil.copytree(store.folder, tmp_path / "beside"))
    yield second_store
    second_store.close()


@pytest.fixture
def span(listings):
    days = sorted({one.issue for one in listings})
    return {"first": days[3], "last": days[6]}


def rankings_of(store):
    with closing(sqlite3.connect(store.folder / FILE_NAME)) as connection:
        return connection.execute(RANKINGS).fetchall()


def replayed(store, span):
    return workflow.replay(store, [RECIPES[name] for name in RANKERS], **span, n_jobs=2)


@pytest.fixture(scope="module")
def expected(tmp_path_factory, filled_workspace, listings):
    """Rankings of a replay in this process."""
    days = sorted({one.issue for one in listings})
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("here") / "workspace")
    with closing(open_store(folder)) as store:
        recipes = [RECIPES[name] for name in RANKERS]
        list(workflow.replay(store, recipes, first=days[3], last=days[6], n_jobs=1))
        return rankings_of(store)


def test_a_replay_is_the_same_to_the_last_bit(cluster, store, span, expected):
    words = ["replay", "--from", span["first"], "--to", span["last"], "--dask", cluster.scheduler_address, "--json"]
    words += [word for name in RANKERS for word in ("--ranker", name)]
    result = invoke(["--workspace", str(store.folder), *map(str, words)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["rankings"] == len(expected) > 100
    assert rankings_of(store) == expected


@pytest.mark.parametrize("n_killed", [1, 2], ids=["one-of-two", "both"])
def test_killed_workers_cost_only_time(cluster, store, span, expected, n_killed):
    with use_dask(cluster.scheduler_address):
        steps = []
        for step in replayed(store, span):
            steps.append(step)
            if len(steps) == 5:
                for worker in list(cluster.workers.values())[:n_killed]:
                    os.kill(worker.pid, signal.SIGKILL)
    assert [step.done for step in steps] == list(range(1, len(expected) + 1))
    assert rankings_of(store) == expected


def test_an_interrupted_replay_resumes_elsewhere(cluster, store, span, expected):
    with use_dask(cluster.scheduler_address), closing(replayed(store, span)) as begun:
        next(begun)
    assert 0 < len(rankings_of(store)) < len(expected)
    with use_dask(cluster.scheduler_address):
        list(replayed(store, span))
    assert rankings_of(store) == expected


@pytest.mark.parametrize("ranker", RANKERS)
def test_reports_halves_and_seeds_of_an_issue_are_the_same(cluster, store, second_store, ranker):
    list(workflow.rank(second_store, [RECIPES[ranker]], n_jobs=1))
    words = ["rank", "--ranker", ranker, "--dask", cluster.scheduler_address, "--json"]
    result = invoke(["--workspace", str(store.folder), *words])
    assert (result.exit_code, result.stderr) == (0, "")
    assert rankings_of(store) == rankings_of(second_store) != []


def test_an_experiment_is_the_same(cluster, store):
    words = ["--workspace", str(store.folder), "experiment", "--ranker", "krichel-2007", "--runs", "2"]
    words += ["--held-out", "40", "--report", "lab", "--report", "mac", "--json"]
    here = invoke([*words, "--jobs", "1"])
    there = invoke([*words, "--dask", cluster.scheduler_address])
    assert (there.exit_code, there.stderr) == (0, "")
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert len(json.loads(here.stdout)["runs"]) == 4


def test_work_is_done_by_the_workers(cluster):
    with use_dask(cluster.scheduler_address):
        assert os.getpid() not in set(run_in_processes(os.getpid, (), [()] * 4, 2))


def test_an_unreachable_scheduler_is_one_line(store):
    words = ["rank", "--dask", "tcp://192.0.2.1:8786"]
    result = invoke(["--workspace", str(store.folder), *words])
    assert result.exit_code == 1
    assert result.stderr == "presort: tcp://192.0.2.1:8786 is neither encrypted nor on this machine. Use tls://.\n"
