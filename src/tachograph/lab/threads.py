"""Threads for requests, which nobody waits for when the process ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["on_thread"]

P = ParamSpec("P")
T = TypeVar("T")
MOST_AT_ONCE = 64  # threads of a server: many more pages than anybody has open; others wait
_places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def on_thread(function: Callable[P, T], *given: P.args, **told: P.kwargs) -> T:
    """Call a function on a thread of its own, when there are fewer than ``MOST_AT_ONCE``.

    Those of thread pools are no daemons: a process would not end before the last of them has.
    """
    loop = asyncio.get_running_loop()
    places = _places.setdefault(loop, asyncio.Semaphore(MOST_AT_ONCE))
    await places.acquire()
    answer: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        places.release()
        if answer.done():  # nobody waits any more
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]
        else:
            answer.set_exception(error)

    def work() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = function(*given, **told)
        except BaseException as problem:
            # a future takes no StopIteration, and a SystemExit would end the server
            fit = isinstance(problem, Exception) and not isinstance(problem, StopIteration)
            error = problem if fit else RuntimeError(repr(problem))
        with suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(tell, result, error)

    try:
        threading.Thread(target=work, name="lab-request", daemon=True).start()
    except RuntimeError:  # the system has no thread
        places.release()
        raise
    return await answer
