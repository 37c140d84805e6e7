"""Calls of a function somewhere else: what an executor promises, whatever does the work.

:class:`~tachograph.util.processes.Local` runs calls in this process or in several of this machine;
``tachograph.scale.executor.Dask`` runs them on a cluster. Campaigns, supersteps on partitioned graphs
and everything that compiles ahead of time use one of them.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import pickle
import traceback
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeAlias, TypeVar, cast

from .errors import TachographError

T = TypeVar("T")
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
