"""Errors before calls are sent to workers, and while they run."""

import os
import sys
from contextlib import closing, contextmanager

import dask
import pytest
from distributed import LocalCluster

from presort.data.errors import ClusterError
from presort.ranker.cluster import scheduler
from presort.ranker.cluster.connection import INSTALL, use_dask
from presort.ranker.cluster.worker import Code, code, fault_of
from presort.ranker.parallel import has_workers, run_in_processes, use_workers

HERE = "tcp://127.0.0.1:33001"
OURS = Code("a", (("numpy", "2.4.6"), ("scipy", "1.17.1")))


@contextmanager
def cluster_in_this_process(**how):
    """Start a scheduler and workers as threads of this process, because they start at once."""
    workers = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"} | how
    with LocalCluster(host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50, **workers) as cluster:
        yield cluster


def refused(address):
    with pytest.raises(ClusterError) as found, use_dask(address):
        pass
    assert not has_workers()
    return str(found.value)


@pytest.mark.parametrize(
    "address",
    ["10.0.0.2:8786", "tls://10.0.0.2", "tls://:8786", "tls://host:port", "ucx://127.0.0.1:1", "", "tls://[::1"],
)
def test_invalid_addresses_are_refused(address):
    assert refused(address) == f"{address} is not the address of a Dask scheduler. Use tls://HOST:PORT."


@pytest.mark.parametrize("host", ["10.0.0.2", "0.0.0.0", "[2001:db8::1]", "localhost.example.org", "127.0.0.1.nip.io"])
def test_unencrypted_connections_are_refused(host):
    assert refused(f"tcp://{host}:8786") == f"tcp://{host}:8786 is neither encrypted nor on this machine. Use tls://."


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    assert refused("tls://127.0.0.1:8786") == INSTALL


@pytest.mark.parametrize("lacking", ["ca-file", "client.cert"])
def test_tls_without_keys_says_where_they_are_set(lacking):
    keys = {"ca-file": "ca.pem", "client.cert": "cert.pem"} | {lacking: None}
    with dask.config.set({f"distributed.comm.tls.{name}": path for name, path in keys.items()}):
        assert "Set distributed.comm.tls.ca-file, tls.client.cert and tls.client.key in" in refused("tls://127.0.0.1:1")


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr("presort.ranker.cluster.connection.PATIENCE", 0.2)
    assert refused("tcp://127.0.0.1:1").startswith("No Dask scheduler answers at tcp://127.0.0.1:1. Start one")


def test_a_scheduler_without_workers_is_refused(monkeypatch):
    monkeypatch.setattr(scheduler, "PATIENCE", 0.2)
    with cluster_in_this_process(n_workers=0) as cluster:
        address = cluster.scheduler_address
        assert refused(address) == f"The Dask scheduler at {address} has no workers. Start at least one."


def test_a_worker_of_several_threads_is_refused_by_name():
    with cluster_in_this_process(threads_per_worker=2) as cluster:
        name = cluster.workers[0].address
        assert refused(cluster.scheduler_address).startswith(f"The worker {name} has 2 threads, which")


@pytest.mark.parametrize(
    ("address", "n_threads", "there", "fault"),
    [
        pytest.param(HERE, 1, OURS, "", id="the-same"),
        pytest.param("tls://10.0.0.2:33001", 1, OURS, "", id="encrypted"),
        pytest.param("tcp://10.0.0.2:33001", 1, OURS, "is neither connected by tls:// nor on this machine", id="plain"),
        pytest.param(
            HERE,
            1,
            OURS._replace(digest="b"),
            "runs a different version of Presort than this machine; install",
            id="code",
        ),
        pytest.param(
            HERE,
            1,
            Code("a", (("numpy", "2.4.6"), ("scipy", "1.16.0"))),
            "has scipy 1.16.0, but this machine has 1.17.1; install the same version there",
            id="package",
        ),
    ],
)
def test_a_worker_must_have_the_same_versions(address, n_threads, there, fault):
    found = fault_of(address, n_threads, there, OURS)
    assert found.startswith(fault)
    assert bool(found) == bool(fault)


def test_the_digest_is_of_all_code_that_a_worker_runs(tmp_path, monkeypatch):
    for package in ("data", "ranker"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
        monkeypatch.setattr(sys.modules[f"presort.{package}"], "__file__", str(tmp_path / package / "__init__.py"))
    digests = [code.__wrapped__().digest]
    (tmp_path / "ranker" / "deep").mkdir()
    for text in ("", "1", "2"):
        (tmp_path / "ranker" / "deep" / "one.py").write_text(text)
        digests.append(code.__wrapped__().digest)
    (tmp_path / "ranker" / "deep" / "one.py").rename(tmp_path / "data" / "one.py")
    digests.append(code.__wrapped__().digest)
    assert len(set(digests)) == 5


def test_calls_run_on_workers_and_results_are_yielded_when_ready():
    with cluster_in_this_process() as cluster, use_dask(cluster.scheduler_address):
        assert has_workers()
        found = list(run_in_processes(divmod, (17,), [(number,) for number in range(1, 12)], 2))
        assert sorted(found) == sorted(divmod(17, number) for number in range(1, 12))
        assert list(run_in_processes(divmod, (17,), [], 2)) == []
        with closing(run_in_processes(divmod, (17,), ((number,) for number in range(1, 99)), 2)) as ready:
            assert next(ready) in found  # stopping early leaves nothing behind
    assert not has_workers()


@pytest.mark.parametrize("how", [{"n_jobs": 1}, {"n_jobs": 2, "stays": True}], ids=["one-job", "stays"])
def test_calls_that_can_not_be_pickled_run_on_this_machine(how):
    class Nobody:
        def run(self, work, shared, calls):
            raise AssertionError("it was sent away")

    with use_workers(Nobody()):
        assert list(run_in_processes(divmod, (7,), [(2,)], **how)) == [(3, 1)]


def test_exceptions_of_calls_are_raised_here():
    with (
        cluster_in_this_process() as cluster,
        use_dask(cluster.scheduler_address),
        pytest.raises(ZeroDivisionError),
    ):
        list(run_in_processes(divmod, (1,), [(0,)], 2))


def test_a_late_worker_with_other_code_is_refused_by_name(monkeypatch):
    with cluster_in_this_process() as cluster, use_dask(cluster.scheduler_address):
        monkeypatch.setattr("presort.ranker.cluster.remote_calls.code", lambda: code()._replace(digest="other"))
        with pytest.raises(
            ClusterError, match=r"^The worker tcp://127\.0\.0\.1:\d+ runs a different version of Presort"
        ):
            list(run_in_processes(os.getpid, (), [()], 2))


def test_a_lost_scheduler_is_one_line():
    with cluster_in_this_process() as cluster, use_dask(cluster.scheduler_address):
        ready = run_in_processes(divmod, (17,), ((number,) for number in range(1, 99)), 2)
        next(ready)
        cluster.close()
        with pytest.raises(ClusterError, match=r"^The Dask scheduler at \S+ is gone\. Finished work is saved"):
            list(ready)
