"""How kernels are compiled and spread over threads.

A kernel is a function compiled by :func:`kernel` that releases the GIL. :func:`run` starts it once
per worker as ``worker(index, stop, *args)`` and waits so that Ctrl-C is answered at once: it raises
``stop[0]``, which workers read between blocks of work, and joins them before it lets go.
"""

from __future__ import annotations

import functools
import gc
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

import numba
import numpy as np
from numba._dispatcher import compute_fingerprint
from numba.core.types import unliteral

from ...util.cores import threads as threads
from ...util.cores import threads_available as threads_available
from ...util.errors import InputError
from ...util.limits import Deadline, check_time, due
from ...util.progress import bar, say, watcher
from . import background, caching
from .caching import kept_on_disk as kept_on_disk
from .workers import Crew, let_go, start

#: For each kind of loop, how much work (items, edges, or vertices and arcs) one worker does faster than
#: several.
SERIAL_BELOW = {
    "items": 1 << 16,
    "copies": 1 << 18,
    "edges": 1 << 16,
    "rows": 1 << 18,
    "bfs": 1 << 18,
    "communities": 1 << 18,
    "components": 1 << 15,
    "cores": 1 << 18,
    "pagerank": 1 << 15,
    "sssp": 1 << 17,
    "triangles": 1 << 15,
}
#: Work that surely takes less than half a second, even if it is repeated a hundred times: the calling
#: thread does its share of it, because to wake another one, and to be woken by it, takes 0.1 ms.
BRIEF_BELOW = 1 << 21
SILENT_COMPILING_SECONDS = 0.5  # how long compiling may take before it is mentioned
TOLD_COMPILING_SECONDS = 1.0  # from which on it is said how long it took
WAITING_SECONDS = 0.1  # between two looks of a caller whether the workers have ended
KERNELS: list[Any] = []  # all kernels that are kept on disk
told = threading.Event()  # whether compiling was mentioned during this call
#: What runs a kernel for types of arguments that it is loaded for. To look them up for every call
#: takes longer than many a call, most of all for named tuples.
_ready: dict[tuple[Any, bytes], Callable[..., Any]] = {}
_spent = threading.local()  # .seconds: what this thread has spent on loading and compiling
_compiled: list[float] = []  # seconds that kernels took, since somebody was told

