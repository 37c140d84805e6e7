"""Calls of a function somewhere else: what an executor promises, and one for this machine.

:class:`Local` runs calls in this process, or in several with nothing but the standard library;
``tachograph.scale.executor.Dask`` runs them on a cluster. Campaigns, supersteps on partitioned graphs
and everything that compiles ahead of time use one of them.

Each worker of :class:`Local` is a spawned process at the end of a pipe, and we know which call it has:
when it dies, that call goes to another one, and nothing else is lost. Workers end with us.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Protocol, Self, TypeAlias, TypeVar, cast

from .cores import THREADS, machine, pin, threads_available
from .errors import InputError, TachographError

T = TypeVar("T")
GOODBYE_SECONDS = 1.0  # how long idle workers may take to end
NOT_STARTED = (
    "a worker process could not start (see above); a script has to start workers below "
    "`if __name__ == '__main__':`"
)
DEATHS = 3  # workers that may die with a call before it is given up

#: The keyword arguments of one call.
Call: TypeAlias = Mapping[str, object]


class Lost(TachographError):
    """The cluster is gone. Whoever called says how to go on."""


@dataclass(frozen=True)
class Work:
    """A function to call many times."""

    function: str | Callable[..., object]  # or its name ``package.module:name``, to be imported by
    shared: object = None  # the first argument of every call unless None; each worker gets it once
    measured: bool = False  # times count: one call at a time, its threads on cores of their own
    #: Results are recorded when they are given: no such call runs again, even if its worker dies. On a
    #: cluster this takes one more message for each batch of results.
    recorded: bool = False
    tries: int = 1  # of a call that raises; errors that Tachograph raises on purpose are final


@dataclass(frozen=True)
class Failure:
    """Why a call has no result: it raised ``cause``, or it ``died`` with every worker that tried."""

    error: str
    trace: str = ""
    cause: BaseException | None = None
    died: bool = False

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return the failure that this exception is."""
        known = isinstance(error, TachographError)
        text = str(error) if known else f"{type(error).__name__}: {error}"
        return cls(text, "".join(traceback.format_exception(error)), error)

    def exception(self) -> TachographError:
        """Return an error for those who cannot go on without the result."""
        own = isinstance(self.cause, TachographError)
        return cast(TachographError, self.cause) if own else TachographError(self.error)


#: What came of a call: what the function returned, or a :class:`Failure`.
Outcome: TypeAlias = object
Outcomes: TypeAlias = Generator[tuple[int, Outcome], None, None]


class Executor(Protocol):
    """Whatever runs calls."""

    def place(self) -> tuple[str, int]:
        """Return the kind of machine where calls run, and the number of threads that each one has."""

    def perform(self, work: Work, calls: Iterable[Call]) -> Outcomes:
        """Run calls, taking the next ones when there is room.

        Gives the number of each call (its place in ``calls``) and its outcome as they finish. Closing
        the generator stops what still runs.
        """


def results(executor: Executor, function: Callable[..., T], calls: Iterable[Call]) -> list[T]:
    """Return what ``function`` returns for each call, in their order.

    The first failure is raised: what the function raised, or a TachographError.
    """
    found: dict[int, Outcome] = {}
    with closing(executor.perform(Work(function), calls)) as outcomes:
        for number, outcome in outcomes:
            if isinstance(outcome, Failure):
                raise outcome.cause or outcome.exception()
            found[number] = outcome
    return [cast(T, found[number]) for number in range(len(found))]


class Job(NamedTuple):
    """A call and its number."""

    number: int
    call: Call


