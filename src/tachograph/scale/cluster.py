"""The way to a Dask cluster: one that runs already, or processes of this machine.

A problem that would spoil hours of work later is an error here: a scheduler that does not answer, no
workers, workers that have another version of Tachograph.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .. import __version__
from ..journal.campaign import code_hash
from ..util.cores import THREADS, threads_available
from ..util.errors import InputError, MissingDependencyError, TachographError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["connect", "current", "fingerprint"]

LOOPBACK = "127.0.0.1"
ANSWER_SECONDS = 5.0  # how long a scheduler may take to answer, and its first worker to come


def fingerprint() -> dict[str, str]:
    """Return what has to be the same everywhere: the version and a hash of all code."""
    return {"version": __version__, "code": code_hash()}


def about_worker() -> dict[str, str]:
    return fingerprint()


@contextmanager
def connect(cluster: str | None = None, workers: int | None = None) -> Iterator[Client]:
    """Give a client of a Dask cluster whose workers can be used.

    Parameters
    ----------
    cluster
        Address of a scheduler, such as ``tcp://10.0.0.1:8786``. By default the client that is in use
        already, or the scheduler that Dask is configured for (``DASK_SCHEDULER_ADDRESS``).
    workers
        Start so many processes on this machine instead, each with one thread. Without a cluster there
        is a process for each core. They end with the block. They listen on the loopback only, and
        nobody without the certificate that is made for them can use them.

    Raises
    ------
    MissingDependencyError
        If Dask is not installed.
    TachographError
        If the scheduler does not answer, has no workers, or workers have another Tachograph.

    Examples
    --------
    >>> with connect(workers=1) as client:
    ...     client.submit(max, 3, 4).result()
    4
    """
    _require("distributed")
    if workers is not None and cluster is not None:
        advice = "give either the cluster or a number of workers"
        raise InputError(f"{cluster} has workers of its own: {advice}")
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers}: at least one is needed")
    if (client := None if cluster or workers else current()) is not None:
        _check(client)
        yield client
        return
    import dask

    address = cluster or (None if workers else dask.config.get("scheduler-address", None))
    with ExitStack() as stack:
        if address is not None:
            client = stack.enter_context(_client(address))
        else:
            client = _local(workers or threads_available(), stack)
        _check(client)
        yield client


def _require(package: str) -> None:
    if find_spec(package) is None:
        how = "python -m pip install 'tachograph[dask]'"
        raise MissingDependencyError(f"clusters need Dask and cryptography: {how}")


def current() -> Client | None:
    """Return the client that the calling program uses already, if any."""
    from distributed import Client

    try:
        return Client.current()
    except ValueError:
        return None


def _client(address: str) -> Client:
    from distributed import Client

    try:
        # Whether a scheduler is there is tried first: a client that failed would retry until the end.
        with ThreadPoolExecutor(1) as apart:  # a notebook has a loop in this thread already
            apart.submit(asyncio.run, _try(address)).result()
        return Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    # other servers answer all kinds of things
    except (Exception, asyncio.CancelledError) as problem:
        raise TachographError(
            f"no Dask scheduler answers at {address} ({problem}): start one with `dask scheduler`, and "
            "give the address that it prints"
        ) from None


async def _try(address: str) -> None:
    from distributed import Security
    from distributed.comm import connect

    own = Security().get_connection_args("client")  # as the user has configured Dask
    comm = await connect(address, timeout=ANSWER_SECONDS, **own)
    await comm.close()


def _local(workers: int, stack: ExitStack) -> Client:
    """Start a cluster of processes of this machine, which ends with ``stack``.

    Dask executes what it is sent. So it listens on the loopback only, where other users of the machine
    are too, and talks only to who has the certificate that is made here and never written to disk.
    """
    import dask
    from distributed import Client, LocalCluster, Security

    settings = {
        "distributed.worker.multiprocessing-method": "spawn",
        # By default it limits the threads of this process, too, and for good; workers have ``env``.
        "distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 65536},
    }
    stack.enter_context(dask.config.set(settings))
    _require("cryptography")
    security = Security.temporary()
    try:
        started = LocalCluster(
            host=LOOPBACK,
            protocol="tls://",
            security=security,
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
            env=dict.fromkeys(THREADS, "1"),
        )
    except (OSError, RuntimeError) as error:  # such as without /dev/shm
        advice = "--workers and workers=... use processes without Dask"
        raise TachographError(f"Dask cannot start processes here ({error}): {advice}") from error
    stack.enter_context(started)
    options = {"security": security, "timeout": ANSWER_SECONDS, "set_as_default": False}
    return stack.enter_context(Client(started, **options))


def _check(client: Client) -> None:
    """Refuse a cluster without workers, or with workers that would compute something else."""
    where = client.scheduler.address
    try:
        client.wait_for_workers(1, timeout=ANSWER_SECONDS)
    except TimeoutError:
        raise TachographError(
            f"the Dask scheduler at {where} has no workers: start some with `dask worker {where}`"
        ) from None
    for worker, found in client.run(about_worker, on_error="return").items():
        if isinstance(found, BaseException):
            raise TachographError(
                f"worker {worker} cannot use Tachograph ({found}): install version {__version__} there"
            )
        if any(found[name] != value for name, value in fingerprint().items()):
            raise TachographError(
                f"worker {worker} has Tachograph {found['version']} (code {found['code']}), here it is "
                f"{__version__} (code {fingerprint()['code']}): install the same on both sides"
            )
