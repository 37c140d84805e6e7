"""Calls on a Dask cluster, and where calls run if nobody says more.

Campaigns record results. There a result is taken from its worker, the scheduler forgets the call, and
only then is the result given away: what was recorded is never computed again, even if the worker is
lost the moment after. Calls of lost workers go to others. Dask gives up on a call when several workers
in a row did not survive it; such calls are tried once more in the end, each alone.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from asyncio import CancelledError
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ..journal.campaign import code_hash
from ..util.cores import machine, pin, threads
from ..util.errors import TachographError
from ..util.executor import (
    Call,
    Executor,
    Failure,
    Job,
    Local,
    Lost,
    Outcome,
    Outcomes,
    Todo,
    Work,
    attempt,
    portable,
)

if TYPE_CHECKING:
    from distributed import Client, Future, Worker

__all__ = ["Dask", "executor"]

AHEAD_SECONDS = 1.0  # how much work is handed out before it is needed
_alone = threading.Lock()  # held by a call that measures times


@contextmanager
def executor(cluster: str | None = None, workers: int | None = None) -> Iterator[Executor]:
    """Give the executor for calls: a Dask cluster, some processes of this machine, or this process.

    Parameters
    ----------
    cluster
        The address of a Dask scheduler. By default the Dask client that the program uses, if any.
    workers
        Use so many processes of this machine instead.
    """
    if cluster is None and (workers is not None or not _dask_in_use()):
        with Local(1 if workers is None else workers) as here:
            yield here
        return
    from .cluster import connect

    logger = logging.getLogger("distributed.client")  # tells of a lost scheduler at length
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with connect(cluster, workers) as client:
            yield Dask(client)
    finally:
        logger.setLevel(before)


def _dask_in_use() -> bool:
    """Whether the program has a Dask client, or Dask is configured for a cluster."""
    if "DASK_SCHEDULER_ADDRESS" in os.environ:
        return True
    if "distributed" not in sys.modules:
        return False
    from .cluster import current

    return current() is not None


class Dask:
    """Runs calls on a cluster.

    >>> from tachograph.scale.cluster import connect
    >>> from tachograph.util.executor import results
    >>> with connect(workers=1) as client:
    ...     results(Dask(client), dict, [{"base": 2}])
    [{'base': 2}]
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._before: list[Future] = []

    def place(self) -> tuple[str, int]:
        """Return the kind of the workers' machines, and the number of threads of a worker.

        Raises
        ------
        TachographError
            If the workers are not all of one kind.
        """
        found = {tuple(place) for place in self.client.run(_place).values()}
        if len(found) != 1:
            raise TachographError(
                f"times cannot be measured on workers of {len(found)} kinds of machine or numbers of "
                "threads: use a cluster whose workers are alike"
            )
        kind, count = found.pop()
        return str(kind), int(count)

    def perform(self, work: Work, calls: Iterable[Call]) -> Outcomes:
        """Run calls; see :class:`~tachograph.util.executor.Executor`."""
        batch = _Batch(self.client, work, Todo(calls))
        try:
            yield from batch.outcomes()
            # A client sends every 10 ms only. If it had just told the scheduler to forget these
            # calls, the next ones would wait: they are forgotten with the next ones.
            self._before = batch.done
        except (OSError, CancelledError, FutureCancelled) as error:
            kind = type(error).__name__
            raise Lost(f"the Dask scheduler is gone or was restarted ({kind})") from None
        finally:
            batch.cancel()


