"""``tacho warm``: compile everything now, in a process for each core."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import typer

from .options import Json, print_json

if TYPE_CHECKING:
    from ..util.exercise import Exercise

__all__ = ["exercise", "exercises", "quiet", "spread", "warm"]

T = TypeVar("T")
#: The tables of exercises.
TABLES = ("tachograph.algorithms", "tachograph.simulation", "tachograph.scale")


class Done(NamedTuple):
    """An exercise that was done: loops that it compiled, loops that were there, and seconds."""

    name: str
    compiled: int
    loaded: int
    seconds: float


def warm(json: Json = False) -> None:
    """Compile every loop, in a process for each core, and keep them for later.

    Otherwise each is compiled when it is first used. NUMBA_CACHE_DIR names another place to keep them.
    With --json every exercise is listed with its loops and seconds.

    [bold]Example[/bold]

    tacho warm
    """
    from ..kernels.runtime.launch import KERNELS, threads_available
    from ..util.errors import InputError

    table = exercises()
    if not KERNELS:  # those that can be kept
        raise InputError("there is no place to keep compiled loops: set NUMBA_CACHE_DIR to one")
    begin = time.perf_counter()
    first = [[{"name": k} for k, e in table.items() if e.first is here] for here in (True, False)]
    done = spread(exercise, first)
    seconds = time.perf_counter() - begin
    compiled, loaded = sum(d.compiled for d in done), sum(d.loaded for d in done)
    if json:
        print_json({"seconds": seconds, "exercises": [d._asdict() for d in done]})
    elif compiled:
        cores = threads_available()
        typer.echo(f"compiled {compiled} loops in {seconds:.1f} s, {cores} at a time", err=True)
    else:
        typer.echo(f"all is warm: {loaded} loops were there, seen in {seconds:.1f} s", err=True)


def exercises() -> dict[str, Exercise]:
    """Return all exercises by name, the longest first."""
    found: dict[str, Exercise] = {}
    for room in TABLES:
        found |= import_module(f"{room}.exercises").EXERCISES
    return dict(sorted(found.items(), key=lambda item: -item[1].seconds))


def spread(work: Callable[..., T], stages: Sequence[Sequence[Mapping[str, object]]]) -> list[T]:
    """Call ``work`` with all arguments of a stage in a process for each core, then the next stage.

    The calls that take longest should come first in a stage.
    """
    from ..kernels.runtime.launch import threads_available
    from ..util.executor import Failure, Local, Work
    from ..util.progress import bar

    cores = threads_available()
    found = []
    with (
        Local(cores, threads=cores, apart=True) as pool,
        bar("compiling", sum(map(len, stages))) as shown,
    ):
        for stage in stages:
            for _, outcome in pool.perform(Work(work), stage):
                if isinstance(outcome, Failure):
                    raise outcome.exception()
                found.append(cast(T, outcome))
                shown.advance(1)
    return found


def quiet() -> None:
    """Make this process leave it to its parent to say that loops are compiled."""
    from ..kernels.runtime.launch import told

    told.set()


def exercise(name: str) -> Done:
    """Do one exercise."""
    quiet()
    table = exercises()
    compiled, loaded = _counts()
    begin = time.process_time()  # of this process: others may use its core, too
    table[name].run()
    seconds = time.process_time() - begin
    after = _counts()
    return Done(name, after[0] - compiled, after[1] - loaded, seconds)


def _counts() -> tuple[int, int]:
    """Return how many loops this process compiled, and how many it loaded, so far."""
    from ..kernels.runtime.launch import KERNELS

    stats = [kernel.stats for kernel in KERNELS]
    compiled = sum(sum(s.cache_misses.values()) for s in stats)
    return compiled, sum(sum(s.cache_hits.values()) for s in stats)
