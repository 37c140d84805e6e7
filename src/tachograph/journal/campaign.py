"""Campaigns: many independent tasks, whose results go into the journal as they finish.

A task is a function, named by where it is imported from, and arguments that JSON can hold; everything
random in it comes from a seed among them. Its key is a hash of all that, and of what else the result
depends on. A rerun does only the tasks whose keys are not in the journal.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from ..util.errors import TachographWarning
from ..util.executor import Executor, Failure, Local, Lost, Outcome, Work
from ..util.progress import bar
from . import Record, content_key, journal
from .code import code_hash, measured_code
from .store import patient

__all__ = ["Campaign", "Executor", "Failure", "Record", "code_hash", "measured_code"]

TRIES = 3  # of a task that raises


@dataclass(frozen=True)
class Campaign:
    """Tasks of one kind.

    If times are ``measured``, a worker does one task at a time, with threads that stay on cores of
    their own, results belong to the kind of machine and number of threads, and each carries the hash of
    the code that made it, as ``code``. Whoever mixes results has to look at it.

    >>> square = Campaign("powers", "builtins:dict", [{"base": 2}, {"base": 3}])
    >>> square.records()
    [{'base': 2}, {'base': 3}]
    """

    kind: str  # of the records in the journal
    function: str  # what a task calls, as ``package.module:name``; returns what JSON can hold
    tasks: Sequence[Mapping[str, object]]  # the arguments of each call
    mark: str = ""  # what else the results depend on, such as a hash of code or data
    measured: bool = False
    shared: object = None  # the first argument of every call unless None; ``mark`` has to tell it
    label: str = "working"  # what the progress bar says

    def keys(self, executor: Executor) -> list[str]:
        """Return the keys of the tasks' records."""
        place = executor.place() if self.measured else ()
        own = self.kind, self.function
        return [content_key(*own, dict(task), self.mark, *place) for task in self.tasks]

    def known(self, key: str) -> Record | None:
        """Return the record of a task that was done before, or None."""
        return journal().get(self.kind, key)

    def keep(self, task: Mapping[str, object], key: str, record: Record) -> None:
        """Keep the record of a task."""
        journal().put(self.kind, key, record)

    def run(
        self, executor: Executor | None = None, budget: float = float("inf")
    ) -> Iterator[tuple[int, Record | Failure]]:
        """Do what is not in the journal. Gives tasks' numbers with records or failures as they end.

        A record is in the journal when it is given. After ``budget`` seconds no task is begun.
        """
        executor = executor or Local()
        begin = time.monotonic()
        same: dict[str, list[int]] = {}
        for number, key in enumerate(self.keys(executor)):
            same.setdefault(key, []).append(number)
        missing = []
        for key, numbers in same.items():
            with patient():
                known = self.known(key)
            if known is None:
                missing.append(key)
            else:
                yield from ((number, known) for number in numbers)
        if not missing:
            return
        work = Work(self.function, self.shared, self.measured, recorded=True, tries=TRIES)
        tasks = [self.tasks[same[key][0]] for key in missing]
        calls = (task for task in tasks if time.monotonic() < begin + budget)
        failed = 0
        with (
            bar(self.label, len(missing)) as shown,
            closing(executor.perform(work, calls)) as outcomes,
        ):
            try:
                for done, (place, outcome) in enumerate(outcomes, 1):
                    made = self._kept(missing[place], tasks[place], outcome)
                    failed += isinstance(made, Failure)
                    shown.advance(1)
                    shown.note(progress(done, len(missing), failed, time.monotonic() - begin))
                    yield from ((number, made) for number in same[missing[place]])
            except Lost as error:
                raise Lost(f"{error}: run again, what is finished is in the journal") from None

    def _kept(self, key: str, task: Mapping[str, object], outcome: Outcome) -> Record | Failure:
        """Put an outcome into the journal. A result that JSON cannot hold is a failure."""
        if not isinstance(outcome, Failure):
            try:
                record: Record = dict(outcome)  # type: ignore[call-overload]
                if self.measured:
                    record["code"] = measured_code()
                with patient():
                    self.keep(task, key, record)
                return record
            except (TypeError, ValueError) as error:
                outcome = Failure.of(error)
        arguments = json.loads(json.dumps(dict(task), default=str))
        about = {"kind": self.kind, "function": self.function, "arguments": arguments}
        with patient():
            journal().put("failure", key, {**about, "error": outcome.error, "trace": outcome.trace})
        return outcome

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
        if not failures:
            return
        number, first = failures[0]
        if len(failures) == len(self.tasks):
            raise first.exception()
        left_out = (
            f"{len(failures)} of {len(self.tasks)} tasks failed and are left out; a rerun tries "
            f"again. The first: {dict(self.tasks[number])}: {first.error}"
        )
        warnings.warn(left_out, TachographWarning, stacklevel=2)

    def records(
        self, executor: Executor | None = None, budget: float = float("inf")
    ) -> list[Record | None]:
        """Return what :meth:`results` gives in the order of the tasks, None where there is nothing."""
        found = dict(self.results(executor, budget))
        return [found.get(number) for number in range(len(self.tasks))]


def progress(done: int, total: int, failed: int, seconds: float) -> str:
    """Say how many tasks are done, and how fast."""
    rate = done / max(seconds, 1e-9)
    speed = f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
    return f"{done} of {total}, {speed}" + (f", {failed} failed" if failed else "")