class _Batch:
    """Calls that are being run on a cluster."""

    def __init__(self, client: Client, work: Work, todo: Todo) -> None:
        from distributed import as_completed

        self.client, self.work, self.todo = client, work, todo
        self.running: dict[Future, Job] = {}
        self.done: list[Future] = []
        self.finished = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        self.suspects: list[Job] = []  # each is tried alone, in the end
        self.alone: set[int] = set()
        self.begin = time.monotonic()
        self.ended = 0
        self.shared = self._spread()

    def outcomes(self) -> Outcomes:
        self._hand_out()
        for batch in self.finished.batches():
            outcomes: list[tuple[int, Outcome]] = []
            lost = False
            for future, got in batch:
                job = self.running.pop(future)
                if _killed(got) and job.number not in self.alone:
                    self.suspects.append(job)  # Dask blames all calls that a dead worker had
                elif not isinstance(got, BaseException):
                    outcomes.append((job.number, _outcome(got)))
                else:
                    lost = True  # cancelled: what all share was lost with the workers, or more
                    if not self.todo.back(job):
                        outcomes.append((job.number, Failure("its workers died", died=True)))
            if lost:
                if self.client.status != "running" or self.work.shared is None:
                    raise CancelledError
                self.shared = self._spread()
            self.ended += len(batch)
            self._hand_out()
            futures = [future for future, _ in batch]
            if self.work.recorded:
                self._forget(futures)
            else:
                self.done += futures
            yield from outcomes

    def _hand_out(self) -> None:
        """Submit calls: all of them, or if results are recorded only what is needed soon."""
        rate = self.ended / max(time.monotonic() - self.begin, 1e-9)
        slots = sum(self.client.nthreads().values())
        room = max(2 * slots, int(AHEAD_SECONDS * rate), 1) - len(self.running)
        jobs: list[Job] = []
        while (len(jobs) < room or not self.work.recorded) and (job := self.todo.take()):
            jobs.append(job)
        if self.suspects and not jobs and not self.running:
            jobs = [self.suspects.pop()]
            self.alone.add(jobs[0].number)
        same = {"work": replace(self.work, shared=None), "shared": self.shared, "code": code_hash()}
        made = self.client.map(_do, [dict(job.call) for job in jobs], **same, pure=False)
        self.running.update(zip(made, jobs, strict=True))
        self.finished.update(made)

    def _forget(self, futures: list[Future]) -> None:
        """Return when the scheduler would not run these again."""
        self.client.cancel(futures)
        keys = [future.key for future in futures]
        status = self.client.scheduler.get_task_status
        while any(self.client.sync(status, keys=keys).values()):
            time.sleep(0.001)

    def _spread(self) -> object:
        """Put what all calls share on all workers."""
        if self.work.shared is None:
            return None
        self.client.wait_for_workers(1)
        return self.client.scatter(self.work.shared, broadcast=True, hash=False)

    def cancel(self) -> None:
        if self.running and self.client.status == "running":
            with suppress(Exception):
                self.client.cancel(list(self.running))


def _outcome(got: object) -> Outcome:
    """Return what came of a call, from what ``_do`` gave or (type, exception, traceback)."""
    if isinstance(got, list):
        return got[0]
    error = got[1]  # type: ignore[index]
    if _killed(got):
        text = f"its worker died, and others that tried again, perhaps for lack of memory: {error}"
        return Failure(text, died=True)
    if isinstance(error, TachographError):
        raise error
    return Failure.of(error)


def _killed(got: object) -> bool:
    """Whether several workers did not survive a call, or one beside it."""
    from distributed import KilledWorker

    return isinstance(got, tuple) and isinstance(got[1], KilledWorker)


def _place(dask_worker: Worker) -> tuple[str, int]:
    return machine()[0], dask_worker.state.nthreads


def _do(call: dict[str, object], work: Work, shared: object, code: str) -> list[Outcome]:
    """Run one call on a worker. A tuple would be taken for an exception."""
    from distributed import get_worker

    worker = get_worker()
    if code_hash() != code:  # it came after the others were looked at
        raise TachographError(
            f"worker {worker.address} has another Tachograph (code {code_hash()}, here it is {code}): "
            "install the same there"
        )
    work = replace(work, shared=shared)
    if not work.measured:
        return [portable(attempt(work, call))]
    count = worker.state.nthreads
    with _alone, threads(count) if count > 1 else nullcontext():
        pin(count)
        return [portable(attempt(work, call))]