class Todo:
    """Calls to be handed out. Those of dead workers come back."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls = itertools.starmap(Job, enumerate(calls))
        self.again: deque[Job] = deque()
        self.deaths: Counter[int] = Counter()

    def take(self) -> Job | None:
        """Return the next call, or None if there is none now."""
        return self.again.popleft() if self.again else next(self.calls, None)

    def back(self, job: Job) -> bool:
        """Take back a call whose worker died. Return whether it will be tried again."""
        self.deaths[job.number] += 1
        if again := self.deaths[job.number] < DEATHS:
            self.again.append(job)
        return again


def attempt(work: Work, call: Call) -> Outcome:
    """Run one call in this process, again if it fails for a reason that may go away."""
    failure = Failure("never tried")
    shared = () if work.shared is None else (work.shared,)
    for _ in range(work.tries):
        try:
            function = _named(work.function) if isinstance(work.function, str) else work.function
            return function(*shared, **call)
        except (Exception, SystemExit) as error:
            failure = Failure.of(error)
            if isinstance(error, TachographError):
                break
    return failure


@functools.cache
def _named(name: str) -> Callable[..., object]:
    module, _, attribute = name.partition(":")
    return cast(Callable[..., object], getattr(importlib.import_module(module), attribute))


def portable(outcome: Outcome) -> Outcome:
    """Return an outcome that another process can read: a failure loses a cause that it could not."""
    if isinstance(outcome, Failure):
        try:
            pickle.loads(pickle.dumps(outcome))
        except Exception:
            return replace(outcome, cause=None)
    return outcome


class Local:
    """Runs calls in this process (one worker) or in several processes of this machine.

    Used as a context manager it keeps its processes from one ``perform`` to the next. Each may use
    ``threads`` threads; by default the cores are shared out. ``apart`` says whether calls run in other
    processes; by default they do if there are several workers.

    >>> results(Local(), max, [])
    []
    """

    def __init__(
        self, workers: int = 1, *, threads: int | None = None, apart: bool | None = None
    ) -> None:
        if workers < 1:
            raise InputError(f"workers = {workers}: at least one is needed")
        self.workers, self.threads = workers, threads
        self.apart: bool = workers > 1 if apart is None else apart
        self._staff: Staff | None = None

    def place(self) -> tuple[str, int]:
        """Return the kind of this machine, and the number of threads of each call."""
        return machine()[0], self.threads or max(1, threads_available() // self.workers)

    def perform(self, work: Work, calls: Iterable[Call]) -> Outcomes:
        """Run calls; see :class:`Executor`. Processes start at once."""
        todo = Todo(calls)
        if not self.apart:
            return ((job.number, attempt(work, job.call)) for job in iter(todo.take, None))
        staff = self._staff or Staff(self.workers, self.place()[1])
        staff.begin(work, todo)
        return staff.outcomes(todo, stays=staff is self._staff)

    def __enter__(self) -> Self:
        self._staff = Staff(self.workers, self.place()[1])
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._staff is not None:
            self._staff.end(at_once=kind is not None)
            self._staff = None


@dataclass
class Worker:
    """A process, our end of its pipe, the work that it knows and the job that it has."""

    process: BaseProcess
    pipe: Connection
    knows: bytes = b""
    job: Job | None = None
    ready: bool = False

    def give(self, job: Job | None, content: bytes) -> None:
        """Let it do a job of the work that is pickled in ``content``."""
        self.job = job
        if job is not None:
            with suppress(OSError):  # it has died: its pipe tells us next
                if self.knows is not content:
                    self.pipe.send(content)
                    self.knows = content
                self.pipe.send((job.number, dict(job.call)))


class Staff:
    """Some worker processes."""

    def __init__(self, workers: int, threads: int) -> None:
        self.most, self.threads = workers, threads
        self.workers: list[Worker] = []
        self.content = b""

    def begin(self, work: Work, todo: Todo) -> None:
        """Hand out the first jobs."""
        # Pickled here, so that workers set their number of threads before NumPy is imported.
        self.content = pickle.dumps(work)
        for worker in self.workers:
            worker.give(todo.take(), self.content)
        while len(self.workers) < self.most and self._hire(todo):
            pass

    def outcomes(self, todo: Todo, stays: bool) -> Outcomes:
        """Collect what comes, and hand out the rest."""
        finished = False
        try:
            while any(worker.job is not None for worker in self.workers):
                for pipe in wait([worker.pipe for worker in self.workers]):
                    worker = next(w for w in self.workers if w.pipe is pipe)
                    try:
                        message = worker.pipe.recv()
                    except (EOFError, OSError):
                        worker.process.join()
                        self._forget(worker)
                        if not worker.ready and worker.process.exitcode == 1:
                            raise TachographError(NOT_STARTED) from None
                        if worker.job is not None and not todo.back(worker.job):
                            yield worker.job.number, Failure(_end_of(worker.process), died=True)
                        self._hire(todo)
                        continue
                    if message is None:
                        worker.ready = True
                    else:
                        worker.give(todo.take(), self.content)  # before the result is looked at
                        yield message
            finished = True
        finally:
            if not stays:
                self.end(at_once=not finished)
            for worker in [w for w in self.workers if w.job is not None]:
                self._forget(worker)  # what it does may take hours yet

    def end(self, at_once: bool) -> None:
        """End all processes. Idle ones may end by themselves, unless all have to go ``at_once``."""
        idle = [] if at_once else [worker for worker in self.workers if worker.job is None]
        for worker in idle:
            with suppress(OSError):
                worker.pipe.send(None)
        for worker in idle:
            worker.process.join(GOODBYE_SECONDS)
        for worker in list(self.workers):
            self._forget(worker)

    def _hire(self, todo: Todo) -> bool:
        """Start a process, if there is something for it to do."""
        if (job := todo.take()) is None:
            return False
        context = multiprocessing.get_context("spawn")
        try:
            ours, its = context.Pipe()
            with its:  # closed here, so that its end is seen
                process = context.Process(target=_work, args=(its, self.threads), daemon=True)
                process.start()
        except OSError as error:
            self.end(at_once=True)
            many = f"process {len(self.workers) + 1} of {self.most} cannot be started"
            raise TachographError(
                f"{many}: {error.strerror or error}; use fewer workers"
            ) from error
        worker = Worker(process, ours)
        self.workers.append(worker)
        worker.give(job, self.content)
        return True

    def _forget(self, worker: Worker) -> None:
        worker.process.kill()  # if it has not ended by itself
        worker.process.join()
        worker.pipe.close()
        self.workers.remove(worker)


def _end_of(process: BaseProcess) -> str:
    code = process.exitcode or 0
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"its process ended {DEATHS} times, the last time with {how}"


def _work(pipe: Connection, threads: int) -> None:
    """Run what comes through the pipe, until nothing does or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinating process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.update(dict.fromkeys(THREADS, str(threads)))
    pipe.send(None)
    work: Work | Failure = Failure("no work yet")
    while (given := pipe.recv()) is not None:
        if isinstance(given, bytes):
            try:
                work = pickle.loads(given)
            except Exception as error:
                work = Failure.of(error)
            if isinstance(work, Work) and work.measured:
                pin(threads)
            continue
        number, call = given
        outcome = work if isinstance(work, Failure) else attempt(work, call)
        try:
            pipe.send((number, portable(outcome)))
        except Exception as error:  # a result that cannot be pickled
            pipe.send((number, portable(Failure.of(error))))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
