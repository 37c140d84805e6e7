"""Tasks in processes of this machine, with nothing but the standard library.

Each worker is a spawned process at the end of a pipe, and we know which task it has: when it dies, that
task goes to another one, and nothing else is lost. Workers end with us, however we end.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from ..util.cores import THREADS, pin, threads_available
from ..util.errors import InputError, TachographError
from . import machine
from .campaign import TRIES, Campaign, Failure, Outcome, attempt

__all__ = ["Local", "Todo"]

PATIENCE = 1.0  # seconds for idle workers to go


@dataclass
class Todo:
    """Tasks to be handed out; those of dead workers come back."""

    rest: Iterator[int]
    deaths: Counter[int] = field(default_factory=Counter)
    again: deque[int] = field(default_factory=deque)

    def take(self) -> int | None:
        """The next one, if there is one now."""
        return self.again.popleft() if self.again else next(self.rest, None)

    def take_all(self, most: int) -> list[int]:
        """The next ones."""
        taken: list[int] = []
        while len(taken) < most and (task := self.take()) is not None:
            taken.append(task)
        return taken

    def back(self, task: int) -> bool:
        """Whether a task whose worker died is tried again."""
        self.deaths[task] += 1
        if self.deaths[task] < TRIES:
            self.again.append(task)
        return self.deaths[task] < TRIES


@dataclass
class Worker:
    """A process, our end of its pipe, and the task it has."""

    process: BaseProcess
    pipe: Connection
    task: int | None = None
    ready: bool = False

    def give(self, task: int | None, campaign: Campaign) -> None:
        """Let it do a task."""
        self.task = task
        if task is not None:
            with suppress(OSError):  # it has died: its pipe tells us next
                self.pipe.send((task, dict(campaign.tasks[task])))


class Local:
    """Runs tasks in this process (one worker) or in several.

    >>> from tachograph.journal.campaign import Campaign
    >>> Campaign("powers", "builtins:dict", [{"base": 2}]).records(Local(workers=1))
    [{'base': 2}]
    """

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise InputError(f"workers = {workers}: at least one is needed")
        self.workers = workers

    def place(self) -> tuple[str, int]:
        """The kind of this machine; its cores are shared out among the workers."""
        return machine()[0], max(1, threads_available() // self.workers)

    def perform(
        self, campaign: Campaign, todo: Iterator[int]
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Do tasks; see :class:`~tachograph.journal.campaign.Executor`."""
        if self.workers == 1:
            for number in todo:
                yield number, attempt(campaign, campaign.tasks[number])
        else:
            yield from self._in_processes(campaign, todo)

    def _in_processes(
        self, campaign: Campaign, todo: Iterator[int]
    ) -> Generator[tuple[int, Outcome], None, None]:
        tasks = Todo(todo)
        # Pickled here, so that workers set their number of threads before NumPy is imported.
        content = pickle.dumps(replace(campaign, tasks=()))
        staff: dict[Any, Worker] = {}  # by pipe

        def hire() -> None:
            if (task := tasks.take()) is not None:
                worker = self._started(content)
                staff[worker.pipe] = worker
                worker.give(task, campaign)

        try:
            for _ in range(self.workers):
                hire()
            while any(worker.task is not None for worker in staff.values()):
                for pipe in wait(list(staff)):
                    worker = staff[pipe]
                    try:
                        message = worker.pipe.recv()
                    except (EOFError, OSError):
                        del staff[pipe]
                        lost = self._buried(worker)
                        if lost is not None and not tasks.back(lost):
                            yield lost, Failure(_end_of(worker.process))
                        hire()
                        continue
                    if message is None:
                        worker.ready = True
                    else:
                        worker.give(tasks.take(), campaign)  # before somebody works on the result
                        yield message
            for worker in staff.values():
                with suppress(OSError):
                    worker.pipe.send(None)
            for worker in staff.values():
                worker.process.join(PATIENCE)
        finally:
            for worker in staff.values():
                worker.process.kill()  # what it does may take hours yet
                worker.process.join()
                worker.pipe.close()

    def _started(self, content: bytes) -> Worker:
        context = multiprocessing.get_context("spawn")
        ours, its = context.Pipe()
        threads = self.place()[1]
        process = context.Process(target=_work, args=(its, content, threads), daemon=True)
        process.start()
        its.close()  # so that its end is seen here
        return Worker(process, ours)

    def _buried(self, worker: Worker) -> int | None:
        """The task that a dead worker had."""
        worker.process.join()
        worker.pipe.close()
        if not worker.ready and worker.process.exitcode == 1:
            raise TachographError(
                "a worker process could not start (see above); a script has to start workers below "
                "`if __name__ == '__main__':`"
            )
        return worker.task


def _end_of(process: BaseProcess) -> str:
    code = process.exitcode or 0
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"its process ended {TRIES} times, the last time with {how}"


def _work(pipe: Connection, content: bytes, threads: int) -> None:
    """What a worker does: tasks from the pipe, until there are none or we are gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinating process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.update(dict.fromkeys(THREADS, str(threads)))
    campaign: Campaign = pickle.loads(content)
    if campaign.measured:
        pin(threads)
    pipe.send(None)
    while (given := pipe.recv()) is not None:
        number, arguments = given
        pipe.send((number, attempt(campaign, arguments)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
