"""Campaigns: many independent tasks, whose results go into the journal as they finish.

A task is a function, named by where it is imported from, and arguments that JSON can hold; everything
random in it comes from a seed among them. Its key is a hash of all that, and of what else the result
depends on; a rerun does only the tasks whose keys are not in the journal. An executor does the work:
:class:`~tachograph.journal.processes.Local` in this process or several, ``scale.campaign.Dask`` on a
cluster.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import time
import traceback
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..util.errors import TachographError, TachographWarning
from ..util.progress import bar
from . import content_key, journal

__all__ = ["Campaign", "Executor", "Failure", "attempt", "code_hash"]

TRIES = 3  # of a task that fails, or whose process ends
Record = dict[str, Any]


@dataclass(frozen=True)
class Failure:
    """Why a task has no result. ``cause`` is there if Tachograph raised it on purpose."""

    error: str
    trace: str = ""
    cause: TachographError | None = None

    def exception(self) -> TachographError:
        """To be raised by those who cannot go on without the result."""
        return self.cause or TachographError(self.error)


Outcome = Record | Failure


class Executor(Protocol):
    """Who does the tasks."""

    def place(self) -> tuple[str, int]:
        """The kind of machine where tasks run, and the threads that each one has."""

    def perform(
        self, campaign: Campaign, todo: Iterator[int]
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Do tasks, taking numbers from ``todo`` when there is room; each with its outcome."""


@dataclass(frozen=True)
class Campaign:
    """Tasks of one kind.

    Parameters
    ----------
    kind
        Of the records in the journal.
    function
        What a task calls, as ``package.module:name``; it returns a dictionary that JSON can hold.
    tasks
        The arguments of each call.
    mark
        What else the results depend on, such as a hash of code or data.
    measured
        Whether times are measured: then a worker does one task at a time, with threads that stay on
        cores of their own, and results belong to the kind of machine and number of threads.
    shared
        First argument of every call, if it is not None; ``mark`` has to tell it from others.
    label
        What the progress bar says.

    Examples
    --------
    >>> square = Campaign("powers", "builtins:dict", [{"base": 2}, {"base": 3}])
    >>> square.records()
    [{'base': 2}, {'base': 3}]
    """

    kind: str
    function: str
    tasks: Sequence[Mapping[str, Any]]
    mark: str = ""
    measured: bool = False
    shared: Any = None
    label: str = "working"

    def keys(self, executor: Executor) -> list[str]:
        """The keys of the tasks' records."""
        place = executor.place() if self.measured else ()
        return [
            content_key(self.kind, self.function, dict(task), self.mark, *place)
            for task in self.tasks
        ]

    def known(self, key: str) -> Record | None:
        """Return the record of a task that was done before, or None."""
        return journal().get(self.kind, key)

    def keep(self, task: Mapping[str, Any], key: str, record: Record) -> None:
        """Keep the record of a task."""
        journal().put(self.kind, key, record)

    def run(
        self, executor: Executor | None = None, budget: float = float("inf")
    ) -> Iterator[tuple[int, Outcome]]:
        """Do what the journal does not have; (number of the task, record or failure) as they end.

        A record is in the journal when it is given. After ``budget`` seconds no task is begun.
        """
        from ..journal.processes import Local

        executor = executor or Local()
        end = time.monotonic() + budget
        kept = journal()
        same: dict[str, list[int]] = {}
        for number, key in enumerate(self.keys(executor)):
            same.setdefault(key, []).append(number)
        missing: dict[int, str] = {}
        for key, numbers in same.items():
            if (known := self.known(key)) is None:
                missing[numbers[0]] = key
            else:
                yield from ((number, known) for number in numbers)
        if not missing:
            return
        tally = Tally(len(missing))
        with (
            bar(self.label, len(missing)) as shown,
            closing(executor.perform(self, _until(missing, end))) as outcomes,
        ):
            for first, outcome in outcomes:
                key = missing[first]
                if isinstance(outcome, Failure):
                    kept.put("failure", key, self._failed(first, outcome))
                else:
                    self.keep(self.tasks[first], key, outcome)
                tally.add(outcome)
                shown.advance(1)
                shown.note(tally.text())
                yield from ((number, outcome) for number in same[key])

    def results(
        self, executor: Executor | None = None, budget: float = float("inf")
    ) -> Iterator[tuple[int, Record]]:
        """As :meth:`run`, without the tasks that failed: a warning says so at the end.

        Raises
        ------
        TachographError
            If every task failed.
        """
        failures = []
        for number, outcome in self.run(executor, budget):
            if isinstance(outcome, Failure):
                failures.append((number, outcome))
            else:
                yield number, outcome
        if failures:
            number, first = failures[0]
            if len(failures) == len(self.tasks):
                raise first.exception()
            warnings.warn(
                f"{len(failures)} of {len(self.tasks)} tasks failed and are left out; a rerun tries "
                f"again. The first: {dict(self.tasks[number])}: {first.error}",
                TachographWarning,
                stacklevel=2,
            )

    def records(
        self, executor: Executor | None = None, budget: float = float("inf")
    ) -> list[Record | None]:
        """What :meth:`results` gives, in the order of the tasks, with None for what is not there."""
        found = dict(self.results(executor, budget))
        return [found.get(number) for number in range(len(self.tasks))]

    def _failed(self, number: int, failure: Failure) -> Record:
        arguments = json.loads(json.dumps(dict(self.tasks[number]), default=str))
        about = {"kind": self.kind, "function": self.function, "arguments": arguments}
        return {**about, "error": failure.error, "trace": failure.trace}


class Tally:
    """What a progress bar says about a campaign."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.failed = total, 0, 0
        self.begin = time.monotonic()

    def add(self, outcome: Outcome) -> None:
        """Count a task that has ended."""
        self.done += 1
        self.failed += isinstance(outcome, Failure)

    def text(self) -> str:
        """How far it is, and how fast."""
        rate = self.done / max(time.monotonic() - self.begin, 1e-9)
        speed = f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
        return f"{self.done} of {self.total}, {speed}" + (
            f", {self.failed} failed" if self.failed else ""
        )


def _until(numbers: Iterable[int], end: float) -> Iterator[int]:
    """Hand out numbers until time is up."""
    for number in numbers:
        if time.monotonic() >= end:
            return
        yield number


def attempt(campaign: Campaign, arguments: Mapping[str, Any]) -> Outcome:
    """Do a task where we are; again, if it fails for a reason that may go away."""
    failure = Failure("")
    for _ in range(TRIES):
        try:
            shared = () if campaign.shared is None else (campaign.shared,)
            record = dict(_function(campaign.function)(*shared, **arguments))
            json.dumps(record)  # what the journal could not keep is this task's failure
            return record
        except TachographError as error:
            return Failure(str(error), traceback.format_exc(), error)
        except (Exception, SystemExit) as error:
            failure = Failure(f"{type(error).__name__}: {error}", traceback.format_exc())
    return failure


@functools.cache
def _function(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


@functools.cache
def code_hash(room: str = "") -> str:
    """A hash of the code of a room of the package, or of all of it: other code, other results."""
    root = Path(__file__).parents[1] / room
    contents = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".cl", ".toml"):
            contents.update(str(path.relative_to(root)).encode())
            contents.update(path.read_bytes())
    return contents.hexdigest()[:16]
