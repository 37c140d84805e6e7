"""``tacho warm``: compile everything now, in a process for each core."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from typing import Any, TypeVar

import typer

__all__ = ["quiet", "spread", "warm"]

T = TypeVar("T")


def warm() -> None:
    """Compile every loop, in a process for each core, and keep them for later.

    Otherwise each is compiled when it is first used. NUMBA_CACHE_DIR names another place to keep them.

    [bold]Example[/bold]

    tacho warm
    """
    from ..algorithms.exercises import FIRST, THEN
    from ..kernels.runtime.launch import KERNELS, threads_available
    from ..util.errors import InputError

    import_module("tachograph.kernels.rows.passes")  # any module with kernels
    if not KERNELS:  # those that can be kept
        raise InputError("there is no place to keep compiled loops: set NUMBA_CACHE_DIR to one")
    from ..scale.exercises import EXERCISES as PARTS
    from ..simulation.exercises import EXERCISES  # has kernels, too

    begin = time.perf_counter()
    compiled = loaded = 0
    then = [(name,) for name in (*EXERCISES, *PARTS, *THEN)]  # the longest first
    for new, old in spread(_exercise, [[(name,) for name in FIRST], then]):
        compiled, loaded = compiled + new, loaded + old
    seconds = time.perf_counter() - begin
    if compiled:
        typer.echo(
            f"compiled {compiled} loops in {seconds:.1f} s, {threads_available()} at a time",
            err=True,
        )
    else:
        typer.echo(f"all is warm: {loaded} loops were there, seen in {seconds:.1f} s", err=True)


def spread(
    work: Callable[..., T],
    stages: list[list[tuple[Any, ...]]],
    begin: Callable[[], None] | None = None,
) -> Iterator[T]:
    """Call ``work`` with all arguments of a stage in a process for each core, then the next stage.

    The calls that take longest should come first in a stage.
    """
    from ..kernels.runtime.launch import threads_available
    from ..util.progress import bar

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        threads_available(), mp_context=context, initializer=begin or quiet
    ) as pool:
        try:
            with bar("compiling", sum(map(len, stages))) as shown:
                for stage in stages:
                    for done in as_completed([pool.submit(work, *given) for given in stage]):
                        yield done.result()
                        shown.advance(1)
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()  # it may compile for seconds yet
            raise


def quiet() -> None:
    """What a process of the pool does first."""
    from ..kernels.runtime.launch import told

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, without a traceback
    told.set()  # the parent tells


def _exercise(name: str) -> tuple[int, int]:
    """Do one exercise; the loops that were compiled for it, and those that were there."""
    from ..algorithms.exercises import FIRST, THEN
    from ..scale.exercises import EXERCISES as PARTS
    from ..simulation.exercises import EXERCISES

    before = _counts()
    {**FIRST, **THEN, **EXERCISES, **PARTS}[name]()
    after = _counts()
    return after[0] - before[0], after[1] - before[1]


def _counts() -> tuple[int, int]:
    """Loops compiled, and loaded, in this process so far."""
    from ..kernels.runtime.launch import KERNELS

    stats = [kernel.stats for kernel in KERNELS]
    return (
        sum(sum(s.cache_misses.values()) for s in stats),
        sum(sum(s.cache_hits.values()) for s in stats),
    )
