"""Campaigns on a Dask cluster.

A result is taken from its worker, the scheduler forgets the task, and only then is it given away: what
is in the journal is never done again, even if the worker is lost the moment after. Tasks of lost
workers go to others; Dask gives up on a task when several workers in a row did not survive it.
"""

from __future__ import annotations

import threading
import time
from asyncio import CancelledError
from collections.abc import Generator, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..journal import machine
from ..journal.campaign import Campaign, Failure, Outcome, attempt, code_hash
from ..journal.processes import Todo
from ..util.cores import pin, threads
from ..util.errors import TachographError

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Dask"]

AHEAD = 1.0  # seconds of work that are handed out
LOST = "the Dask scheduler is gone or was restarted: run again, what is finished is in the journal"
_alone = threading.Lock()  # held by a task that measures times


class Dask:
    """Runs the tasks of campaigns on a cluster.

    >>> from tachograph.journal.campaign import Campaign
    >>> from tachograph.scale.cluster import connect
    >>> with connect(workers=1) as client:
    ...     Campaign("powers", "builtins:dict", [{"base": 2}]).records(Dask(client))
    [{'base': 2}]
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def place(self) -> tuple[str, int]:
        """The kind of the workers' machines, and the threads of a worker.

        Raises
        ------
        TachographError
            If they are not all of one kind.
        """
        found = {tuple(place) for place in self.client.run(_place).values()}
        if len(found) != 1:
            raise TachographError(
                f"times cannot be measured on workers of {len(found)} kinds of machine or numbers of "
                "threads: use a cluster whose workers are alike"
            )
        kind, count = found.pop()
        return str(kind), int(count)

    def perform(
        self, campaign: Campaign, todo: Iterator[int]
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Do tasks; see :class:`~tachograph.journal.campaign.Executor`."""
        from distributed import as_completed

        running: dict[Future, int] = {}
        finished = as_completed(loop=self.client.loop, with_results=True, raise_errors=False)
        data = self._spread(campaign.shared)
        bare = replace(campaign, tasks=(), shared=None)
        tasks = Todo(todo)
        suspects: list[int] = []  # each is tried alone, in the end
        alone: set[int] = set()
        begin, done = time.monotonic(), 0

        def hand_out() -> None:
            rate = done / max(time.monotonic() - begin, 1e-9)
            slots = sum(self.client.nthreads().values())
            room = max(2 * slots, int(AHEAD * rate), 1) - len(running)
            numbers = tasks.take_all(room)
            if suspects and not numbers and not running:
                numbers = [suspects.pop()]
                alone.update(numbers)
            arguments = [dict(campaign.tasks[number]) for number in numbers]
            made = self.client.map(
                _do, arguments, campaign=bare, shared=data, code=code_hash(), pure=False
            )
            running.update(zip(made, numbers, strict=True))
            finished.update(made)

        try:
            hand_out()
            for batch in finished.batches():
                outcomes = []
                lost = False
                for future, got in batch:
                    number = running.pop(future)
                    if _killed(got) and number not in alone:
                        suspects.append(number)  # Dask blames all tasks that a dead worker had
                        continue
                    if not isinstance(got, BaseException):
                        outcomes.append((number, _outcome(got)))
                        continue
                    lost = True  # cancelled: what all share was lost with the workers, or more
                    if not tasks.back(number):
                        outcomes.append((number, Failure("its workers died")))
                if lost:
                    self._check(campaign)
                    data = self._spread(campaign.shared)
                done += len(batch)
                hand_out()
                self._forget([future for future, _ in batch])
                yield from outcomes
        except (OSError, CancelledError):
            raise TachographError(LOST) from None
        finally:
            if self.client.status == "running":
                with suppress(Exception):
                    self.client.cancel(list(running))

    def _check(self, campaign: Campaign) -> None:
        """Whether tasks that were cancelled can be done again."""
        if self.client.status != "running" or campaign.shared is None:
            raise TachographError(LOST)

    def _forget(self, futures: list[Future]) -> None:
        """Return when the scheduler would not do these again."""
        self.client.cancel(futures)
        keys = [future.key for future in futures]
        status = self.client.scheduler.get_task_status
        while any(self.client.sync(status, keys=keys).values()):
            time.sleep(0.001)

    def _spread(self, shared: Any) -> Any:
        """What all tasks share, on all workers."""
        if shared is None:
            return None
        self.client.wait_for_workers(1)
        return self.client.scatter(shared, broadcast=True, hash=False)


def _outcome(got: Any) -> Outcome:
    """What came of a task, from its result or (type, exception, traceback)."""
    if not isinstance(got, tuple):
        outcome: Outcome = got
        return outcome
    error = got[1]
    if _killed(got):
        return Failure(f"its worker died, and others that tried again: {error}")
    if isinstance(error, TachographError):
        raise error
    return Failure(f"{type(error).__name__}: {error}")


def _killed(got: Any) -> bool:
    """Whether several workers did not survive a task, or one beside it."""
    from distributed import KilledWorker

    return isinstance(got, tuple) and isinstance(got[1], KilledWorker)


def _place(dask_worker: Any) -> tuple[str, int]:
    return machine()[0], dask_worker.state.nthreads


def _do(arguments: dict[str, Any], campaign: Campaign, shared: Any, code: str) -> Outcome:
    """A task, on a worker."""
    from distributed import get_worker

    worker = get_worker()
    if code_hash() != code:  # it came after the others were looked at
        raise TachographError(
            f"worker {worker.address} has another Tachograph (code {code_hash()}, here it is {code}): "
            "install the same there"
        )
    campaign = replace(campaign, shared=shared)
    if not campaign.measured:
        return attempt(campaign, arguments)
    count = worker.state.nthreads
    with _alone, threads(count) if count > 1 else nullcontext():
        pin(count)
        return attempt(campaign, arguments)
