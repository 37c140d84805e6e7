"""Threads for requests, which nobody waits for when the process ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

__all__ = ["on_thread"]

P = ParamSpec("P")
T = TypeVar("T")


async def on_thread(function: Callable[P, T], *given: P.args, **told: P.kwargs) -> T:
    """Call a function on a thread of its own.

    Those of thread pools are no daemons: a process would not end before the last of them has.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if answer.done():  # nobody waits any more
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]
        else:
            answer.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function(*given, **told)
        except BaseException as problem:
            error = problem
        with suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=work, name="lab-request", daemon=True).start()
    return await answer
