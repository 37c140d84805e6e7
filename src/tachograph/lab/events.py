"""Server-sent events about jobs of the lab."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.responses import Response, StreamingResponse

from .jobs import J, Queued
from .threads import on_thread

__all__ = ["LOOK_SECONDS", "event", "followed", "pause", "stream"]

#: Between two looks at a job that goes on. A browser takes some 12 ms of a core to draw the page anew,
#: and the job may have no core to spare: more looks would take more than 2 % of its time.
LOOK_SECONDS = 0.8


def event(name: str, told: object, number: int) -> str:
    """Return a server-sent event."""
    return f"event: {name}\nid: {number}\ndata: {json.dumps(told)}\n\n"


def stream(events: AsyncIterator[str]) -> Response:
    """Return the answer that sends events as they come."""
    return StreamingResponse(_heard(events), media_type="text/event-stream")


async def _heard(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Pass events on; print what goes wrong, which nobody else does."""
    try:
        async for one in events:
            yield one
    except Exception:
        traceback.print_exc()
        raise


async def pause(job: Queued, seconds: float = LOOK_SECONDS) -> None:
    """Wait for the next look at a job, or for its end."""
    await on_thread(job.ended.wait, seconds)


async def followed(job: J, more: Callable[[J], dict[str, Any]]) -> AsyncIterator[str]:
    """Yield events with the state of a job, and ``more`` of it, until it is over."""
    while True:
        over = job.over  # read first, so that the last event has what comes in between
        now: dict[str, Any] = {"status": job.status, "error": job.error, **more(job)}
        if job.status == "running":
            now["seconds"] = time.monotonic() - job.began
            now["calls"] = 0 if job.watch is None else job.watch.calls
        yield event("end" if over else "state", now, 0)
        if over:
            return
        await pause(job)
