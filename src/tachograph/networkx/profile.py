"""Run a script, time its calls of NetworkX, and try some of them here.

Only functions that the backend has are timed, and only the outermost of nested calls. The first calls
of a function are made again with ``backend="tachograph"``, and the result is thrown away. Random states
are copied before; calls with arguments that can be used only once (iterators) are not made again.
"""

from __future__ import annotations

import copy
import random
import runpy
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import networkx as nx
import numpy as np

from .decide import Args, Kwargs, can_run, converted, graph_of, should_run
from .functions import FUNCTIONS

__all__ = ["Calls", "profile"]

RANDOM = (random.Random, np.random.RandomState, np.random.Generator)


@dataclass
class Calls:
    """Counts and times of the calls of one function."""

    name: str
    count: int = 0
    seconds: float = 0.0  # in NetworkX, all calls
    sampled: int = 0
    sampled_networkx: float = 0.0
    sampled_tachograph: float = 0.0  # conversions included
    chosen: int = 0  # sampled calls that should_run would let through
    reason: str = ""  # why the last call was not tried or not chosen, if it was not

    @property
    def gain(self) -> float | None:
        """How many times faster the sampled calls were here."""
        return self.sampled_networkx / self.sampled_tachograph if self.sampled else None

    @property
    def saved(self) -> float | None:
        """Seconds that all calls would save, if they are like the sampled ones."""
        return None if self.gain is None else self.seconds * (1 - 1 / self.gain)


class Dispatched(Protocol):
    """A function of NetworkX that may be run by a backend."""

    name: str


class Repeat(NamedTuple):
    """A call of NetworkX that can be made again."""

    original: Callable[..., object]
    function: Dispatched
    args: Args
    kwargs: Kwargs

    def run(self, items: int | None) -> None:
        """Make the call with the backend, and use as many items of its result as the script did."""
        given = [*self.args, *self.kwargs.values()]
        states = iter(copy.deepcopy([value for value in given if isinstance(value, RANDOM)]))
        given = [next(states) if isinstance(value, RANDOM) else value for value in given]
        count = len(self.args)
        kwargs = dict(zip(self.kwargs, given[count:], strict=True))
        result = self.original(self.function, *given[:count], backend="tachograph", **kwargs)
        if items is not None and isinstance(result, Iterable):
            for _ in islice(result, items):
                pass


@dataclass
class Profile:
    """Times calls while it is installed."""

    sample: int
    calls: dict[str, Calls] = field(default_factory=dict)
    inside: bool = False

    def run(self, script: str, arguments: list[str]) -> None:
        """Run a script as Python would."""
        kind = nx.utils.backends._dispatchable
        original = kind.__call__
        before = sys.argv, list(sys.path), set(nx.config.warnings_to_ignore)
        profile = self

        def call(function: Dispatched, /, *args: object, **kwargs: object) -> object:
            backend = kwargs.pop("backend", None)
            if profile.inside or function.name not in FUNCTIONS or backend is not None:
                return original(function, *args, backend=backend, **kwargs)
            return profile.timed(original, function, args, kwargs)

        sys.argv = [script, *arguments]
        sys.path.insert(0, str(Path(script).resolve().parent))
        nx.config.warnings_to_ignore.add("cache")
        kind.__call__ = call
        try:
            runpy.run_path(script, run_name="__main__")
        finally:
            kind.__call__ = original
            sys.argv, sys.path, nx.config.warnings_to_ignore = before

    def timed(
        self, original: Callable[..., object], function: Dispatched, args: Args, kwargs: Kwargs
    ) -> object:
        """Call NetworkX; return the result, or an iterator over it that is timed, too."""
        calls = self.calls.setdefault(function.name, Calls(function.name))
        calls.count += 1
        again = None
        if self._can_repeat(calls, function.name, args, kwargs):
            again = Repeat(original, function, args, kwargs)
        begin = time.perf_counter()
        self.inside = True
        try:
            result = original(function, *args, backend="networkx", **kwargs)
        finally:
            self.inside = False
            spent = time.perf_counter() - begin
            calls.seconds += spent
        if isinstance(result, Iterator):
            return self._iterated(result, calls, again, spent)
        if again is not None:
            self._try(calls, again, spent, None)
        return result

    def _iterated(
        self, result: Iterator[object], calls: Calls, again: Repeat | None, spent: float
    ) -> Iterator[object]:
        """Yield the same items, and try the call when they are used up."""
        count = 0
        while True:
            begin = time.perf_counter()
            outside, self.inside = self.inside, True
            try:
                item = next(result)
            except StopIteration:
                break
            finally:
                self.inside = outside
                seconds = time.perf_counter() - begin
                calls.seconds += seconds
                spent += seconds
            count += 1
            yield item
        if again is not None:
            self._try(calls, again, spent, count)

    def _can_repeat(self, calls: Calls, name: str, args: Args, kwargs: Kwargs) -> bool:
        """Return whether a call shall be made again; notes why not."""
        if calls.sampled >= self.sample:
            return False
        able = can_run(name, args, kwargs)
        once = any(isinstance(value, Iterator) for value in (*args, *kwargs.values()))
        if able is not True or once:
            calls.reason = "an argument can be used only once" if able is True else str(able)
            return False
        return True

    def _try(self, calls: Calls, again: Repeat, spent: float, items: int | None) -> None:
        """Time the same call here; before the first one everything is loaded and compiled."""
        verdict = should_run(again.function.name, again.args, again.kwargs)
        graph = graph_of(again.args, again.kwargs)
        self.inside = True
        try:
            if not calls.sampled:
                known = converted(graph, weighted=False)
                again.run(items)
                if not known:
                    graph.__networkx_cache__["backends"].pop("tachograph", None)
            begin = time.perf_counter()
            again.run(items)
        except NotImplementedError as problem:
            calls.reason = str(problem)
            return
        finally:
            self.inside = False
        calls.sampled_tachograph += time.perf_counter() - begin
        calls.sampled_networkx += spent
        calls.sampled += 1
        calls.chosen += verdict is True
        if isinstance(verdict, str):
            calls.reason = verdict


def profile(script: str, arguments: list[str], sample: int = 3) -> list[Calls]:
    """Return the functions that a script called, those that would save most time first."""
    from ..util.errors import InputError, MissingFileError
    from ..util.files import is_file

    if sample < 1:
        raise InputError(f"sample = {sample}: at least one call of each function has to be tried")
    if not is_file(script):
        raise MissingFileError(f"{script}: there is no such script")
    made = Profile(sample)
    made.run(script, arguments)
    return sorted(made.calls.values(), key=lambda calls: -(calls.saved or 0.0))
