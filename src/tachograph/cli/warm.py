"""``tacho warm``: compile everything now, in a process for each core."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from .options import Json, flat, option, print_json, say

if TYPE_CHECKING:
    from ..util.exercise import Exercise

__all__ = ["exercise", "exercises", "spread", "warm"]

T = TypeVar("T")
#: The tables of exercises.
ROOMS_WITH_LOOPS = ("tachograph.algorithms", "tachograph.simulation", "tachograph.scale")


class Done(NamedTuple):
    """An exercise that was done: loops that it compiled, loops that were there, and seconds."""

    name: str
    compiled: int
    loaded: int
    seconds: float


@flat
def warm(
    json: Json = False,
    kindly: bool = option(False, "Use one process that gives way to all others.", "--kindly"),
) -> None:
    """Compile every loop, in a process for each core, and keep them for later.

    Otherwise each is compiled when it is first used, and at a Python prompt or in a notebook the others
    follow in the background, kindly. NUMBA_CACHE_DIR names another place to keep them.
    With --json every exercise is listed with its loops and seconds.

    [bold]Example[/bold]

    tacho warm
    """
    from ..kernels.runtime.background import be_kind
    from ..kernels.runtime.launch import KERNELS, threads_available
    from ..util.errors import InputError

    table = exercises()
    if not KERNELS:  # those that can be kept
        raise InputError("there is no place to keep compiled loops: set NUMBA_CACHE_DIR to one")
    begin = time.perf_counter()
    stages = [[k for k, e in table.items() if e.first is here] for here in (True, False)]
    if kindly:
        be_kind(None if sys.stdin.isatty() else sys.stdin.buffer)
        done = [exercise(name) for stage in stages for name in stage]
    else:
        done = spread(exercise, [[{"name": name} for name in stage] for stage in stages])
    seconds = time.perf_counter() - begin
    compiled, loaded = sum(d.compiled for d in done), sum(d.loaded for d in done)
    if json:
        print_json({"seconds": seconds, "exercises": [d._asdict() for d in done]})
    elif compiled:
        cores = 1 if kindly else threads_available()
        say(f"compiled {compiled} loops in {seconds:.1f} s, {cores} at a time")
    else:
        say(f"all is warm: {loaded} loops were there, seen in {seconds:.1f} s")


def exercises() -> dict[str, Exercise]:
    """Return all exercises by name, the longest first."""
    found: dict[str, Exercise] = {}
    for room in ROOMS_WITH_LOOPS:
        found |= import_module(f"{room}.exercises").EXERCISES
    return dict(sorted(found.items(), key=lambda item: -item[1].seconds))


def spread(work: Callable[..., T], stages: Sequence[Sequence[Mapping[str, object]]]) -> list[T]:
    """Call ``work`` with all arguments of a stage in a process for each core, then the next stage.

    The calls that take longest should come first in a stage.
    """
    from ..kernels.runtime.launch import threads_available
    from ..util.executor import Failure, Local, Work
    from ..util.progress import bar

    cores, calls = threads_available(), sum(map(len, stages))
    found = []
    with Local(cores, threads=cores, apart=True) as pool, bar("compiling", calls) as shown:
        for stage in stages:
            for _, outcome in pool.perform(Work(work), stage):
                if isinstance(outcome, Failure):
                    raise outcome.exception()
                found.append(cast(T, outcome))
                shown.advance(1)
    return found


def exercise(name: str) -> Done:
    """Do one exercise."""
    from ..kernels.runtime.launch import told

    told.set()  # the parent says that loops are compiled
    table = exercises()
    before = _counts()
    begin = time.process_time()  # of this process: others may use its core, too
    table[name].run()
    seconds = time.process_time() - begin
    compiled, loaded = (b - a for a, b in zip(before, _counts(), strict=True))
    return Done(name, compiled, loaded, seconds)


def _counts() -> list[int]:
    """Return how many loops this process compiled, and how many it loaded, so far."""
    from ..kernels.runtime.launch import KERNELS

    stats = [kernel.stats for kernel in KERNELS]
    return [sum(sum(getattr(s, k).values()) for s in stats) for k in ("cache_misses", "cache_hits")]
