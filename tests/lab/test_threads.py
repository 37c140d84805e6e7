"""Threads of requests: each ends with an answer, and there are not too many."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tachograph.lab import threads
from tachograph.lab.threads import on_thread


def raised(error):
    raise error


def run(coroutine):
    """What a coroutine returns, run on a thread of its own: a browser of other tests has a loop on this one."""
    with ThreadPoolExecutor(1) as one:
        return one.submit(asyncio.run, coroutine).result()


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

    assert run(told()) is kind


def test_only_so_many_at_once(monkeypatch):
    monkeypatch.setattr(threads, "MOST_AT_ONCE", 3)
    lock = threading.Lock()
    at_work = []
    most = []

    def count():
        with lock:
            at_work.append(1)
            most.append(len(at_work))
        time.sleep(0.02)
        with lock:
            at_work.pop()

    async def all_of_them():
        await asyncio.gather(*(on_thread(count) for _ in range(20)))

    run(all_of_them())
    assert len(most) == 20
    assert max(most) == 3


def test_a_thread_that_cannot_start_takes_no_place(monkeypatch):
    monkeypatch.setattr(threads, "MOST_AT_ONCE", 1)

    async def twice():
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", lambda _: raised(RuntimeError("no more")))
            with pytest.raises(RuntimeError, match="no more"):
                await on_thread(int)
        return await asyncio.wait_for(on_thread(int, "7"), 10)

    assert run(twice()) == 7
