"""Which clusters can be used, and what is said about others."""

from __future__ import annotations

import errno
import multiprocessing.synchronize
import os
import socket
import threading
from contextlib import suppress

import dask
import psutil
import pytest
from distributed import Client, LocalCluster, Security

from tachograph.scale import cluster as clusters
from tachograph.scale.cluster import connect
from tachograph.util.cores import THREADS, threads_available
from tachograph.util.errors import InputError, MissingDependencyError, TachographError


@pytest.fixture(scope="module")
def running():
    """A cluster that was there before: its address."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(clusters, "ANSWER_SECONDS", 0.3)


def enter(*arguments):
    with connect(*arguments):
        raise AssertionError("this cluster should have been refused")


def test_processes_of_this_machine():
    with connect(workers=2) as client:
        pids = client.run(os.getpid)
        threads = client.run(os.getenv, "NUMBA_NUM_THREADS")
        assert len(set(pids.values()) | {os.getpid()}) == 3
        assert set(threads.values()) == {"1"}
    for pid in pids.values():  # they end with the block
        with pytest.raises(OSError):
            os.kill(pid, 0)


def test_nobody_else_can_use_our_processes():
    with connect(workers=1) as client:
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        assert all(worker.startswith("tls://127.0.0.1:") for worker in client.nthreads())
        for pid in (os.getpid(), *client.run(os.getpid).values()):
            found = psutil.Process(pid).net_connections("tcp")
            listening = [one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN]
            assert listening
            assert set(listening) == {"127.0.0.1"}
        others = [(address, Security.temporary()), (address.replace("tls", "tcp"), None)]
        for place, security in others:  # another certificate, and none
            with pytest.raises(OSError):
                Client(place, security=security, timeout=1, set_as_default=False)
        assert client.submit(sum, [1, 2]).result() == 3


def test_a_cluster_with_the_users_own_certificates():
    own = Security.temporary()
    tls = {"ca-file": own.tls_ca_file}
    tls |= {"client.cert": own.tls_client_cert, "client.key": own.tls_client_key}
    start = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(**start, protocol="tls://", host="127.0.0.1", security=own) as theirs,
        dask.config.set({f"distributed.comm.tls.{name}": value for name, value in tls.items()}),
        connect(theirs.scheduler_address) as client,
    ):
        assert client.submit(sum, [1, 2]).result() == 3


def test_where_dask_cannot_start_processes(monkeypatch):
    """As without /dev/shm."""

    def missing(*_, **__):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", missing)
    with pytest.raises(TachographError, match="Dask cannot start processes here.*without Dask"):
        enter(None, 1)


def test_an_address(running):
    with connect(running) as client:
        assert client.scheduler.address == running
        assert client.submit(sum, [1, 2]).result() == 3


def test_a_configured_address(running):
    with dask.config.set({"scheduler-address": running}), connect() as client:
        assert client.scheduler.address == running


def test_a_client_in_use_is_used_and_left_open(running):
    with Client(running) as mine:
        with connect() as client:
            assert client is mine
        assert mine.submit(sum, [1, 2]).result() == 3


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "odd://127.0.0.1:1"])
def test_no_scheduler(address, impatient):
    with pytest.raises(TachographError, match=f"answers at {address}.*dask scheduler"):
        enter(address)


def test_another_server_than_a_scheduler(impatient):
    def refuse():
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=refuse, daemon=True).start()
        with pytest.raises(TachographError, match="no Dask scheduler"):
            enter(f"tcp://127.0.0.1:{server.getsockname()[1]}")


def test_no_workers(impatient):
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(TachographError, match="has no workers: start some with `dask worker"),
    ):
        enter(empty.scheduler_address)


@pytest.mark.parametrize(
    "other", [{"version": "0.0.1", "code": "0"}, {"version": clusters.__version__, "code": "0"}]
)
def test_workers_with_another_tachograph(running, monkeypatch, other):
    monkeypatch.setattr(clusters, "fingerprint", lambda: other)
    with pytest.raises(TachographError, match="install the same on both sides"):
        enter(running)


def test_workers_without_tachograph(running, monkeypatch):
    def absent():
        raise ModuleNotFoundError("No module named 'tachograph'")

    monkeypatch.setattr(clusters, "about_worker", absent)
    with pytest.raises(TachographError, match="cannot use Tachograph .*No module named"):
        enter(running)


def test_dask_is_not_installed(monkeypatch):
    monkeypatch.setattr(clusters, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"tachograph\[dask\]"):
        enter()


def test_cryptography_is_not_installed(monkeypatch):
    monkeypatch.setattr(
        clusters, "find_spec", lambda name: None if name == "cryptography" else name
    )
    with pytest.raises(MissingDependencyError, match=r"tachograph\[dask\]"):
        enter(None, 1)


@pytest.mark.parametrize(("cluster", "workers"), [("tcp://127.0.0.1:1", 2), (None, 0)])
def test_odd_arguments(cluster, workers):
    with pytest.raises(InputError):
        enter(cluster, workers)


def test_a_cluster_of_our_own_leaves_the_threads_of_this_process_alone():
    before = {name: os.environ.get(name) for name in THREADS}
    with connect(workers=1) as client:
        assert client.submit(threads_available).result() == 1
        assert {name: os.environ.get(name) for name in THREADS} == before
