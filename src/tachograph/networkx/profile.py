"""Run a script, time its calls of NetworkX, and try some of them here.

Only functions that the backend has are timed, and of nested calls the outermost. After one of the first
calls of a function the same call is made with ``backend="tachograph"``, and its result is thrown
away; arguments that a call uses up (iterators) rule that out, random states are copied first.
"""

from __future__ import annotations

import copy
import random
import runpy
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from .decide import converted, should_run
from .decline import can_run
from .functions import FUNCTIONS

__all__ = ["Calls", "profile"]

RANDOM = (random.Random, np.random.RandomState, np.random.Generator)


@dataclass
class Calls:
    """What is known of the calls of one function."""

    name: str
    count: int = 0
    seconds: float = 0.0  # in NetworkX, all calls
    sampled: int = 0
    sampled_networkx: float = 0.0
    sampled_tachograph: float = 0.0  # conversions included
    chosen: int = 0  # sampled calls that should_run would let through
    reason: str = ""  # why the last call that was not tried, or not chosen, was not

    @property
    def gain(self) -> float | None:
        """How many times as fast the sampled calls were here."""
        return self.sampled_networkx / self.sampled_tachograph if self.sampled else None

    @property
    def saved(self) -> float | None:
        """Seconds that all calls would save, if they are like the sampled ones."""
        return None if self.gain is None else self.seconds * (1 - 1 / self.gain)


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

        def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
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

    def timed(self, original: Any, function: Any, args: Any, kwargs: Any) -> Any:
        """Call NetworkX; the result, or an iterator over it that is timed, too."""
        calls = self.calls.setdefault(function.name, Calls(function.name))
        calls.count += 1
        spare = self._spare(calls, function.name, args, kwargs)
        begin = time.perf_counter()
        self.inside = True
        try:
            result = original(function, *args, backend="networkx", **kwargs)
        finally:
            self.inside = False
            spent = time.perf_counter() - begin
            calls.seconds += spent
        if isinstance(result, Iterator):
            return self._iterated(result, calls, original, function, spare, spent)
        if spare is not None:
            self._try(calls, original, function, spare, spent, None)
        return result

    def _iterated(
        self, result: Iterator[Any], calls: Calls, original: Any, function: Any, spare: Any,
        spent: float,
    ) -> Iterator[Any]:  # fmt: skip
        """The same items; when they are used up, the call is tried."""
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
        if spare is not None:
            self._try(calls, original, function, spare, spent, count)

    def _spare(self, calls: Calls, name: str, args: Any, kwargs: Any) -> Any:
        """Arguments for a second call; None if there is to be none."""
        if calls.sampled >= self.sample:
            return None
        able = can_run(name, args, kwargs)
        if able is not True:
            calls.reason = str(able)
            return None
        if any(isinstance(value, Iterator) for value in (*args, *kwargs.values())):
            calls.reason = "an argument can be used only once"
            return None
        return args, kwargs

    def _try(
        self,
        calls: Calls,
        original: Any,
        function: Any,
        spare: Any,
        spent: float,
        items: int | None,
    ) -> None:
        """The same call here, timed; before the first one everything is loaded and compiled."""
        args, kwargs = spare
        verdict = should_run(function.name, args, kwargs)
        graph = args[0] if args else next(iter(kwargs.values()))
        self.inside = True
        try:
            if not calls.sampled:
                known = converted(graph, weighted=False)
                self._again(original, function, args, kwargs, items)
                if not known:
                    graph.__networkx_cache__["backends"].pop("tachograph", None)
            begin = time.perf_counter()
            self._again(original, function, args, kwargs, items)
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

    @staticmethod
    def _again(original: Any, function: Any, args: Any, kwargs: Any, items: int | None) -> None:
        """Make a call with the backend, and use as many items of its result as the script did."""
        kept = copy.deepcopy([v for v in (*args, *kwargs.values()) if isinstance(v, RANDOM)])
        states = iter(kept)
        args = tuple(next(states) if isinstance(v, RANDOM) else v for v in args)
        kwargs = {k: next(states) if isinstance(v, RANDOM) else v for k, v in kwargs.items()}
        result = original(function, *args, backend="tachograph", **kwargs)
        if items is not None:
            for _ in islice(result, items):
                pass


def profile(script: str, arguments: list[str], sample: int = 3) -> list[Calls]:
    """The functions that a script called, those that would save most first."""
    from ..util.errors import InputError, MissingFileError

    if sample < 1:
        raise InputError(f"sample = {sample}: at least one call of each function has to be tried")
    if not Path(script).is_file():
        raise MissingFileError(f"{script}: there is no such script")
    made = Profile(sample)
    made.run(script, arguments)
    return sorted(made.calls.values(), key=lambda calls: -(calls.saved or 0.0))