#: Checks on every array access, for tests: set before import (and use a separate NUMBA_CACHE_DIR).
CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0") == "1"
# Nobody calls kernels through pointers of C: without such wrappers they are compiled faster.
COMPILED: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": CHECKED,
    "no_cfunc_wrapper": True,
    "_nrt": True,
}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` without the GIL, with NumPy's division rules, cached on disk."""
    try:
        compiled: Any = numba.njit(function, cache=True, **COMPILED)
    except RuntimeError:  # neither the package nor the user has a directory for the cache
        return cast(Callable[..., Any], numba.njit(function, **COMPILED))
    caching.keep(compiled, function.__module__)
    KERNELS.append(_for_all_constants(compiled))
    return cast(Callable[..., Any], compiled)


def _for_all_constants(compiled: Any) -> Any:
    """Compile one variant for all constants: otherwise each literal argument is a type of its own."""
    if getattr(numba.config, "DISABLE_JIT", 0):  # mypy does not see it
        raise InputError("NUMBA_DISABLE_JIT is set, but these loops have to be compiled: unset it")
    template = compiled.get_call_template

    def get_call_template(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        plain = {name: unliteral(kind) for name, kind in named.items()}
        return template(tuple(unliteral(kind) for kind in args), plain)

    compiled.get_call_template = get_call_template
    return compiled


def _helper(copied: bool, makes_arrays: bool) -> Callable[[Callable[..., Any]], Any]:
    """Compile a part of kernels, which only they can call."""
    own = {"forceinline": copied, "no_cpython_wrapper": True, "_nrt": makes_arrays}
    return lambda function: _for_all_constants(numba.njit(function, **{**COMPILED, **own}))


#: Compile a helper into its callers: a call passes seven arguments for each array. The helper does not
#: count references to arrays, which takes atomic operations and can take longer than all the rest; so
#: it must neither make arrays nor return any. ``inline_maker`` is for helpers that do.
inline = _helper(copied=True, makes_arrays=False)
inline_maker = _helper(copied=True, makes_arrays=True)
#: The same for parts that are called, not copied: for what is long or stands in several places.
subroutine = _helper(copied=False, makes_arrays=False)
subroutine_maker = _helper(copied=False, makes_arrays=True)


def read_only(array: np.ndarray) -> np.ndarray:
    """A view for a kernel that only reads, so that one variant is compiled for all arrays of users."""
    view = array.view()
    view.flags.writeable = False
    return view


def workers_for(kind: str, work: int) -> tuple[int, bool]:
    """How many workers a loop gets by ``SERIAL_BELOW``, and whether it is brief (see ``run_calls``)."""
    return 1 if work < SERIAL_BELOW[kind] else threads_available(), work < BRIEF_BELOW


def run(
    worker: Callable[..., Any],
    calls: Iterable[tuple[Any, ...]],
    stop: np.ndarray | None = None,
    brief: bool = False,
    label: str | None = None,
) -> list[Any]:
    """Call ``worker(stop, *arguments)`` for every tuple of ``calls``, each on a thread of its own."""
    stop = np.zeros(1, np.int64) if stop is None else stop
    return run_calls(worker, [(stop, *arguments) for arguments in calls], stop, brief, label)


def run_calls(
    worker: Callable[..., Any],
    todo: list[tuple[Any, ...]],
    stop: np.ndarray,
    brief: bool = False,
    label: str | None = None,
    step: Callable[[], int] | None = None,
    finished: Callable[[], bool] | None = None,
    partial: bool = False,
) -> list[Any]:
    """Call ``worker(*arguments)`` for every tuple of ``todo``, each on a thread of its own.

    The caller waits where Ctrl-C can reach it. If that takes longer than a second, a terminal shows
    ``label`` (by default the name of the worker) and the number that ``step()`` returns. With
    ``brief`` the first call runs on the caller's own thread instead, which saves 0.1 ms: for work that
    takes less than a second. ``finished`` promises that the arguments of all calls have the same types,
    and tells whether all workers are done with them, so that nobody waits for the ends of threads.
    ``partial`` says that workers leave something to show if a deadline stops them (``util/limits``).
    An exception in any worker, or Ctrl-C, stops the others (at their next look at ``stop[0]``) and is
    raised when all have ended.
    """
    check_time()
    runs = prepare(worker, todo[0])
    if len(todo) > 1 and finished is None:
        runs = worker
    seen, end = watcher.get(), due.get()
    if end is not None and end.late(partial):
        stop[0] = 1  # workers only make what they begin with
    brief = brief and seen is None and end is None  # both look at what runs on other threads
    if len(todo) == 1 and brief:
        return [_here(runs, todo[0])]
    results: list[Any] = [None] * len(todo)
    errors: list[BaseException] = []

    def work(index: int) -> None:
        try:
            results[index] = runs(*todo[index])
        except BaseException as error:
            errors.append(error)
            stop[0] = 1

    crew = Crew(len(todo) - brief, helping=brief)
    name = label or worker.__name__.replace("_", " ")
    if seen is not None:
        seen.begin(name, stop)
    try:
        hands = start([functools.partial(work, index) for index in range(brief, len(todo))], crew)
        if brief:
            results[0] = _here(runs, todo[0])
            if finished is not None and finished():
                let_go(hands, crew)
                return results
        if end is not None:
            _wait_until(end, crew, stop, partial)
        if not crew.wait(WAITING_SECONDS):  # most end before it is time to show a bar
            with bar(name) as shown:
                while not crew.wait(WAITING_SECONDS):
                    check_time()
                    if step is not None:
                        shown.note(f"step {step()}")
    except BaseException:
        stop[0] = 1
        crew.call_off()
        crew.wait()
        raise
    finally:
        if seen is not None:
            seen.end()
    if errors:
        raise errors[0]
    return results


def _wait_until(end: Deadline, crew: Crew, stop: np.ndarray, partial: bool) -> None:
    """Wait for workers until a deadline; then those that leave something to show are stopped."""
    while not (end.over or stop[0]) and not crew.wait(min(max(end.left, 0.0), WAITING_SECONDS)):
        check_time()
        # a worker that fails raises it, too: never write what was read before
        if end.late(partial):
            stop[0] = 1
    end.over |= partial


def _here(runs: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Run a compiled function on this thread; Ctrl-C, which it does not see, is raised when it ends."""
    try:
        return runs(*arguments)
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise error.__cause__ from None
        raise


def clock() -> float:
    """Seconds on a clock that stops while this thread loads or compiles kernels."""
    return time.perf_counter() - getattr(_spent, "seconds", 0.0)


def prepare(worker: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Load or compile a kernel for arguments of types it has not seen yet.

    Returns what runs it: for arguments of exactly these types, which are not looked at again.
    """
    if not hasattr(worker, "overloads"):
        return cast(Callable[..., Any], worker)  # not compiled: plain Python
    key = (worker, compute_fingerprint(arguments))
    if key in _ready:
        return _ready[key]
    done = threading.Event()
    before = sum(worker.stats.cache_misses.values())
    with suppress(RuntimeError):  # the system has no more threads: then nothing is told
        threading.Thread(target=_tell, args=(worker, before, done), daemon=True).start()
    begin = time.perf_counter()
    try:
        with not_counted(), _without_collecting():
            _ready[key] = worker.compile(tuple(numba.typeof(a) for a in arguments))
        if sum(worker.stats.cache_misses.values()) > before:
            _compiled.append(time.perf_counter() - begin)
        return _ready[key]
    finally:
        done.set()


def tell_compiled() -> None:
    """Say how long compiling took, at the end of a call during which it was mentioned.

    In an interactive session, the loops that other calls need are then compiled in the background.
    """
    if not _compiled:
        return
    if told.is_set() and sum(_compiled) > TOLD_COMPILING_SECONDS:
        loops = f"{len(_compiled)} loop{'s' * (len(_compiled) > 1)}"
        rest = ""
        if KERNELS and background.warm_the_rest():
            rest = f"; the rest follows in the background ({background.SETTING}=0 leaves it out)"
        say(f"compiled {loops} in {sum(_compiled):.1f} s{rest}")
    told.clear()  # the next call that has to wait says so, too
    _compiled.clear()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Stop the garbage collector: compiling makes many objects, few of them garbage."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def not_counted() -> Iterator[None]:
    """Stop :func:`clock` for a block that compiles something."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        took = time.perf_counter() - begin
        _spent.seconds = getattr(_spent, "seconds", 0.0) + took
        if (end := due.get()) is not None:
            end.put_off(took)


def _tell(worker: Any, before: int, done: threading.Event) -> None:
    """Say once a call that kernels are being compiled, if that takes long; not that they are loaded."""
    while not done.wait(SILENT_COMPILING_SECONDS) and not told.is_set():
        if worker.stats.cache_path is None:
            text = (
                "compiling; set NUMBA_CACHE_DIR to a directory that can keep it for the next time"
            )
        elif sum(worker.stats.cache_misses.values()) > before:
            text = (
                "compiling what this call needs: some seconds, once per machine "
                "(tacho warm compiles everything)"
            )
        else:
            continue
        told.set()
        say(text)


def over_parts(
    worker: Callable[..., Any], size: int, *arguments: Any, kind: str = "items"
) -> list[Any]:
    """Call ``worker(stop, lo, hi, *arguments)`` on equal parts of 0..size, a thread for each."""
    workers, brief = workers_for(kind, size)
    cuts = [size * w // workers for w in range(workers + 1)]
    calls = [(lo, hi, *arguments) for lo, hi in itertools.pairwise(cuts)]
    return run(worker, calls, brief=brief)
