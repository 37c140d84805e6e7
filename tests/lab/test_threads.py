"""Threads of requests: each ends with an answer, and there are not too many."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tachograph.lab import threads
from tachograph.lab.threads import on_thread


def raised(error):
    raise error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("odd"), ValueError),
        (StopIteration(), RuntimeError),  # asyncio takes none
        (SystemExit(3), RuntimeError),  # nor does it let a server go on after this
    ],
)
def test_whatever_is_raised_is_told(error, kind):
    async def told():
        try:
            await asyncio.wait_for(on_thread(raised, error), 10)
        except Exception as found:
            return type(found)

    assert asyncio.run(told()) is kind


def test_only_so_many_at_once(monkeypatch):
    monkeypatch.setattr(threads, "MOST_AT_ONCE", 3)
    most = []

    def count():
        most.append(sum(t.name == "lab-request" for t in threading.enumerate()))
        time.sleep(0.02)

    async def all_of_them():
        await asyncio.gather(*(on_thread(count) for _ in range(20)))

    asyncio.run(all_of_them())
    assert len(most) == 20
    assert max(most) <= 4  # one may have given its answer, and not be over


def test_a_thread_that_cannot_start_takes_no_place(monkeypatch):
    monkeypatch.setattr(threads, "MOST_AT_ONCE", 1)

    async def twice():
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", lambda _: raised(RuntimeError("no more")))
            with pytest.raises(RuntimeError, match="no more"):
                await on_thread(int)
        return await asyncio.wait_for(on_thread(int, "7"), 10)

    assert asyncio.run(twice()) == 7
